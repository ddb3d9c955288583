"""Pictures that a command writes to files."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.app import App
from arena.errors import StoreError


def write_picture(app: App, file: Path, picture: str) -> None:
    """Write an SVG document to a file. Raises `StoreError` if that fails."""
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the picture cannot be written to {file}: {error.strerror}") from error
    app.note(f"picture in {file}")


def svg_file(_context: click.Context, _option: click.Parameter, file: Path | None) -> Path | None:
    """Return the file of an option. Raises `BadParameter` unless its name ends in `.svg`."""
    if file is not None and file.suffix.lower() != ".svg":
        raise click.BadParameter(f"pictures are SVG: expected a name that ends in .svg, got {str(file)!r}")
    return file
