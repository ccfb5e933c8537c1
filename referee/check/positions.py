"""One position put to a bot: the frames that ask it, and the judgement of what it answers.

The ask, the snapshot and the verdict come from the match machine, the bytes from the codec of
`serve`: nothing is listed, hidden or judged a second time here.
"""

import hashlib
from collections.abc import Sequence

import msgspec

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.holding import time_left_ms
from referee.check.story import Story
from referee.formats.vector_steps import ActionStep, CheckStep, Step
from referee.match.inputs import Answer, Decision, Fault, Input, Tick
from referee.match.machine import Machine
from referee.match.midway import ask_of, machine_at
from referee.match.snapshot import SeatSnapshot
from referee.match.step import Ask, Event
from referee.match.step import Step as MatchStep
from referee.match.values import (
    MS,
    AskKind,
    Clock,
    Ending,
    MatchConfig,
    Pace,
    Player,
    Settings,
)
from referee.ports import SeatingIn
from referee.rules.errors import NotationError
from referee.rules.exchanges import Slots
from referee.rules.options import RuleOptions, seats
from referee.rules.phases import Phase
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec

_CODEC = WireCodec()
CLOCK = Clock(base_ns=10_000 * MS, bank_ns=0)
_CALLS = (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A position, who is asked in it, and for what. None: the only one that it can be."""

    name: str  # tells the matches of a suite apart
    start: Position
    steps: tuple[Step, ...] = ()
    seat: Seat | None = None  # the hand that decides
    kind: AskKind | None = None


class Posed:
    """A question in a match of its own, ready to be sent to the player of its hand.

    Raises `NotationError` where nobody can be asked so.
    """

    def __init__(
        self,
        question: Question,
        *,
        clock: Clock | None = CLOCK,
        pace: Pace = Pace.FAIR,
        window_ns: int = 1_000 * MS,
    ) -> None:
        rules = question.start.options
        story = Story(Round.from_position(question.start))
        story.play(_actions(question.steps))
        self.position = story.round
        self.hand, kind = whom(self.position, question.seat, question.kind)
        self.config = _config(question.name, rules, clock=clock, pace=pace, window_ns=window_ns)
        self.events: list[Event] = story.events  # of the round so far, as a match tells them
        self._now = 0
        self.machine: Machine = machine_at(
            self.config, story.round, window=kind is AskKind.BOMB, events=len(story.events)
        )
        ask = ask_of(self.machine, self.hand, kind)
        if ask is None:
            raise NotationError(
                f"seat {self.hand} is asked for no {kind} here, with the match in pace {pace}"
            )
        self.ask: Ask = ask

    @property
    def player(self) -> Seat:
        """The seat of who is asked: the soloist's for both of its hands."""
        return self.ask.to

    def frame(self, match: int) -> referee_pb2.PlayResponse:
        """Return a frame with nothing but this question."""
        return referee_pb2.PlayResponse.FromString(self.update(match))

    def update(self, match: int, *, legal_plays: bool = True) -> bytes:
        """Return the part of a frame that seats the bot, tells it all it may know, and asks."""
        config, player = self.config, self.player
        told = _CODEC.events(1, self.events, len(config.players))
        own = [data[player] if isinstance(data, tuple) else data for data in told]
        left = time_left_ms(self.ask, self._now)
        return _CODEC.update(
            match,
            [
                _CODEC.seating_part(SeatingIn(config=config, seat=player)),
                _CODEC.ask_part(self.ask, time_left_ms=left, legal_plays=legal_plays),
                _CODEC.snapshot_part(self._snapshot(), own),
            ],
        )

    def _snapshot(self) -> SeatSnapshot:
        return msgspec.structs.replace(self.machine.snapshot(self.player), first_event=1)

    @property
    def slots(self) -> Slots:
        """What the hand owes in the exchange; () = nothing."""
        return self.position.exchange_slots(self.hand)

    def answer(self, decision: Decision) -> MatchStep:
        """Judge an answer to the ask; a refusal is in `refused`, else `ask.choice` is set."""
        return self.answer_to(self.ask.id, decision)

    def answer_to(self, ask_id: int, decision: Decision) -> MatchStep:
        """The same for an answer that names its ask."""
        return self.step(Answer(self.player, ask_id, decision))

    def nothing(self) -> MatchStep:
        """Return a step in which nothing happened."""
        return self.step(Tick())

    def step(self, what: Input) -> MatchStep:
        """Feed the match, whose time stands still: who asks keeps the time."""
        return self.machine.step(what, self._now)

    def reply(self, match: int, step: MatchStep) -> bytes:
        """Return the part of a frame that tells the player what came of its answer."""
        player = self.player
        parts = [_CODEC.ack_part(ack) for ack in step.acks if ack.seat == player]
        parts += [_CODEC.refused_part(one) for one in step.refused if one.seat == player]
        return _CODEC.update(match, parts)

    def end(self, match: int) -> bytes:
        """End the match by order, and return the part of a frame that tells it."""
        step = self.step(Fault(seat=None, ending=Ending.CANCELLED))
        told = _CODEC.events(step.first_event, step.events, len(self.config.players))
        own = [data[self.player] if isinstance(data, tuple) else data for data in told]
        gone = [_CODEC.cancelled_part(one) for one in step.cancelled if one.seat == self.player]
        return _CODEC.update(match, [_CODEC.event_part(own), *gone])


def frames_of(
    question: Question, *, match: int = 1, clock: Clock | None = CLOCK, pace: Pace = Pace.FAIR
) -> referee_pb2.PlayResponse:
    """Return the frame that puts a question: Seating, Snapshot and one Ask.

    Raises `NotationError` where nobody can be asked so.
    """
    return Posed(question, clock=clock, pace=pace).frame(match)


def whom(position: Round, seat: Seat | None, kind: AskKind | None) -> tuple[Seat, AskKind]:
    """Return who is asked for what. Raises `NotationError` where that is open or cannot be."""
    phase = position.phase
    if phase in _CALLS:
        return _one_of(position.decisions_owed(), seat, kind, AskKind.CALL)
    if phase is Phase.EXCHANGE:
        given = position.exchange_choices
        owing = [
            Seat(s) for s in range(position.n) if position.exchange_slots(Seat(s)) and not given[s]
        ]
        return _one_of(owing, seat, kind, AskKind.EXCHANGE)
    if phase in (Phase.DRAGON, Phase.DOG):
        return _one_of([position.turn], seat, kind, AskKind.CHOOSE_SEAT)
    if phase is Phase.ROUND_OVER:
        raise NotationError("the round is over: nobody is asked any more")
    return _in_play(position, seat, kind)


def _in_play(position: Round, seat: Seat | None, kind: AskKind | None) -> tuple[Seat, AskKind]:
    turn = position.owner if position.phase is Phase.CLOSING else position.turn
    acts = position.phase is Phase.PLAY
    if kind is None:
        kind = AskKind.ACT if acts and seat in (None, turn) else AskKind.BOMB
    if kind is AskKind.ACT:
        return _one_of([turn], seat, kind, AskKind.ACT)
    if kind is not AskKind.BOMB:
        raise NotationError(f"ask: {kind} cannot be asked here, only act and bomb; leave it out")
    able = [
        Seat(s)
        for s, hand in enumerate(position.hands)
        if hand.bit_count() >= 4 and not (acts and s == turn)
    ]
    if position.table is None:
        raise NotationError("ask: there is no bomb window while the table is empty")
    return _one_of(able, seat, kind, AskKind.BOMB)


def _one_of(
    asked: Sequence[Seat | None], seat: Seat | None, kind: AskKind | None, due: AskKind
) -> tuple[Seat, AskKind]:
    if kind not in (None, due):
        raise NotationError(f"ask: {kind} cannot be asked here, only {due}; leave it out")
    able = [one for one in asked if one is not None]
    named = ", ".join(map(str, able)) or "nobody"
    if seat is None and len(able) != 1:
        raise NotationError(f"seat: {named} could be asked for {due}; say which")
    if seat is not None and seat not in able:
        raise NotationError(f"seat: {seat} is not asked for {due} here, but {named}")
    return (able[0] if seat is None else seat), due


def _actions(steps: Sequence[Step]) -> list[ActionStep]:
    """Return the actions; checks and actions that must be refused change nothing."""
    return [step for step in steps if not isinstance(step, CheckStep) and step.error is None]


def _config(
    name: str, rules: RuleOptions, *, clock: Clock | None, pace: Pace, window_ns: int
) -> MatchConfig:
    bot_seeds = [hashlib.sha256(f"{name}|{s}".encode()).hexdigest() for s in range(seats(rules))]
    return MatchConfig(
        match_id=f"ask-{hashlib.sha256(name.encode()).hexdigest()[:12]}",
        settings=Settings(rules=rules, pace=pace, window_ns=window_ns, clock=clock),
        players=tuple(
            [Player(name=f"seat {s}", bot_seed=seed) for s, seed in enumerate(bot_seeds)]
        ),
    )
