"""Handing in a bot: copy by content, read the manifest, build, keep; nothing is left behind by what is refused."""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena import intake
from arena.builds import Build, run_build
from arena.errors import StoreError, SubmissionRefused, UsageError
from arena.manifest import MANIFEST_BYTES, MANIFEST_FILE, Manifest, read_manifest
from arena.records import Program
from arena.runtimes import recipe_for, require_command
from arena.sandbox import Sandbox
from arena.settings import NAME_PATTERN, name_rule, nearest
from engine.catalog import game_keys

SINGLE_FILE_STEM: Final = "bot"
"""A single file is kept under this name, so that the same content under another name is known again."""
_INCOMING = ".incoming-"
_AUTHOR_LIMIT = 64
_PRECOMPILE = ("python3", "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", ".")


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the one who hands in says on the command line; each overrides the manifest."""

    name: str | None = None
    author: str | None = None
    games: tuple[str, ...] = ()
    allow_build: bool = False
    """Run a build command even where it cannot be confined."""
    default_author: str | None = None
    """Used when neither the command line nor the manifest names one; then the login's name."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A submission that is copied, built and read-only, but not yet entered anywhere."""

    name: str
    author: str
    digest: str
    """Of what was handed in."""
    build_digest: str
    """Of what a build made of it; the same as `digest` where nothing is built."""
    folder: Path
    command: tuple[str, ...]
    games: tuple[str, ...] = ()
    """The games that it says it plays; empty: it is offered every one."""

    def program(self, version: int = 0) -> Program:
        """The candidate as something that can be started; version 0 is what a check calls it."""
        return Program(self.name, version, self.author, self.digest, str(self.folder), self.command)


@contextlib.contextmanager
def receive(area: Path, source: Path, wishes: Wishes, sandbox: Sandbox) -> Iterator[Candidate]:
    """The candidate that a file or folder holds, copied below `area`; gone afterwards unless `keep` took it.

    A build runs in the sandbox; where that does not confine it, only with leave. Raises `SubmissionRefused` in one
    sentence, or `UsageError` for a wish that nobody could fulfil, and leaves nothing behind.
    """
    _sweep(area)
    try:
        incoming = Path(tempfile.mkdtemp(prefix=f"{_INCOMING}{os.getpid()}-", dir=area))
        incoming.chmod(0o755)  # bots run under another user where the arena runs as root
    except OSError as error:
        raise StoreError(f"the submission cannot be copied to {area}: {error.strerror}") from error
    try:
        yield _prepare(incoming, source, wishes, sandbox)
    finally:
        intake.remove_folder(incoming)


def keep(candidate: Candidate, bots: Path) -> Candidate:
    """The candidate in its lasting place, `bots/DIGEST`; the rename makes it appear whole or not at all.

    `bots` must be the folder in which the candidate was received. A folder that is there already has the same content.
    """
    lasting = bots / candidate.digest
    if candidate.folder != lasting and not lasting.exists():
        try:
            candidate.folder.rename(lasting)
        except OSError as error:
            if not lasting.exists():  # else another command handed in the same just now
                raise StoreError(f"the bot cannot be kept as {lasting}: {error.strerror}") from error
    return replace(candidate, folder=lasting)


def _prepare(incoming: Path, source: Path, wishes: Wishes, sandbox: Sandbox) -> Candidate:
    digest, manifest = _copy(incoming, source)
    name = _settle_name(wishes, manifest, source)
    author = _settle_author(wishes, manifest)
    games = _settle_games(wishes, manifest)
    lasting = incoming.parent / digest
    if lasting.exists():  # handed in before, in whole: built and read-only already
        return Candidate(name, author, digest, intake.digest_folder(lasting), lasting, manifest.run, games)
    if manifest.build:
        require_command(manifest.build, incoming, "is built")
        if not (wishes.allow_build or sandbox.confined):
            raise SubmissionRefused(
                f"this bot is built by running {' '.join(manifest.build)!r}, which cannot be confined on this computer:"
                " expected --allow-build"
            )
        run_build(Build(manifest.build, incoming, sandbox))
    require_command(manifest.run, incoming)
    if manifest.run[0].startswith("python") and source.is_dir():
        run_build(Build(_PRECOMPILE, incoming, sandbox, limit_s=60.0, must_succeed=False))
    build_digest = intake.digest_folder(incoming)
    intake.make_read_only(incoming)
    return Candidate(name, author, digest, build_digest, incoming, manifest.run, games)


def _copy(target: Path, source: Path) -> tuple[str, Manifest]:
    """Copy a file or a folder; its digest, and its manifest or what stands for one in a single file."""
    if not source.exists():
        raise SubmissionRefused(f"there is no file or folder {source}")
    if source.is_dir():
        manifest_file = source / MANIFEST_FILE
        if not manifest_file.is_file():
            raise SubmissionRefused(
                f'the folder {source} has no {MANIFEST_FILE}: expected one with at least run = "COMMAND"'
            )
        digest = intake.copy_folder(source, target)
        with (target / MANIFEST_FILE).open("rb") as stream:
            return digest, read_manifest(stream.read(MANIFEST_BYTES + 1))
    kept_as = SINGLE_FILE_STEM + source.suffix.lower()
    digest = intake.copy_file(source, target, kept_as)
    file = target / kept_as
    with file.open("rb") as stream:
        head = stream.read(512)
    recipe = recipe_for(kept_as, head, os.access(file, os.X_OK), source.name)
    return digest, Manifest(run=recipe.run, build=recipe.build)


def _settle_name(wishes: Wishes, manifest: Manifest, source: Path) -> str:
    name = wishes.name or manifest.name or source.resolve().stem.lower()
    if not NAME_PATTERN.fullmatch(name):
        suggestion = re.sub(r"[^a-z0-9_-]+", "_", name.lower()).strip("_-")[:32] or "mybot"
        wrong = UsageError if wishes.name else SubmissionRefused
        raise wrong(f"{name_rule('bot', name)}; for example --name {suggestion}")
    return name


def _settle_games(wishes: Wishes, manifest: Manifest) -> tuple[str, ...]:
    known = game_keys()
    for key in wishes.games:
        if key not in known:
            raise UsageError(f"there is no game {key!r}: {nearest(key, known)}")
    for key in manifest.games:
        if key not in known and not wishes.games:
            raise SubmissionRefused(f"the bot names a game {key!r} that is not installed: {nearest(key, known)}")
    return wishes.games or manifest.games


def _settle_author(wishes: Wishes, manifest: Manifest) -> str:
    wanted = wishes.author or manifest.author or wishes.default_author
    if wanted is None:
        try:
            wanted = getpass.getuser()
        except (KeyError, OSError) as error:
            raise SubmissionRefused("this login has no name: expected --author NAME") from error
    if not wanted.strip() or len(wanted) > _AUTHOR_LIMIT or not wanted.isprintable():
        wrong = SubmissionRefused if wanted == manifest.author else UsageError
        raise wrong(
            f"{intake.printable(wanted)} is no name for an author: expected 1 to {_AUTHOR_LIMIT} printable characters"
        )
    return wanted.strip()


def _sweep(area: Path) -> None:
    """Remove what a killed command left: incoming folders whose process is gone."""
    for folder in area.glob(f"{_INCOMING}*-*"):
        owner = folder.name.removeprefix(_INCOMING).split("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            intake.remove_folder(folder)
