"""Copying what a stranger hands in: bounded, file by file, never through a link, and named by its content."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Final

from arena.errors import StoreError, SubmissionRefused

SKIPPED: Final = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", ".DS_Store"}
)
"""Names that editors and tools leave in a folder; never copied, wherever they stand."""

_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # non-blocking: opening a fifo would wait


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that one submission may be."""

    total_bytes: int = 64 << 20
    files: int = 2_000
    depth: int = 16
    name_bytes: int = 120


BUILT: Final = Bounds(total_bytes=512 << 20, files=20_000, depth=24)
"""The same for what a build leaves."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One regular file of a submission."""

    name: str
    """Path inside the submission, with `/`."""
    size: int
    executable: bool


def copy_folder(source: Path, target: Path, bounds: Bounds | None = None) -> str:
    """Copy the regular files below a folder into an empty one, and return the digest of what was copied.

    Raises `SubmissionRefused`, in one sentence about the first thing that may not be there.
    """
    digest = Digest()
    for found, descriptor in _walk(source, bounds or Bounds()):
        digest.add(found, _copy(descriptor, found, target))
    return digest.hex()


def copy_file(source: Path, target: Path, name: str) -> str:
    """Copy one file into an empty folder under a given name, and return the digest of the folder."""
    try:
        # The path was typed by whoever hands in, so a link as its last part is followed; links inside never are.
        descriptor = os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise SubmissionRefused(f"{source} cannot be read: {error.strerror}") from error
    try:
        # What is said about it, if it may not be handed in, calls it by the name that was typed.
        found = replace(_regular(os.fstat(descriptor), source.name, Bounds()), name=name)
        digest = Digest()
        digest.add(found, _copy(descriptor, found, target))
    finally:
        os.close(descriptor)
    return digest.hex()


def digest_folder(folder: Path, bounds: Bounds = BUILT) -> str:
    """The digest of a folder as it lies there; raises `SubmissionRefused` for what may not be in a submission."""
    digest = Digest()
    for found, descriptor in _walk(folder, bounds, skipped=frozenset()):
        digest.add(found, _read(descriptor, found))
    return digest.hex()


def check_folder(folder: Path, bounds: Bounds = BUILT) -> None:
    """Nothing, if all that lies there may be in a submission; else raises `SubmissionRefused`. Reads no content."""
    for _ in _walk(folder, bounds, skipped=frozenset()):
        continue


class Digest:
    """Blake2b over names, the permission to run, and bytes; nothing else (no times, owners, empty folders) counts."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=20)

    def add(self, found: FoundFile, content: bytes) -> None:
        """Take in one file; files must come in one fixed order (sorted, a folder's own before its subfolders')."""
        name = found.name.encode()
        self._hash.update(b"%d %d %d\n" % (len(name), found.executable, len(content)))
        self._hash.update(name)
        self._hash.update(content)

    def hex(self) -> str:
        """40 hex digits."""
        return self._hash.hexdigest()


def make_read_only(folder: Path) -> None:
    """Take the permission to write from everything below, and from the folder itself."""
    for path in [*folder.rglob("*"), folder]:
        mode = path.lstat().st_mode
        if not stat.S_ISLNK(mode):
            path.chmod(0o555 if stat.S_ISDIR(mode) or mode & 0o111 else 0o444)


def outgrows(folder: Path, bounds: Bounds) -> bool:
    """Whether more lies below the folder than there may be, while a program is still writing there."""
    files = total = 0
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    files += 1
                    total += entry.stat(follow_symlinks=False).st_size
                    if files > bounds.files or total > bounds.total_bytes:
                        return True
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # gone by now, or closed: what stays is looked at when the program has ended
    return False


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep and whatever its modes; nothing happens if it is not there.

    A stranger's program may have nested folders deeper than any path can say: each is moved up to the top first.
    """
    if not folder.exists():
        return
    folder.chmod(0o755)
    moved = 0
    mark = secrets.token_hex(8)  # no name that can be there already
    level = [folder]
    while level:
        current = level.pop()
        with os.scandir(current) as entries:
            inside = list(entries)
        for entry in inside:
            if not entry.is_dir(follow_symlinks=False):
                Path(entry.path).unlink()
                continue
            Path(entry.path).chmod(0o755)
            top = folder / f".removed-{mark}-{moved}"
            moved += 1
            Path(entry.path).rename(top)
            level.append(top)
        if current != folder:
            current.rmdir()
    folder.rmdir()


