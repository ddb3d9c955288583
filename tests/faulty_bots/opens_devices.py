"""Opens the devices of the machine."""

import os

from playing import tries


def look():
    opened = False
    for name in ("mem", "kmem", "port", "kmsg", "sda", "vda", "nvme0n1", "loop0", "kvm", "fuse", "net/tun"):
        try:
            os.close(os.open(f"/dev/{name}", os.O_RDONLY))
            opened = True
        except OSError:
            continue
    return opened


tries(look)
