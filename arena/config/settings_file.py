"""Find the `arena.toml` that applies. All keys of the user's own file take effect; of others, only harmless keys do."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from arena.config.home import Home
from arena.config.settings import HOME_VARIABLE, ArenaSettings, load_settings, loosening_keys, parse_toml
from arena.config.trust import Records
from arena.errors import SettingsError, StoreError, UsageError
from arena.linux.regular_files import read_regular

_QUOTED: Final = 100
"""Number of characters of a key that a message shows."""

_MOST_BYTES: Final = 1 << 20
"""The largest settings file."""

Standing = Literal["own", "trusted", "harmless"]
"""In the user's own home; trusted with this content; or only found, so that only harmless keys count."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One settings file, read once."""

    path: Path
    table: Mapping[str, Any]
    standing: Standing
    trouble: str | None = None
    """The error of a command that would use the file; None if it can be used."""

    @classmethod
    def find(cls, home: Home) -> SettingsFile | None:
        """Read the file that applies in this home; None if there is none. Raises `SettingsError` if it is broken.

        The content is read once, so that the content that takes effect is the content that the user trusts.
        """
        path = home.settings_file
        if path is None:
            return None
        content = read_content(path)
        table = parse_toml(path, content)
        if home.has_own_settings and (why := home.distrust()) is None:
            return cls(path, table, "own")
        if home.has_own_settings and home.named:
            return cls(path, table, "harmless", None if home.is_foreign else why)
        loosening, hidden = loosening_keys(table), home.hidden_settings
        try:
            if Records().trusts_settings(path, content):
                return cls(path, table, "trusted")
            changed = bool(loosening or hidden) and Records().knows_settings(path)
        except StoreError as error:
            return cls(path, table, "harmless", str(error) if loosening or hidden else None)
        return cls(path, table, "harmless", _trouble(path, loosening, hidden, changed=changed))

    def unheeded(self) -> list[str]:
        """Return the keys that do not count, with dots."""
        return [] if self.standing != "harmless" else [".".join(key) for key in loosening_keys(self.table)]

    def heeded(self) -> Mapping[str, Any]:
        """Return the content without the keys that do not count."""
        if self.standing != "harmless":
            return self.table
        table = copy.deepcopy(dict(self.table))
        for *parents, key in loosening_keys(self.table):
            inner = table
            for parent in parents:
                inner = inner[parent]
            del inner[key]
        return table

    @property
    def standing_text(self) -> str:
        """Return which part of the file applies, for human readers."""
        return {
            "own": "your own, all of it counts",
            "trusted": "trusted, all of it counts",
            "harmless": "found here and not trusted: only what is harmless counts",
        }[self.standing]


def settings_of(
    file: SettingsFile | None, environment: Mapping[str, str], options: Mapping[str, object]
) -> ArenaSettings:
    """Return the settings from the environment, the options and the keys of this file that count."""
    if file is None:
        return load_settings(environment, None, options)
    return load_settings(environment, file.path, options, table=file.heeded())


def _trouble(path: Path, loosening: list[tuple[str, ...]], hidden: Path | None, *, changed: bool) -> str | None:
    remedy = (
        f"inspect it, then run `arena home trust {shlex.quote(str(path.parent))}`, or keep your settings in a home that"
    )
    remedy += f" an absolute {HOME_VARIABLE} names"
    since = ", and it has changed since you trusted it" if changed else ""
    if loosening:
        key = ".".join(loosening[0])[:_QUOTED]
        return f"{path} sets {key!r}, which counts only in a settings file that you trust{since}: {remedy}"
    if hidden is not None:
        return f"{path} would hide the settings of {hidden}{since}: {remedy}"
    return None


def read_content(file: Path) -> bytes:
    """Return the content of a settings file. Raises `SettingsError` if it cannot be read or is too large."""
    try:
        return read_regular(file, _MOST_BYTES)
    except UsageError as error:
        raise SettingsError(str(error)) from error
