"""`arena compare`: is the new version of a bot better than the old one?"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from arena.cli.app import App, ArenaCommand, pass_app
from arena.cli.bot_programs import BotPrograms, rules_for_play, sandbox_option, surroundings
from arena.cli.commands.night import workers_option
from arena.cli.params import BOT_OR_FILE, GAME, LEAGUE, json_option
from arena.errors import NoVerdict, UsageError
from arena.text.sanitize import terminal
from arena.text.words import counted

if TYPE_CHECKING:
    from arena.compare.comparison import ComparisonStanding, Conduct
    from arena.compare.contest import Contest
    from arena.model.records import Program
    from arena.model.rules import LeagueRules

MOST_MATCHES = 10_000


@click.command(
    cls=ArenaCommand,
    examples=(
        "arena compare mybot.py mybot --game burn_my_village",
        "arena compare mybot:2 mybot:1 --against friday --seats 4",
        "arena compare mybot.py mybot --game lanterns --margin 0.03 --sure 0.99 --matches 5000",
    ),
)
@click.argument("new", type=BOT_OR_FILE, metavar="NEW")
@click.argument("old", type=BOT_OR_FILE, metavar="OLD")
@click.option("--against", type=LEAGUE, help="Fill the other seats with bots of this league, and play by its rules.")
@click.option("--game", type=GAME, help="The game to play.")
@click.option("--league", type=LEAGUE, help="Play by the rules of this league.")
@click.option("--seats", type=click.IntRange(2, 1000), help="Seats of a match (default: the fewest of the league).")
@click.option("--margin", type=click.FloatRange(0, 0.5, min_open=True, max_open=True), default=0.05, show_default=True,
              help="Smallest advantage to detect, as a share of all points.")  # fmt: skip
@click.option("--sure", type=click.FloatRange(0.5, 1, min_open=True, max_open=True), default=0.95, show_default=True,
              help="Probability with which the answer must be right.")  # fmt: skip
@click.option("--matches", type=click.IntRange(2, 1_000_000), default=MOST_MATCHES, show_default=True,
              help="Stop after this many matches.")  # fmt: skip
@click.option("--fresh", is_flag=True, help="Start over instead of continuing after the matches that are stored.")
@click.option("--allow-build", is_flag=True, help="Run build commands even if they cannot be sandboxed.")
@workers_option
@sandbox_option
@json_option
@pass_app
def compare(app: App, /, new: str, old: str, matches: int, fresh: bool, allow_build: bool, as_json: bool,
            **how: Any) -> None:  # fmt: skip
    """Play NEW and OLD until it is clear whether NEW is better.

    Each is a file, a folder or a stored NAME[:VERSION]. The test is evaluated after every block of matches on one seed,
    and stops as soon as the result is clear. No match is rated. The same command continues where it stopped.

    A bot that forfeits again and again ends the comparison without an answer; the exit status is then 1.
    """
    from arena.compare.comparison import Comparison, Hall
    from arena.compare.kept_blocks import keep_blocks
    from arena.model.seeds import new_night_seed
    from arena.workers.player import MatchPlayer

    with contextlib.ExitStack() as held:
        rules = _rules(app, how)
        bot_programs = held.enter_context(BotPrograms(app, [rules], allow_build=allow_build))
        contest = _contest(app, bot_programs, rules, (bot_programs.program(new), bot_programs.program(old)), how)
        folder = app.home.create().folder / "comparisons"
        kept = held.enter_context(keep_blocks(folder, contest, fresh=fresh, new_seed=new_night_seed))
        if kept.blocks:
            app.note(f"continuing after {counted(len(kept.blocks), 'block')} (--fresh starts over)")
        hall = Hall(
            MatchPlayer(bot_programs.sandbox), workers=app.settings.workers or len(os.sched_getaffinity(0)),
            sandbox=tuple(bot_programs.sandbox.layers),
            report=_progress if sys.stderr.isatty() else lambda _standing: None,
        )  # fmt: skip
        standing = Comparison(contest, kept).play(hall, matches)
    if sys.stderr.isatty():
        app.note("")
    if as_json:
        app.json({**_as_json(contest, standing), **surroundings(app, bot_programs.sandbox)})
    else:
        app.say(_sentence(contest, standing, how["sure"]))
    if standing.verdict is None:
        raise NoVerdict("no verdict: " + " and ".join(_idle(contest, standing, [new, old])))


def _rules(app: App, how: dict[str, Any]) -> LeagueRules:
    """Return the rules of the matches, at the requested number of seats."""
    against, seats = how["against"], how["seats"]
    if against and (how["game"] or how["league"]):
        raise UsageError("--against gives the rules too: expected no --game and no --league with it")
    rules = rules_for_play(app, how["game"], against or how["league"], {})
    if seats is None or seats in rules.seats:
        return rules
    return rules_for_play(app, how["game"], against or how["league"], {"seats": [seats]})


def _contest(
    app: App, bot_programs: BotPrograms, rules: LeagueRules, pair: tuple[Program, Program], how: dict[str, Any]
) -> Contest:
    from arena.compare.contest import Contest
    from arena.ratings.sprt import Bounds

    new, old = pair
    if new.digest == old.digest:
        raise UsageError(f"{new.label} and {old.label} are the same program: expected two different ones")
    against, seats = how["against"], how["seats"] or min(rules.seats)
    others: tuple[Program, ...] = ()
    if against:
        with app.read_store() as store:
            stored = store.has_league(against)
            versions = store.entries(against) if stored else []
            entered = [version.label for version in versions if version.bot not in (new.name, old.name)]
        if len(entered) < seats - 1:
            raise UsageError(
                f"at {seats} seats league {against!r} must have other bots: expected {seats - 1}, got {len(entered)}"
            )
        others = tuple(bot_programs.stored(label) for label in sorted(entered))
    wrong = round(1 - how["sure"], 12)
    bounds = Bounds(how["margin"], false_better=wrong, false_not_better=wrong)
    return Contest(new, old, rules, seats, others, bounds)


def _sentence(contest: Contest, standing: ComparisonStanding, sure: float) -> str:
    """Return the result for human readers: the answer, its error rate, the matches played and the evidence."""
    from arena.ratings.sprt import Verdict

    new, old = _names(contest)
    wrong = f"{100 * (1 - sure):.3g} %"
    verdict = {
        None: f"no verdict: {new} was not compared with {old}, because a bot that forfeits does not play",
        Verdict.BETTER: f"{new} is better than {old}: at most {wrong} of such tests say so of a version that is not"
        " better",
        Verdict.NOT_BETTER: f"{new} is not better than {old} by {100 * contest.bounds.margin:.3g} points of 100: at"
        f" most {wrong} of such tests say so of a version that is",
        Verdict.UNDECIDED: f"undecided: {new} may or may not be better than {old}",
    }[standing.verdict]
    lines = [verdict] if standing.verdict is None else [verdict, *_evidence(contest, standing, new)]
    for name, conduct in zip((new, old), standing.conduct, strict=True):
        lines.append(f"forfeits of {name}: {_forfeits(contest, conduct)}")
    if standing.left_out:
        lines.append(f"{counted(standing.left_out, 'block')} failed because of the arena or its host, and not counted")
    return "\n".join(lines)


def _evidence(contest: Contest, standing: ComparisonStanding, new: str) -> list[str]:
    low, high = standing.interval
    share = "-" if standing.share is None else f"{100 * standing.share:.1f}"
    return [
        f"after {standing.matches} matches in {counted(standing.blocks, 'block')}; {new} won {share} % of the points,"
        f" and 50 % is equal (95 % interval {100 * low:.1f} to {100 * high:.1f})",
        f"log likelihood ratio {standing.ratio:+.2f}: how much better the results fit a {new} that is better by"
        f" {100 * contest.bounds.margin:.3g} points of 100 than an equal one; {contest.bounds.upper:+.2f} or more shows"
        f" that it is better, {contest.bounds.lower:+.2f} or less that it is not",
    ]


def _forfeits(contest: Contest, conduct: Conduct) -> str:
    """Return the number of forfeits with their causes, and what the arena found at the last one."""
    played = _played(contest, conduct)
    if not conduct.forfeits:
        return f"none in {played}"
    causes = ", ".join(f"{number} {cause}" for cause, number in conduct.causes.most_common())
    return f"{conduct.forfeits} of {played} ({causes}); the last: {terminal(conduct.detail)}"


def _played(contest: Contest, conduct: Conduct) -> str:
    """Return how often a version played; without other bots it may have several seats of one match."""
    several_seats = contest.seats > 2 and not contest.opponents
    return counted(conduct.played, "seat") if several_seats else counted(conduct.played, "match", "matches")


def _idle(contest: Contest, standing: ComparisonStanding, typed: list[str]) -> list[str]:
    """Return one part of a sentence for each version that does not play."""
    found = []
    for name, conduct, given in zip(_names(contest), standing.conduct, typed, strict=True):
        if conduct.finished_none():
            found.append(f"{name} forfeited all of its {_played(contest, conduct)}")
        elif conduct.streak >= contest.rules.suspend_after:
            found.append(f"{name} forfeited {conduct.streak} matches in a row")
        else:
            continue
        found[-1] += f" (`arena check {terminal(shlex.quote(given))}` shows why)"
    return found


def _names(contest: Contest) -> tuple[str, str]:
    if contest.new.label == contest.old.label:
        return f"new {contest.new.label}", f"old {contest.old.label}"
    return contest.new.label, contest.old.label


def _progress(standing: ComparisonStanding) -> None:
    share = 50.0 if standing.share is None else 100 * standing.share
    click.echo(
        f"\r{standing.matches} matches, {share:.1f} % of the points, log likelihood ratio {standing.ratio:+.2f} ",
        nl=False,
        err=True,
    )


def _as_json(contest: Contest, standing: ComparisonStanding) -> dict[str, object]:
    return {
        "new": contest.new.label, "old": contest.old.label, "seats": contest.seats, "game": contest.rules.game,
        "verdict": standing.verdict, "matches": standing.matches, "blocks": standing.blocks, "share": standing.share,
        "interval": list(standing.interval), "log_likelihood_ratio": standing.ratio,
        "bounds": [contest.bounds.lower, contest.bounds.upper], "margin": contest.bounds.margin,
        "forfeits": dict(zip(("new", "old"), (one.forfeits for one in standing.conduct), strict=True)),
        "forfeits_by_cause": dict(zip(("new", "old"), (one.causes for one in standing.conduct), strict=True)),
        "last_forfeit": dict(zip(("new", "old"), (one.detail or None for one in standing.conduct), strict=True)),
        "left_out": standing.left_out,
        "values": [[value, times] for value, times in standing.histogram.items()],
    }  # fmt: skip
