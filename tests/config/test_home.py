"""Tests of the home folder: three rules find it, and it is created only when something is stored."""

from pathlib import Path

import pytest

from arena.config.home import Home
from arena.errors import StoreError


def test_the_variable_names_the_home(tmp_path: Path) -> None:
    """`ARENA_HOME` goes over an arena.toml that lies nearby; a relative one starts at the working folder."""
    (tmp_path / "arena.toml").touch()
    home = Home.find({"ARENA_HOME": "here"}, tmp_path)
    assert home.folder == tmp_path / "here"
    assert home.settings_file == tmp_path / "arena.toml"


def test_settings_in_the_home_folder_go_first(tmp_path: Path) -> None:
    """One home gives the same settings from every working folder."""
    (tmp_path / "arena.toml").touch()
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "arena.toml").touch()
    home = Home.find({"ARENA_HOME": str(tmp_path / "here")}, tmp_path)
    assert home.settings_file == tmp_path / "here" / "arena.toml"


def test_else_it_lies_beside_the_nearest_settings_upwards(tmp_path: Path) -> None:
    """A league's folder keeps its own arena, also when a command is given in a folder below."""
    (tmp_path / "arena.toml").touch()
    (tmp_path / "a" / "b").mkdir(parents=True)
    home = Home.find({}, tmp_path / "a" / "b")
    assert (home.folder, home.settings_file) == (tmp_path / ".arena", tmp_path / "arena.toml")


def test_else_it_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any hint, the user's data folder."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = Home.find({}, tmp_path)
    assert (home.folder, home.settings_file) == (tmp_path / "data" / "arena", None)
    assert home.database_url == f"sqlite:///{tmp_path}/data/arena/arena.db"


def test_finding_makes_nothing(tmp_path: Path) -> None:
    """Looking leaves no folder behind; creating makes all of them."""
    home = Home.find({"ARENA_HOME": str(tmp_path / "new")}, tmp_path)
    assert not home.folder.exists()
    home.create()
    assert home.bots.is_dir() and home.logs.is_dir() and home.run.is_dir()


def test_a_home_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    """A file in the way, also further up."""
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        with pytest.raises(StoreError, match="cannot be created") as caught:
            Home.find({"ARENA_HOME": name}, tmp_path).create()
        assert "\n" not in str(caught.value)
