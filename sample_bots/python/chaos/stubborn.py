"""`chaos:stubborn` plays in order, ignores every request to end, and leaves children that do too.

One child stays in its process group, one leads a session of its own, and one is the daemon of the
textbook: its parent is gone before it begins.
"""

import os
import signal
from typing import NoReturn

from chaos.process import Cut, plays, run
from tichu_bot import View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.events import MatchEnded

DEAF_TO = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class StubbornBot(GreedyBot):
    """Plays, and does not end when all is over."""

    def match_over(self, view: View, result: MatchEnded) -> None:
        """Stay: no Goodbye, whatever the referee says."""
        raise Cut


def leave_children() -> None:
    """Fork three deaf children. Before anything of gRPC: its threads do not survive a fork."""
    for own_session, daemon in ((False, False), (True, False), (True, True)):
        if os.fork() == 0:
            _live_on(own_session=own_session, daemon=daemon)


def _live_on(*, own_session: bool, daemon: bool) -> NoReturn:
    if own_session:
        os.setsid()
    if daemon and os.fork() != 0:
        os._exit(0)
    while True:
        signal.pause()


if __name__ == "__main__":
    for number in DEAF_TO:
        signal.signal(number, signal.SIG_IGN)  # children inherit it
    leave_children()
    run("stubborn", plays(StubbornBot), heeds_signals=False)
