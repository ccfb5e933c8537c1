"""Grand Seigneur in a match: many seats, ranks, forced gifts, no teams (I)."""

import itertools

import pytest

from referee.match.facts import Dealt, DragonGiven, Exchanged, RoundEnded
from referee.match.inputs import DefaultDecision, ExchangeDecision, Fault
from referee.match.step import CardsDealt, CardsExchanged, RoundStarted
from referee.match.values import MS, AskKind, Ending, Pace, rounds_cap
from referee.rules.cards import card_numbers, mask_of, pack
from referee.rules.exchanges import Forced, Slots, forced_choice
from referee.rules.options import RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.simulation.table import Table, hand_of, settings

MANY = pytest.mark.parametrize("seats", [5, 6, 7, 12])


def rules(seats: int, **more: object) -> RuleOptions:
    return parse_options({"variant": "grand_seigneur", "seats": seats, "rounds": 2, **more})


def played_out(table: Table, *, rounds: int) -> Table:
    """Everybody leaves it to the substitute, until so many rounds are over."""
    while table.machine.rounds_played < rounds:
        waiting = [a for s in range(table.machine.seats) for a in table.machine.open_asks(Seat(s))]
        if waiting:
            table.default(waiting[0])
        else:
            table.wait_until_due()
    return table


def second_round(seats: int, **more: object) -> Table:
    return played_out(Table(settings(rules=rules(seats, **more))).start(), rounds=1)


def ranks_of(table: Table) -> tuple[Seat, ...]:
    return next(fact for fact in table.facts if isinstance(fact, RoundEnded)).ranks


@MANY
def test_the_first_round_begins_with_the_lead_and_all_cards_are_dealt(seats: int) -> None:
    table = Table(settings(rules=rules(seats))).start()
    started, dealt = table.events[:2]
    assert isinstance(started, RoundStarted)
    assert isinstance(dealt, CardsDealt)
    assert (started.order, started.teams, started.ranks) == (tuple(range(seats)), (), ())
    assert started.totals == ()
    assert sum(mask.bit_count() for mask in dealt.hands) == (55 if seats < 7 else 109)
    assert [ask.kind for ask in table.asks] == [AskKind.ACT]


@MANY
def test_the_next_round_is_dealt_by_the_last_and_sits_by_rank(seats: int) -> None:
    table = second_round(seats)
    ranks = ranks_of(table)
    assert sorted(ranks) == list(range(seats))
    started = [event for event in table.events if isinstance(event, RoundStarted)][-1]
    assert (started.order, started.ranks, started.dealer) == (ranks, ranks, ranks[-1])
    dealt = [fact for fact in table.facts if isinstance(fact, Dealt)][-1]
    assert dealt.order == (() if ranks == tuple(range(seats)) else ranks)
    assert not any(isinstance(fact, DragonGiven) for fact in table.facts)
    assert table.replays() == []


@pytest.mark.parametrize(("seats", "levels"), [(5, [2, 1]), (6, [3, 2, 1]), (12, [3, 2, 1])])
def test_only_the_first_and_last_ranks_are_asked_for_gifts(seats: int, levels: list[int]) -> None:
    table = second_round(seats)
    ranks = ranks_of(table)
    for level, size in enumerate(levels):
        high, low = ranks[level], ranks[-1 - level]
        assert table.ask(low).slots == ((high, size, Forced.BEST),)
        assert table.ask(high).slots == ((low, size, Forced.FREE),)
    assert len(table.asked(AskKind.EXCHANGE)) == 2 * len(levels)


def test_other_cards_than_the_best_are_refused_and_the_text_says_which_are_due() -> None:
    table = second_round(6)
    ranks = ranks_of(table)
    ask = table.ask(ranks[-1])
    best = forced_choice(table_slots(table, ranks[-1]), hand_of(table, ask), rules(6))[0]
    others = card_numbers(hand_of(table, ask) & ~best)
    wrong = (*card_numbers(best)[:2], others[0])
    table.answer_ask(ask, ExchangeDecision(gifts=((int(ranks[0]), wrong),)))
    refused = table.refused[-1]
    assert (refused.code, refused.resends_left) == ("BAD_EXCHANGE", 2)
    assert refused.text == f"gifts: seat {ranks[0]} gets the best 3 of the hand"
    right = tuple(card_numbers(best))
    table.answer_ask(ask, ExchangeDecision(gifts=((int(ranks[0]), right),)))
    assert table.machine.open_asks(ranks[-1]) == []


