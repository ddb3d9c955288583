"""What lies on this host's disk of a submission: taken back from a build, made read-only, watched, removed."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from arena.errors import StoreError
from arena.submission.copying import Bounds

_NEVER_KEPT: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IWOTH


def take_back(folder: Path) -> None:
    """Make all that a build left there the arena's own: its owner, usual permissions, and nothing beside them.

    Set-id bits, permissions of others to write, access lists and other extended attributes are gone afterwards. The
    folder must have passed `check_folder`, and nothing may write there any more.
    """
    owner = folder.parent.stat()
    for path in [folder, *folder.rglob("*")]:
        _take_back(path, owner if os.geteuid() == 0 else None, writable=True)


def make_read_only(folder: Path) -> None:
    """Take the permission to write from everything below, and from the folder itself; nothing set-id is left.

    Raises `StoreError` where the disk does not keep permissions.
    """
    for path in [*folder.rglob("*"), folder]:
        _take_back(path, None, writable=False)
        if path.lstat().st_mode & _NEVER_KEPT:
            raise StoreError(f"the disk of {folder} does not store permissions: expected a home on another disk")


def _take_back(path: Path, owner: os.stat_result | None, *, writable: bool) -> None:
    """Set owner and permissions of one file or folder, never through a link or of a file with another name."""
    descriptor = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        found = os.fstat(descriptor)
        is_folder = stat.S_ISDIR(found.st_mode)
        if not is_folder and (found.st_nlink > 1 or not stat.S_ISREG(found.st_mode)):
            return
        itself = f"/proc/self/fd/{descriptor}"
        if owner is not None:
            os.chown(itself, owner.st_uid, owner.st_gid)
        for name in _attributes(itself):
            with contextlib.suppress(OSError):  # the host's own, such as labels, which nobody may remove
                os.removexattr(itself, name)
        mode = 0o755 if is_folder or found.st_mode & 0o111 else 0o644
        Path(itself).chmod(mode if writable else mode & 0o555)
    finally:
        os.close(descriptor)


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path)
    except OSError:
        return []  # a disk that has none


def outgrows(folder: Path, bounds: Bounds) -> bool:
    """Whether a program that is still writing there must be stopped.

    It is when more lies below the folder than there may be, or what lies there cannot be seen.
    """
    files = total = 0
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    files += 1
                    with contextlib.suppress(FileNotFoundError):
                        total += entry.stat(follow_symlinks=False).st_size
                        if entry.is_dir(follow_symlinks=False):
                            folders.append(entry.path)
                    if files > bounds.files or total > bounds.total_bytes:
                        return True
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone by now
        except OSError:
            return True  # closed, or deeper than any path can say
    return False


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, however deep and whatever its modes; nothing happens if it is not there.

    A stranger's program may have nested folders deeper than any path can say: each is moved up to the top first.
    Raises `StoreError` where it cannot be removed.
    """
    try:
        _remove_folder(folder)
    except FileNotFoundError:
        return  # another command was quicker
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be removed: {error.strerror}") from error


def _remove_folder(folder: Path) -> None:
    if not stat.S_ISDIR(folder.lstat().st_mode):
        return
    folder.chmod(0o700)
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
            Path(entry.path).chmod(0o700)
            top = folder / f".removed-{mark}-{moved}"
            moved += 1
            Path(entry.path).rename(top)
            level.append(top)
        if current != folder:
            current.rmdir()
    folder.rmdir()
