"""The home folder, in which one arena stores its database, submitted bots and logs. It is created when needed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.config.settings import DATABASE_FILE, HOME_VARIABLE
from arena.config.trust import TOKEN_FILE, Records, own_folder
from arena.errors import StoreError
from arena.linux.ownership import exposure
from arena.linux.private import make_private_folder

SETTINGS_FILE = "arena.toml"
FOLDER_BESIDE_SETTINGS = ".arena"
_BY_VARIABLE = f"{HOME_VARIABLE} names it"


@dataclass(frozen=True, slots=True)
class Home:
    """The home folder of one arena; it need not exist yet."""

    folder: Path
    """Its real path, so that a link that somebody changes later has no effect."""
    settings_file: Path | None
    """The `arena.toml` that applies, or None."""
    reason: str
    """Why this folder applies, for `arena doctor`."""
    named: bool = True
    """Whether it is the same from every working folder. If not, somebody may have put it into the working folder."""
    linked: bool = False
    """Whether a home that was only found was reached by a link, which may lead to another home of the caller."""

    @classmethod
    def find(cls, environment: Mapping[str, str], cwd: Path) -> Home:
        """Return the home: `ARENA_HOME`, or `.arena` beside the nearest `arena.toml` upwards, or the user's own folder.

        The settings file is `arena.toml` in the home folder; if there is none, it is the nearest `arena.toml` upwards.
        """
        # A folder or a broken link of that name counts too: reading it ends in an error.
        beside = next((folder for folder in (cwd, *cwd.parents) if os.path.lexists(folder / SETTINGS_FILE)), None)
        if given := environment.get(HOME_VARIABLE):
            base, name, reason = cwd, Path(given).expanduser(), _BY_VARIABLE
        elif beside is not None:
            base, name, reason = beside, Path(FOLDER_BESIDE_SETTINGS), f"it is beside {beside / SETTINGS_FILE}"
        else:
            base, name, reason = cwd, own_folder("data"), f"no {SETTINGS_FILE} and no {HOME_VARIABLE}"
        folder, named = Path(os.path.realpath(base / name)), name.is_absolute()
        linked = not named and folder != Path(os.path.normpath(Path(os.path.realpath(base), name)))
        own = folder / SETTINGS_FILE
        file = own if os.path.lexists(own) else beside / SETTINGS_FILE if beside is not None else None
        return cls(folder, file, reason, named, linked)

    @property
    def trusted_since_ns(self) -> int:
        """Return the time (ns) at which this home was created or trusted; 0 for a home that the user named.

        Files in it that are older may come from somebody else.
        """
        try:
            # The ctime, the time of the last change of the file or its attributes, which nobody can set.
            return 0 if self.named else (self.folder / TOKEN_FILE).lstat().st_ctime_ns
        except OSError:
            return 0

    @property
    def has_own_settings(self) -> bool:
        """Whether the settings file that applies is in the home itself."""
        return self.settings_file is not None and self.settings_file.parent == self.folder

    @property
    def hidden_settings(self) -> Path | None:
        """Another `arena.toml` of the caller, further up or in the default home, that this one overrides."""
        if self.settings_file is None or self.has_own_settings:
            return None
        usual = [] if self.named else [own_folder("data")]
        files = (folder / SETTINGS_FILE for folder in (*self.settings_file.parent.parents, *usual))
        return next((file for file in files if file.is_file() and exposure(file) is None), None)

    def distrust(self) -> str | None:
        """Return, in one sentence, why the caller should not use this home; None if it can be used.

        The home must belong to the caller, and nobody else may be able to write to it. A home that was only found from
        the working folder must also have been created by an arena of the caller, or be trusted: a submission may
        contain a home.
        """
        names = ("", "bots", "logs", "run", "run/bots", "comparisons", "engine", DATABASE_FILE, SETTINGS_FILE)
        parts = [self.folder / name for name in names]
        for part in parts:
            if (part == self.folder or os.path.lexists(part)) and (why := exposure(part)) is not None:
                remedy = f"expected a folder of your own that nobody else can write ({HOME_VARIABLE} names another)"
                return f"the home {self.folder} is not used, since {why}: {remedy}"
        if self.linked:
            return (
                f"the home {self.folder} was reached by a link, which somebody else may have made: name it by an"
                f" absolute {HOME_VARIABLE}"
            )
        if self.named or not self._holds_something() or Records().trusts_home(self.folder):
            return None
        return (
            f"the home {self.folder} existed already, so somebody else may have made its content: inspect it, then run"
            f" `arena home trust {shlex.quote(str(self._trusted_by))}`, or name a home by an absolute {HOME_VARIABLE}"
        )

    @property
    def is_foreign(self) -> bool:
        """Whether it is a home of another user, whose database this user may only read, as untrusted data.

        It must be named, since a home that was only found may have come with a submission. Root never reads one.
        """
        try:
            return self.named and os.geteuid() != 0 and self.folder.stat().st_uid not in (0, os.geteuid())
        except OSError:
            return False

    def unreadable(self) -> str | None:
        """Return, in one sentence, why a command that only reads should not use this home; None if it can.

        A home that does not exist yet can be used, and is empty, unless `ARENA_HOME` names it: that is a typing error.
        """
        if not self.is_foreign and (why := self.distrust()) is not None:
            return why
        given = self.reason == _BY_VARIABLE
        try:
            content = {entry.name for entry in os.scandir(self.folder)}
        except FileNotFoundError:
            why = f"there is no home at {self.folder}: {HOME_VARIABLE} names it, and `arena submit` would create it"
            return why if given else None
        except PermissionError:
            if os.access(self.database_file, os.R_OK):
                return None
            return (
                f"the home {self.folder} cannot be read: permission denied: its owner can run `arena home share"
                " --group G`"
            )
        except OSError as error:
            return f"there is no home at {self.folder}: {(error.strerror or str(error)).lower()}"
        if given and content and not content & {DATABASE_FILE, SETTINGS_FILE, self.bots.name}:
            return (
                f"there is no home at {self.folder}: expected a folder with {DATABASE_FILE}, {HOME_VARIABLE} names it"
            )
        return None

    @property
    def _trusted_by(self) -> Path:
        """The folder that the user must trust so that this home can be used."""
        return self.folder.parent if self.folder.name == FOLDER_BESIDE_SETTINGS else self.folder

    def _holds_something(self) -> bool:
        try:
            return any(self.folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    @property
    def database_url(self) -> str:
        """The default URL of the database."""
        return f"sqlite:///{self.database_file}"

    @property
    def database_file(self) -> Path:
        """The file of the default database; it may not exist yet."""
        return self.folder / DATABASE_FILE

    @property
    def bots(self) -> Path:
        """One folder with read-only files for each submitted content, named by its digest."""
        return self.folder / "bots"

    @property
    def logs(self) -> Path:
        """The folder of the logs of nights."""
        return self.folder / "logs"

    @property
    def run(self) -> Path:
        """The folder of sockets, locks and other files of running commands."""
        return self.folder / "run"

    @property
    def started(self) -> Path:
        """The folder with one small file for each running program of a bot (`arena.transport.process_registry`)."""
        return self.run / "bots"

    @property
    def bots_mode(self) -> int:
        """The mode of the folder of bots.

        If the arena is root, its bots run under other users, who must get through this folder once the arena has let
        them into the home. The members of a group that may read the home must not: a group's own bits come first.
        """
        return 0o701 if os.geteuid() == 0 else 0o700

    def create(self) -> Home:
        """Create the home, private to its owner, if it is missing, and return it.

        Raises `StoreError` if it cannot be created or written.
        """
        for folder in (self.folder, self.bots, self.logs, self.run, self.started):
            try:
                if folder == self.folder and not self.named:
                    Records().make_home(folder)
                make_private_folder(folder, self.bots_mode if folder == self.bots else 0o700)
            except (FileExistsError, NotADirectoryError) as error:
                raise StoreError(
                    f"the home folder {self.folder} cannot be created: {folder} is not a folder"
                ) from error
            except OSError as error:
                raise StoreError(f"the home folder {self.folder} cannot be created: {error.strerror}") from error
            if not os.access(folder, os.W_OK | os.X_OK):
                raise StoreError(f"the home folder cannot be used: {folder} is not writable (ARENA_HOME sets another)")
        return self
