"""Register a submission: receive it, check it in test matches, store it and enter it in leagues, or change nothing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from arena.check import runner
from arena.check.report import CheckReport, declines
from arena.errors import SubmissionRefused
from arena.model.records import Program, Submission
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.sandbox.launcher import Sandbox
from arena.store.store import Store
from arena.store.values import Receipt, Version
from arena.submission.author_names import look_alike, same_author
from arena.submission.folders import remove_folder
from arena.submission.receive import SubmitOptions, keep, receive
from arena.text.hints import game_hint
from arena.text.sanitize import quoted
from engine.catalog import get_game


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of a submission that was accepted."""

    receipt: Receipt
    reports: tuple[CheckReport, ...]
    """One report for each distinct set of league rules; empty if the same content was entered before."""


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """How the checks of a submission are run."""

    sandbox: Sandbox
    budget_s: float = runner.BUDGET_S
    """Time for the check by the rules of one league, in seconds."""
    report: Callable[[CheckReport], None] = lambda _report: None
    """Receives each report as soon as its check ends."""


def register(
    store: Store,
    bots: Path,
    source: Path,
    options: SubmitOptions,
    leagues: Mapping[str, LeagueRules],
    checks: CheckSettings,
) -> Entered:
    """Submit the file or folder `source`, and enter it in each of the leagues whose game it does not decline.

    The content is stored below `bots`. Content that was submitted for this bot before is not checked again. Raises
    `SubmissionRefused`, and stores nothing, if the submission is not acceptable, fails a check, or plays no game of
    these leagues.
    """
    with receive(bots, source, options, checks.sandbox) as submission:
        submission = _with_author(store, submission)
        known = _known_version(store, submission.program)
        wanted = {name: rules for name, rules in leagues.items() if _plays(submission, rules)}
        if not wanted:
            raise SubmissionRefused(f"no league here plays {quoted(' or '.join(submission.games))}")
        new = {name: rules for name, rules in wanted.items() if known is None or name not in known.leagues}
        if known is not None and not _is_newest(store, known):
            new = {}  # old content must not replace newer content
        accepted, reports = _check(submission, new, checks)
        if known is None and not accepted:
            games = list(_games(wanted.values()))
            raise SubmissionRefused(declines(submission.program.name, games, "of the leagues that it was submitted to"))
        existed = (bots / submission.program.digest).exists()
        kept = keep(submission, bots)
        try:
            for rules in accepted:
                store.keep_league(rules, rating_settings(rules))
            receipt = store.submit(kept, [rules.name for rules in accepted])
        except BaseException:
            if not existed:
                remove_folder(Path(kept.program.folder))
            raise
    return Entered(receipt, tuple(reports))


def use_version(
    store: Store, program: Program, version: Version, leagues: Iterable[LeagueRules], checks: CheckSettings
) -> tuple[str, ...]:
    """Let an older version of a bot play again in these leagues, after a new check. Return the changed leagues.

    Raises `SubmissionRefused`, and changes nothing, if it fails a check or declines the game of one of the leagues.
    """
    wanted = {rules.name: rules for rules in leagues if rules.name not in version.leagues}
    accepted, _ = _check(Submission(program, version.build_digest), wanted, checks)
    declined = [name for name in wanted if name not in {rules.name for rules in accepted}]
    if declined:
        raise SubmissionRefused(declines(program.name, [wanted[name].game for name in declined], "of its leagues"))
    return store.use(version, tuple(wanted))


def register_known(store: Store, rules: LeagueRules, home_leagues: Iterable[LeagueRules]) -> list[Version]:
    """Enter the bots of other leagues of the same game in a league without bots, and return the entered versions.

    So a league that is defined after the bots were submitted can be played immediately.
    """
    store.keep_league(rules, rating_settings(rules))
    found = known_elsewhere(store, rules, home_leagues)
    for version in found:
        store.enter(version, rules.name)
    return found


def known_elsewhere(store: Store, rules: LeagueRules, home_leagues: Iterable[LeagueRules]) -> list[Version]:
    """Return the versions that `register_known` would enter. Changes nothing; the league need not be stored yet."""
    if store.has_league(rules.name):
        league = store.league(rules.name)
        if league.bots or league.nights:
            return []
    found: dict[str, Version] = {}
    for other in home_leagues:
        if other.game == rules.game and other.name != rules.name and store.has_league(other.name):
            found.update((version.bot, version) for version in store.entries(other.name))
    return list(found.values())


