"""A session with the referee over as many streams as it takes."""

import asyncio
import functools
import os
import random
import signal
from typing import NamedTuple

import grpc

from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.exit_code import ExitCode
from tichu_bot.hints import hint
from tichu_bot.link import Ended, Link
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player
from tichu_bot.report import say
from tichu_bot.settings import Settings, SettingsError, unix_path

FIRST_BACKOFF_S = 0.2
LAST_BACKOFF_S = 5.0
STEADY_S = 5.0  # a stream that lived so long was no failed attempt: the backoff starts anew
MOST_REDIRECTS = 5  # in a row
VANISHED_S = 2.0  # a unix socket that was never there: nobody makes it any more
UNIX_PATIENCE_S = 10.0  # without an answer on a unix socket: its referee is dead
# Without an answer from a referee that we know, or a host: one that was killed and started anew
# waits so long for its bots. One that started this bot takes it along when it dies.
PATIENCE_S = 30.0

_REFUSALS = frozenset(
    (
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.ABORTED,
    )
)


class Again(NamedTuple):
    """Dial once more, after a pause."""

    address: str
    pause_s: float


class Session:
    """Dials, comes back after lost links, follows redirects, and knows when it is over."""

    def __init__(
        self,
        settings: Settings,
        hello: pb.Hello,
        player: Player,
        outbox: Outbox,
        *,
        patience_s: float | None = None,
    ) -> None:
        """`patience_s`: how long to dial without an answer; default by kind of address."""
        self._settings = settings
        self._hello = hello
        self._player = player
        self._outbox = outbox
        self._patience_s = patience_s
        self._stop = asyncio.Event()
        self._backoff_s = FIRST_BACKOFF_S
        self._redirects = 0
        self._grace_s = 0.0
        self._met: set[str] = set()  # addresses of which a first word was said
        self._connected = False
        self._server = 0  # place in settings.servers
        self._last_contact = asyncio.get_running_loop().time()
        self._stream_began = self._last_contact
        self._parent = os.getppid()

    def stop(self) -> None:
        """Say Goodbye and end."""
        self._stop.set()

    def stop_on_signals(self) -> None:
        """End in good order on SIGTERM and SIGINT; a second one ends at once."""
        loop = asyncio.get_running_loop()

        def stop(number: signal.Signals) -> None:
            loop.remove_signal_handler(number)
            self.stop()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop, number)

    async def run(self) -> ExitCode:
        """Play until the session is over, and return how it ended."""
        address = self._settings.servers[0]
        while True:
            self._stream_began = asyncio.get_running_loop().time()
            welcomed = functools.partial(self._welcomed, address)
            link = Link(self._player, self._outbox, on_welcome=welcomed)
            ended = await link.run(address, self._settings, self._hello, self._stop)
            next_step = self._after(address, ended)
            if isinstance(next_step, ExitCode):
                return next_step
            if await self._stopped_during(next_step.pause_s):
                return ExitCode.DONE
            address = next_step.address

    def _welcomed(self, address: str, welcome: pb.Welcome) -> None:
        if not self._connected:
            self._connected = True
            say(f"connected to {address} as {self._hello.bot_name}, waiting for a match")
        self._hello.session_token = welcome.session_token
        self._grace_s = welcome.grace_ms / 1000
        self._redirects = 0

    def _after(self, address: str, ended: Ended) -> Again | ExitCode:
        """Decide what follows a stream that ended."""
        now = asyncio.get_running_loop().time()
        if ended.welcome or ended.closing or ended.go_to:
            self._last_contact = now
        if ended.stopped or self._stop.is_set():
            return ExitCode.DONE
        if ended.go_to is not None:
            return self._follow(ended.go_to, moved=ended.welcome is not None)
        if ended.closing is not None and not ended.closing.retry:
            say("the referee closes", code=_code(ended.closing), text=ended.closing.text)
            draining = ended.closing.code == pb.CLOSING_CODE_DRAINING
            return ExitCode.DONE if draining else ExitCode.REFUSED
        if ended.status in _REFUSALS:
            say("refused by the referee", status=ended.status.name, text=ended.details)
            return ExitCode.REFUSED
        return self._come_back(address, ended, now)

    def _follow(self, address: str, *, moved: bool) -> Again | ExitCode:
        self._redirects += 0 if moved else 1
        if self._redirects > MOST_REDIRECTS:
            say("too many redirects in a row", last=address)
            return ExitCode.REFUSED
        try:
            self._settings.check_address(address)
        except SettingsError as error:
            say(str(error))
            return ExitCode.SETTINGS
        return Again(address, 0.0)

    def _come_back(self, address: str, ended: Ended, now: float) -> Again | ExitCode:
        self._say_why(address, ended)
        away_s = now - self._last_contact
        if all(self._is_gone(server, away_s) for server in (address, *self._settings.servers)):
            say("no referee answers any more", address=address, status=ended.status.name)
            return ExitCode.GONE
        if now - self._stream_began >= STEADY_S:
            self._backoff_s = FIRST_BACKOFF_S
        pause_s = self._backoff_s * random.uniform(0.8, 1.0)  # many bots lose one referee at once
        self._backoff_s = min(2 * self._backoff_s, LAST_BACKOFF_S)
        if ended.welcome is None:
            self._server = (self._server + 1) % len(self._settings.servers)
            address = self._settings.servers[self._server]
        return Again(address, pause_s)

    def _say_why(self, address: str, ended: Ended) -> None:
        """Say it for each lost link, and once for each address that did not answer."""
        if ended.welcome or ended.closing:
            say("link lost", status=ended.status.name, text=ended.details)
        elif address not in self._met:
            self._met.add(address)
            say("no referee answers yet", address=address, text=ended.details)
            if cure := hint(ended.details, self._settings, address):
                say(f"hint: {cure}")

    def _is_gone(self, address: str, away_s: float) -> bool:
        """Tell whether the referee will not come back."""
        return away_s > self._patience_for(address)

    def _patience_for(self, address: str) -> float:
        if self._patience_s is not None:
            return self._patience_s
        path = unix_path(address)
        if path is None:
            return max(PATIENCE_S, self._grace_s)
        if os.getppid() != self._parent:  # whoever started this bot died, maybe the referee
            return UNIX_PATIENCE_S
        if self._connected:  # a socket is gone for a moment while a referee starts anew
            return max(PATIENCE_S, self._grace_s)
        return UNIX_PATIENCE_S if path.exists() else VANISHED_S

    async def _stopped_during(self, pause_s: float) -> bool:
        try:
            await asyncio.wait_for(self._stop.wait(), pause_s)
        except TimeoutError:
            return False
        return True


def _code(closing: pb.Closing) -> str:
    value = pb.ClosingCode.DESCRIPTOR.values_by_number.get(closing.code)
    return str(closing.code) if value is None else value.name.removeprefix("CLOSING_CODE_")
