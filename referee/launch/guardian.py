"""A process that outlives a killed referee just long enough to kill the bots' process groups.

Its stdin is a pipe that only the referee holds: lines `+PGID` and `-PGID` while it lives, the end
of the file when it is gone, whatever the reason. Works wherever there are pipes and process groups
(the parent-death signal is Linux only and reaches no grandchildren). Run as a file by an isolated
interpreter, so it imports nothing of the package.
"""

import contextlib
import os
import signal
import sys


def main() -> None:
    """Keep the list until stdin ends, then kill what is on it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line.startswith("+"):
            groups.add(group)
        else:
            groups.discard(group)
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
