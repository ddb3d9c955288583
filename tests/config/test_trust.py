"""Tests of untrusted files in the working folder: they weaken no setting and redirect no path."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest

from arena.config.home import Home
from arena.config.settings import (
    BOUNDED_LEAGUE_KEYS,
    FILE_KEYS,
    HARMLESS_KEYS,
    HARMLESS_LEAGUE_KEYS,
    TIGHTENING_KEYS,
    loosening_keys,
)
from arena.config.trust import TOKEN_FILE, Records, own_folder
from arena.errors import StoreError
from arena.linux.ownership import exposure
from arena.model.rules import LeagueRules

STRANGER = 65_534


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders of a user without any record, and a working folder that belongs to the user."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def needs_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make files of other users")


# Homes


def test_a_home_of_somebody_else_is_not_used(own: Path) -> None:
    """Not even by root, and the sentence says whose it is and what to do."""
    needs_root()
    home = Home.find({"ARENA_HOME": str(own / "home")}, own).create()
    assert home.distrust() is None
    for part in (home.folder, home.started, home.bots):
        os.chown(part, STRANGER, STRANGER)
        why = home.distrust()
        assert why is not None and f"{part} belongs to nobody, and you are root" in why and "ARENA_HOME" in why
        os.chown(part, 0, 0)
    assert home.distrust() is None


@pytest.mark.parametrize("name", [".", "run", "run/bots", "bots", "logs", "arena.db", "arena.toml"])
def test_a_home_that_others_can_write_is_not_used(own: Path, name: str) -> None:
    """Whichever of its parts it is; others means the group too."""
    home = Home.find({"ARENA_HOME": str(own / "home")}, own).create()
    part = home.folder / name
    if part.suffix:
        part.touch()
    part.chmod(0o777)
    why = home.distrust()
    assert why is not None and f"{home.folder / name} can be written by others (mode 777)" in why
    part.chmod(0o700)
    assert home.distrust() is None


def test_folders_above_a_home_count_too(own: Path) -> None:
    """Who may write above it can rename it; in a sticky folder such as /tmp nobody can."""
    home = Home.find({"ARENA_HOME": str(own / "above" / "home")}, own).create()
    home.folder.parent.chmod(0o777)
    assert "above can be written by others" in (home.distrust() or "")
    home.folder.parent.chmod(0o1777)
    assert home.distrust() is None


def test_links_are_followed_before_anything_is_looked_at(own: Path) -> None:
    """A home is its real place, so a link that is turned around later changes nothing; `..` neither."""
    (own / "real").mkdir()
    (own / "link").symlink_to(own / "real")
    assert Home.find({"ARENA_HOME": str(own / "link" / ".." / "real")}, own).folder == own / "real"
    home = Home.find({"ARENA_HOME": str(own / "link")}, own).create()
    assert home.folder == own / "real"
    (own / "bots").mkdir()
    home.bots.rmdir()
    home.bots.symlink_to(own / "bots")
    assert home.distrust() is None, "the caller's own link to the caller's own folder"
    (own / "bots").chmod(0o777)
    assert "can be written by others" in (home.distrust() or "")


def test_a_new_home_is_never_writable_by_others(own: Path) -> None:
    """Whatever the umask is."""
    before = os.umask(0)
    try:
        home = Home.find({"ARENA_HOME": str(own / "a" / "home")}, own).create()
    finally:
        os.umask(before)
    assert home.distrust() is None
    assert all(not path.stat().st_mode & 0o022 for path in (home.folder.parent, *home.folder.rglob("*")))


@pytest.mark.parametrize("environment", [{}, {"ARENA_HOME": ".arena"}])
def test_a_home_that_is_only_found_must_be_the_callers_own(own: Path, environment: dict[str, str]) -> None:
    """Beside a settings file or by a relative name: one that was there before is a stranger's, until it is trusted."""
    (own / "arena.toml").touch()
    folder = own / ".arena"
    (folder / "run" / "bots").mkdir(parents=True)
    home = Home.find(environment, own)
    why = home.distrust()
    assert why is not None and f"`arena home trust {own}`" in why and str(folder) in why
    Records().trust_home(folder)
    assert home.distrust() is None
    Records().forget({str(folder)})
    assert home.distrust() == why


@pytest.mark.parametrize("empty", [False, True])
def test_a_home_that_the_arena_makes_is_the_callers_own(own: Path, empty: bool) -> None:
    """It is recorded as it is made, and another one that comes to lie on the same path is not taken for it."""
    (own / "arena.toml").touch()
    if empty:
        (own / ".arena").mkdir()
    home = Home.find({}, own).create()
    assert Home.find({}, own).distrust() is None
    home.folder.rename(own / "gone")
    home.folder.mkdir()
    (home.folder / TOKEN_FILE).write_text("0" * 32)
    (home.folder / "arena.db").touch()
    assert "existed already" in (Home.find({}, own).distrust() or "")


