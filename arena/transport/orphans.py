"""Find leaked processes of a bot without a sandbox: processes that left its group and became our children.

Without a sandbox, a bot's child processes can leave its process group. But this process can make itself the sub-reaper
of its descendants: then orphans are re-parented to it. Such a child is in another kernel session than this process,
because every bot starts in its own session, and no process can join a session again. This distinguishes an orphan from
the children that this process started for itself.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from typing import Final

from arena.linux import survivors
from arena.linux.proc import children_of, descendants
from arena.linux.subreaper import reap, signal_all

_LOOK_AGAIN_S: Final = 0.005

_leaders: set[int] = set()
"""Processes that transports of this process started and have not reaped yet."""
_claims: dict[int, set[int]] = {}
"""Leader -> the orphans that appeared while only this leader was running."""


def _forget() -> None:
    _leaders.clear()
    _claims.clear()


os.register_at_fork(after_in_child=_forget)


def note_leader(pid: int) -> None:
    """Record that this process was started for a bot: it is a bot's first process, not an orphan."""
    _leaders.add(pid)


def forget_leader(pid: int) -> None:
    """Forget a leader that has been reaped."""
    _leaders.discard(pid)
    _claims.pop(pid, None)


def claim(leader: int) -> set[int]:
    """Claim and return the orphans of this leader: those of its session, and those of no leader's session.

    Orphans that another leader has claimed are excluded. An orphan in the session of another leader belongs to that
    leader, no matter how late it appears: the children of a slowly dying process are re-parented only at its end.
    """
    others = set().union(*(claimed for other, claimed in _claims.items() if other != leader))
    found = {pid for pid in orphans() - others if (session := _session(pid)) == leader or session not in _leaders}
    if found or leader in _claims:
        _claims[leader] = found
    return found


def orphans() -> set[int]:
    """Return the processes that bots of this process leaked and that were re-parented to it.

    Killed processes that have not ended are excluded, so that no other bot is blamed for them.
    """
    own_session = os.getsid(0)
    found = set()
    for pid in children_of(os.getpid()) - survivors.pids():
        if pid not in _leaders and _session(pid) not in (own_session, None):
            found.add(pid)
    return found


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def reap_leader(leader: int, patience_s: float) -> tuple[int, resource.struct_rusage] | None:
    """Reap a leader that has ended, and return its status and resource usage; None if it takes longer than allowed.

    A child process may trace the leader, which hides the end of the leader until the tracer has exited. So the leader's
    orphans are killed.
    """
    deadline = time.monotonic() + patience_s
    while True:
        pid, status, used = os.wait4(leader, os.WNOHANG)
        if pid == leader:
            return status, used
        signal_all(claim(leader), signal.SIGKILL)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_LOOK_AGAIN_S)


def find_all(leader: int) -> set[int]:
    """Return the orphans of this leader with all their descendants."""
    found = claim(leader)
    for orphan in found:
        found = found | descendants(orphan)
    return found


def end_all(leader: int, dying: survivors.Dying) -> bool:
    """Kill and reap the orphans of this leader until none is found. Return False if time ran out."""
    while found := find_all(leader):
        signal_all(found, signal.SIGKILL)
        if reap(found, min(survivors.SOON_S, dying.left_s)):
            dying.step_back()
            if dying.left_s <= 0:
                return False
    return True
