"""Store the blocks of one contest in a separate folder, from which the next call resumes."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from arena.compare.contest import Contest
from arena.errors import StoreError
from arena.linux.lockfile import FileLock, file_lock
from arena.linux.private import make_private_folder
from arena.model.records import MatchRecord

LOCK_FILE: Final = "lock"
"""Name of the lock file in the folder of a contest; the process that plays the contest holds the lock."""


@contextlib.contextmanager
def keep_blocks(home: Path, contest: Contest, *, fresh: bool, new_seed: Callable[[], bytes]) -> Iterator[KeptBlocks]:
    """Lock the stored blocks of a contest for this process and return them.

    Raises `StoreError` while another process plays the same contest.
    """
    text = json.dumps(contest.as_json(), sort_keys=True)
    folder = home / hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
    try:
        make_private_folder(home)
        make_private_folder(folder)
    except OSError as error:
        raise StoreError(f"the comparison cannot be written to {folder}: {error.strerror}") from error
    with file_lock(
        folder / LOCK_FILE,
        lambda holder: StoreError(f"this comparison is being played by {holder}: wait for it, or stop it with Ctrl-C"),
    ) as lock:
        yield KeptBlocks(folder, contest, lock, fresh=fresh, new_seed=new_seed)


class KeptBlocks:
    """The blocks of one contest, stored in a folder: one line of JSON for each block, and one file with its replays."""

    def __init__(
        self, folder: Path, contest: Contest, lock: FileLock, *, fresh: bool, new_seed: Callable[[], bytes]
    ) -> None:
        self.folder = folder
        self.lock = lock
        self._head = self.folder / "contest.json"
        self._file = self.folder / "blocks.jsonl"
        if not fresh and self._head.is_file():
            self.seed = bytes.fromhex(json.loads(self._head.read_text(encoding="utf-8"))["seed"])
            self.blocks = list(self._read())
            return
        self.seed = new_seed()
        self.blocks = []
        try:
            for old in self.folder.iterdir():
                if old.name != LOCK_FILE:  # if it were deleted, the next process would lock another file
                    old.unlink()
            # Write the file atomically: without its seed a comparison could not resume.
            partial = self._head.with_suffix(".part")
            partial.write_text(json.dumps({**contest.as_json(), "seed": self.seed.hex()}, indent=1), "utf-8")
            partial.replace(self._head)
        except OSError as error:
            raise StoreError(f"the comparison cannot be written to {self.folder}: {error.strerror}") from error

    def add(self, number: int, records: Sequence[MatchRecord] | None) -> dict[str, Any]:
        """Store the results of one block (None if it is skipped); they are on disk when this returns."""
        line: dict[str, Any] = {"block": number, "matches": None}
        try:
            if records is not None:
                line["matches"] = [
                    {
                        "ranks": list(record.ranks),
                        "causes": [seat.cause for seat in record.seats],
                        "details": [seat.detail for seat in record.seats],
                    }
                    for record in records
                ]
                replays = b"".join(record.replay for record in records)
                (self.folder / f"block-{number}.replays.z").write_bytes(zlib.compress(replays))
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise StoreError(f"the comparison cannot be written to {self.folder}: {error.strerror}") from error
        self.blocks.append(line)
        return line

    def _read(self) -> Iterator[dict[str, Any]]:
        if not self._file.is_file():
            return
        good_bytes = 0
        data = self._file.read_bytes()
        for number, line in enumerate(data.splitlines(keepends=True)):
            try:
                block = json.loads(line) if line.endswith(b"\n") else None
            except ValueError:
                block = None
            if block is None or block["block"] != number:
                break
            good_bytes += len(line)
            yield block
        if good_bytes < len(data):
            # A killed process left an incomplete line. Cut it off, so that the next line does not continue it; its
            # block is played again.
            os.truncate(self._file, good_bytes)