def distinct(leagues: Iterable[LeagueRules]) -> list[LeagueRules]:
    """Return the leagues without those that differ from an earlier league only in name: one check covers them all."""
    return list({_but_for_the_name(rules): rules for rules in reversed(list(leagues))}.values())[::-1]


def rating_settings(rules: LeagueRules) -> RatingSettings:
    """Return the rating constants of a league: the defaults with the draw probability of the game, and its changes."""
    usual = RatingSettings.for_game(get_game(rules.game).draw_probability)
    return replace(usual, **rules.rating.changes())


def _check(
    submission: Submission, leagues: Mapping[str, LeagueRules], checks: CheckSettings
) -> tuple[list[LeagueRules], list[CheckReport]]:
    """Return the leagues that accept the bot, and the reports. Leagues that differ only in name are checked once."""
    program = submission.program
    reports: dict[str, CheckReport] = {}
    accepted: list[LeagueRules] = []
    for rules in leagues.values():
        same = _but_for_the_name(rules)
        if same not in reports:
            reports[same] = runner.check(program, rules, checks.sandbox, budget_s=checks.budget_s)
            checks.report(reports[same])
        report = reports[same]
        if report.failure is not None:
            lines = "\n".join(report.lines())
            games = list(dict.fromkeys(each.game for each in leagues.values()))
            if report.failure.hint is None and not submission.games and (advice := game_hint(rules.game, games)):
                lines += f"\nhint: {advice}"
            raise SubmissionRefused(f"{program.name} is refused: it fails the check of {rules.game}\n{lines}")
        if report.declined and submission.games:
            raise SubmissionRefused(f"{program.name} is said to play {rules.game}, but declines it")
        if report.passed:
            accepted.append(rules)
    return accepted, list(reports.values())


def _but_for_the_name(rules: LeagueRules) -> str:
    return rules.model_copy(update={"name": ""}).model_dump_json()


def _with_author(store: Store, submission: Submission) -> Submission:
    """Return the submission with the first spelling of its author. Raises `SubmissionRefused` for a name of another.

    An author who has bots here keeps the name: a manifest alone cannot use it, and no other name may look the same.
    """
    program = submission.program
    authors = {bot.author for bot in store.bots()}
    # Prefer the exact spelling, because older arenas stored different spellings as different authors.
    owner = min(
        (one for one in authors if same_author(one, program.author)),
        key=program.author.__ne__,
        default=None,
    )
    if owner is None:
        like = next((one for one in sorted(authors) if look_alike(one, program.author)), None)
        if like is not None:
            raise SubmissionRefused(
                f"the author {program.author!r} looks like {like!r}, who has bots here and is written with other "
                f"letters: expected --author {shlex.quote(like)}, or a name that looks different"
            )
        return submission
    if submission.author_claimed and not _is_stored(store, program, owner):
        raise SubmissionRefused(
            f"bot.toml says author = {program.author!r}, who has bots here already, and a submission cannot take an "
            f"author's name by itself: expected --author {shlex.quote(owner)} from the organiser of the arena"
        )
    return replace(submission, program=replace(program, author=owner))


def _is_stored(store: Store, program: Program, owner: str) -> bool:
    """Return whether this bot of that author already has this content, so that the name is not taken from anybody."""
    return any(bot.name == program.name and bot.author == owner for bot in store.bots()) and any(
        version.digest == program.digest for version in store.versions(program.name)
    )


def _known_version(store: Store, program: Program) -> Version | None:
    """Return the version of this bot with this content. Raises `SubmissionRefused` if another author owns the name."""
    if all(bot.name != program.name for bot in store.bots()):
        return None
    versions = store.versions(program.name)
    owner = versions[0].author
    if owner != program.author:
        raise SubmissionRefused(
            f"the name {program.name!r} belongs to a bot of {owner!r}, not of {program.author!r}:"
            f" choose another with --name, or use --author {shlex.quote(owner)} if the bot is that author's"
        )
    return next((version for version in versions if version.digest == program.digest), None)


def _is_newest(store: Store, version: Version) -> bool:
    return store.versions(version.bot)[-1].number == version.number


def _plays(submission: Submission, rules: LeagueRules) -> bool:
    return not submission.games or rules.game in submission.games


def _games(leagues: Iterable[LeagueRules]) -> list[str]:
    return sorted({rules.game for rules in leagues})
