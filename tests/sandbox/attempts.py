"""A bot that tries to leave the sandbox, read secrets and leave processes behind; it prints the result of each attempt.

Its arguments are the arena's process id, the path of another user's secret, and a port on the host's loopback."""

# ruff: noqa: PTH108, PTH110, PTH118, PTH120, PTH123, PTH208, SIM115

import ctypes
import fcntl
import json
import mmap
import os
import platform
import resource
import signal
import socket
import sys
import threading
from collections.abc import Callable

arena, secret, port = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
report: dict[str, str] = {}


def call(name: str, *arguments: object) -> int:
    result: int = getattr(libc, name)(*arguments)
    if result == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def attempt(name: str, action: Callable[[], object]) -> None:
    try:
        report[name] = "done" if action() is not False else "refused"
    except Exception as error:
        report[name] = f"{type(error).__name__}: {error}"


def in_child(action: Callable[[], object]) -> bool:
    pid = os.fork()
    if pid == 0:
        try:
            action()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def honest() -> bool:
    with open(os.path.join(os.environ["HOME"], "notes"), "w") as file:
        file.write("x" * 100_000)
    threading.Thread(target=lambda: None).start()
    left, right = socket.socketpair()
    left.send(b"x")
    return in_child(lambda: None) and right.recv(1) == b"x"


def many_threads() -> None:
    stop = threading.Event()
    try:
        for _ in range(200):
            threading.Thread(target=stop.wait, daemon=True).start()
    finally:
        stop.set()


def much_memory() -> int:
    return len(bytearray(1 << 30))


def many_files() -> None:
    files = []
    try:
        for _ in range(1000):
            files.append(os.open("/dev/null", os.O_RDONLY))
    finally:
        for file in files:
            os.close(file)


def large_file() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    path = os.path.join(os.environ["HOME"], "large")
    try:
        with open(path, "wb") as file:
            for _ in range(12):
                file.write(b"x" * (1 << 20))
    finally:
        os.unlink(path)


def fill_scratch() -> None:
    paths = [os.path.join(os.environ["HOME"], f"fill{number}") for number in range(30)]
    try:
        for path in paths:
            with open(path, "wb") as file:
                file.write(b"x" * (1 << 20))
    finally:
        for path in paths:
            if os.path.exists(path):
                os.unlink(path)


def write_outside() -> bool:
    places = ["/", "/usr", "/etc", "/dev", "/bot", ".", "/var/tmp", "/arena", "/arena/engine", os.path.dirname(secret)]
    written = False
    for place in places:
        try:
            with open(os.path.join(place, ".written-by-a-bot"), "w"):
                written = True
            os.unlink(os.path.join(place, ".written-by-a-bot"))
        except OSError:
            continue
    return written


def other_processes() -> bool:
    return any(name.isdigit() and int(name) != os.getpid() for name in os.listdir("/proc"))


def raised_limit() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def inherited() -> bool:
    return any(int(name) > 3 for name in os.listdir("/proc/self/fd"))  # 3: the listing itself


def capabilities() -> int:
    status = open("/proc/self/status").read()
    return int(status.partition("CapEff:")[2].split()[0], 16) or int(status.partition("CapBnd:")[2].split()[0], 16) != 0


def clone_apart() -> None:
    pid = call("syscall", 56, 0x10000000 | 17, 0, 0, 0, 0)  # clone(CLONE_NEWUSER | SIGCHLD)
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)


def timer() -> int:
    identity = ctypes.c_void_p()
    return call("timer_create", 1, None, ctypes.byref(identity))


def child_with_another_signal() -> None:
    pid = ctypes.PyDLL(None, use_errno=True).syscall(56 if platform.machine() == "x86_64" else 220, 18, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    os.waitpid(pid, 0x40000000)


attempt("an honest bot's work", honest)
attempt("read a secret", lambda: open(secret).read())
attempt("see other files", lambda: os.listdir(os.path.dirname(os.path.dirname(secret))))
attempt("write outside", write_outside)
attempt("see other processes", other_processes)
attempt("read the arena's environment", lambda: open(f"/proc/{arena}/environ").read() or False)
attempt("signal the arena", lambda: os.kill(arena, 0))
# PTRACE_SEIZE: it would show the way in, but stop nobody.
attempt("trace the arena", lambda: call("ptrace", 0x4206, arena, 0, 0))
attempt("read the arena's memory", lambda: call("process_vm_readv", arena, 0, 0, 0, 0, 0))
attempt("reach the host's loopback", lambda: socket.create_connection(("127.0.0.1", port), timeout=5))
attempt("resolve a name", lambda: socket.getaddrinfo("example.org", 80))
attempt("reach the internet", lambda: socket.create_connection(("192.0.2.1", 80), timeout=0.1))
attempt("talk past the network", lambda: socket.socket(40, socket.SOCK_STREAM))
attempt("send raw packets", lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
attempt("leave the group", lambda: in_child(os.setsid))
attempt("start a group", lambda: os.setpgid(0, 0) if os.getpid() != os.getpgid(0) else False)
attempt("use a new namespace", lambda: in_child(lambda: call("unshare", 0x10000000)))
attempt("clone into a namespace", clone_apart)
attempt("mount", lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None))
attempt("become root", lambda: os.setuid(0))
attempt("hold capabilities", capabilities)
attempt("change its affinity", lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
attempt("be scheduled first", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
attempt("raise its priority", lambda: os.nice(-5))
attempt("lower its priority", lambda: os.setpriority(os.PRIO_PROCESS, 0, 5))
attempt("hold memory that no limit counts", lambda: os.close(os.memfd_create("x")))
attempt("share anonymous memory", lambda: mmap.mmap(-1, 1 << 20))
attempt("share memory by name", lambda: call("shmctl", call("shmget", 77, 4096, 0o1600), 0, None))  # removed at once
attempt("lock memory", lambda: call("mlockall", 3))
attempt("use the kernel's keys", lambda: call("syscall", 250, 0, -3, 1))
attempt("have a timer send a signal", timer)
attempt("be told of a child's end by another signal", child_with_another_signal)
attempt("be sent a signal when its parent dies", lambda: call("prctl", 1, 18))
attempt("be sent another signal when a file changes", lambda: fcntl.fcntl(0, fcntl.F_SETSIG, 18))
attempt("make a terminal", lambda: list(map(os.close, os.openpty())))
attempt("limit its processor time", lambda: resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000)))
attempt("limit its time without a pause", lambda: resource.setrlimit(15, (10**9, 10**9)))
attempt("use a large file", large_file)
attempt("fill the scratch folder", fill_scratch)
attempt("open many files", many_files)
attempt("start many threads", many_threads)
attempt("take much memory", much_memory)
attempt("raise its limit", raised_limit)
attempt("use a descriptor of the arena", inherited)
attempt("make a device", lambda: os.mknod(os.path.join(os.environ["HOME"], "disk"), 0o60600, os.makedev(8, 0)))
attempt("set the clock", lambda: __import__("time").clock_settime(0, 0))
print(json.dumps(report))
