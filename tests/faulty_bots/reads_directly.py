"""Reads past the page cache: the process waits for the disk and ignores SIGKILL meanwhile."""

import os

from playing import tries

tries(lambda: os.close(os.open(__file__, os.O_RDONLY | os.O_DIRECT)))
