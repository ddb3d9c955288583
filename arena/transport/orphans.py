"""What an unconfined bot leaves behind: processes that left its group, found because they become ours.

Without a sandbox nothing keeps a bot's helpers in one process group. But this process can make itself the reaper of its
descendants (a "subreaper"): whoever loses its parent becomes our child. Such a child lives in another kernel session
than ours, since every bot is started in one of its own and nobody can come back from there. That tells it from the
children that this process started for itself.
"""

from __future__ import annotations

import os
import resource
import signal
import time
from typing import Final

from arena.linux import survivors
from arena.linux.proc import children_of
from arena.linux.subreaper import signal_all

_LOOK_AGAIN_S: Final = 0.005

_leaders: set[int] = set()
"""The processes that transports of this process started and have not reaped yet."""
_claims: dict[int, set[int]] = {}
"""Leader -> the orphans that appeared while it alone was running."""


def _forget() -> None:
    _leaders.clear()
    _claims.clear()


os.register_at_fork(after_in_child=_forget)


def note_leader(pid: int) -> None:
    """This process was started for a bot: it is a bot's first process, not an orphan."""
    _leaders.add(pid)


def forget_leader(pid: int) -> None:
    """It has been reaped."""
    _leaders.discard(pid)
    _claims.pop(pid, None)


def claim(leader: int) -> set[int]:
    """The orphans of this leader: those of its session, and those that have left theirs and no other has claimed.

    It claims them by asking. One that is still in the session of another leader is that one's, however late it appears:
    a process that dies slowly hands on its children only at its end.
    """
    others = set().union(*(claimed for other, claimed in _claims.items() if other != leader))
    found = {pid for pid in orphans() - others if (session := _session(pid)) == leader or session not in _leaders}
    if found or leader in _claims:
        _claims[leader] = found
    return found


def orphans() -> set[int]:
    """The processes that bots of this process left behind and that became its children.

    Without those that no kill has ended: nobody else may be held to account for them.
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
    """Status and use of a leader that has ended; None if it cannot be reaped in that time.

    A helper may trace it: then its end is hidden from everybody else until that one is gone, which is seen to.
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
