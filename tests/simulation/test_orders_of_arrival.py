"""The order in which answers arrive decides nothing (PROTOCOL 3 and 4, D5).

Only stamps and charges may differ: events, hands and scores are the same in every order.
"""

import itertools
import random
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    ExchangeDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.step import Ask, Event
from referee.match.values import MS, AskKind, Ending, Pace
from referee.rules.cards import MAHJONG, card_numbers
from referee.rules.option_values import BombArbitration, ExchangeRechoose, SelfOvertake
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.chaos import LENIENT, bomb_rich
from tests.simulation.positions import DECLINE, PASS, at, bombing, close_window, playing
from tests.simulation.table import Table, settings

GRAND, NO_GRAND = CallDecision(choice=CallKind.GRAND), CallDecision(choice=CallKind.NO_GRAND)


def timeless(events: Sequence[Event]) -> list[bytes]:
    """Events without their match times."""
    return [
        msgspec.json.encode(
            {key: value for key, value in msgspec.to_builtins(event).items() if key != "at"}
        )
        for event in events
    ]


def outcome(table: Table) -> tuple[object, ...]:
    """What must be the same: what was told, who holds what, and the score."""
    hands = tuple(table.hand(seat) for seat in range(4))
    return (tuple(timeless(table.events)), hands, table.public.scores, table.public.calls)


def same(tables: Iterator[Table]) -> bool:
    """True if all had the same outcome; every record replays."""
    outcomes = set()
    for table in tables:
        assert table.replays() == []
        outcomes.add(outcome(table))
    return len(outcomes) == 1


ORDERS = list(itertools.permutations(range(4)))


# --- every permutation of one moment


@pytest.mark.parametrize("both", [True, False])
def test_grand_together_is_the_same_in_every_order(both: bool) -> None:
    def tables() -> Iterator[Table]:
        rules = RuleOptions(rounds=1, both_partners_may_call=both)
        for order in ORDERS:
            table = Table(settings(rules=rules)).start()
            for seat in order:
                table.now += 3 * MS
                table.answer(seat, GRAND if seat != 1 else NO_GRAND)
            yield table

    assert same(tables())


def test_great_grand_is_the_same_in_every_order() -> None:
    def tables() -> Iterator[Table]:
        rules = RuleOptions(rounds=1, great_grand=True, both_partners_may_call=False)
        for order in ORDERS:
            table = Table(settings(rules=rules)).start()
            for seat in order:
                choice = CallKind.NO_GREAT_GRAND if seat == 0 else CallKind.GREAT_GRAND
                table.answer(seat, CallDecision(choice=choice))
            yield table

    assert same(tables())


