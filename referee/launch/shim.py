"""The first program of a bot's process: ties it to the referee's life, then becomes the bot.

Run as a file by an isolated interpreter (`python -I -S shim.py PARENT_PID COMMAND...`), so it
imports nothing of the package. Doing this between fork and exec of the referee itself would run
Python code in a copy of a process with threads, which may hang.
"""

import errno
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # linux/prctl.h
EXIT_CANNOT_RUN = 126  # as shells do
EXIT_NOT_FOUND = 127


def main() -> None:
    """Become the command of the arguments; exit 126 or 127 with one line when that fails."""
    parent, command = int(sys.argv[1]), sys.argv[2:]
    _die_with_parent()
    if os.getppid() != parent:  # it died before the line above took effect
        sys.exit(EXIT_CANNOT_RUN)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # the interpreter ignores them, exec keeps that
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error.strerror}\n")
        sys.stderr.flush()
        sys.exit(EXIT_NOT_FOUND if error.errno == errno.ENOENT else EXIT_CANNOT_RUN)


def _die_with_parent() -> None:
    """Ask Linux for SIGKILL when the referee dies; elsewhere the guardian alone does that."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


if __name__ == "__main__":
    main()
