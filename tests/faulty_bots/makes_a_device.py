"""Makes a device file of its own for the first disk."""

import os

from playing import tries

tries(lambda: os.mknod(os.path.join(os.environ["HOME"], "disk"), 0o60600, os.makedev(8, 0)))
