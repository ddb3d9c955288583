"""Folders of submissions on disk: reclaim them from a build, make them read-only, watch their size, remove them."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from arena.errors import StoreError, SubmissionRefused
from arena.submission import copying
from arena.submission.copying import Bounds

_NEVER_KEPT: Final = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IWOTH


def take_back(folder: Path) -> None:
    """Give all that a build left in the folder to the arena's user, with private permissions.

    This removes set-id bits, write permissions of others, access lists and other extended attributes. The folder must
    have passed `check_folder`, and nothing may write to it any more.
    """
    owner = folder.parent.stat()
    for path in [folder, *folder.rglob("*")]:
        _take_back(path, owner if os.geteuid() == 0 else None, writable=True)


def make_read_only(folder: Path) -> None:
    """Make all files below the folder read-only, and all folders for everybody but their owner. Remove set-id bits.

    Raises `StoreError` if the disk does not store permissions.
    """
    for path in [*folder.rglob("*"), folder]:
        _take_back(path, None, writable=False)
        if path.lstat().st_mode & _NEVER_KEPT:
            raise StoreError(f"the disk of {folder} does not store permissions: expected a home on another disk")


def _take_back(path: Path, owner: os.stat_result | None, *, writable: bool) -> None:
    """Set owner and permissions of one file or folder. Skip links, and files that have another hard link."""
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
            with contextlib.suppress(OSError):  # attributes of the host, such as labels, which nobody may remove
                os.removexattr(itself, name)
        mode = 0o755 if is_folder or found.st_mode & 0o111 else 0o644
        if not writable and not is_folder:  # the owner of a folder without the write bit could not remove its files
            mode &= 0o555
        Path(itself).chmod(mode if os.geteuid() == 0 else mode & 0o700)  # root's bots run under other users
    finally:
        os.close(descriptor)


def _attributes(path: str) -> list[str]:
    try:
        return os.listxattr(path)
    except OSError:
        return []  # a disk without extended attributes


def change_of(folder: Path, build_digest: str) -> str | None:
    """Return, as a clause, how a stored bot differs from what was submitted and built; None if it does not."""
    if not folder.is_dir():
        return f"are missing: expected them in {folder}"
    try:
        if copying.digest_folder(folder) == build_digest:
            return None
    except (OSError, SubmissionRefused) as error:
        return f"cannot be read: {error}"
    return f"were changed after it was submitted: {folder} has other content"


def outgrows(folder: Path, bounds: Bounds) -> bool:
    """Return whether a program that still writes to the folder must be stopped.

    It must be stopped if the folder has more files or bytes than allowed, or if it cannot be listed.
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
            continue  # removed in the meantime
        except OSError:
            return True  # not readable, or nested deeper than a path can be long
    return False


def remove_folder(folder: Path) -> None:
    """Remove a folder with all its content, at any depth and with any modes. Do nothing if it does not exist.

    An untrusted program may nest folders deeper than a path can be long, so each folder is first moved up to the top.
    Raises `StoreError` if the folder cannot be removed.
    """
    try:
        _remove_folder(folder)
    except FileNotFoundError:
        return  # another command has removed it
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be removed: {error.strerror}") from error


def _remove_folder(folder: Path) -> None:
    if not stat.S_ISDIR(folder.lstat().st_mode):
        return
    folder.chmod(0o700)
    moved = 0
    mark = secrets.token_hex(8)  # a name that cannot exist yet
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
