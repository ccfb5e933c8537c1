"""Lets a program play that reads and writes JSON lines: `python -m tichu_bot.stdio -- CMD`."""

import argparse
import asyncio
import functools
import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tichu_bot.acts import DEFAULT, Decision
from tichu_bot.async_bot import AsyncBot
from tichu_bot.events import MatchEnded
from tichu_bot.exit_code import ExitCode
from tichu_bot.program import Gone, Program
from tichu_bot.replies import answer_from
from tichu_bot.report import say
from tichu_bot.run import PLAINTEXT_FLAG, run
from tichu_bot.view import View
from tichu_bot.way import MOST_MATCHES

MATCHES = 64  # at once, unless told otherwise
DESCRIPTION = """\
Starts COMMAND and plays with what it answers. For each ask it gets one line of JSON: the view,
with "match" (which match) and "id" (which line). It answers with one line, in order or with that
"id": {"index": 0}, {"pass": true}, {"decline": true}, {"choice": "no_grand"},
{"gifts": ["2j", "Ar", "3s"]}, {"seat": 1} or {"default": true}; "wish" and "tichu" go with a play.
A line that is no answer leaves the ask to the referee, and is told on stderr. The output of each
line must leave at once (flush). The program ends when its input does.

Environment: TICHU_SERVER, TICHU_TOKEN, TICHU_CA_FILE, TICHU_BOT_NAME."""


class StdioBot(AsyncBot):
    """One seat of one match, played by a program."""

    _matches = itertools.count(1)

    def __init__(self, command: Sequence[str], program: Program | None, *, slow: bool) -> None:
        """Without `program` each match starts one of its own."""
        self.slow = slow
        self._command = command
        self._shared = program
        self._program = program
        self._match = next(self._matches)

    def match_started(self, view: View) -> None:
        """Start the match's own program."""
        if self._shared is None:
            self._program = Program(self._command, on_gone=lambda: None)

    def match_over(self, view: View, result: MatchEnded) -> None:
        """End the match's own program, beside the loop."""
        if self._shared is None and self._program is not None:
            self._program.close_input()
            asyncio.get_running_loop().run_in_executor(None, self._program.end)

    async def decide(self, view: View) -> Decision:
        """Ask the program; what it writes instead of an answer is told, and costs this ask."""
        if self._program is None:
            return DEFAULT
        try:
            line = await self._program.ask(view.to_json(), match=self._match)
        except Gone:
            return DEFAULT
        try:
            return answer_from(view, line)
        except ValueError as error:
            self._program.say_bad(line, str(error))
            return DEFAULT


def main() -> None:
    """Run as a process."""
    own, command = _split(sys.argv[1:])
    parser = argparse.ArgumentParser(
        prog="python -m tichu_bot.stdio",
        usage="%(prog)s [--each] [--slow] [--matches N] [--plaintext] -- COMMAND...",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--each", action="store_true", help="start the program for each match anew")
    parser.add_argument("--slow", action="store_true", help="bomb in the own turn only")
    parser.add_argument(
        "--matches", type=int, default=MATCHES, metavar="N", help=f"at once, 1 to {MOST_MATCHES}"
    )
    parser.add_argument(PLAINTEXT_FLAG, action="store_true", help="send the token unencrypted")
    told = parser.parse_args(own)
    if not command:
        parser.error("name the program behind --")
    if not 1 <= told.matches <= MOST_MATCHES:
        parser.error(f"--matches is 1 to {MOST_MATCHES}")
    _play(command, each=told.each, slow=told.slow, matches=told.matches, plaintext=told.plaintext)


def _split(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the own flags, and the command behind the first `--`."""
    at = words.index("--") if "--" in words else len(words)
    return list(words[:at]), list(words[at + 1 :])


def _play(
    command: Sequence[str], *, each: bool, slow: bool, matches: int, plaintext: bool
) -> NoReturn:
    sys.argv[1:] = []  # what follows `--` is not for this process
    try:
        program = Program(command, on_gone=lambda: os._exit(ExitCode.BUG))
    except OSError as error:
        say(f"cannot start {command[0]}: {error.strerror}; name a program that can be run")
        sys.exit(ExitCode.SETTINGS)
    if each:
        program.end()
    make_bot = functools.partial(StdioBot, command, None if each else program, slow=slow)
    try:
        run(
            make_bot,
            name=_name(command),
            max_matches=matches,
            plaintext=plaintext,
        )
    finally:
        program.end()


def _name(command: Sequence[str]) -> str:
    """Return what a program without a name is called: its last file, else what starts it."""
    files = (word for word in reversed(command) if os.path.isfile(word))
    return Path(next(files, command[0])).stem


if __name__ == "__main__":
    main()
