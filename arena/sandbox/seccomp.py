"""The system-call filter of a sandboxed bot: refuse the calls that no bot needs, and allow all others.

A refused call fails with an error and does not kill the bot, because language runtimes try calls that they can do
without. Three groups matter for fairness, not for safety. No process may leave the process group that is frozen between
turns (`setsid`, `setpgid`). No process may make the kernel send SIGCONT to the group, which would resume it. No process
may change how the scheduler treats it.
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
    # inspecting or controlling other processes
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open", "lookup_dcookie",
    # kernel features and settings
    "bpf", "userfaultfd", "io_uring_setup", "io_uring_enter", "io_uring_register", "keyctl", "add_key", "request_key",
    "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff",
    "syslog", "acct", "quotactl", "settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "sethostname",
    "setdomainname", "iopl", "ioperm", "vhangup", "fanotify_init", "open_by_handle_at", "name_to_handle_at",
    # other views of the file system, other namespaces
    "mount", "umount2", "pivot_root", "chroot", "fsopen", "fsconfig", "fsmount", "fspick", "move_mount", "open_tree",
    "mount_setattr", "unshare", "setns",
    # leaving the group that is frozen between turns; an advantage from the scheduler
    "setsid", "setpgid", "sched_setaffinity", "sched_setscheduler", "sched_setattr", "sched_setparam", "setpriority",
    "ioprio_set",
    # memory that no limit counts, or that outlives the process
    "memfd_create", "memfd_secret", "shmget", "shmat", "shmctl", "msgget", "semget", "mq_open", "mlock", "mlock2",
    "mlockall",
    # kernel work that has no limit, or waits for disks, and cannot be killed until it is done
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
"""AF_NETLINK. Unix and internet sockets have lower numbers. Packet, VM and kernel crypto sockets have higher ones."""
_SHARED_ANONYMOUS: Final = 0x21
_END_SIGNAL: Final = 0xFF
"""Mask of the `clone` flags that contain the signal by which the kernel reports the end of the child."""
_SENDING_CALLS: Final = (
    ("kill", 1), ("tkill", 1), ("tgkill", 2), ("pidfd_send_signal", 1),
    ("rt_sigqueueinfo", 1), ("rt_tgsigqueueinfo", 2),
)  # fmt: skip
"""Each call with the index of its argument that is the signal."""
_ATTACHING_OPTIONS: Final = (26, 50, 51, 52)
"""SO_ATTACH_FILTER, SO_ATTACH_BPF, SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF."""
_SETTING_MODES: Final = (
    ("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("fchmodat2", 2), ("creat", 1), ("mknod", 1), ("mknodat", 2),
)  # fmt: skip
"""Each call with the index of its argument that is the mode."""
_UNNAMED_FILE: Final = 0o20000000
"""The bit of O_TMPFILE that no other flag contains."""
_SETTING_ATTRIBUTES: Final = ("setxattr", "lsetxattr", "fsetxattr", "setxattrat", "file_setattr")
_NUMBERS: Final = {"fchmodat2": 452, "setxattrat": 463, "file_setattr": 469}
"""Numbers of calls that older libseccomp releases do not know. From 424 on, they are the same on every architecture."""
_WORKING_ADVICE: Final = (21, 22, 23, 25)
"""MADV_PAGEOUT, MADV_POPULATE_READ, MADV_POPULATE_WRITE, MADV_COLLAPSE. Programs can do without them, because older
kernels do not know them."""
_OPENING_CALLS: Final = (("open", 1), ("openat", 2))
"""Each call with the index of its argument that contains the flags."""
_PR_SET_PDEATHSIG: Final = 1
_KILLING_LIMITS: Final = (resource.RLIMIT_CPU, 15)
"""Limits at which the kernel kills a process. The second is RLIMIT_RTTIME, the real-time CPU time without a pause. A
process without real-time scheduling reaches it too, if the limit is 0 and one of its timers expires."""
_AN_INT: Final = 0xFFFFFFFF
"""Mask of an int. A filter sees 64 bits of each argument, but the kernel uses only 32 bits of an int."""


def build_filter() -> bytes:
    """Return the filter as a BPF program for bubblewrap. Raises `OSError` or `RuntimeError` without libseccomp."""
    try:
        import pyseccomp as seccomp
    except ImportError as error:
        raise RuntimeError(f"the Python package pyseccomp is missing: {error}") from error

    rules: Any = seccomp.SyscallFilter(seccomp.ALLOW)
    for call in _REFUSED:
        _refuse(seccomp, rules, errno.EPERM, call)
    for flag in _NEW_NAMESPACE:
        _refuse(seccomp, rules, errno.EPERM, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))
    # The flags of `clone3` are in memory that a filter cannot read. Without it, the C library uses `clone`.
    _refuse(seccomp, rules, errno.ENOSYS, "clone3")
    _refuse(seccomp, rules, errno.EPERM, "socket", seccomp.Arg(0, seccomp.GT, _LAST_ADDRESS_FAMILY))
    _refuse(
        seccomp,
        rules,
        errno.ENOMEM,
        "mmap",
        seccomp.Arg(3, seccomp.MASKED_EQ, _SHARED_ANONYMOUS, _SHARED_ANONYMOUS),
    )
    # SIGCONT resumes a stopped process, no matter where it comes from: from another process of the bot that is just
    # being stopped on another core, a timer, the end of a child or of a parent, or an event on a file.
    for call, argument in _SENDING_CALLS:
        _refuse(seccomp, rules, errno.EPERM, call, _is(seccomp, argument, signal.SIGCONT))
    # The signal of a timer is in memory that a filter cannot read. Without `timer_create`, programs use `alarm`.
    _refuse(seccomp, rules, errno.ENOSYS, "timer_create")
    _refuse(seccomp, rules, errno.EPERM, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _END_SIGNAL, signal.SIGCONT))
    _refuse(seccomp, rules, errno.EPERM, "prctl", _is(seccomp, 0, _PR_SET_PDEATHSIG))
    _refuse(seccomp, rules, errno.EPERM, "fcntl", _is(seccomp, 1, fcntl.F_SETSIG))
    # A program that the kernel runs on each packet, or a large memory range to fill at once, keeps the kernel busy for
    # seconds. It receives no signal meanwhile, although other bots are on turn or the bot should have ended.
    for option in _ATTACHING_OPTIONS:
        _refuse(seccomp, rules, errno.EPERM, "setsockopt", _is(seccomp, 1, socket.SOL_SOCKET), _is(seccomp, 2, option))
    for advice in _WORKING_ADVICE:
        _refuse(seccomp, rules, errno.EINVAL, "madvise", _is(seccomp, 2, advice))
    _refuse_set_id(seccomp, rules)
    # A direct read of any size waits for the disk and cannot be killed meanwhile. File systems without direct reads
    # return the same error, and programs then read normally.
    direct = seccomp.Arg(2, seccomp.MASKED_EQ, os.O_DIRECT, os.O_DIRECT)
    _refuse(seccomp, rules, errno.EINVAL, "fcntl", _is(seccomp, 1, fcntl.F_SETFL), direct)
    for call, argument in _OPENING_CALLS:
        flag = seccomp.Arg(argument, seccomp.MASKED_EQ, os.O_DIRECT, os.O_DIRECT)
        _refuse(seccomp, rules, errno.EINVAL, call, flag)
    # The flags and mode of `openat2` are in memory that a filter cannot read. Without it, programs use `openat`.
    _refuse(seccomp, rules, errno.ENOSYS, "openat2")
    # These limits are the only way in which a bot could make the kernel kill it, and blame others for that. Reading the
    # limits is harmless.
    for limit in _KILLING_LIMITS:
        _refuse(seccomp, rules, errno.EPERM, "setrlimit", _is(seccomp, 0, limit))
        _refuse(seccomp, rules, errno.EPERM, "prlimit64", _is(seccomp, 1, limit), seccomp.Arg(2, seccomp.NE, 0))
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _refuse_set_id(seccomp: Any, rules: Any) -> None:
    """Refuse set-id files: a build's files stay on the host's disk, where others could run them with its rights."""
    for mode in (stat.S_ISUID, stat.S_ISGID):
        for call, argument in _SETTING_MODES:
            _refuse(seccomp, rules, errno.EPERM, call, seccomp.Arg(argument, seccomp.MASKED_EQ, mode, mode))
        for call, argument in _OPENING_CALLS:
            for flag in (os.O_CREAT, _UNNAMED_FILE):  # without these flags the mode is ignored, and can be any number
                flagged = seccomp.Arg(argument, seccomp.MASKED_EQ, flag, flag)
                mode_set = seccomp.Arg(argument + 1, seccomp.MASKED_EQ, mode, mode)
                _refuse(seccomp, rules, errno.EPERM, call, flagged, mode_set)
    # These calls set access lists and file capabilities. To programs, the error looks like a disk without attributes.
    for attribute_call in _SETTING_ATTRIBUTES:
        _refuse(seccomp, rules, errno.ENOTSUP, attribute_call)


def _is(seccomp: Any, argument: int, value: int) -> Any:
    """Return the condition that this argument, an `int`, has this value."""
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
