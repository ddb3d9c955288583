"""Copy an untrusted submission: within limits, file by file, never through a link, named by its content."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from arena.errors import StoreError, SubmissionRefused

SKIPPED: Final = frozenset(
    {
        ".arena",
        ".git",
        ".hg",
        ".svn",
        "__pycache__",
        ".mypy_cache",
        ".pytest_cache",
        ".ruff_cache",
        ".venv",
        ".DS_Store",
    }
)
"""Names that editors and tools leave in a folder, and the home of an arena; never copied, at any depth."""

_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # non-blocking: opening a fifo would wait
_CHUNK_BYTES = 1 << 20
_SHOWN = 200
_CLOSED_FILE = stat.S_IRUSR
_CLOSED_FOLDER = stat.S_IRUSR | stat.S_IXUSR
_UNTELLABLE = (errno.EEXIST, errno.ENOTDIR, errno.EISDIR)
"""Errors of a disk that treats two names in a folder as the same name."""
_UNWRITABLE = (errno.ENAMETOOLONG, errno.EILSEQ, errno.EINVAL)
"""Errors of a disk that cannot store a name, because it allows only some characters, or only short names."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of one submission."""

    total_bytes: int = 64 << 20
    files: int = 2_000
    folders: int = 500
    depth: int = 16
    name_bytes: int = 120
    path_bytes: int = 1_024
    limit_s: float = 60.0
    """Time limit for listing and reading the whole submission, in seconds."""


BUILT: Final = Bounds(
    total_bytes=512 << 20, files=20_000, folders=5_000, depth=24, name_bytes=240, path_bytes=2_048, limit_s=120.0
)
"""The limits of a submission after its build."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One regular file of a submission."""

    name: str
    """Path inside the submission, with `/` as the separator."""
    size: int
    executable: bool


def copy_folder(source: Path, target: Path, bounds: Bounds | None = None) -> str:
    """Copy the regular files below a folder into an empty one, and return the digest of what was copied.

    Raises `SubmissionRefused`, in one sentence about the first thing that is not allowed.
    """
    _refuse_around(source, target)
    digest = Digest()
    for found, descriptor in _Walk(source, bounds or Bounds()).files():
        digest.begin(found)
        _copy(descriptor, found, target, digest)
    return digest.hex()


def _refuse_around(source: Path, target: Path) -> None:
    """Refuse a folder that contains the target of its own copy, because it would grow with each copied file."""
    outer, inner = Path(os.path.realpath(source)), Path(os.path.realpath(target))
    if inner.is_relative_to(outer) and SKIPPED.isdisjoint(inner.relative_to(outer).parts):
        raise SubmissionRefused(
            f"the folder {printable(str(source))} holds the folder {printable(str(inner.parent.parent))}, where the "
            "arena stores bots: expected a folder with nothing but the bot"
        )


def copy_file(source: Path, target: Path, name: str) -> str:
    """Copy one file into an empty folder under a given name, and return the digest of the folder."""
    try:
        # The submitter typed the path, so follow a link as its last part; links inside a folder are never followed.
        # Opening a device can have effects, so check the type first.
        if not stat.S_ISREG(source.stat().st_mode):
            raise SubmissionRefused(f"{printable(source.name)} is a device, pipe or socket: expected a regular file")
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SubmissionRefused(f"{printable(str(source))} cannot be read: {error.strerror}") from error
    try:
        # A message about a refused file uses the name that was typed.
        found = replace(_regular(os.fstat(descriptor), source.name, Bounds()), name=name)
        digest = Digest()
        digest.begin(found)
        _copy(descriptor, found, target, digest)
    finally:
        os.close(descriptor)
    return digest.hex()


def digest_folder(folder: Path, bounds: Bounds = BUILT) -> str:
    """Return the digest of a folder. Raises `SubmissionRefused` for content that a submission must not have."""
    digest = Digest()
    for found, descriptor in _Walk(folder, bounds, skipped=frozenset()).files():
        digest.begin(found)
        for chunk in _chunks(descriptor, found):
            digest.add(chunk)
    return digest.hex()


def check_folder(folder: Path, bounds: Bounds = BUILT) -> None:
    """Raise `SubmissionRefused` unless a submission may have all that a build left in the folder.

    No content is read. A file that its owner may not read is refused, even if this process could read it.
    """
    for _ in _Walk(folder, bounds, skipped=frozenset(), open_to_owner=True).files():
        continue


