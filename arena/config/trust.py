"""Which settings files and homes the user has said yes to, kept in the user's own configuration folder.

A submission may bring an `arena.toml`, or a whole home with a database. So what was only found from the current folder
is heeded in full when it stands here: a settings file with its owner and the digest of its content, a home with a token
that lies in it too, so that another home on the same path is not taken for it.
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

TOKEN_FILE: Final = "home.id"  # noqa: S105 (a name, and no secret)
"""In a home that was found: what tells it from another one on the same path."""
_FILE: Final = "trusted.json"
_LOCK: Final = "trusted.lock"
_TOKEN_BYTES: Final = 128


def own_folder(kind: str) -> Path:
    """The user's own folder for `config` or `data`. Raises `StoreError` where it depends on the working folder."""
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
    """What is trusted by the user who runs the command; read anew at each question."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = own_folder("config") if folder is None else folder

    def all(self) -> list[Trusted]:
        """Everything that is recorded. Raises `StoreError` where others could have written the records."""
        return [Trusted(kind, path, entry["owner"], entry["proof"])
                for kind, entries in self._read().items() for path, entry in sorted(entries.items())]  # fmt: skip

    def trusts_settings(self, file: Path, content: bytes) -> bool:
        """Whether this file was trusted with this very content, and has the same owner still."""
        try:
            owner = file.stat().st_uid
        except OSError:
            return False
        return self._entry("settings", file) == {"owner": owner, "proof": digest(content)}

    def knows_settings(self, file: Path) -> bool:
        """Whether the file was ever trusted, maybe with another content."""
        return self._entry("settings", file) is not None

    def trusts_home(self, folder: Path) -> bool:
        """Whether this home was made by an arena of the caller, or trusted."""
        token = _token(folder)
        if token is None:
            return False
        expected = {"owner": os.geteuid(), "proof": token}
        if self._entry("home", folder) == expected:
            return True
        if not self._folder.is_dir():
            return False
        with self._locked():  # another command may be about to record what it has just made
            return self._entry("home", folder) == expected

    def trust_settings(self, file: Path, content: bytes) -> None:
        """Record the file with its owner and this content. Raises `StoreError`."""
        self._record("settings", file, {"owner": file.stat().st_uid, "proof": digest(content)})

    def trust_home(self, folder: Path) -> None:
        """Record a home that is there. Raises `StoreError` where somebody else could write in it."""
        if (why := exposure(folder)) is not None:
            raise StoreError(f"the home {folder} cannot be trusted: {why}")
        self._record("home", folder, {"owner": os.geteuid(), "proof": _new_token(folder)})

    def make_home(self, folder: Path) -> None:
        """Make a home and record it as the caller's own; nothing happens to one in which something lies already."""
        with self._locked():
            if folder.is_dir() and any(folder.iterdir()):
                return
            make_folders(folder)
            self._record("home", folder, {"owner": os.geteuid(), "proof": _new_token(folder)}, locked=True)

    def forget(self, paths: set[str]) -> list[Trusted]:
        """Take trust back from all that lies at one of these paths; gives what it was."""
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
            make_folders(self._folder, private=True)
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
    """The real place of a path, but for a link as its last part: in another folder it is another file."""
    return os.path.join(os.path.realpath(path.parent), path.name)  # noqa: PTH118 (it stays a text)


def digest(content: bytes) -> str:
    """The digest by which the content of a settings file is known again."""
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def make_folders(folder: Path, *, private: bool = False) -> None:
    """Make a folder and those above it that are missing, none of them writable by others, whatever the umask."""
    for missing in reversed([place for place in (folder, *folder.parents) if not place.is_dir()]):
        missing.mkdir(mode=0o700 if private else 0o755, exist_ok=True)


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
    """Put a new token into a home, in the place of any other."""
    token = secrets.token_hex(16)
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{TOKEN_FILE}-")
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(f"{token}\n")
        Path(temporary).replace(folder / TOKEN_FILE)
    except OSError as error:
        raise StoreError(f"the home {folder} cannot be written: {error.strerror}") from error
    return token
