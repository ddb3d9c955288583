"""Register a submission: receive it, check it in test matches, store it and enter it in leagues, or change nothing."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from arena.check.report import CheckReport, declines
from arena.errors import SubmissionRefused
from arena.model.records import Program
from arena.model.rules import LeagueRules
from arena.ratings.live import RatingSettings
from arena.sandbox.launcher import Sandbox
from arena.store.store import Store
from arena.store.values import HandIn, Receipt, Version
from arena.submission.author_names import look_alike, same_author
from arena.submission.folders import remove_folder
from arena.submission.receive import Candidate, Wishes, keep, receive
from arena.text.sanitize import quoted
from engine.catalog import get_game

Check = Callable[[Program, LeagueRules], CheckReport]
"""A function that checks a bot by the rules of a league; see `arena.check.runner.check`."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The result of a submission that was accepted."""

    receipt: Receipt
    reports: tuple[CheckReport, ...]
    """One report for each distinct set of league rules; empty if the same content was entered before."""


@dataclass(frozen=True, slots=True)
class Desk:
    """The parts of the arena that take submissions."""

    store: Store
    bots: Path
    """The folder of the home for submitted content."""
    sandbox: Sandbox
    """The sandbox in which builds run."""
    check: Check


def register(desk: Desk, source: Path, wishes: Wishes, leagues: Mapping[str, LeagueRules]) -> Entered:
    """Submit the file or folder `source`, and enter it in each of the leagues whose game it does not decline.

    Content that was submitted for this bot before is not checked again. Raises `SubmissionRefused`, and stores nothing,
    if the submission is not acceptable, fails a check, or plays no game of these leagues.
    """
    store, bots = desk.store, desk.bots
    with receive(bots, source, wishes, desk.sandbox) as candidate:
        candidate = _with_author(store, candidate)
        known = _known_version(store, candidate)
        wanted = {name: rules for name, rules in leagues.items() if _plays(candidate, rules)}
        if not wanted:
            raise SubmissionRefused(f"no league here plays {quoted(' or '.join(candidate.games))}")
        new = {name: rules for name, rules in wanted.items() if known is None or name not in known.leagues}
        if known is not None and not _is_newest(store, known):
            new = {}  # old content must not replace newer content
        accepted, reports = _check(candidate, new, desk.check)
        if known is None and not accepted:
            games = list(_games(wanted.values()))
            raise SubmissionRefused(declines(candidate.name, games, "of the leagues that it was submitted to"))
        existed = (bots / candidate.digest).exists()
        kept = keep(candidate, bots)
        try:
            for rules in accepted:
                store.keep_league(rules, rating_settings(rules))
            receipt = store.hand_in(_hand_in(kept, accepted))
        except BaseException:
            if not existed:
                remove_folder(kept.folder)
            raise
    return Entered(receipt, tuple(reports))


def register_known(store: Store, rules: LeagueRules, home_leagues: Iterable[LeagueRules]) -> list[Version]:
    """Enter the bots of other leagues of the same game in a league without bots, and return the entered versions.

    So a league that is defined after the bots were submitted can be played immediately.
    """
    store.keep_league(rules, rating_settings(rules))
    found = known_elsewhere(store, rules, home_leagues)
    for version in found:
        store.hand_in(
            HandIn(version.bot, version.author, version.digest, version.build_digest, version.command, (rules.name,))
        )
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
    candidate: Candidate, leagues: Mapping[str, LeagueRules], check: Check
) -> tuple[list[LeagueRules], list[CheckReport]]:
    """Return the leagues that accept the bot, and the reports. Leagues that differ only in name are checked once."""
    reports: dict[str, CheckReport] = {}
    accepted: list[LeagueRules] = []
    for rules in leagues.values():
        same = _but_for_the_name(rules)
        if same not in reports:
            reports[same] = check(candidate.program(), rules)
        report = reports[same]
        if report.failure is not None:
            lines = "\n".join(report.lines())
            raise SubmissionRefused(f"{candidate.name} is refused: it fails the check of {rules.game}\n{lines}")
        if report.declined and candidate.games:
            raise SubmissionRefused(f"{candidate.name} is said to play {rules.game}, but declines it")
        if report.passed:
            accepted.append(rules)
    return accepted, list(reports.values())


def _but_for_the_name(rules: LeagueRules) -> str:
    return rules.model_copy(update={"name": ""}).model_dump_json()


def _with_author(store: Store, candidate: Candidate) -> Candidate:
    """Return the candidate with the first spelling of its author. Raises `SubmissionRefused` for a name of another.

    An author who has bots here keeps the name: a manifest alone cannot use it, and no other name may look the same.
    """
    authors = {bot.author for bot in store.bots()}
    # Prefer the exact spelling, because older arenas stored different spellings as different authors.
    owner = min(
        (one for one in authors if same_author(one, candidate.author)), key=candidate.author.__ne__, default=None
    )
    if owner is None:
        like = next((one for one in sorted(authors) if look_alike(one, candidate.author)), None)
        if like is not None:
            raise SubmissionRefused(
                f"the author {candidate.author!r} looks like {like!r}, who has bots here and is written with other "
                f"letters: expected --author {shlex.quote(like)}, or a name that looks different"
            )
        return candidate
    if candidate.author_claimed and not _is_stored(store, candidate, owner):
        raise SubmissionRefused(
            f"bot.toml says author = {candidate.author!r}, who has bots here already, and a submission cannot take an "
            f"author's name by itself: expected --author {shlex.quote(owner)} from the organiser of the arena"
        )
    return replace(candidate, author=owner)


def _is_stored(store: Store, candidate: Candidate, owner: str) -> bool:
    """Return whether this bot of that author already has this content, so that the name is not taken from anybody."""
    return any(bot.name == candidate.name and bot.author == owner for bot in store.bots()) and any(
        version.digest == candidate.digest for version in store.versions(candidate.name)
    )


def _known_version(store: Store, candidate: Candidate) -> Version | None:
    """Return the version of this bot with this content. Raises `SubmissionRefused` if another author owns the name."""
    if all(bot.name != candidate.name for bot in store.bots()):
        return None
    versions = store.versions(candidate.name)
    owner = versions[0].author
    if owner != candidate.author:
        raise SubmissionRefused(
            f"the name {candidate.name!r} belongs to a bot of {owner!r}, not of {candidate.author!r}:"
            f" choose another with --name, or use --author {shlex.quote(owner)} if the bot is that author's"
        )
    return next((version for version in versions if version.digest == candidate.digest), None)


def _is_newest(store: Store, version: Version) -> bool:
    return store.versions(version.bot)[-1].number == version.number


def _plays(candidate: Candidate, rules: LeagueRules) -> bool:
    return not candidate.games or rules.game in candidate.games


def _games(leagues: Iterable[LeagueRules]) -> list[str]:
    return sorted({rules.game for rules in leagues})


def _hand_in(candidate: Candidate, leagues: Iterable[LeagueRules]) -> HandIn:
    return HandIn(
        bot=candidate.name,
        author=candidate.author,
        digest=candidate.digest,
        build_digest=candidate.build_digest,
        command=candidate.command,
        leagues=tuple(rules.name for rules in leagues),
    )