def printable(name: str) -> str:
    """A file name as one harmless line."""
    return ascii(name[:200])


def _walk(source: Path, bounds: Bounds, skipped: frozenset[str] = SKIPPED) -> Iterator[tuple[FoundFile, int]]:
    """Every file, open; sorted, a folder's own before its subfolders'. Asking for the next one closes the last."""
    count = total = 0
    for parts, folder in _folders(source, (), bounds, skipped):
        for name in _names(folder):
            inside = "/".join((*parts, name))
            if name in skipped or stat.S_ISDIR(_kind(name, folder, inside)):
                continue
            count += 1
            if count > bounds.files:
                raise SubmissionRefused(f"the folder has too many files: expected at most {bounds.files:,}")
            descriptor = _open(name, folder, inside)
            try:
                found = _regular(os.fstat(descriptor), inside, bounds)
                total += found.size
                if total > bounds.total_bytes:
                    raise SubmissionRefused(f"the folder is too large: expected at most {bounds.total_bytes:,} bytes")
                yield found, descriptor
            finally:
                os.close(descriptor)


def _folders(
    source: Path, parts: tuple[str, ...], bounds: Bounds, skipped: frozenset[str], parent: int | None = None
) -> Iterator[tuple[tuple[str, ...], int]]:
    """The folder and all below it, each opened relative to the one above, so that no link can be slipped in between."""
    where = "/".join(parts) or str(source)
    if len(parts) > bounds.depth:
        raise SubmissionRefused(f"folders are nested too deeply: expected at most {bounds.depth} levels")
    try:
        follow = os.O_DIRECTORY if parent is None else os.O_DIRECTORY | os.O_NOFOLLOW
        descriptor = os.open(parts[-1] if parts else source, os.O_RDONLY | follow | os.O_CLOEXEC, dir_fd=parent)
    except OSError as error:
        raise SubmissionRefused(f"the folder {printable(where)} cannot be read: {error.strerror}") from error
    try:
        yield parts, descriptor
        names = _names(descriptor)
        if len(names) > bounds.files:
            raise SubmissionRefused(f"the folder has too many files: expected at most {bounds.files:,}")
        for name in names:
            inside = "/".join((*parts, name))
            if name not in skipped and stat.S_ISDIR(_kind(name, descriptor, inside)):
                _check_name(name, inside, bounds)
                yield from _folders(source, (*parts, name), bounds, skipped, descriptor)
    finally:
        os.close(descriptor)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for entry in entries)


def _kind(name: str, folder: int, inside: str) -> int:
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError as error:  # it was there a moment ago
        raise SubmissionRefused(f"{printable(inside)} cannot be read: {error.strerror}") from error


def _open(name: str, folder: int, inside: str) -> int:
    kind = _kind(name, folder, inside)
    if stat.S_ISLNK(kind):
        raise SubmissionRefused(f"{printable(inside)} is a symbolic link: expected plain files only")
    if not stat.S_ISREG(kind):
        raise SubmissionRefused(f"{printable(inside)} is a device, pipe or socket: expected plain files only")
    try:
        return os.open(name, _READ_FLAGS, dir_fd=folder)
    except OSError as error:
        raise SubmissionRefused(f"{printable(inside)} cannot be read: {error.strerror}") from error


def _regular(status: os.stat_result, inside: str, bounds: Bounds) -> FoundFile:
    if not stat.S_ISREG(status.st_mode):
        raise SubmissionRefused(f"{printable(inside)} is a device, pipe or socket: expected a plain file")
    if status.st_nlink > 1:
        raise SubmissionRefused(f"{printable(inside)} has several hard links: expected a file of its own (copy it)")
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
        raise SubmissionRefused(f"{printable(inside)} has too long a name: expected at most {bounds.name_bytes} bytes")


def _read(descriptor: int, found: FoundFile) -> bytes:
    """The content, as long as the file was when it was measured: one that grows meanwhile is refused."""
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        content = stream.read(found.size + 1)
    if len(content) != found.size:
        raise SubmissionRefused(f"{printable(found.name)} changed while it was read: hand it in again")
    return content


def _copy(descriptor: int, found: FoundFile, target: Path) -> bytes:
    content = _read(descriptor, found)
    path = target / found.name
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        path.chmod(0o755 if found.executable else 0o644)
    except OSError as error:
        raise StoreError(f"the copy of {printable(found.name)} cannot be written: {error.strerror}") from error
    return content
