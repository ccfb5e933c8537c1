"""Hostile conducts, part one: bots that are late, silent, gone, or push in where nobody asked."""

import random
from collections.abc import Callable

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import MS
from tests.simulation.service.bots import Bot, Conduct
from tests.simulation.service.network import LinkEnd
from tests.simulation.service.policy import Hand

_SECOND = 1_000 * MS
_TICHU = match_pb2.CALL_KIND_TICHU


def limit_ns(ask: match_pb2.Ask) -> int | None:
    """Return the time that an ask leaves as its bot reads it, ns; None: no limit."""
    return ask.time_left_ms * MS if ask.HasField("time_left_ms") else None


# --- when it answers


class Late(Conduct):
    """Now and then answers a little after the limit, even when it was told that time is over."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((1, 3, 10, 30))
        self._by = rng.choice((MS, 50 * MS, 50 * MS, 900 * MS))
        self.heeds = rng.random() < 0.3

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Past the limit."""
        limit = limit_ns(ask)
        if limit is None or bot.rng.random() * self._one_in >= 1:
            return think
        return limit + self._by


class Silent(Conduct):
    """Answers nothing from a drawn ask on; some stop for a single ask now and then."""

    def __init__(self, rng: random.Random) -> None:
        self._from = rng.randrange(60)
        self._for_good = rng.random() < 0.4

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """For ever, or as long as it would."""
        if bot.asks_seen <= self._from:
            return think
        return None if self._for_good or bot.rng.random() < 0.05 else think


class Drags(Conduct):
    """Uses nearly all time that it may, bank included."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((1, 2, 8))

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Until 20 ms are left."""
        limit = limit_ns(ask)
        if limit is None or bot.rng.random() * self._one_in >= 1:
            return think
        return max(think, limit - 20 * MS)


class JustInTime(Conduct):
    """Answers when, by its own clock, a drawn bit of its base time is left."""

    def __init__(self, rng: random.Random) -> None:
        self._left = rng.choice((1, 10, 10, 100)) * MS

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Base time less that bit."""
        if hand.base_ms is None or ask.WhichOneof("kind") == "bomb":
            return think
        return max(think, hand.base_ms * MS - self._left)


class AtTheClose(Conduct):
    """Answers bomb asks around the instant at which the window closes."""

    def __init__(self, rng: random.Random) -> None:
        self._spread = rng.choice((1, 2, 30)) * MS

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Just before or after it."""
        limit = limit_ns(ask)
        if limit is None or ask.WhichOneof("kind") != "bomb":
            return think
        return max(0, limit + int((bot.rng.random() - 0.5) * 2 * self._spread))


class FakesLag(Conduct):
    """Answers pings late, to be credited for a slow link."""

    def __init__(self, rng: random.Random) -> None:
        self._delay = rng.choice((100 * MS, 400 * MS, _SECOND, 10 * _SECOND))

    def pong(self, bot: Bot, delay: int) -> int:
        """Much later."""
        return self._delay


# --- whether it is there


class Leaves(Conduct):
    """Does something for good while it owes a drawn ask; `way` says what."""

    def __init__(self, rng: random.Random, way: "Callable[[Bot, Hand], None]") -> None:
        # early often, since the bets and the exchange are few
        self._at = rng.randrange(1, 5) if rng.random() < 0.25 else rng.randrange(1, 80)
        self._after = rng.choice((0, 1, 30, 200)) * MS
        self._way = way
        self._done = False

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """The drawn ask is there."""
        if bot.asks_seen >= self._at and not self._done:
            self._done = True
            bot.after(self._after, lambda: self._way(bot, hand))


def crash(bot: Bot, hand: Hand) -> None:
    """End the process; its exit is seen a little later."""
    bot.exit(int(bot.rng.random() * 50 * MS))


def unplug(bot: Bot, hand: Hand) -> None:
    """Cut the own link and stay away."""
    bot.lose(LinkEnd.CUT)


def resign(bot: Bot, hand: Hand) -> None:
    """Give the match up."""
    frame = referee_pb2.PlayRequest()
    frame.resigns.add(match=hand.number, request_id=bot.rng.randrange(1_000))
    bot.transmit(frame.SerializeToString())