def test_folders_of_the_user_do_not_depend_on_the_working_folder(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a submission could bring what its receiver trusts."""
    for name in ("user_config_path", "user_data_path"):  # as older releases of that library may answer
        monkeypatch.setattr(f"platformdirs.{name}", lambda *_, **__: Path("arena"))
    for kind in ("config", "data"):
        with pytest.raises(StoreError, match=f"expected absolute paths in HOME and XDG_{kind.upper()}_HOME"):
            own_folder(kind)


def test_the_list_of_what_is_trusted_is_the_callers_alone(own: Path, tmp_path: Path) -> None:
    """Private from the start; one that others may write is not believed, and nothing is added to it."""
    file = own / "arena.toml"
    file.write_text("workers = 1\n")
    Records().trust_settings(file, file.read_bytes())
    folder = tmp_path / "config" / "arena"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "trusted.json").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir() if "json-" in path.name] == []
    assert Records().trusts_settings(file, b"workers = 1\n")
    assert not Records().trusts_settings(file, b"workers = 2\n")
    folder.chmod(0o777)
    for asked in (lambda: Records().trusts_settings(file, b"workers = 1\n"), lambda: Records().all()):
        with pytest.raises(StoreError, match="can be written by others"):
            asked()
    folder.chmod(0o700)
    (folder / "trusted.json").write_text("{")
    with pytest.raises(StoreError, match="is damaged: remove"):
        Records().all()


def test_a_settings_file_that_changes_hands_is_trusted_no_more(own: Path) -> None:
    """The owner is recorded with it."""
    needs_root()
    file = own / "arena.toml"
    file.touch()
    Records().trust_settings(file, b"")
    os.chown(file, STRANGER, STRANGER)
    assert not Records().trusts_settings(file, b"")


def test_an_access_list_counts_as_others(tmp_path: Path) -> None:
    """It shows in the bits of the group alone."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    # Owner, one named user, group, mask, others: who it is, what is allowed, number of the user.
    entries = ((1, 7, 0xFFFFFFFF), (2, 7, STRANGER), (4, 5, 0xFFFFFFFF), (0x10, 7, 0xFFFFFFFF), (0x20, 5, 0xFFFFFFFF))
    try:
        os.setxattr(folder, "system.posix_acl_access", b"\2\0\0\0" + b"".join(struct.pack("<HHI", *e) for e in entries))
    except OSError as error:
        pytest.skip(f"this file system has no access lists: {error.strerror}")
    assert "can be written by others" in (exposure(folder) or "")


# Settings


def test_every_key_is_known_to_be_harmless_or_not() -> None:
    """A new key is not heeded in a found file before somebody has thought about it."""
    dangerous = {"database_url", "bot_users", "author"}
    assert set(FILE_KEYS) == HARMLESS_KEYS | TIGHTENING_KEYS | dangerous
    assert set(LeagueRules.model_fields) - {"name"} == HARMLESS_LEAGUE_KEYS | TIGHTENING_KEYS | BOUNDED_LEAGUE_KEYS
    assert not (HARMLESS_KEYS | HARMLESS_LEAGUE_KEYS) & (TIGHTENING_KEYS | BOUNDED_LEAGUE_KEYS | dangerous)


@pytest.mark.parametrize(
    ("table", "found"),
    [
        ({"sandbox": "off"}, [("sandbox",)]),
        ({"sandbox": "auto"}, [("sandbox",)]),
        ({"sandbox": "required"}, []),
        ({"bot_users": "1-2"}, [("bot_users",)]),
        ({"database_url": "sqlite:///x"}, [("database_url",)]),
        ({"nobody_knows": 1}, [("nobody_knows",)]),
        ({"league": {"a": {"sandbox": "off"}}}, [("league", "a", "sandbox")]),
        ({"league": {"a": {"memory_mb": 512, "processes": 64, "untrusted": True, "sandbox": "required"}}}, []),
        ({"league": {"a": {"processes": 65}}}, [("league", "a", "processes")]),
        ({"league": {"a": {"memory_mb": "much"}}}, [("league", "a", "memory_mb")]),
        ({"league": {"a": 1}}, []),
        ({"league": 1}, []),
    ],
)  # fmt: skip
def test_what_only_a_trusted_file_may_say(table: dict[str, object], found: list[tuple[str, ...]]) -> None:
    """Less confinement, other users, another database, more memory or processes than usual."""
    assert loosening_keys(table) == found
