"""The `arena.toml` that applies, and how much of it counts: all where it is the user's own, else what is harmless."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from arena.config.home import Home
from arena.config.settings import HOME_VARIABLE, ArenaSettings, load_settings, loosening_keys, parse_toml, read_content
from arena.config.trust import Records
from arena.errors import StoreError

_QUOTED: Final = 100
"""So much of a key is shown."""

Standing = Literal["own", "trusted", "harmless"]
"""In the user's own home; trusted with this content; or found, so that only what is harmless counts."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One settings file as it was read, once."""

    path: Path
    table: Mapping[str, Any]
    standing: Standing
    trouble: str | None = None
    """The sentence in which a command ends that would use it; None where it can be used as it is."""

    @classmethod
    def find(cls, home: Home) -> SettingsFile | None:
        """The file that applies in this home, read; None where there is none. Raises `SettingsError` if it is broken.

        What is looked up in the user's records is the very content that is heeded: nobody can change it in between.
        """
        path = home.settings_file
        if path is None:
            return None
        content = read_content(path)
        table = parse_toml(path, content)
        if home.has_own_settings and (why := home.distrust()) is None:
            return cls(path, table, "own")
        if home.has_own_settings and home.named:
            return cls(path, table, "harmless", why)
        loosening, hidden = loosening_keys(table), home.hidden_settings
        try:
            if Records().trusts_settings(path, content):
                return cls(path, table, "trusted")
            changed = bool(loosening or hidden) and Records().knows_settings(path)
        except StoreError as error:
            return cls(path, table, "harmless", str(error) if loosening or hidden else None)
        return cls(path, table, "harmless", _trouble(path, loosening, hidden, changed=changed))

    def unheeded(self) -> list[str]:
        """The keys that do not count, with dots."""
        return [] if self.standing != "harmless" else [".".join(key) for key in loosening_keys(self.table)]

    def heeded(self) -> Mapping[str, Any]:
        """What it says, without the keys that do not count."""
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
        """How much of it counts, for people."""
        return {
            "own": "your own, all of it counts",
            "trusted": "trusted, all of it counts",
            "harmless": "found here and not trusted: only what is harmless counts",
        }[self.standing]


def settings_of(
    file: SettingsFile | None, environment: Mapping[str, str], options: Mapping[str, object]
) -> ArenaSettings:
    """The settings that the environment, the options and what counts of this file give."""
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
