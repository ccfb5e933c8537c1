"""`chaos:exits-early` ends before its Hello, as a bot does that misses a file."""

import sys

from tichu_bot.exit_code import ExitCode
from tichu_bot.report import say

if __name__ == "__main__":
    say("no such file", file="weights.bin")
    sys.exit(ExitCode.BUG)
