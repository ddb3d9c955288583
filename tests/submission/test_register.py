"""Registering a bot: each check has its own budget, and each report is passed on when its check ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.check import runner
from arena.check.report import CheckReport
from arena.errors import SubmissionRefused
from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.sandbox.probe import probe
from arena.store.store import Store
from arena.submission.receive import SubmitOptions
from arena.submission.register import CheckSettings, register, register_known

GAME = "burn_my_village"
FAST, SLOW, TWIN = (
    LeagueRules(name=name, game=GAME, startup_s=startup_s)
    for name, startup_s in (("fast", 1.0), ("slow", 30.0), ("twin", 1.0))
)
BARE = probe("off")


class Checks:
    """A check that declines in some leagues; it notes what it was given."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, float]] = []
        self.declined: set[str] = set()

    def __call__(self, program: Program, rules: LeagueRules, sandbox: object, *, budget_s: float) -> CheckReport:
        self.asked.append((program.label, rules.name, budget_s))
        return CheckReport(program.label, rules.name, rules.game, rules.name in self.declined, ())


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> Checks:
    found = Checks()
    monkeypatch.setattr(runner, "check", found)
    return found


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "home") as opened:
        yield opened


def enter(store: Store, folder: Path, content: str, *leagues: LeagueRules, budget_s: float = 20.0) -> list[str]:
    """Register a bot of that content; the leagues that were reported, in order."""
    (folder / "bots").mkdir(exist_ok=True)
    (folder / "mybot.py").write_text(content)
    reported: list[str] = []
    settings = CheckSettings(BARE, budget_s, lambda report: reported.append(report.league))
    by_name = {rules.name: rules for rules in leagues}
    register(store, folder / "bots", folder / "mybot.py", SubmitOptions(author="ada"), by_name, settings)
    return reported


def test_each_check_of_a_bot_has_its_own_time(store: Store, tmp_path: Path, checks: Checks) -> None:
    """Rules that differ only in name are checked once; the number of other leagues takes no time from any."""
    assert enter(store, tmp_path, "x = 1\n", FAST, SLOW, TWIN) == ["fast", "slow"]
    assert checks.asked == [("mybot", "fast", 20.0), ("mybot", "slow", 20.0)]
    assert store.version("mybot").leagues == ("fast", "slow", "twin")


def test_content_that_is_known_is_checked_for_new_leagues_alone(store: Store, tmp_path: Path, checks: Checks) -> None:
    """Nothing is checked a second time."""
    enter(store, tmp_path, "x = 1\n", FAST)
    assert enter(store, tmp_path, "x = 1\n", FAST) == []
    assert enter(store, tmp_path, "x = 1\n", FAST, SLOW) == ["slow"]
    assert store.version("mybot").number == 1


def test_a_report_is_passed_on_though_the_bot_is_refused(store: Store, tmp_path: Path, checks: Checks) -> None:
    """A bot that declines every league leaves nothing behind."""
    checks.declined = {"fast"}
    with pytest.raises(SubmissionRefused, match="declines"):
        enter(store, tmp_path, "x = 1\n", FAST)
    assert len(checks.asked) == 1
    assert store.bots() == [] and list((tmp_path / "bots").iterdir()) == []


def test_bots_of_another_league_enter_a_new_one_in_the_version_that_plays_there(
    store: Store, tmp_path: Path, checks: Checks
) -> None:
    """Also where a newer version declined that league."""
    enter(store, tmp_path, "x = 1\n", FAST, SLOW)
    checks.declined = {"slow"}
    enter(store, tmp_path, "x = 2\n", FAST, SLOW)
    assert [version.label for version in register_known(store, TWIN, [SLOW])] == ["mybot:1"]
    assert [version.label for version in store.entries("twin")] == ["mybot:1"]
    assert register_known(store, TWIN, [SLOW]) == []
