"""Receive a submission: copy it by content, read its manifest, build it, store it. A refused one leaves nothing."""

from __future__ import annotations

import contextlib
import getpass
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from arena.errors import StoreError, SubmissionRefused, UsageError
from arena.linux.stale import is_abandoned, owner_mark
from arena.model.records import Program, Submission
from arena.model.rules import NAME_PATTERN, name_rule
from arena.sandbox.launcher import Sandbox
from arena.submission import author_names, copying, folders
from arena.submission.builds import Build, run_build
from arena.submission.languages import recipe_for, require_command
from arena.submission.manifest import MANIFEST_BYTES, MANIFEST_FILE, Manifest, read_manifest
from arena.text.sanitize import quoted, terminal
from arena.text.words import nearest
from engine.catalog import game_keys

SINGLE_FILE_STEM: Final = "bot"
"""The name under which a single file is stored, so that the same content with another name is recognised."""
_INCOMING = ".incoming-"
_INSIDE = "bot"
_SHOWN = 80
PRECOMPILE_S: Final = 60.0
"""Maximum seconds to compile the Python files of a folder."""
_PRECOMPILE = ("python3", "-I", "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", ".")


@dataclass(frozen=True, slots=True)
class SubmitOptions:
    """The options of the submitter. Name and author are binding: a manifest may only agree with them."""

    name: str | None = None
    author: str | None = None
    author_from: str = "--author"
    """The origin of the author, for messages."""
    games: tuple[str, ...] = ()
    allow_build: bool = False
    """Whether to run a build command even if it cannot be sandboxed."""
    default_author: str | None = None
    """The author if neither the options nor the manifest name one; not binding. If it is None, the login is used."""


@contextlib.contextmanager
def receive(area: Path, source: Path, options: SubmitOptions, sandbox: Sandbox) -> Iterator[Submission]:
    """Copy a file or folder below `area` and yield the submission. Remove it afterwards unless `keep` stored it.

    A build runs in the sandbox; if there is none, the build needs permission. Raises `SubmissionRefused` in one
    sentence, or `UsageError` for an option that cannot be satisfied, and leaves no file.
    """
    _sweep(area)
    try:
        incoming = Path(tempfile.mkdtemp(prefix=f"{_INCOMING}{owner_mark()}-", dir=area))
        # This outer folder keeps other users of the host out of the inner folder, which a build can write and open up.
        # If the arena runs as root, the users of its bots must enter; a set-id file there gives the rights of a user
        # who owns nothing.
        incoming.chmod(0o711 if os.geteuid() == 0 else 0o700)
        inside = incoming / _INSIDE
        inside.mkdir(mode=0o700)
    except OSError as error:
        raise StoreError(f"the submission cannot be copied to {area}: {error.strerror}") from error
    try:
        yield _prepare(inside, source, options, sandbox)
    finally:
        folders.remove_folder(incoming)


def keep(submission: Submission, bots: Path) -> Submission:
    """Move the submission into its final folder `bots/DIGEST` by one atomic rename, and return it.

    `bots` must be the folder in which it was received. If the final folder exists, it has the same content.
    """
    staging, final = Path(submission.program.folder), bots / submission.program.digest
    if staging != final and not final.exists():
        try:
            staging.rename(final)
        except OSError as error:
            if not final.exists():  # if it exists, another command has just stored the same content
                raise StoreError(f"the bot cannot be stored as {final}: {error.strerror}") from error
    return replace(submission, program=replace(submission.program, folder=str(final)))


def _prepare(inside: Path, source: Path, options: SubmitOptions, sandbox: Sandbox) -> Submission:
    digest, manifest = _copy(inside, source)
    name = _choose_name(options, manifest, source)
    author, claimed = _choose_author(options, manifest)
    games = _choose_games(options, manifest)
    final = inside.parent.parent / digest
    if final.exists():  # submitted before: already built and read-only
        program = Program(name, 0, author, digest, str(final), manifest.run)
        return Submission(program, copying.digest_folder(final), games, claimed)
    if manifest.build:
        require_command(manifest.build, inside, "is built")
        if not (options.allow_build or sandbox.confined):
            raise SubmissionRefused(
                f"this bot is built by running {quoted(' '.join(manifest.build))}, which cannot be sandboxed on this "
                "host: expected --allow-build"
            )
        run_build(Build(manifest.build, inside, sandbox))
    require_command(manifest.run, inside)
    if manifest.run[0].startswith("python") and source.is_dir():
        run_build(Build(_PRECOMPILE, inside, sandbox, limit_s=PRECOMPILE_S, must_succeed=False))
    build_digest = copying.digest_folder(inside)
    folders.make_read_only(inside)
    program = Program(name, 0, author, digest, str(inside), manifest.run)
    return Submission(program, build_digest, games, claimed)


