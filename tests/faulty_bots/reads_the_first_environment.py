"""Reads the environment of process 1: it must be its own or nobody's."""

from playing import tries


def read():
    content = open("/proc/1/environ", "rb").read()
    return b"SECRET_OF_THE_ARENA" in content


tries(read)
