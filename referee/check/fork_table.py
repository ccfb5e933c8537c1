"""A stored round that goes on from within: its machine, and what each player is told of it.

Match time stands still while bots think, so nobody is late and no bomb too late. Answers are taken
in an order that the asks alone decide (`fork_words`).
"""

from collections.abc import Sequence

import msgspec

from referee.app.holding import time_left_ms
from referee.check.fork_words import Word, Words, in_turn
from referee.match.facts import Fact, MatchEnded, RoundEnded
from referee.match.inputs import (
    Answer,
    CallRequest,
    Fault,
    Handed,
    Input,
    Resumed,
    StandDownRequest,
    Tick,
)
from referee.match.machine import Machine
from referee.match.replay import Difference, replay_into
from referee.match.step import Ask, RoundStarted, Step
from referee.match.values import Ending, MatchConfig
from referee.ports import AnswerIn, CallIn, Frame, ResignIn, SeatingIn, StandDownIn
from referee.rules.errors import RefereeBug
from referee.rules.options import player_seats
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec

_CODEC = WireCodec()
_EPOCH = 1 << 30  # of a referee that took the match over: behind all that a record can name


class _Player:
    """What one player was told, and what waits for it."""

    def __init__(self) -> None:
        self.events: list[bytes] = []  # of the round, cut to the player
        self.untold: list[bytes] = []
        self.parts: list[bytes] = []
        self.asks: list[Ask] = []
        self.asked: set[int] = set()  # numbers of the asks that were told
        self.seated = False


