"""Write the generated pages of the documentation: `python -m arena.cli.reference FOLDER`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from arena.cli.root import root
from arena.protocol.schema import message_schema

_WIDTH = 100
_INTRODUCTION = """\
# Command reference

The output of every `arena COMMAND --help`, on one page. `make docs` generates it; a test compares it with the program.

Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted. Every error is one sentence on stderr; `--debug` shows
where it came from.
"""


def commands(command: click.Command = root, name: str = "arena") -> Iterator[tuple[str, click.Command]]:
    """Yield every command with its full name, a group before its commands."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command, info_name=name)
        for verb in command.list_commands(context):
            found = command.get_command(context, verb)
            if found is not None and not found.hidden:
                yield from commands(found, f"{name} {verb}")


def help_text(name: str, command: click.Command) -> str:
    """Return the help page of one command, at a width that does not depend on the terminal."""
    parent: click.Context | None = None
    # The usage line joins the names of all parent contexts, so each word of the name needs a context.
    for word in name.split()[:-1]:
        parent = click.Context(root, info_name=word, parent=parent)
    context = click.Context(
        command, info_name=name.split()[-1], parent=parent, terminal_width=_WIDTH, max_content_width=_WIDTH,
        help_option_names=["-h", "--help"],
    )  # fmt: skip
    return command.get_help(context)


def reference() -> str:
    """Return the complete page in Markdown."""
    parts = [_INTRODUCTION]
    for name, command in commands():
        level = "##" if len(name.split()) <= 2 else "###"
        text = "\n".join(line.rstrip() for line in help_text(name, command).strip().splitlines())
        parts.append(f"{level} {name}\n\n```\n{text}\n```\n")
    return "\n".join(parts)


def pages() -> dict[str, str]:
    """Return the content of every generated file, by its name in the documentation folder."""
    schema = json.dumps(message_schema(), indent=2, ensure_ascii=False)
    return {"cli.md": reference(), "protocol.schema.json": f"{schema}\n"}


if __name__ == "__main__":
    for file_name, content in pages().items():
        (Path(sys.argv[1]) / file_name).write_text(content, encoding="utf-8")
