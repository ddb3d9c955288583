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

    Every error is one sentence on stderr; `--debug` shows where it came from. Afterwards no process of a bot runs, or a
    sentence names the process and the status is 1.
    """
    from arena.cli.app import App
    from arena.linux import survivors

    app = App()
    survivors.tell_by(app.note)
    status = _invoke(app, arguments)
    return _ended(app, left, 1) if (left := _left_behind()) else status


def _left_behind() -> str:
    """Kill the bots that still run, and return a sentence about the processes that survive; empty if there are none."""
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
        _all_text(sys.argv[1:] if arguments is None else arguments)
        status = root.main(arguments, prog_name="arena", standalone_mode=False, obj=app)
    except click.ClickException as error:
        if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
            error.show()  # the help page; older releases of click print it themselves
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
    except Exception as error:  # noqa: BLE001 - the last place where an error can become a sentence
        hint = "" if app.debug else " (--debug shows where)"
        return _ended(app, f"unexpected {type(error).__name__}: {error}{hint}", 1)
    return status if isinstance(status, int) else 0


def _all_text(arguments: Sequence[str]) -> None:
    """Raise `UsageError` for an argument that is not UTF-8, because names are stored and printed as text.

    The name of an existing file may be anything: the command decides about each of its files.
    """
    from arena.errors import UsageError

    for argument in arguments:
        odd = not argument.isascii() and any("\ud800" <= character <= "\udfff" for character in argument)
        if odd and not os.path.lexists(argument):
            raise UsageError(f"the argument {argument!r} is not UTF-8 text: rename the file, or type another name")


def run() -> None:
    """Run `arena` as the installed program and as `python -m arena`, and exit."""
    leave_working_folder_out()
    _open_closed_streams()
    try:
        interrupts.install()
        status = main()
    except KeyboardInterrupt:  # during the imports: use nothing that must be imported
        sys.stderr.write("arena: interrupted\n")
        status = INTERRUPTED
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()
    sys.exit(status)


def _sentence(error: click.ClickException) -> str:
    """Return a message of click in the style of all other errors, with a line that names the help page."""
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    hint = "" if context is None else f"\n(`{context.command_path} --help` shows what it takes)"
    return message[:1].lower() + message[1:] + hint


def _ended(app: object, sentence: str, status: int) -> int:
    """Print the sentence to stderr, after the traceback with `--debug`, and return the status."""
    from arena.text.sanitize import message

    with contextlib.suppress(OSError):
        if getattr(app, "debug", False):
            traceback.print_exc()
        # It may quote text of an untrusted file or database, so escape and cut it; keep its line breaks.
        sys.stderr.write(f"arena: {message(sentence)}\n")
        sys.stderr.flush()
    return status


def _open_closed_streams() -> None:
    """Open the null device in place of a closed stdin, stdout or stderr (`arena bot list >&-`).

    Otherwise the next file that is opened gets that descriptor, for example the database, and output is written there.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free descriptor is this one: those below it are open.
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "r" if descriptor == 0 else "w", closefd=False))


def _drop_output() -> None:
    # Python flushes stdout again when it exits, and would report the same broken pipe.
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