class ForkTable:
    """One match that is continued. `number` is that of the match in the bots' sessions."""

    def __init__(
        self, config: MatchConfig, before: Sequence[Fact], *, number: int, legal_plays: set[Seat]
    ) -> None:
        """`legal_plays`: who wants them listed."""
        self.config = config
        self.number = number
        self.points: tuple[int, ...] | None = None  # of the round, once it is over
        self.ended: MatchEnded | None = None
        self.words = Words(number)
        self._legal_plays = legal_plays
        self._machine = Machine(config)
        self._players = {Seat(seat): _Player() for seat in player_seats(config.settings.rules)}
        for replayed in replay_into(self._machine, before):
            if isinstance(replayed, Difference):
                raise RefereeBug(f"facts that replayed once do not again: {replayed.why}")
            self._tell(replayed.step)
        self._now = before[-1].at
        for player in self._players.values():
            player.untold, player.parts, player.asks = [], [], []
        self._step(Resumed(epoch=_EPOCH))
        for seat, player in self._players.items():
            player.asks = self._machine.open_asks(seat)
        self._hand_over(tuple(self._players))

    @property
    def owing(self) -> list[Ask]:
        """The asks that nobody answered yet, in the order in which answers are taken."""
        return in_turn([ask for seat in self._players for ask in self._machine.open_asks(seat)])

    def update(self, seat: Seat) -> bytes:
        """Return what a player is told since the last time, b"" where that is nothing."""
        player = self._players[seat]
        still = {ask.id for ask in self._machine.open_asks(seat)}
        asks = [ask for ask in player.asks if ask.id in still]
        parts, player.parts, player.asks = player.parts, [], []
        if not player.seated:
            parts.append(_CODEC.seating_part(SeatingIn(config=self.config, seat=seat)))
            parts.append(_CODEC.snapshot_part(self._machine.snapshot(seat), player.events))
            player.seated = True
        elif player.untold:
            parts.append(_CODEC.event_part(player.untold))
        player.untold = []
        player.asked |= {ask.id for ask in asks}
        parts += [self._ask_part(seat, ask) for ask in asks]
        return _CODEC.update(self.number, parts) if parts else b""

    def hear(self, seat: Seat, frame: Frame) -> None:
        """Keep what a player says; an answer to what it was not asked is none."""
        asked = self._players[seat].asked
        answers = [answer for answer in frame.answers if answer.ask_id in asked]
        self.words.hear(seat, msgspec.structs.replace(frame, answers=answers))

    def take(self, asks: Sequence[Ask]) -> None:
        """Take the answers to `asks`; one that is refused is to be corrected before the next."""
        for ask in asks:
            for word in self.words.up_to(ask, asks):
                self._take(ask.to, word)
            if any(ask is one for one in self._machine.open_asks(ask.to)):
                return
        for seat, word in self.words.beside(asks):
            self._take(seat, word)

    def advance(self) -> None:
        """Let happen what only time brings. `RefereeBug` where that is nothing."""
        if self._machine.due is None:
            raise RefereeBug("a forked round in which nobody owes anything")
        self._now = max(self._now, self._machine.due)
        self._step(Tick())

    def end(self) -> None:
        """End the match after its round, if it is not over."""
        if not self._machine.over:
            self._step(Fault(seat=None, ending=Ending.CANCELLED))

    def _take(self, seat: Seat, word: Word) -> None:
        if self.points is not None:
            return  # the round is over
        match word:
            case AnswerIn():
                self._step(Answer(seat, word.ask_id, word.decision))
            case CallIn(call=CallKind() as call):
                hand = self._hand(word.for_seat)
                request = word.request_id
                self._step(CallRequest(seat=seat, call=call, request_id=request, for_seat=hand))
            case StandDownIn():
                hand = self._hand(word.for_seat)
                self._step(StandDownRequest(seat=seat, request_id=word.request_id, for_seat=hand))
            case ResignIn():
                ending = Ending.RESIGNED
                self._step(Fault(seat=seat, ending=ending, request_id=word.request_id))
            case _:
                pass

    def _hand(self, seat: int | None) -> Seat | None:
        known = seat is not None and 0 <= seat < self._machine.seats
        return Seat(seat) if seat is not None and known else None

    def _ask_part(self, seat: Seat, ask: Ask) -> bytes:
        left = time_left_ms(ask, self._now)
        listed = seat in self._legal_plays
        return _CODEC.ask_part(ask, time_left_ms=left, legal_plays=listed)

    def _step(self, what: Input) -> None:
        if self._machine.over:
            return
        step = self._machine.step(what, self._now)
        self._tell(step)
        for fact in step.facts:
            if isinstance(fact, RoundEnded):
                self.points = fact.points
            elif isinstance(fact, MatchEnded):
                self.ended = fact
        if step.asks:
            self._hand_over(tuple({ask.to for ask in step.asks}))

    def _hand_over(self, seats: tuple[Seat, ...]) -> None:
        """Start the clocks: what comes of time waits until all have answered."""
        self._tell(self._machine.step(Handed(seats=seats), self._now))

    def _tell(self, step: Step) -> None:
        fresh = bool(step.events) and isinstance(step.events[0], RoundStarted)
        events = _CODEC.events(step.first_event, step.events, self._machine.seats)
        for seat, player in self._players.items():
            mine = [event if isinstance(event, bytes) else event[seat] for event in events]
            player.events = mine if fresh else player.events + mine
            player.untold += mine
            player.asks += [ask for ask in step.asks if ask.to == seat]
            player.parts += [
                _CODEC.cancelled_part(gone)
                for gone in step.cancelled
                if gone.seat == seat and gone.ask_id in player.asked
            ]
            player.parts += [_CODEC.ack_part(ack) for ack in step.acks if ack.seat == seat]
            player.parts += [_CODEC.refused_part(o) for o in step.refused if o.seat == seat]


def reseeded(config: MatchConfig, seeds: Sequence[str]) -> MatchConfig:
    """Return the match with other random numbers for its bots, by seat."""
    players = [
        msgspec.structs.replace(player, bot_seed=seed)
        for player, seed in zip(config.players, seeds, strict=True)
    ]
    return msgspec.structs.replace(config, players=tuple(players))
