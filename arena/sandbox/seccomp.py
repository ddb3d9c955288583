"""The system-call filter of a confined bot: what no bot needs is refused, everything else is allowed.

Refused calls fail with an error instead of killing, since runtimes try things and do without. Three groups matter for
fairness, not for safety: nobody may leave the process group that is frozen between turns (`setsid`, `setpgid`), nobody
may have the kernel send SIGCONT to it, by which it would go on, and nobody may change how the scheduler treats it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import tempfile
from typing import Any, Final

_REFUSED: Final = (
    # looking into or steering others
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open", "lookup_dcookie",
    # the kernel's own switches
    "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff",
    "syslog", "acct", "quotactl", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "iopl", "ioperm", "vhangup", "fanotify_init", "open_by_handle_at", "name_to_handle_at",
    # other views of the file system, other namespaces
    "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree",
    "mount_setattr", "unshare", "setns",
    # leaving the group that is frozen between turns; better terms from the scheduler
    "setsid", "setpgid", "sched_setaffinity", "sched_setscheduler", "sched_setattr", "sched_setparam", "setpriority",
    "ioprio_set",
    # memory that no limit sees, or that outlives the process
    "memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "semget", "mq_open", "mlock", "mlock2",
    "mlockall",
    # work of the kernel that has no bound, or waits for disks, and is deaf to SIGKILL until it is done
    "io_setup", "io_submit", "io_getevents", "io_pgetevents", "io_destroy", "io_cancel", "move_pages", "migrate_pages",
    "mbind", "set_mempolicy", "set_mempolicy_home_node", "process_madvise", "process_mrelease", "remap_file_pages",
    "readahead", "fadvise64", "sync", "syncfs", "sync_file_range", "quotactl_fd", "landlock_create_ruleset",
    "landlock_add_rule", "landlock_restrict_self",
)  # fmt: skip

_NEW_NAMESPACE: Final = (
    0x00020000,  # mount
    0x02000000,  # cgroup
    0x04000000,  # uts
    0x08000000,  # ipc
    0x10000000,  # user
    0x20000000,  # pid
    0x40000000,  # network
)
_LAST_ADDRESS_FAMILY: Final = 16
"""AF_NETLINK. Unix and internet sockets lie below; above it packets, the host's VM sockets, kernel crypto."""
_SHARED_ANONYMOUS: Final = 0x21
_END_SIGNAL: Final = 0xFF
"""The part of the flags of `clone` that says by which signal the end of the child is told."""
_SENDING_CALLS: Final = (
    ("kill", 1), ("tkill", 1), ("tgkill", 2), ("pidfd_send_signal", 1),
    ("rt_sigqueueinfo", 1), ("rt_tgsigqueueinfo", 2),
)  # fmt: skip
"""With the argument that says which signal."""
_ATTACHING_OPTIONS: Final = (26, 50, 51, 52)
"""SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF."""
_SETTING_MODES: Final = (
    ("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2), ("creat", 1), ("mknod", 1), ("mknodat", 2),
)  # fmt: skip
"""With the argument that is the mode."""
_UNNAMED_FILE: Final = 0o20000000
"""The bit of O_TMPFILE that no other flag has."""
_SETTING_ATTRIBUTES: Final = ("setxattr", "lsetxattr", "fsetxattr", "setxattrat", "file_setattr")
_NUMBERS: Final = {"fchmodat2": 452, "setxattrat": 463, "file_setattr": 469}
"""Calls that older releases of libseccomp do not know; from 424 on the numbers are the same on every machine."""
_WORKING_ADVICE: Final = (21, 22, 23, 25)
"""MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_COLLAPSE: older kernels do not know them, so programs do
without."""
_OPENING_CALLS: Final = (("open", 1), ("openat", 2))
"""With the argument that holds the flags."""
_PR_SET_PDEATHSIG: Final = 1
_KILLING_LIMITS: Final = (resource.RLIMIT_CPU, 15)
"""Limits at which the kernel kills. The second is that of time without a pause (RLIMIT_RTTIME): a process that is not
scheduled in real time reaches it too where it is 0 and one of its timers is due."""
_AN_INT: Final = 0xFFFFFFFF
"""A filter sees 64 bits of each argument, the kernel takes 32 of one that is an int: the others may be anything."""


def build_filter() -> bytes:
    """The filter as a BPF program, as the sandbox wants it. Raises `OSError` or `RuntimeError` without libseccomp."""
    try:
        import pyseccomp as seccomp
    except ImportError as error:
        raise RuntimeError(f"the Python package pyseccomp is missing: {error}") from error

    rules: Any = seccomp.SyscallFilter(seccomp.ALLOW)
    for call in _REFUSED:
        _refuse(seccomp, rules, errno.EPERM, call)
    for flag in _NEW_NAMESPACE:
        _refuse(seccomp, rules, errno.EPERM, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    # Its flags lie in memory that a filter cannot read; without it the C library uses `clone`.
    _refuse(seccomp, rules, errno.ENOSYS, "clone3")
    _refuse(seccomp, rules, errno.EPERM, "socket", seccomp.Arg(0, seccomp.GT, _LAST_ADDRESS_FAMILY))
    _refuse(
        seccomp,
        rules,
        errno.ENOMEM,
        "mmap",
        seccomp.Arg(3, seccomp.MASKED_EQ, _SHARED_ANONYMOUS, _SHARED_ANONYMOUS),
    )
    # Who is stopped goes on by SIGCONT, whoever sends it: another process of the bot that is just being stopped on
    # another core, a timer, the end of a child, of a parent, and news of a file.
    for call, argument in _SENDING_CALLS:
        _refuse(seccomp, rules, errno.EPERM, call, _is(seccomp, argument, signal.SIGCONT))
    # What signal a timer sends lies in memory that a filter cannot read; without it programs use `alarm`.
    _refuse(seccomp, rules, errno.ENOSYS, "timer_create")
    _refuse(seccomp, rules, errno.EPERM, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _END_SIGNAL, signal.SIGCONT))
    _refuse(seccomp, rules, errno.EPERM, "prctl", _is(seccomp, 0, _PR_SET_PDEATHSIG))
    _refuse(seccomp, rules, errno.EPERM, "fcntl", _is(seccomp, 1, fcntl.F_SETSIG))
    # Programs for the kernel to run on each packet, and memory to fill at one go: the kernel would be at it for seconds
    # without listening to any signal, while others are on turn or the bot should have ended.
    for option in _ATTACHING_OPTIONS:
        _refuse(seccomp, rules, errno.EPERM, "setsockopt", _is(seccomp, 1, socket.SOL_SOCKET), _is(seccomp, 2, option))
    for advice in _WORKING_ADVICE:
        _refuse(seccomp, rules, errno.EINVAL, "madvise", _is(seccomp, 2, advice))
    _refuse_set_id(seccomp, rules)
    # A direct read waits for the disk, however much it reads, and cannot be killed meanwhile. File systems without
    # direct reads give the same error, and programs then read as usual.
    direct = seccomp.Arg(2, seccomp.MASKED_EQ, os.O_DIRECT, os.O_DIRECT)
    _refuse(seccomp, rules, errno.EINVAL, "fcntl", _is(seccomp, 1, fcntl.F_SETFL), direct)
    for call, argument in _OPENING_CALLS:
        flag = seccomp.Arg(argument, seccomp.MASKED_EQ, os.O_DIRECT, os.O_DIRECT)
        _refuse(seccomp, rules, errno.EINVAL, call, flag)
    # Its flags and its mode lie in memory that a filter cannot read; without it programs use `openat`.
    _refuse(seccomp, rules, errno.ENOSYS, "openat2")
    # The one way in which it could have itself killed, and blame others for that. Reading the limits is no harm.
    for limit in _KILLING_LIMITS:
        _refuse(seccomp, rules, errno.EPERM, "setrlimit", _is(seccomp, 0, limit))
        _refuse(seccomp, rules, errno.EPERM, "prlimit64", _is(seccomp, 1, limit), seccomp.Arg(2, seccomp.NE, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _refuse_set_id(seccomp: Any, rules: Any) -> None:
    """Nothing set-id is made: what a build leaves lies on the host's disk, where others may run it with its rights."""
    for mode in (stat.S_ISUID, stat.S_ISGID):
        for call, argument in _SETTING_MODES:
            _refuse(seccomp, rules, errno.EPERM, call, seccomp.Arg(argument, seccomp.MASKED_EQ, mode, mode))
        for call, argument in _OPENING_CALLS:
            for flag in (os.O_CREAT, _UNNAMED_FILE):  # without them the mode means nothing, and may be anything
                flagged = seccomp.Arg(argument, seccomp.MASKED_EQ, flag, flag)
                mode_set = seccomp.Arg(argument + 1, seccomp.MASKED_EQ, mode, mode)
                _refuse(seccomp, rules, errno.EPERM, call, flagged, mode_set)
    # Access lists and capabilities of files; to programs it looks like a disk that has none.
    for attribute_call in _SETTING_ATTRIBUTES:
        _refuse(seccomp, rules, errno.ENOTSUP, attribute_call)


def _is(seccomp: Any, argument: int, value: int) -> Any:
    """The condition that this argument, an `int`, has that value."""
    return seccomp.Arg(argument, seccomp.MASKED_EQ, _AN_INT, value)


def _refuse(seccomp: Any, rules: Any, number: int, call: str, *conditions: Any) -> None:
    try:
        resolved = seccomp.resolve_syscall(seccomp.Arch.NATIVE, call)
    except OSError:
        return  # a call that this libseccomp does not know yet
    if resolved == -1:
        resolved = _NUMBERS.get(call, -1)
    if resolved >= 0:  # negative: not a call of this machine
        rules.add_rule(seccomp.ERRNO(number), resolved, *conditions)
