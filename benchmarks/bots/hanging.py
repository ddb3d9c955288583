"""Completes the handshake, and hangs on its first turn in the way that its argument names."""

import os
import sys
import threading
import time


def spin() -> None:
    while True:
        pass


def main() -> None:
    way = sys.argv[1]
    for line in sys.stdin.buffer:
        if b'"hello"' in line:
            os.write(1, b'{"type":"ready"}\n')
        elif way == "sleep":
            time.sleep(1000)
        elif way == "spin":
            spin()
        elif way == "threads":
            for _ in range(8):
                threading.Thread(target=spin).start()
        elif way == "children":
            for _ in range(60):
                try:
                    if os.fork() == 0:
                        spin()
                except OSError:
                    break
            spin()


if __name__ == "__main__":
    main()