def say_goodbye(bot: Bot, hand: Hand) -> None:
    """End the session on purpose."""
    frame = referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(text="that is all"))
    bot.transmit(frame.SerializeToString())


class SoreLoser(Conduct):
    """Cuts its own link as soon as its team is behind."""

    def __init__(self, rng: random.Random) -> None:
        self._after = rng.randrange(200) * MS

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Look at the score."""
        own = hand.seat % 2 if len(hand.totals) == 2 else hand.seat
        if hand.totals and hand.totals[own] < max(hand.totals):
            bot.after(self._after, lambda: bot.lose(LinkEnd.CUT))


# --- what nobody asked for


class Spams(Conduct):
    """Sends bursts of frames that mean nothing, or that repeat its last answer."""

    def __init__(self, rng: random.Random) -> None:
        self._at = rng.randrange(1, 60)
        self._frames = rng.choice((3, 30, 300, 1_500))
        self._gap = rng.choice((0, 100_000, 2 * MS))
        self._stale = rng.random() < 0.3
        self._again = rng.random() < 0.3

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """The drawn ask is there."""
        if bot.asks_seen == self._at or (self._again and bot.asks_seen % self._at == 0):
            self._burst(bot, hand, self._frames)

    def _burst(self, bot: Bot, hand: Hand, left: int) -> None:
        frame = referee_pb2.PlayRequest()
        if self._stale:
            answer = frame.answers.add(match=hand.number, ask_id=max(1, hand.last_ask - 1))
            answer.default_action.SetInParent()
        data = frame.SerializeToString()
        together = left if self._gap == 0 else 1
        for _ in range(together):
            bot.transmit(data)
        if left > together:
            bot.after(self._gap, lambda: self._burst(bot, hand, left - together))


class Chatters(Conduct):
    """Some of those that read little ask for something all the time, and are refused."""

    def __init__(self, rng: random.Random) -> None:
        self._times = rng.choice((0, 600, 900, 1_200))

    def joined(self, bot: Bot) -> None:
        """Begin when it stops reading."""
        if self._times:
            bot.after(bot.plan.link.reads_until_ns, lambda: self._ask(bot, self._times))

    def _ask(self, bot: Bot, left: int) -> None:
        if not bot.hands:
            return  # it stopped to read before it had a seat
        frame = referee_pb2.PlayRequest()
        frame.calls.add(match=1, call=match_pb2.CALL_KIND_GRAND, request_id=left)
        bot.transmit(frame.SerializeToString())
        if left > 1:
            bot.after(4 * MS, lambda: self._ask(bot, left - 1))


class Calls(Conduct):
    """Calls Tichu of its own accord at odd moments, for its own hand or for another."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((2, 8, 25))

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Perhaps call in a moment."""
        rng = bot.rng
        if rng.random() * self._one_in >= 1:
            return
        frame = referee_pb2.PlayRequest()
        call = frame.calls.add(match=hand.number, call=_TICHU, request_id=rng.randrange(100))
        if rng.random() < 0.1:
            call.for_seat = rng.randrange(5)
        elif hand.second and hand.second_seat is not None and rng.random() < 0.4:
            call.for_seat = hand.second_seat
        if rng.random() < 0.1:
            call.call = rng.choice((0, 2, 3, 77))  # type: ignore[assignment]
        data = frame.SerializeToString()
        bot.after(int(rng.random() * 60 * MS), lambda: bot.transmit(data))


class StandsDown(Conduct):
    """Gives up bombing out of turn, in each round at a drawn ask, now and then twice."""

    def __init__(self, rng: random.Random) -> None:
        self._one_in = rng.choice((3, 10))

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Perhaps stand down."""
        rng = bot.rng
        if rng.random() * self._one_in >= 1:
            return
        frame = referee_pb2.PlayRequest()
        for _ in range(rng.choice((1, 1, 1, 2))):
            down = frame.stand_downs.add(match=hand.number, request_id=rng.randrange(100))
            if hand.second and hand.second_seat is not None and rng.random() < 0.5:
                down.for_seat = hand.second_seat
        data = frame.SerializeToString()
        bot.after(int(rng.random() * 20 * MS), lambda: bot.transmit(data))
