"""The settings files and homes that the user trusts, recorded in the user's own configuration folder.

A submission may contain an `arena.toml`, or a complete home with a database. So a settings file or home that was only
found from the working folder takes full effect only if it is recorded here: a settings file with its owner and the
digest of its content, a home with a token. The home contains the token too, so that another home on the same path is
not trusted.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import platformdirs

from arena.errors import StoreError
from arena.linux.ownership import exposure
from arena.linux.private import make_private_folder

TOKEN_FILE: Final = "home.id"  # noqa: S105 (a file name, not a secret)
"""The file in a home that distinguishes it from another home on the same path."""
_FILE: Final = "trusted.json"
_LOCK: Final = "trusted.lock"
_TOKEN_BYTES: Final = 128


def own_folder(kind: str) -> Path:
    """Return the user's own folder for `config` or `data`. Raises `StoreError` if it depends on the working folder."""
    places = {"config": platformdirs.user_config_path, "data": platformdirs.user_data_path}
    folder = places[kind]("arena", appauthor=False)
    if not folder.is_absolute():
        raise StoreError(
            f"the folder {folder} depends on where the command is typed: expected absolute paths in HOME and"
            f" XDG_{kind.upper()}_HOME"
        )
    return folder


@dataclass(frozen=True, slots=True)
class Trusted:
    """One thing that the user trusts."""

    kind: str
    """`settings` or `home`."""
    path: str
    owner: int
    proof: str
    """The digest of the settings file, or the token of the home."""


class Records:
    """The records of what the user trusts. Each method reads the file again."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = own_folder("config") if folder is None else folder

    def all(self) -> list[Trusted]:
        """Return all records. Raises `StoreError` if other users could have written them."""
        return [Trusted(kind, path, entry["owner"], entry["proof"])
                for kind, entries in self._read().items() for path, entry in sorted(entries.items())]  # fmt: skip

    def trusts_settings(self, file: Path, content: bytes) -> bool:
        """Return whether this file is trusted with exactly this content and still has the same owner."""
        try:
            owner = file.stat().st_uid
        except OSError:
            return False
        return self._entry("settings", file) == {"owner": owner, "proof": digest(content)}

    def knows_settings(self, file: Path) -> bool:
        """Return whether the file is recorded, perhaps with other content."""
        return self._entry("settings", file) is not None

    def trusts_home(self, folder: Path) -> bool:
        """Return whether an arena of the caller created this home, or the user trusts it."""
        token = _token(folder)
        if token is None:
            return False
        expected = {"owner": os.geteuid(), "proof": token}
        if self._entry("home", folder) == expected:
            return True
        if not self._folder.is_dir():
            return False
        with self._locked():  # another command may be about to record a home that it has just created
            return self._entry("home", folder) == expected

    def trust_settings(self, file: Path, content: bytes) -> None:
        """Record the file with its owner and this content. Raises `StoreError`."""
        self._record("settings", file, {"owner": file.stat().st_uid, "proof": digest(content)})

    def trust_home(self, folder: Path) -> None:
        """Record an existing home. Raises `StoreError` if somebody else could write to it."""
        if (why := exposure(folder)) is not None:
            raise StoreError(f"the home {folder} cannot be trusted: {why}")
        self._record("home", folder, {"owner": os.geteuid(), "proof": _new_token(folder)})

    def make_home(self, folder: Path) -> None:
        """Create a home and record it as the caller's own. Do nothing if the folder exists and is not empty."""
        with self._locked():
            if folder.is_dir() and any(folder.iterdir()):
                return
            make_private_folder(folder)
            self._record("home", folder, {"owner": os.geteuid(), "proof": _new_token(folder)}, locked=True)

    def forget(self, paths: set[str]) -> list[Trusted]:
        """Remove the records of these paths, and return the removed records."""
        with self._locked():
            data = self._read()
            gone = [found for found in self.all() if found.path in paths]
            for found in gone:
                del data[found.kind][found.path]
            self._write(data)
        return gone

    def _entry(self, kind: str, path: Path) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._read()[kind].get(_key(path))
        return found

    def _record(self, kind: str, path: Path, entry: dict[str, Any], *, locked: bool = False) -> None:
        with contextlib.nullcontext() if locked else self._locked():
            data = self._read()
            data[kind][_key(path)] = entry
            self._write(data)

    def _read(self) -> dict[str, dict[str, Any]]:
        empty: dict[str, dict[str, Any]] = {"settings": {}, "home": {}}
        file = self._folder / _FILE
        if not file.exists():
            return empty
        if (why := exposure(file)) is not None:
            raise StoreError(f"the list of what you trust is not used: {why}")
        try:
            data = json.loads(file.read_bytes())
            return {kind: {str(path): {"owner": int(entry["owner"]), "proof": str(entry["proof"])}
                           for path, entry in data.get(kind, {}).items()} for kind in empty}  # fmt: skip
        except OSError as error:
            raise StoreError(f"the list of what you trust cannot be read: {error.strerror} ({file})") from error
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise StoreError(f"the list of what you trust is damaged: remove {file} and trust again") from error

    def _write(self, data: dict[str, dict[str, Any]]) -> None:
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{_FILE}-")
        try:
            with os.fdopen(handle, "w", encoding="ascii") as stream:
                json.dump(data, stream, indent=1, sort_keys=True)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).replace(self._folder / _FILE)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            make_private_folder(self._folder)
            if (why := exposure(self._folder)) is not None:
                raise StoreError(f"nothing can be trusted: {why}")
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            lock = os.open(self._folder / _LOCK, flags, 0o600)
        except OSError as error:
            raise StoreError(
                f"what you trust cannot be recorded in {self._folder}: {error.strerror} (ARENA_HOME can name a home"
                " that needs no record, by its absolute path)"
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


def _key(path: Path) -> str:
    """Return the path with only its folder resolved, because a link in another folder is another file."""
    return os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 (it stays a string)


def digest(content: bytes) -> str:
    """Return the digest that identifies the content of a settings file."""
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def _token(folder: Path) -> str | None:
    try:
        descriptor = os.open(folder / TOKEN_FILE, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return os.read(descriptor, _TOKEN_BYTES).decode("ascii", "replace").strip() or None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _new_token(folder: Path) -> str:
    """Write a new token into a home, replace any other, and return it."""
    token = secrets.token_hex(16)
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{TOKEN_FILE}-")
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(f"{token}\n")
        Path(temporary).replace(folder / TOKEN_FILE)
    except OSError as error:
        raise StoreError(f"the home {folder} cannot be written: {error.strerror}") from error
    return token