HANDS = ("2j 3j 4j 5j Mj", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")


def give(table: Table, seat: int, *, high: bool, tichu: bool) -> ExchangeDecision:
    """The lowest or highest cards of a hand."""
    view = table.machine.snapshot(Seat(seat)).view
    assert view is not None
    numbers = card_numbers(view.hand)
    chosen = numbers[-3:] if high else numbers[:3]
    gifts = tuple(((seat + 1 + i) % 4, (card,)) for i, card in enumerate(chosen))
    return ExchangeDecision(gifts=gifts, tichu=tichu)


@pytest.mark.parametrize("rechoose", ExchangeRechoose)
@pytest.mark.parametrize("callers", [(), (2,), (1, 3), (0, 1, 2, 3)])
@pytest.mark.parametrize("both", [True, False])
def test_an_exchange_with_riding_calls_is_the_same_in_every_order(
    rechoose: ExchangeRechoose, callers: tuple[int, ...], both: bool
) -> None:
    def tables() -> Iterator[Table]:
        rules = RuleOptions(rounds=1, exchange_rechoose=rechoose, both_partners_may_call=both)
        for order in ORDERS:
            table = at(settings(rules=rules), *HANDS, lead=None, phase=Phase.EXCHANGE)
            for seat in order:
                table.now += 2 * MS
                table.answer(seat, give(table, seat, high=False, tichu=seat in callers))
            for seat in order:
                if seat in table.asked(AskKind.EXCHANGE):
                    table.answer(seat, give(table, seat, high=seat != 2, tichu=False))
            yield table

    assert same(tables())


@pytest.mark.parametrize("caller", range(4))
def test_a_call_alone_is_the_same_wherever_it_falls_among_the_choices(caller: int) -> None:
    """Before one's own choice, between those of others, or just before the last."""

    def tables() -> Iterator[Table]:
        for order in itertools.permutations([0, 1, 2, 3, "call"]):
            if order[-1] == "call":
                continue  # then the cards have moved already: another moment of the game
            table = at(settings(), *HANDS, lead=None, phase=Phase.EXCHANGE)
            for who in order:
                if isinstance(who, int):
                    table.answer(who, give(table, who, high=False, tichu=False))
                else:
                    table.call(caller)
            for seat in table.asked(AskKind.EXCHANGE):
                table.answer(seat, give(table, seat, high=True, tichu=False))
            yield table

    assert same(tables())


BOMBERS = ("9j 9s 9p 9r Kj", "7j 7s 7p 7r 2j", "8j 8s 8p 8r 2s", "Ts Js Qs Ks As")
FIGHT: dict[int, Decision] = {
    0: bombing("9j 9s 9p 9r"),
    1: playing("7j 7s 7p 7r", tichu=True),
    2: bombing("8j 8s 8p 8r"),
    3: bombing("Ts Js Qs Ks As"),
}


@pytest.mark.parametrize("silent", [None, 0, 1, 2, 3])
@pytest.mark.parametrize("by", BombArbitration)
def test_bombs_in_a_fair_window_are_the_same_in_every_order(
    by: BombArbitration, silent: int | None
) -> None:
    """The seat on turn competes with its act ask, the others with their bomb asks."""

    def tables() -> Iterator[Table]:
        rules = RuleOptions(rounds=1, bomb_arbitration=by)
        for order in ORDERS:
            table = at(settings(pace=Pace.FAIR, rules=rules), *BOMBERS)
            table.act(0, playing("Kj"))
            for seat in order:
                table.now += 5 * MS
                if seat != silent:
                    table.answer(seat, FIGHT[seat])
            table.wait_until_due()
            yield table

    assert same(tables())


@pytest.mark.parametrize("by", BombArbitration)
def test_bombs_in_a_fast_window_are_the_same_in_every_order(by: BombArbitration) -> None:
    """Of the asked seats; the pass of the seat on turn is void whenever it came."""

    def tables() -> Iterator[Table]:
        rules = RuleOptions(rounds=1, bomb_arbitration=by)
        for order in ORDERS:
            table = at(settings(rules=rules), *BOMBERS)
            table.act(0, playing("Kj"))
            for seat in order:
                if seat == 1:
                    if seat in table.asked(AskKind.ACT) and not table.landings():
                        table.answer(1, PASS, kind=AskKind.ACT)
                else:
                    table.answer(seat, FIGHT[seat], kind=AskKind.BOMB)
            yield table

    assert same(tables())


def test_both_answers_of_a_closing_owner_are_the_same_in_every_order() -> None:
    def tables() -> Iterator[Table]:
        for order in itertools.permutations(("bomb", "lead", "other")):
            table = at(settings(pace=Pace.FAIR), "9j 9s 9p 9r Kj 2j", "3j 4j", BOMBERS[2], "3s 4s")
            table.act(0, playing("Kj"))
            for seat in (1, 2, 3):
                table.act(seat, PASS)
            for who in order:
                match who:
                    case "bomb":
                        table.answer(0, bombing("9j 9s 9p 9r"), kind=AskKind.BOMB)
                    case "lead":
                        table.answer(0, playing("2j", tichu=False), kind=AskKind.ACT)
                    case _:
                        table.answer(2, bombing("8j 8s 8p 8r"), kind=AskKind.BOMB)
            table.wait_until_due()
            yield table

    assert same(tables())


# --- whole matches


class Settled:
    """A bot whose decision follows from its ask alone, never from when it is asked."""

    def __init__(self, seed: str, *, bombs_on_turn: bool) -> None:
        self._seed = seed
        self._bombs_on_turn = bombs_on_turn

    def decide(self, table: Table, ask: Ask) -> Decision:
        """What this seat answers to this ask."""
        rng = random.Random(f"{self._seed} {ask.seat} {ask.id}")
        match ask.kind:
            case AskKind.CALL:
                return CallDecision(choice=rng.choice(ask.choices))
            case AskKind.EXCHANGE:
                tichu = ask.may_call_tichu and rng.random() < 0.3
                return give(table, ask.seat, high=rng.random() < 0.5, tichu=tichu)
            case AskKind.ACT:
                return self._act(ask, rng)
            case AskKind.BOMB:
                throws = ask.plays and rng.random() < 0.6
                return BombDecision(index=len(ask.plays) - 1) if throws else DeclineDecision()
            case AskKind.CHOOSE_SEAT:
                return SeatDecision(seat=rng.choice(ask.seats))

    def _act(self, ask: Ask, rng: random.Random) -> Decision:
        tichu = ask.may_call_tichu and rng.random() < 0.2
        free = ask.leading or self._bombs_on_turn
        indexes = [i for i, play in enumerate(ask.plays) if free or not play.is_bomb]
        if ask.may_pass and (not indexes or rng.random() < 0.3):
            return PassDecision(tichu=tichu)
        index = rng.choice(indexes or [0])
        wish = rng.randrange(2, 15) if ask.plays[index].cards & MAHJONG else None
        return PlayDecision(index=index, wish=wish, tichu=tichu)


def settled_match(what_seed: str, order_seed: str, pace: Pace, rules: RuleOptions) -> Table:
    """A match whose bots always decide the same, in an order that another seed gives.

    All that is open is answered within the window, before anything happens by itself.
    """
    what = settings(pace=pace, rules=rules, max_strikes=LENIENT)
    position = bomb_rich(random.Random(what_seed), what)
    table = Table(what, seed=what_seed, position=position).start()
    bot = Settled(what_seed, bombs_on_turn=pace is Pace.FAIR)
    rng = random.Random(order_seed)
    while not table.machine.over:
        asks = [a for seat in range(4) for a in table.machine.open_asks(Seat(seat))]
        if not asks:
            table.wait_until_due()
            continue
        rng.shuffle(asks)
        for ask in asks:
            table.now += rng.randrange(6 * MS)
            decision = bot.decide(table, ask)
            if ask.choice is None and not _races(table, ask, decision):
                table.step(Answer(ask.seat, ask.id, decision))
    return table


def _races(table: Table, ask: Ask, decision: Decision) -> bool:
    """A bomb on turn in a fast window competes only if it is there before the last other answer.

    So it waits for the close here; in pace fair it may come at any time.
    """
    if table.config.settings.pace is Pace.FAIR or ask.kind is not AskKind.ACT or ask.leading:
        return False
    if not isinstance(decision, PlayDecision) or decision.index is None:
        return False
    return ask.plays[decision.index].is_bomb and bool(table.asked(AskKind.BOMB))


RULES = [
    RuleOptions(rounds=2),
    RuleOptions(rounds=2, bomb_arbitration=BombArbitration.SEAT_ORDER),
    RuleOptions(rounds=2, both_partners_may_call=False, self_overtake=SelfOvertake.ANY),
]


def shuffled_alike(seed: str, pace: Pace, rules: RuleOptions, orders: int) -> None:
    first: list[bytes] | None = None
    for number in range(orders):
        table = settled_match(seed, f"{seed} {number}", pace, rules)
        assert table.ended.ending is Ending.COMPLETED, f"{seed=}"
        assert table.replays() == [], f"{seed=} order {number}"
        told = timeless([e for e in table.events if type(e).__name__ != "MatchEnded"])
        first = first if first is not None else told
        assert told == first, f"{seed=}: order {number} gives other events"


@pytest.mark.parametrize("number", range(12))
@pytest.mark.parametrize("pace", Pace)
def test_whole_matches_are_the_same_in_shuffled_orders(pace: Pace, number: int) -> None:
    seed = f"alike {number}"
    shuffled_alike(seed, pace, RULES[number % len(RULES)], orders=3)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(12, 112))
@pytest.mark.parametrize("pace", Pace)
def test_many_whole_matches_are_the_same_in_shuffled_orders(pace: Pace, number: int) -> None:
    seed = f"alike {number}"
    shuffled_alike(seed, pace, RULES[number % len(RULES)], orders=4)


def test_a_window_declined_by_all_is_the_same_in_every_order() -> None:
    def tables() -> Iterator[Table]:
        for order in itertools.permutations((0, 2, 3)):
            table = at(settings(pace=Pace.FAIR), *BOMBERS)
            table.act(0, playing("Kj"))
            table.answer(1, PASS, kind=AskKind.ACT)
            for seat in order:
                table.answer(seat, DECLINE, kind=AskKind.BOMB)
            close_window(table)
            yield table

    assert same(tables())
