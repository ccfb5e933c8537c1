"""The snapshot of a running match, compared with what the machine knows."""

from referee.match.inputs import Answer, Deal, DefaultDecision
from referee.match.machine import Machine
from referee.match.step import Step
from referee.match.values import MatchConfig, Player, Settings
from referee.rules.cards import card_numbers
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec
from referee.wire.numbers import PHASES
from tests.unit.wire.test_encode import update_of

CODEC = WireCodec()


def played(answers: int) -> tuple[Machine, list[tuple[bytes, ...]]]:
    """A machine after so many default answers, and its events as each seat saw them."""
    players = tuple(Player(name="p", bot_seed="00" * 32) for _ in range(4))
    machine = Machine(
        MatchConfig(match_id="m", settings=Settings(rules=RuleOptions()), players=players)
    )
    log: list[tuple[bytes, ...]] = []

    def note(step: Step) -> None:
        for event in CODEC.events(step.first_event, step.events, 4):
            log.append((event,) * 4 if isinstance(event, bytes) else event)

    note(machine.step(Deal(seed="07" * 32), 0))
    for _ in range(answers):
        ask = next(ask for seat in range(4) for ask in machine.open_asks(Seat(seat)))
        note(machine.step(Answer(ask.seat, ask.id, DefaultDecision()), 0))
    return machine, log


def test_a_snapshot_shows_the_seat_what_it_may_know() -> None:
    machine, log = played(20)
    for seat in map(Seat, range(4)):
        events = [event[seat] for event in log]
        taken = machine.snapshot(seat)
        told = update_of(CODEC.snapshot_part(taken, events)).snapshot
        view = taken.view
        assert view is not None
        (hand,) = told.hands
        assert (hand.seat, list(hand.cards)) == (seat, card_numbers(view.hand))
        assert list(told.hand_counts) == list(view.public.hand_counts)
        assert told.phase == PHASES[view.public.phase]
        assert (told.round, told.dealer) == (1, 0)
        assert told.last_event == told.events[-1].number == len(log)
        assert list(told.trick) == card_numbers(view.public.trick)
        assert told.HasField("table") == told.HasField("owner") == (view.public.table is not None)
        assert told.turn == view.public.turn
        assert list(told.won_points) == list(view.public.won_points)
        assert [c.seat for c in told.calls] == [s for s, c in enumerate(view.public.calls) if c]


def test_the_first_snapshot_holds_the_first_cards_only() -> None:
    machine, log = played(0)
    taken = machine.snapshot(Seat(2))
    told = update_of(CODEC.snapshot_part(taken, [event[2] for event in log])).snapshot
    assert len(told.hands[0].cards) == 8
    assert list(told.hand_counts) == [8, 8, 8, 8]
    assert not told.HasField("turn")
    assert not told.HasField("wish")
    assert list(told.totals) == [0, 0]


def test_a_snapshot_before_the_first_deal_is_empty() -> None:
    players = tuple(Player(name="p", bot_seed="00" * 32) for _ in range(4))
    settings = Settings(rules=RuleOptions())
    machine = Machine(MatchConfig(match_id="m", settings=settings, players=players))
    told = update_of(CODEC.snapshot_part(machine.snapshot(Seat(0)), [])).snapshot
    assert not told.hands
    assert not told.events