def _copy(target: Path, source: Path) -> tuple[str, Manifest]:
    """Copy a file or a folder. Return its digest and its manifest, which is derived for a single file."""
    shown = terminal(str(source), 200)
    if (kind := _kind(source)) is None:
        raise SubmissionRefused(f"there is no file or folder {shown}")
    if stat.S_ISDIR(kind):
        lacking = f'the folder {shown} has no {MANIFEST_FILE}: expected one with at least run = "COMMAND"'
        manifest_kind = _kind(source / MANIFEST_FILE)
        if manifest_kind is None or not stat.S_ISREG(manifest_kind):
            raise SubmissionRefused(lacking)
        digest = copying.copy_folder(source, target)
        manifest_file = target / MANIFEST_FILE
        if not manifest_file.is_file():  # it was removed in the meantime
            raise SubmissionRefused(lacking)
        with manifest_file.open("rb") as stream:
            return digest, read_manifest(stream.read(MANIFEST_BYTES + 1))
    kept_as = SINGLE_FILE_STEM + source.suffix.lower()
    digest = copying.copy_file(source, target, kept_as)
    file = target / kept_as
    with file.open("rb") as stream:
        head = stream.read(512)
    recipe = recipe_for(kept_as, head, os.access(file, os.X_OK), source.name)
    return digest, Manifest(run=recipe.run, build=recipe.build)


def _choose_name(options: SubmitOptions, manifest: Manifest, source: Path) -> str:
    name = options.name or manifest.name or Path(os.path.realpath(source)).stem.lower()
    if not NAME_PATTERN.fullmatch(name):
        suggestion = re.sub(r"[^a-z0-9_-]+", "_", name[:_SHOWN].lower()).strip("_-")[:32] or "mybot"
        wrong = UsageError if options.name else SubmissionRefused
        example = f'name = "{suggestion}"' if manifest.name == name else f"--name {suggestion}"
        raise wrong(f"{name_rule('bot', name[:_SHOWN])}; for example {example}")
    if manifest.name not in (None, name):
        raise SubmissionRefused(
            f"--name says {name!r} and {MANIFEST_FILE} says name = {quoted(manifest.name)}: expected both to agree, or "
            "only one to name the bot"
        )
    return name


def _kind(path: Path) -> int | None:
    """Return the mode of the file or folder, links followed; None if it does not exist."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise SubmissionRefused(f"{copying.printable(str(path))} cannot be inspected: {error.strerror}") from error


def _choose_games(options: SubmitOptions, manifest: Manifest) -> tuple[str, ...]:
    known = game_keys()
    for key in options.games:
        if key not in known:
            raise UsageError(f"there is no game {key!r}: {nearest(key, known)}")
    for key in manifest.games:
        if key not in known and not options.games:
            raise SubmissionRefused(f"the bot names a game {quoted(key)} that is not installed: {nearest(key, known)}")
    return options.games or manifest.games


def _choose_author(options: SubmitOptions, manifest: Manifest) -> tuple[str, bool]:
    """Return the author, and whether only the manifest names that author."""
    claimed = None if manifest.author is None else _author(manifest.author, SubmissionRefused)
    if options.author is not None:
        author = _author(options.author, UsageError)
        if claimed is not None and not author_names.same_author(author, claimed):
            raise SubmissionRefused(
                f"{options.author_from} says {author!r} and {MANIFEST_FILE} says author = {claimed!r}: expected both "
                f"to agree, or only one to name the author (--author overrides every other setting)"
            )
        return author, False
    default = options.default_author
    if default is None and claimed is None:
        default = _login()
        if default is None:
            raise SubmissionRefused("this login has no name: expected --author NAME")
    if claimed is None:
        return _author(default or "", UsageError), False
    return claimed, not author_names.same_author(claimed, default or _login() or "")


def _login() -> str | None:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None


def _author(text: str, wrong: type[UsageError | SubmissionRefused]) -> str:
    try:
        return author_names.author_name(text)
    except ValueError as error:
        raise wrong(f"{quoted(text)} is not a valid name for an author: {error}") from error


def _sweep(area: Path) -> None:
    """Remove the incoming folders of killed commands; a folder of another host that shares the home after a day."""
    for folder in area.glob(f"{_INCOMING}*-*"):
        try:
            status = folder.lstat()
        except OSError:
            continue  # another command has removed it
        own = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
        if own and is_abandoned(folder.name.removeprefix(_INCOMING).rpartition("-")[0], status.st_mtime):
            with contextlib.suppress(StoreError):  # a folder that cannot be removed must not stop other submissions
                folders.remove_folder(folder)
