"""Files that somebody names are read only if that cannot block or fill the memory."""

import os
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.linux.regular_files import MOST_BYTES, read_regular


@pytest.mark.parametrize("odd", ["folder", "pipe", "/dev/zero", "missing", "large"])
def test_only_a_regular_file_of_bounded_size_is_read(tmp_path: Path, odd: str) -> None:
    """A device, a pipe without a writer, a folder or a huge file is refused in one sentence."""
    file = tmp_path / odd
    if odd == "folder":
        file.mkdir()
    elif odd == "pipe":
        os.mkfifo(file)
    elif odd == "large":
        file.write_bytes(b"")
        os.truncate(file, MOST_BYTES + 1)
    with pytest.raises(UsageError, match="cannot be read: "):
        read_regular(Path("/dev/zero") if odd == "/dev/zero" else file)
    (tmp_path / "plain").write_bytes(b"ab")
    assert read_regular(tmp_path / "plain") == b"ab"
