"""Real matches for `referee bot check`: a referee of this process, and a house bot beside it."""

import asyncio
import contextlib
import sys
from collections.abc import Sequence
from pathlib import Path

from referee.bootstrap import Isolation, IssuedInstance, Referee, RefereeSetup, RunningMatch
from referee.check.exam import Exam, MatchOrder, Played
from referee.check.examinee import Examinee, Waiting
from referee.check.relay import Relay
from referee.check.stream import Failed
from referee.formats.conduct import read_conduct
from referee.match.facts import MatchEnded, PublicFact, Strike
from referee.match.values import Ending, MatchConfig, Player
from referee.rules.options import player_seats, seats
from referee.rules.seat import Seat

_HOUSE = "greedy"
_HOUSE_START_S = 30.0
_STOP_S = 0.2
_RETURN_S = 15.0  # more than the grace: a bot that is gone has lost by then


class RealHall:
    """Plays matches of `referee.bootstrap`; the referee is started with the first."""

    def __init__(self, folder: Path, waiting: Waiting, secret: bytes) -> None:
        """`folder` is private and short: it gets sockets and records."""
        self._folder = folder
        self._waiting = waiting
        self._secret = secret
        self._referee: Referee | None = None
        self._house: IssuedInstance | None = None
        self._house_bot: Examinee | None = None
        self._opening = asyncio.Lock()
        self._matches = 0
        self._seated = 0
        self._relays = 0

    async def _open(self) -> Referee:
        async with self._opening:
            if self._referee is None:
                self._referee = await Referee.start(
                    RefereeSetup(
                        listen=(f"unix:{self._folder / 'r.sock'}",),
                        event_secret=self._secret,
                        practice=True,
                        isolation=Isolation.NONE,  # one house bot sits at all seats but one
                        record_dir=self._folder / "records",
                    )
                )
            if self._house is None:
                self._house = self._referee.issue_instance(_HOUSE)
                argv = (sys.executable, "-P", "-m", f"tichu_bot.{_HOUSE}")
                self._house_bot = self._waiting.start(
                    argv,
                    server=self._referee.addresses[0],
                    token=self._house.token,
                    name=_HOUSE,
                )
                await self._referee.wait_ready(self._house.instance_id, _HOUSE_START_S)
            return self._referee

    async def play(self, exam: Exam, orders: Sequence[MatchOrder], limit_s: float) -> list[Played]:
        """See `referee.check.exam.Hall`."""
        referee = await self._open()
        issued = referee.issue_instance("you")
        self._relays += 1
        relay = Relay(self._folder / "r.sock")
        await relay.listen(self._folder / f"{self._relays}.sock")
        relay.delay_s = max(order.delay_s for order in orders)
        exam.start(relay.address, issued.token)
        try:
            budget_s = 3 * exam.terms.start_s
            try:
                ready = referee.wait_ready(issued.instance_id, budget_s)
                await exam.unless_ended(ready, "its Hello")
            except TimeoutError:
                raise Failed(f"a real referee got no Hello within {budget_s:g} s") from None
            seats_taken = [self._seat(order) for order in orders]
            running = [
                self._start(order, seat, issued, relay)
                for order, seat in zip(orders, seats_taken, strict=True)
            ]
            try:
                whole = asyncio.wait_for(_all_done(running), limit_s)
                await exam.unless_ended(whole, "the end of the match")
            except TimeoutError:
                raise Failed(
                    f"a match was not over after {limit_s:g} s",
                    cure="answer every ask, and faster; a bot that needs seconds is given more "
                    "time by --patience",
                ) from None
            finally:
                for one in running:
                    if not one.done.done():
                        one.cancel()
            return [
                await _played(one, seat, count=seats(order.settings.rules))
                for one, order, seat in zip(running, orders, seats_taken, strict=True)
            ]
        finally:
            await relay.close()

    def _seat(self, order: MatchOrder) -> Seat:
        """The bot's seat: another one in each match."""
        self._seated += 1
        places = player_seats(order.settings.rules)
        return places[self._seated % len(places)]

    def _start(
        self, order: MatchOrder, own: Seat, issued: IssuedInstance, relay: Relay
    ) -> RunningMatch:
        assert self._referee is not None
        assert self._house is not None
        rules = order.settings.rules
        self._matches += 1
        config = MatchConfig(
            match_id=f"{order.name}-{self._matches}",
            settings=order.settings,
            players=tuple(
                Player(name="you" if seat == own else f"{_HOUSE} {seat}")
                for seat in range(seats(rules))
            ),
        )
        house = self._house.instance_id
        instances = [issued.instance_id if s == own else house for s in player_seats(rules)]
        audience = None if order.cut_after is None else _Cutter(relay, order.cut_after)
        return self._referee.start_match(config, instances, audience=audience)

    async def close(self) -> None:
        """End what was started; the house bot's process is ended by its launcher."""
        if self._referee is not None:
            with contextlib.suppress(Exception):
                await self._referee.stop(_STOP_S)


class _Cutter:
    """Cuts the bot's link once so much has happened."""

    def __init__(self, relay: Relay, after: int) -> None:
        self._relay = relay
        self._left = after

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Count what happens."""
        before, self._left = self._left, self._left - len(facts)
        if before > 0 >= self._left:
            self._relay.cut()


async def _all_done(running: Sequence[RunningMatch]) -> None:
    await asyncio.wait([one.done for one in running])


async def _played(running: RunningMatch, seat: Seat, *, count: int) -> Played:
    ended: MatchEnded = running.done.result()
    path = await asyncio.wait_for(asyncio.shield(running.recorded), _RETURN_S)
    lines = path.read_bytes().splitlines()
    conduct = read_conduct(lines, seats=count)[seat]
    return Played(
        ending=ended.ending.value,
        of_bot=ended.ending is not Ending.COMPLETED and ended.seat == seat,
        rounds=ended.rounds,
        refused=conduct.refused,
        defaults=conduct.defaults,
        strikes=conduct.strikes,
    )