class Digest:
    """Blake2b over names, the permission to execute, and bytes. Times, owners and empty folders do not count."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=20)

    def begin(self, found: FoundFile) -> None:
        """Add the name, permission and size of one file.

        Files must be added in sorted order, the files of a folder before those of its subfolders.
        """
        name = found.name.encode()
        self._hash.update(b"%d %d %d\n" % (len(name), found.executable, found.size))
        self._hash.update(name)

    def add(self, content: bytes) -> None:
        """Add the next part of the content of that file."""
        self._hash.update(content)

    def hex(self) -> str:
        """Return the digest as 40 hex digits."""
        return self._hash.hexdigest()


def printable(name: str) -> str:
    """Return a file name as one line that is safe to print."""
    return ascii(name if len(name) <= _SHOWN else name[:_SHOWN] + "...")


@dataclass(slots=True)
class _Walk:
    """One pass over a folder. Each part is opened relative to its parent, so that nobody can insert a link."""

    source: Path
    bounds: Bounds
    skipped: frozenset[str] = SKIPPED
    open_to_owner: bool = False
    """Whether to refuse files that their owner may not read; root could read them."""
    _count: int = 0
    _total: int = 0
    _folders: int = 0
    _end: float = field(default_factory=time.monotonic)

    def files(self) -> Iterator[tuple[FoundFile, int]]:
        """Yield every file, open and sorted, a folder's files before its subfolders'. The next step closes the file."""
        self._end = time.monotonic() + self.bounds.limit_s
        yield from self._below((), None)

    def _below(self, parts: tuple[str, ...], parent: int | None) -> Iterator[tuple[FoundFile, int]]:
        where = "/".join(parts) or ("." if self.open_to_owner else str(self.source))
        with _opened(self.source.absolute() if parent is None else parts[-1], where, parent) as folder:
            if self.open_to_owner:
                _refuse_closed(os.fstat(folder).st_mode, _CLOSED_FOLDER, where)
            below: list[str] = []
            for name in self._names(folder, where):
                inside = "/".join((*parts, name))
                if name in self.skipped:
                    continue
                if time.monotonic() > self._end:
                    raise SubmissionRefused(f"reading it takes too long: expected at most {self.bounds.limit_s:g} s")
                if stat.S_ISDIR(kind := _kind(name, folder, inside)):
                    _check_name(name, inside, self.bounds)
                    below.append(name)
                else:
                    yield from self._file(name, kind, folder, inside)
            for name in below:
                self._folders += 1
                if self._folders > self.bounds.folders:
                    raise SubmissionRefused(f"too many folders: expected at most {self.bounds.folders:,}")
                if len(parts) == self.bounds.depth:
                    raise SubmissionRefused(
                        f"folders are nested too deeply: expected at most {self.bounds.depth} levels"
                    )
                yield from self._below((*parts, name), folder)

    def _file(self, name: str, kind: int, folder: int, inside: str) -> Iterator[tuple[FoundFile, int]]:
        self._count += 1
        if self._count > self.bounds.files:
            raise self._too_many()
        descriptor = _open(name, kind, folder, inside)
        try:
            status = os.fstat(descriptor)
            found = _regular(status, inside, self.bounds)
            if self.open_to_owner:
                _refuse_closed(status.st_mode, _CLOSED_FILE, inside)
            self._total += found.size
            if self._total > self.bounds.total_bytes:
                raise SubmissionRefused(f"the folder is too large: expected at most {self.bounds.total_bytes:,} bytes")
            yield found, descriptor
        finally:
            os.close(descriptor)

    def _names(self, folder: int, where: str) -> list[str]:
        """Return the sorted names in a folder; stop reading when there are more than allowed."""
        names: list[str] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    names.append(entry.name)
                    if len(names) > self.bounds.files + self.bounds.folders:
                        raise self._too_many()
        except OSError as error:
            raise _unreadable(where, error) from error
        return sorted(names)

    def _too_many(self) -> SubmissionRefused:
        return SubmissionRefused(f"the folder has too many files: expected at most {self.bounds.files:,}")


@contextlib.contextmanager
def _opened(name: str | Path, where: str, parent: int | None) -> Iterator[int]:
    """Open a folder. The path of the outermost folder was typed, so a link is followed there."""
    follow = os.O_DIRECTORY if parent is None else os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        descriptor = os.open(name, os.O_RDONLY | follow | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        raise SubmissionRefused(f"the folder {printable(where)} cannot be read: {error.strerror}") from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _refuse_closed(mode: int, needed: int, inside: str) -> None:
    if mode & needed != needed:
        raise SubmissionRefused(
            f"the build leaves {printable(inside)} with mode {stat.S_IMODE(mode):03o}: expected 755, or 644 for a file"
        )


def _unreadable(inside: str, error: OSError) -> SubmissionRefused:
    return SubmissionRefused(f"{printable(inside)} cannot be read: {error.strerror}")


def _kind(name: str, folder: int, inside: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError as error:  # it existed a moment ago
        raise _unreadable(inside, error) from error


def _open(name: str, kind: int, folder: int, inside: str) -> int:
    if stat.S_ISLNK(kind):
        raise SubmissionRefused(f"{printable(inside)} is a symbolic link: expected only regular files")
    if not stat.S_ISREG(kind):
        raise SubmissionRefused(f"{printable(inside)} is a device, pipe or socket: expected only regular files")
    try:
        return os.open(name, _READ_FLAGS, dir_fd=folder)
    except OSError as error:
        raise _unreadable(inside, error) from error


def _regular(status: os.stat_result, inside: str, bounds: Bounds) -> FoundFile:
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionRefused(f"{printable(inside)} is a device, pipe or socket: expected a regular file")
    if status.st_nlink > 1:
        raise SubmissionRefused(f"{printable(inside)} has several hard links: expected a file with one (copy it)")
    if status.st_size > bounds.total_bytes:
        raise SubmissionRefused(f"{printable(inside)} is too large: expected at most {bounds.total_bytes:,} bytes")
    _check_name(inside.rpartition("/")[2], inside, bounds)
    return FoundFile(inside, status.st_size, bool(status.st_mode & 0o111))


def _check_name(name: str, inside: str, bounds: Bounds) -> None:
    try:
        encoded = name.encode()
    except UnicodeEncodeError as error:
        raise SubmissionRefused(f"{printable(inside)} is not a UTF-8 name") from error
    if not name.isprintable() or "\\" in name:
        raise SubmissionRefused(f"{printable(inside)} has a control character or a backslash in its name")
    if len(encoded) > bounds.name_bytes:
        raise SubmissionRefused(
            f"{printable(inside)} has a name that is too long: expected at most {bounds.name_bytes} bytes"
        )
    if len(inside.encode()) > bounds.path_bytes:
        raise SubmissionRefused(
            f"{printable(inside)} has a path that is too long: expected at most {bounds.path_bytes} bytes"
        )


def _chunks(descriptor: int, found: FoundFile) -> Iterator[bytes]:
    """Yield the content. Raises `SubmissionRefused` if the size of the file changes while it is read."""
    left = found.size
    try:
        while left and (chunk := os.read(descriptor, min(left, _CHUNK_BYTES))):
            left -= len(chunk)
            yield chunk
        changed = left > 0 or os.read(descriptor, 1) != b""
    except OSError as error:
        raise _unreadable(found.name, error) from error
    if changed:
        raise SubmissionRefused(f"{printable(found.name)} changed while it was read: submit it again")


def _copy(descriptor: int, found: FoundFile, target: Path, digest: Digest) -> None:
    """Write one file, and add its content to the digest."""
    path = target / found.name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            for chunk in _chunks(descriptor, found):
                digest.add(chunk)
                stream.write(chunk)
            stream.flush()
            os.fsync(stream.fileno())
        path.chmod(0o755 if found.executable else 0o644)
    except OSError as error:
        if error.errno in _UNTELLABLE:
            raise SubmissionRefused(
                f"{printable(found.name)} has a name that the disk of this host cannot distinguish from another: "
                "expected names that differ in more than case or accents"
            ) from error
        if error.errno in _UNWRITABLE:
            raise SubmissionRefused(
                f"{printable(found.name)} has a name that the disk of this host cannot store ({error.strerror}): "
                "expected a shorter or plainer one"
            ) from error
        raise StoreError(f"the copy of {printable(found.name)} cannot be written: {error.strerror}") from error
