"""A bot as a process: its streams, what it knows of its matches, and what it does to others.

An honest bot answers every ask and every ping. Its conducts may change when it answers, what it
sends, and whether it is there at all.
"""

import random
from collections.abc import Callable, Sequence
from typing import Protocol

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import MS
from referee.ports import Status, StreamEnd
from tests.simulation.service.network import LinkEnd, SimLink
from tests.simulation.service.plans import BotPlan, Return
from tests.simulation.service.policy import Hand, Policy

_REDIAL_NS = 100 * MS

Outgoing = tuple[int, bytes]  # after how long, ns, and the frame


class Home(Protocol):
    """What a bot needs of the simulation."""

    now: int

    def after(self, delay: int, callback: Callable[[], None]) -> None:
        """Let something happen in a while."""

    def dial(self, bot: "Bot") -> SimLink | None:
        """Open the stream of a bot; None where nobody takes it."""

    def exited(self, bot: "Bot") -> None:
        """The end of a bot's process is seen by the referee."""


class Conduct:
    """Honest. Hostile conducts change some of this; a bot may have several, in order."""

    heeds = True  # False: answers although the ask was cancelled, or the match is over

    def joined(self, bot: "Bot") -> None:
        """The bot has sent its Hello."""

    def asked(self, bot: "Bot", hand: Hand, ask: match_pb2.Ask) -> None:
        """An ask came."""

    def delay(self, bot: "Bot", hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Return how long the bot thinks, ns, None for ever; `think` is what it would."""
        return think

    def send(
        self, bot: "Bot", hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Return what the bot sends to answer an ask; `frames` is what it would."""
        return frames

    def pong(self, bot: "Bot", delay: int) -> int:
        """Return after how long a ping is answered, ns."""
        return delay


class Bot:
    """One process, the first or a later one of its bot. `rng` is its own, and its links'."""

    def __init__(self, home: Home, index: int, plan: BotPlan, *, life: int = 0) -> None:
        self.home = home
        self.index = index
        self.plan = plan
        self.life = life  # processes before it
        self.rng = random.Random(f"{plan.seed}/{life}")
        self.hands: dict[int, Hand] = {}
        self.asks_seen = 0
        self.gone = False
        self.link: SimLink | None = None
        self.session_token: str | None = None
        self.wanted_back = False  # the referee's last word was to come again
        self.policy = Policy(self.rng, plan.temperament)
        self.conducts: Sequence[Conduct] = [make(self.rng) for make in plan.conducts]
        self._heeds = all(conduct.heeds for conduct in self.conducts)

    # --- the process

    def start(self) -> None:
        """Dial and say Hello."""
        if not self.gone:
            self._dial(self.plan.hello)
            for conduct in self.conducts:
                conduct.joined(self)

    def come_back(self, returns: Return) -> None:
        """Dial again, and say Hello with the session token or without."""
        if self.gone:
            return
        hello = referee_pb2.PlayRequest.FromString(self.plan.hello)
        if returns is Return.SESSION and self.session_token is not None:
            hello.hello.session_token = self.session_token
        self._dial(hello.SerializeToString())

    def _dial(self, hello: bytes) -> None:
        link = self.home.dial(self)
        if link is None:
            self.after(_REDIAL_NS, lambda: self._dial(hello))
            return
        self.link = link
        link.on_frame = lambda data: self._received(link, data)
        link.on_end = lambda: self._ended(link)
        self.wanted_back = False
        self.transmit(hello)

    def _ended(self, link: SimLink) -> None:
        """A stream is over. Who lost its link knows what it does about that, see `lose`."""
        if link is not self.link or link.end_with is None:
            return
        self._sent_away(link.end_with)

    def _sent_away(self, end: StreamEnd) -> None:
        retry = self.plan.retry_ns
        if retry is not None and (self.wanted_back or end.status is Status.UNAVAILABLE):
            self.after(retry, lambda: self.come_back(self.plan.retries))
        else:
            self.gone = True

    def lose(self, how: LinkEnd) -> None:
        """Lose the link; it is not dialled again."""
        self.gone = True
        if self.link is not None:
            self.link.fail(how)

    def exit(self, reported_ns: int) -> None:
        """End the process: the link closes, and the referee sees the exit after a while."""
        self.gone = True
        if self.link is not None:
            self.link.close()
        self.home.after(reported_ns, lambda: self.home.exited(self))

    def transmit(self, frame: bytes) -> None:
        """Send a frame, if the bot is still there."""
        if self.link is not None and not self.gone:
            self.link.transmit(frame)

    def after(self, delay: int, callback: Callable[[], None]) -> None:
        """Do something in a while, if the bot is still there."""
        self.home.after(delay, lambda: None if self.gone else callback())

    # --- what comes

    def _received(self, link: SimLink, data: bytes) -> None:
        if self.gone or link is not self.link:
            return
        frame = referee_pb2.PlayResponse.FromString(data)
        if frame.HasField("welcome"):
            self.session_token = frame.welcome.session_token
        if frame.HasField("closing"):
            self.wanted_back = frame.closing.retry
        if frame.HasField("ping"):
            self._ping(frame.ping.number)
        for update in frame.updates:
            self._update(update)

    def _ping(self, number: int) -> None:
        delay = self.plan.pong_ns
        for conduct in self.conducts:
            delay = conduct.pong(self, delay)
        pong = referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=number))
        self.after(delay, lambda: self.transmit(pong.SerializeToString()))

    def _update(self, update: match_pb2.Update) -> None:
        hand = self.hands.get(update.match)
        if hand is None:
            hand = self.hands[update.match] = Hand(update.match)
        if update.HasField("seating"):
            hand.asks.clear()  # those that are open on this stream come with it
            hand.seat = update.seating.seat
            hand.base_ms = update.seating.base_ms if update.seating.HasField("base_ms") else None
            options = {option.name: option.value for option in update.seating.options}
            hand.mah_jong_low = options["gs_best_order"] == "mahjong_last"
            hand.second_seat = 2 if options["variant"] == "trichu" else None
        for event in update.events:
            _note(hand, event)
        for dealt in update.snapshot.hands:
            if dealt.seat == hand.second_seat:
                hand.second = {*dealt.cards}
            else:
                hand.cards = {*dealt.cards}
        for cancelled in update.cancelled:
            hand.asks.pop(cancelled.ask_id, None)
        for ask in update.asks:
            self._asked(hand, ask)
        for refused in update.refused:
            if (again := hand.asks.get(refused.ask_id)) is not None:
                self._think(hand, again)

    def _asked(self, hand: Hand, ask: match_pb2.Ask) -> None:
        hand.asks[ask.ask_id] = ask
        hand.last_ask = max(hand.last_ask, ask.ask_id)
        self.asks_seen += 1
        for conduct in self.conducts:
            conduct.asked(self, hand, ask)
        self._think(hand, ask)

    def _think(self, hand: Hand, ask: match_pb2.Ask) -> None:
        low, high = self.plan.think_ns
        think: int | None = low + int(self.rng.random() * (high - low))
        for conduct in self.conducts:
            assert think is not None
            think = conduct.delay(self, hand, ask, think)
            if think is None:
                return
        assert think is not None
        self.after(think, lambda: self._answer(hand, ask))

    def _answer(self, hand: Hand, ask: match_pb2.Ask) -> None:
        if self._heeds and (hand.over or hand.asks.get(ask.ask_id) is not ask):
            return  # cancelled meanwhile, or put again on another stream
        frame = referee_pb2.PlayRequest()
        self.policy.answer(hand, ask, frame.answers.add())
        frames: list[Outgoing] = [(0, frame.SerializeToString())]
        for conduct in self.conducts:
            frames = conduct.send(self, hand, ask, frames)
        for delay, data in frames:
            if delay:
                self.after(delay, lambda data=data: self.transmit(data))  # type: ignore[misc]
            else:
                self.transmit(data)


def _note(hand: Hand, event: match_pb2.Event) -> None:
    """Keep count of the own cards."""
    kind = event.WhichOneof("event")
    if kind == "played":
        if event.played.seat in (hand.seat, hand.second_seat):
            hand.held(event.played.seat).difference_update(event.played.play.cards)
    elif kind == "cards_dealt":
        for dealt in event.cards_dealt.hands:
            hand.held(dealt.seat).update(dealt.cards)
    elif kind == "cards_exchanged":
        for exchanged in event.cards_exchanged.hands:
            for gift in exchanged.gave:
                hand.held(exchanged.seat).difference_update(gift.cards)
            for gift in exchanged.received:
                hand.held(exchanged.seat).update(gift.cards)
    elif kind == "round_started":
        hand.cards.clear()
        hand.second.clear()
        hand.asks.clear()
        hand.totals = tuple(event.round_started.totals)
    elif kind == "match_ended":
        hand.over = True
