"""Takes memory piece by piece, up to twice its limit; what it does not touch costs the host nothing."""

from playing import tries

hoard = []


def allocate():
    for _ in range(64):
        hoard.append(bytes(16 << 20))


tries(allocate)
