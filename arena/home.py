"""Where one arena keeps what it stores: database, submitted bots, logs. Nothing is made before something is stored."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from arena.errors import StoreError
from arena.settings import DATABASE_FILE, HOME_VARIABLE

SETTINGS_FILE = "arena.toml"
FOLDER_BESIDE_SETTINGS = ".arena"


@dataclass(frozen=True, slots=True)
class Home:
    """The home folder of one arena; it need not exist yet."""

    folder: Path
    settings_file: Path | None
    """The `arena.toml` that applies, or None."""
    reason: str
    """Why it is this folder, for `arena doctor`."""

    @classmethod
    def find(cls, environment: Mapping[str, str], cwd: Path) -> Home:
        """The home that `ARENA_HOME` names, else `.arena` beside the nearest `arena.toml` upwards, else the user's own.

        Settings are read from `arena.toml` in the home folder where there is one, else from the nearest one upwards.
        """
        beside = next((folder for folder in (cwd, *cwd.parents) if (folder / SETTINGS_FILE).is_file()), None)
        if environment.get(HOME_VARIABLE):
            folder, reason = (cwd / Path(environment[HOME_VARIABLE]).expanduser()), f"{HOME_VARIABLE} names it"
        elif beside is not None:
            folder, reason = beside / FOLDER_BESIDE_SETTINGS, f"it lies beside {beside / SETTINGS_FILE}"
        else:
            folder, reason = platformdirs.user_data_path("arena", appauthor=False), "no arena.toml and no ARENA_HOME"
        own = folder / SETTINGS_FILE
        file = own if own.is_file() else beside / SETTINGS_FILE if beside is not None else None
        return cls(folder, file, reason)

    @property
    def database_url(self) -> str:
        """The store's default place."""
        return f"sqlite:///{self.database_file}"

    @property
    def database_file(self) -> Path:
        """The file of that store; whoever may not make one looks whether it is there."""
        return self.folder / DATABASE_FILE

    @property
    def bots(self) -> Path:
        """One read-only folder for each submitted content, named by its digest."""
        return self.folder / "bots"

    @property
    def logs(self) -> Path:
        """Logs of nights."""
        return self.folder / "logs"

    @property
    def run(self) -> Path:
        """Sockets, locks and what else lives as long as a running command."""
        return self.folder / "run"

    @property
    def started(self) -> Path:
        """A small file for each program of a bot that runs now (`arena.transport.ledger`)."""
        return self.run / "bots"

    def create(self) -> Home:
        """The same home, made if it was not there. Raises `StoreError` when it cannot be made or written."""
        for folder in (self.folder, self.bots, self.logs, self.run, self.started):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except (FileExistsError, NotADirectoryError) as error:
                raise StoreError(f"the home folder {self.folder} cannot be made: {folder} is not a folder") from error
            except OSError as error:
                raise StoreError(f"the home folder {self.folder} cannot be made: {error.strerror}") from error
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StoreError(f"the home folder cannot be used: {folder} is not writable (ARENA_HOME sets another)")
        return self
