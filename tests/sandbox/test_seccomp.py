"""Tests of the system call filter: each call that a sandboxed bot may not make is refused by the filter itself.

A bot makes each call by its number. Its failure alone proves little, because the kernel refuses many calls of an
ordinary user with the same error. So the bot also runs with a second filter, which differs only in its error numbers;
no kernel uses these.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import arena.sandbox.seccomp as filtering
from arena.sandbox.launcher import Sandbox
from arena.transport.base import Launch
from arena.transport.command import run_to_end
from tests.support.hosts import confinement

PROMISED = {
    "steering others": "ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd perf_event_open",
    "the kernel's switches": """
        bpf userfaultfd io_uring_setup io_uring_enter io_uring_register keyctl add_key request_key
        kexec_load init_module finit_module delete_module reboot swapon swapoff syslog acct quotactl
        settimeofday clock_settime clock_adjtime adjtimex sethostname setdomainname vhangup
        fanotify_init open_by_handle_at name_to_handle_at
    """,
    "other views and namespaces": """
        mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount open_tree unshare setns
    """,
    "leaving the group": "setsid setpgid",
    "the scheduler": """
        sched_setaffinity sched_setscheduler sched_setattr sched_setparam setpriority ioprio_set
    """,
    "memory that no limit sees": """
        memfd_create shmget shmat shmctl msgget semget mq_open mlock mlock2 mlockall
    """,
    "kernel work that hears no signal": """
        io_setup io_submit io_getevents io_pgetevents io_destroy io_cancel move_pages migrate_pages mbind set_mempolicy
        remap_file_pages readahead fadvise64 sync syncfs sync_file_range
    """,
}
NOT_EVERYWHERE = (
    "lookup_dcookie", "kexec_file_load", "iopl", "ioperm", "mount_setattr", "memfd_secret", "set_mempolicy_home_node",
    "process_madvise", "process_mrelease", "quotactl_fd", "landlock_create_ruleset", "landlock_add_rule",
    "landlock_restrict_self",
)  # fmt: skip
"""Refused too, where the machine has them and the library knows them."""

NONSENSE = [-1] * 6
"""Arguments for which no call does anything, whoever makes it."""
CLONE_SIGHAND = 0x800
"""Without CLONE_VM it is an error, so that nobody is cloned where the filter lets this pass."""
NAMESPACES = {
    "mount": 0x00020000,
    "cgroup": 0x02000000,
    "uts": 0x04000000,
    "ipc": 0x08000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "network": 0x40000000,
}
FAMILIES = {"packet": 17, "bluetooth": 31, "alg": 38, "vsock": 40, "xdp": 44}
JUNK = 7 << 32
"""The kernel takes the lower half of an int; what is above must not get a call past the filter."""
NOBODY = (1 << 22) + 1
"""No process has this number, so that a signal would go nowhere."""
CONTINUE = JUNK | signal.SIGCONT
EPERM, ENOSYS, ENOMEM, EINVAL, ENOTSUP = 1001, 1002, 1003, 1004, 1005
"""What the marked filter answers in their place."""


def number(call: str) -> int | None:
    """The number of a system call; None where this machine has none of that name."""
    import pyseccomp

    try:
        found: int = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, call)
    except OSError:
        return None
    return found if found >= 0 else filtering._NUMBERS.get(call)


def calls() -> dict[str, tuple[list[int], int]]:
    """Every call that must be refused: its number and arguments, and with which of the marked errors."""
    tried = {name: (NONSENSE, EPERM) for names in PROMISED.values() for name in names.split()}
    tried |= {name: (NONSENSE, EPERM) for name in NOT_EVERYWHERE if number(name) is not None}
    tried |= {f"clone {name}": ([flag | CLONE_SIGHAND | signal.SIGCHLD], EPERM) for name, flag in NAMESPACES.items()}
    tried |= {f"socket {name}": ([family, -1, -1], EPERM) for name, family in FAMILIES.items()}
    tried["clone3"] = ([0, 0], ENOSYS)
    tried["timer_create"] = (NONSENSE, ENOSYS)
    tried["mmap shared anonymous"] = ([0, 0, 0, 0x21, -1, 0], ENOMEM)
    tried["kill"] = tried["tkill"] = ([NOBODY, CONTINUE], EPERM)
    tried["tgkill"] = ([NOBODY, NOBODY, CONTINUE], EPERM)
    tried["rt_sigqueueinfo"] = tried["pidfd_send_signal"] = ([-1, CONTINUE, 0, 0], EPERM)
    tried["rt_tgsigqueueinfo"] = ([NOBODY, NOBODY, CONTINUE, 0], EPERM)
    for name, option in {"filter": 26, "bpf": 50, "reuseport cbpf": 51, "reuseport ebpf": 52}.items():
        tried[f"setsockopt {name}"] = ([-1, JUNK | 1, JUNK | option, 0, 0], EPERM)
    for name, advice in {"pageout": 21, "populate read": 22, "populate write": 23, "collapse": 25}.items():
        tried[f"madvise {name}"] = ([1, 0, JUNK | advice], EINVAL)
    tried["openat direct"] = ([-1, 0, JUNK | os.O_DIRECT], EINVAL)
    if number("open") is not None:
        tried["open direct"] = ([0, JUNK | os.O_DIRECT], EINVAL)
    tried["fcntl direct"] = ([-1, JUNK | fcntl.F_SETFL, JUNK | os.O_DIRECT], EINVAL)
    tried["openat2"] = (NONSENSE, ENOSYS)
    tried["prctl parent death"] = ([JUNK | 1, signal.SIGUSR1, 0, 0, 0], EPERM)
    tried["fcntl signal"] = ([-1, JUNK | 10, signal.SIGCONT], EPERM)
    for bits in (0o4755, 0o2755, 0o6000):
        mode = JUNK | bits
        tried |= {f"{call} {bits:o}": ([-1, mode], EPERM) for call in ("chmod", "fchmod", "creat", "mknod")}
        tried |= {f"{call} {bits:o}": ([-1, -1, mode, -1], EPERM) for call in ("fchmodat", "fchmodat2", "mknodat")}
        for what, flags in {"created": 0o100, "unnamed": 0o20200000}.items():
            tried[f"open {what} {bits:o}"] = ([-1, JUNK | flags | 1, mode], EPERM)
            tried[f"openat {what} {bits:o}"] = ([-1, -1, JUNK | flags | 1, mode], EPERM)
    tried["openat2"] = ([-1, 0, 0, 0], ENOSYS)
    tried |= dict.fromkeys(("setxattr", "lsetxattr", "fsetxattr", "setxattrat"), (NONSENSE, ENOTSUP))
    made = {}
    for name, (arguments, error) in tried.items():
        found = number(name.split()[0])
        assert found is not None, f"this machine should have the call {name}"
        made[name] = ([found, *arguments], error)
    return made


@pytest.fixture(scope="module")
def confined() -> Sandbox:
    """The best confinement of this host."""
    return confinement()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the bot that makes the calls."""
    shutil.copy(Path(__file__).parent / "refused_calls.py", tmp_path)
    tmp_path.chmod(0o755)
    return tmp_path


