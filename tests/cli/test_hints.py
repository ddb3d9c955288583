"""The ten most common mistakes of beginners: the arena recognises each in a real bot, and says what to do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.conftest import GAME, Arena

BOT = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "turn":
        print('{"action":0}', flush=True)
"""
WITHOUT_FLUSH = BOT.replace(", flush=True", "")
SHELL = "#!/bin/sh\nexec python3 main.py\n"
BUILD = "import urllib.request as request; request.urlopen('https://example.org')"
RUN = 'run = "python3 main.py"\n'

MISTAKES: dict[str, tuple[Mapping[str, str | bytes], str]] = {
    "no flush": (
        {"bot.toml": 'run = "python3 -E main.py"', "main.py": WITHOUT_FLUSH},
        "hint: no complete line arrived: end each answer with a newline, and flush standard output after it"
        " (print(..., flush=True))",
    ),
    "print before the handshake": (
        {"bot.toml": RUN, "main.py": "print('loading my model')\n" + BOT},
        "hint: standard output is for answers only: print everything else to standard error"
        " (print(..., file=sys.stderr))",
    ),
    "print in a turn": (
        {"bot.toml": RUN, "main.py": BOT.replace("print('{\"action", "print('debug', 7); print('{\"action")},
        "hint: standard output is for answers only",
    ),
    "python": ({"bot.toml": 'run = "python main.py"', "main.py": BOT}, "the program python is called python3 here"),
    "python in a script": (
        {"bot.toml": 'run = "sh start.sh"', "start.sh": "python main.py\n", "main.py": BOT},
        "hint: the program python is called python3 here",
    ),
    "missing module": (
        {"bot.toml": RUN, "main.py": "import numpy_of_nobody\n" + BOT},
        "hint: the module numpy_of_nobody is not installed for bots, which have the standard library and the package"
        " engine only: copy it into the bot's folder",
    ),
    "line ends of a script": (
        {"bot.toml": 'run = "./start.sh"', "start.sh": SHELL.replace("\n", "\r\n"), "main.py": BOT},
        "hint: the script has Windows line endings (CRLF)",
    ),
    "byte order mark of a script": (
        {"bot.toml": 'run = "./start.sh"', "start.sh": "\ufeff" + SHELL.replace("exec", "nothing"), "main.py": BOT},
        "hint: there is a byte order mark before the text",
    ),
    "byte order mark of an answer": (
        {"bot.toml": RUN, "main.py": BOT.replace("print('{\"type", "print('\\ufeff{\"type")},
        "hint: there is a byte order mark before the text",
    ),
    "wrong folder": (
        {"bot.toml": RUN, "main.py": "open('/home/me/bots/weights.bin')\n" + BOT},
        "hint: the bot did not find /home/me/bots/weights.bin: it runs in its own folder and sees only the files that"
        " were submitted",
    ),
    "a file that is elsewhere": (
        {"bot.toml": 'run = "python3 src/main.py"', "main.py": BOT},
        "hint: the bot did not find /bot/src/main.py: it runs in its own folder",
    ),
    "no run": ({"bot.toml": 'name = "mybot"', "main.py": BOT}, 'expected run = "COMMAND", such as "python3 main.py"'),
    "network in a build": (
        {"bot.toml": f'{RUN}build = ["python3", "-c", "{BUILD}"]', "main.py": BOT},
        "hint: a build has no network: put everything that it needs into the folder, or build before you submit",
    ),
    "one game only": (
        {
            "bot.toml": RUN,
            "main.py": BOT.replace("print('{\"action", "message['observation']['lake']; print('{\"action"),
        },
        'hint: if the bot plays one game only, say so: with `--game lanterns`, with games = ["lanterns"] in bot.toml,'
        ' or by answering hello with {"type":"decline"} in the other games',
    ),
}


@pytest.fixture
def mistake(place: Path, request: pytest.FixtureRequest) -> str:
    """A folder with a bot that makes one mistake, in an arena that does not wait long; what the arena says."""
    files, said = MISTAKES[request.param]
    folder = place / "mybot"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        (folder / name).chmod(0o755)
    in_league(place, "startup_s = 2")
    return said


def in_league(place: Path, rule: str) -> None:
    """Change one rule of the game's own league."""
    (place / "home").mkdir(mode=0o700, exist_ok=True)
    (place / "home" / "arena.toml").write_text(f'[league.{GAME}]\ngame = "{GAME}"\n{rule}\n')


@pytest.mark.parametrize("mistake", MISTAKES, indirect=True)
@pytest.mark.parametrize("command", ["check", "submit"])
def test_each_mistake_is_recognised(arena: Arena, mistake: str, command: str) -> None:
    """By `check` and by `submit`: one sentence, beside all that was seen."""
    ran = arena(command, "mybot")
    assert ran.status == 1
    assert mistake in ran.out + ran.err


def test_play_gives_the_same_advice(arena: Arena, place: Path) -> None:
    """For each seat that forfeits; in JSON too."""
    (place / "good.py").write_text(BOT)
    (place / "lost.py").write_text("import nothing_of_the_kind\n")
    ran = arena("play", "lost.py", "good.py", "--game", GAME)
    assert "hint for seat 0 (lost): the module nothing_of_the_kind is not installed for bots" in ran.out
    seats = json.loads(arena("play", "lost.py", "good.py", "--game", GAME, "--json").out)["seats"]
    assert seats[0]["hint"].startswith("the module nothing_of_the_kind") and seats[1]["hint"] is None


def test_match_show_gives_the_same_advice(arena: Arena, place: Path) -> None:
    """For a bot that makes its mistake only at a number of seats that is not checked."""
    in_league(place, "seats = [2, 3, 4]")
    (place / "lost.py").write_text(
        BOT.replace("    elif", "    elif message.get('seats') == 3: import nobody\n    elif", 1)
    )
    (place / "left.py").write_text(BOT + "# left\n")
    (place / "right.py").write_text(BOT + "# right\n")
    assert arena("submit", "lost.py", "left.py", "right.py", "--game", GAME).status == 0
    assert arena("night", "run", GAME, "--seats", "3", "--encounters", "1", "--quiet").status == 0
    ran = arena("match", "show", f"{GAME}-1-0")
    seat = next(s["seat"] for s in json.loads(arena("match", "show", f"{GAME}-1-0", "--json").out)["seats"]
                if s["bot"] == "lost")  # fmt: skip
    assert f"hint for seat {seat}: the module nobody is not installed for bots" in ran.out
    assert "arena match show" in ran.err and "--stderr SEAT" in ran.err
    hints = json.loads(arena("match", "show", f"{GAME}-1-0", "--json").out)["hints"]
    assert list(hints) == [str(seat)]