def table_slots(table: Table, seat: Seat) -> Slots:
    return table.machine._state.current.exchange_slots(seat)


@pytest.mark.parametrize("back", ["free", "worst"])
def test_who_is_silent_gives_what_is_due_else_the_lowest_numbers(back: str) -> None:
    table = second_round(6, gs_return=back)
    ranks = ranks_of(table)
    hands = [hand_of(table, table.ask(seat)) for seat in ranks]
    slots = [table_slots(table, seat) for seat in ranks]
    table.wait(6_000)
    moved = [fact for fact in table.facts if isinstance(fact, Exchanged)][-1]
    for giver, hand, owed in zip(ranks, hands, slots, strict=True):
        given = [mask_of(numbers) for seat, _, numbers in moved.gifts if seat == giver]
        if owed[0].forced is Forced.FREE:
            assert given == [mask_of(card_numbers(hand)[: owed[0].count])]
        else:
            assert given == list(forced_choice(owed, hand, rules(6, gs_return=back)))


def test_all_to_the_first_has_three_slots_for_him() -> None:
    table = second_round(7, gs_exchange="all_to_first")
    ranks = ranks_of(table)
    assert table.ask(ranks[0]).slots == tuple(
        (ranks[-1 - level], size, Forced.FREE) for level, size in enumerate((3, 2, 1))
    )
    played_out(table, rounds=2)
    moved = next(event for event in table.events if isinstance(event, CardsExchanged))
    assert sum(mask.bit_count() for _, _, mask in moved.gifts) == 12
    assert len(moved.seen_by(ranks[0])) == 6
    assert moved.seen_by(ranks[3]) == ()


def test_a_round_has_ranks_and_no_points_and_a_match_no_winner() -> None:
    table = played_out(Table(settings(rules=rules(5))).start(), rounds=2)
    for fact in table.facts:
        if isinstance(fact, RoundEnded):
            assert (fact.points, fact.card_points, fact.calls, fact.totals) == ((), (), (), ())
            assert sorted(fact.ranks) == list(range(5))
    assert (table.ended.ending, table.ended.winner) == (Ending.COMPLETED, None)
    assert (table.ended.totals, table.ended.rounds) == ((), 2)


def test_a_match_that_a_bot_ends_counts_for_nothing_and_names_it() -> None:
    table = Table(settings(rules=rules(7))).start()
    table.step(Fault(seat=Seat(6), ending=Ending.CRASHED))
    ended = table.ended
    assert (ended.seat, ended.awarded, ended.winner, ended.totals) == (6, (), None, ())


def test_first_again_ends_once_the_first_goes_out_first_once_more() -> None:
    options = parse_options({"variant": "grand_seigneur", "seats": 5, "gs_goal": "first_again"})
    assert rounds_cap(options) == 300
    table = Table(settings(rules=options, max_rounds=300), seed="first again").start()
    while not table.machine.over:
        waiting = [a for s in range(5) for a in table.machine.open_asks(Seat(s))]
        if waiting:
            table.answer_ask(waiting[0], DefaultDecision())
        else:
            table.wait_until_due()
    firsts = [fact.ranks[0] for fact in table.facts if isinstance(fact, RoundEnded)]
    assert firsts[-1] == firsts[-2]
    assert all(one != other for one, other in itertools.pairwise(firsts[:-1]))


def test_a_round_of_two_packs_may_have_twice_as_many_actions() -> None:
    one, two = (Table(settings(rules=rules(n), max_actions=50)) for n in (6, 7))
    assert (one.machine._state.most_actions, two.machine._state.most_actions) == (50, 100)
    assert len(pack(rules(6))) == 55


def test_twelve_seats_wait_for_one_window() -> None:
    """Everybody with four cards but the one on turn is asked, in pace fair."""
    table = Table(settings(rules=rules(12), pace=Pace.FAIR)).start()
    (leader,) = table.asked()
    table.default(table.ask(leader))
    table.wait_until_due()
    bombers = table.asked(AskKind.BOMB)
    assert len(bombers) == 11
    assert table.asked(AskKind.ACT) == [Seat((leader + 1) % 12)]
    table.now += 5 * MS
    table.stall(3_000)
    assert table.asked(AskKind.BOMB) == bombers
