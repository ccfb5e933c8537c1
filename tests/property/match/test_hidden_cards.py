"""What a seat is told does not depend on cards that it cannot see (PROTOCOL 4, DESIGN 1)."""

import random

import msgspec
from hypothesis import given
from hypothesis import settings as run_settings
from hypothesis import strategies as st

from referee.match.inputs import DefaultDecision, PassDecision, PlayDecision
from referee.match.values import MS, AskKind, Pace, Settings
from referee.rules.cards import card_numbers, mask_of
from referee.rules.hands import hand_has_bomb
from referee.rules.options import RuleOptions
from referee.rules.phases import Phase
from referee.rules.position import Position
from referee.rules.seat import Seat
from tests.simulation.chaos import bomb_rich
from tests.simulation.positions import DECLINE
from tests.simulation.table import Table, settings

SEEDS = st.integers(0, 2**32 - 1)
STARTS = st.sampled_from([Phase.GRAND, Phase.EXCHANGE, Phase.PLAY])


def swapped(position: Position, rng: random.Random, *, first: int) -> Position:
    """The same position with cards exchanged between the hands of seats `first` and later."""
    hands = list(position.hands)
    for _ in range(rng.randint(1, 10)):
        one, other = rng.sample(range(first, 4), 2)
        mine = mask_of([rng.choice(card_numbers(hands[one]))])
        yours = mask_of([rng.choice(card_numbers(hands[other]))])
        hands[one] ^= mine | yours
        hands[other] ^= mine | yours
    seen = tuple(mask_of(card_numbers(hand)[:8]) for hand in hands)
    changed = {"hands": tuple(hands)}
    if position.dealt_first:
        changed["dealt_first"] = (*position.dealt_first[:first], *seen[first:])
    return msgspec.structs.replace(position, **changed)


def start(what: Settings, rng: random.Random, phase: Phase) -> Position:
    """Full hands with many bombs; seat 0 leads where play has begun."""
    position = bomb_rich(rng, what)
    first = tuple(mask_of(card_numbers(hand)[:8]) for hand in position.hands)
    return msgspec.structs.replace(
        position,
        phase=phase,
        dealt_first=first if phase is Phase.GRAND else (),
        lead=Seat(0) if phase is Phase.PLAY else None,
    )


@given(seed=SEEDS, phase=STARTS, pace=st.sampled_from(Pace))
def test_a_snapshot_is_the_same_whatever_the_others_hold(
    seed: int, phase: Phase, pace: Pace
) -> None:
    rng = random.Random(seed)
    what = settings(pace=pace)
    position = start(what, rng, phase)
    seen = []
    for here in (position, swapped(position, rng, first=1)):
        table = Table(what, position=here).start()
        seen.append(msgspec.json.encode(table.machine.snapshot(Seat(0)), order="sorted"))
    assert seen[0] == seen[1]


def a_trick(what: Settings, position: Position, seed: int) -> Table:
    """Seats 0 and 1 play by the seed, seats 2 and 3 never bomb and play nothing of their own."""
    table = Table(what, position=position).start()
    rng = random.Random(seed)
    for _ in range(12):
        for seat in table.asked(AskKind.BOMB):
            if seat >= 2:
                table.now += MS
                table.answer(seat, DECLINE, kind=AskKind.BOMB)
        acting = table.asked(AskKind.ACT)
        if acting and acting[0] < 2:
            ask = table.ask(acting[0], AskKind.ACT)
            plays = [i for i, play in enumerate(ask.plays) if not play.is_bomb]
            passes = ask.may_pass and (not plays or rng.random() < 0.4)
            index = rng.choice(plays or [0])
            table.answer_ask(ask, PassDecision() if passes else PlayDecision(index=index))
        elif acting:
            ask = table.ask(acting[0], AskKind.ACT)
            if not ask.may_pass:
                break
            table.answer_ask(ask, PassDecision())
        elif table.asked(AskKind.CHOOSE_SEAT):
            break
        if table.machine.over:
            break
        table.wait_until_due()
    return table


def told(table: Table, seat: int) -> list[object]:
    """Everything that a seat was told, and when its asks went out."""
    asks = [
        (a.id, a.kind, a.provisional, a.sent, [play.cards for play in a.plays], a.may_pass)
        for a in table.asks
        if a.seat == seat
    ]
    acks = [ack for ack in table.acks if ack.seat == seat]
    public = [(type(event).__name__, getattr(event, "at", None)) for event in table.events]
    return [asks, acks, public, table.now]


@run_settings(max_examples=150)
@given(seed=SEEDS)
def test_in_fair_nobody_can_time_or_read_what_the_other_two_hold(seed: int) -> None:
    """Asks, acknowledgements and every instant are the same over bombs as over none."""
    rng = random.Random(seed)
    what = settings(pace=Pace.FAIR, rules=RuleOptions(rounds=1))
    position = start(what, rng, Phase.PLAY)
    first = a_trick(what, position, seed)
    second = a_trick(what, swapped(position, rng, first=2), seed)
    for seat in (0, 1):
        assert told(first, seat) == told(second, seat)


def test_the_swap_moves_bombs() -> None:
    """Else the properties above would compare nothing: some deals differ in bombs held."""
    differ = 0
    for seed in range(60):
        rng = random.Random(seed)
        what = settings(pace=Pace.FAIR)
        position = start(what, rng, Phase.PLAY)
        other = swapped(position, rng, first=2)
        before = [hand_has_bomb(hand) for hand in position.hands[2:]]
        after = [hand_has_bomb(hand) for hand in other.hands[2:]]
        differ += before != after
    assert differ > 5


def test_by_hand_the_default_answers_of_a_grand_barrier_show_nothing() -> None:
    table = Table(settings()).start()
    before = table.machine.snapshot(Seat(0))
    for seat in (1, 2, 3):
        table.answer(seat, DefaultDecision())
    assert table.machine.snapshot(Seat(0)) == before