def answers(sandbox: Sandbox, folder: Path) -> dict[str, int]:
    """What a bot in that sandbox is answered to each call: an error number, 0 for done."""
    given = json.dumps({name: numbers for name, (numbers, _) in calls().items()})
    done = run_to_end(Launch(("python3", "-I", "refused_calls.py", given), str(folder), sandbox), limit_s=30.0)
    assert done.status == 0, done.errors
    report: dict[str, int] = json.loads(done.output)
    return report


def test_each_call_is_refused_by_the_filter(confined: Sandbox, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them comes as far as the kernel, which would have answered something else."""
    assert confined.seccomp
    with monkeypatch.context() as marking:
        marking.setattr(
            filtering,
            "errno",
            SimpleNamespace(EPERM=EPERM, ENOSYS=ENOSYS, ENOMEM=ENOMEM, EINVAL=EINVAL, ENOTSUP=ENOTSUP),
        )
        marked = replace(confined, seccomp=filtering.build_filter())
    wanted = {name: error for name, (_, error) in calls().items()}
    assert answers(marked, folder) == wanted
    assert not set(wanted.values()) & set(answers(replace(confined, seccomp=b""), folder).values())


def test_a_bot_is_told_so_by_the_errors_that_programs_know(confined: Sandbox, folder: Path) -> None:
    """So that runtimes, which try things, do without."""
    known = {
        EPERM: errno.EPERM,
        ENOSYS: errno.ENOSYS,
        ENOMEM: errno.ENOMEM,
        EINVAL: errno.EINVAL,
        ENOTSUP: errno.ENOTSUP,
    }
    assert answers(confined, folder) == {name: known[error] for name, (_, error) in calls().items()}


def test_every_refused_call_is_tried() -> None:
    """What is added to the filter is added here."""
    assert {*filtering._REFUSED} == {*NOT_EVERYWHERE, *(name for names in PROMISED.values() for name in names.split())}
