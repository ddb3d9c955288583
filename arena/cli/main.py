"""The command line: parse, call one function, print."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from arena.linux import interrupts
from arena.search_path import leave_working_folder_out

if TYPE_CHECKING:
    import click

    from arena.cli.app import App

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.

    Whatever goes wrong ends in one sentence on stderr; `--debug` shows where it came from. No process of a bot is alive
    afterwards, or a sentence names it and the status is 1.
    """
    from arena.cli.app import App
    from arena.linux import survivors

    app = App()
    survivors.tell_by(app.note)
    status = _invoke(app, arguments)
    return _ended(app, left, 1) if (left := _left_behind()) else status


def _left_behind() -> str:
    """End whatever bot is left, and say which processes live on all the same; only where any bot was started."""
    if "arena.transport.process" not in sys.modules:
        return ""
    from arena.linux import survivors
    from arena.transport.process import close_all

    with interrupts.whole():
        close_all()
        left = survivors.living()
    return survivors.sentence(left) if left else ""


def _invoke(app: App, arguments: Sequence[str] | None) -> int:
    import click

    from arena.cli.root import root
    from arena.errors import ArenaError

    try:
        status = root.main(arguments, prog_name="arena", standalone_mode=False, obj=app)
    except click.ClickException as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            error.show()  # the help page, which older releases of click print by themselves
            return error.exit_code
        return _ended(app, _sentence(error), error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        return _ended(app, "interrupted", 128 + (interrupts.seen() or signal.SIGINT))
    except ArenaError as error:
        return _ended(app, str(error), error.exit_status)
    except BrokenPipeError:
        _drop_output()
        return _ended(app, "the reader of the output closed it", 1)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        return _ended(app, f"{(error.strerror or str(error)).lower()}{place}", 1)
    except Exception as error:  # noqa: BLE001 - the last place where an error can still become a sentence
        hint = "" if app.debug else " (--debug shows where)"
        return _ended(app, f"unexpected {type(error).__name__}: {error}{hint}", 1)
    return status if isinstance(status, int) else 0


def run() -> None:
    """What the installed program `arena` and `python -m arena` do."""
    leave_working_folder_out()
    try:
        interrupts.install()
        status = main()
    except KeyboardInterrupt:  # it had not come further than to its imports, and needs no other to say so
        sys.stderr.write("arena: interrupted\n")
        status = INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    sys.exit(status)


def _sentence(error: click.ClickException) -> str:
    """What click has to say in the words of all other errors, and on a line of its own where to look."""
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    hint = "" if context is None else f"\n(`{context.command_path} --help` shows what it takes)"
    return message[:1].lower() + message[1:] + hint


def _ended(app: object, sentence: str, status: int) -> int:
    """Say the sentence, after the traceback where that was asked for."""
    from arena.text.sanitize import terminal_lines

    with contextlib.suppress(OSError):
        if getattr(app, "debug", False):
            traceback.print_exc()
        # It may quote what stands in a file or database from outside; its own line breaks are wanted.
        sys.stderr.write(f"arena: {terminal_lines(sentence)}\n")
        sys.stderr.flush()
    return status


def _drop_output() -> None:
    # Python flushes stdout once more when it ends, and would complain about the same broken pipe there.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
