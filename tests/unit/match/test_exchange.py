"""The exchange: released together, chosen again after calls (PROTOCOL 3, A7)."""

import itertools

import pytest

from referee.match.facts import CallAsked, Exchanged, TimedOut
from referee.match.inputs import DefaultDecision, ExchangeDecision
from referee.match.step import CardsExchanged
from referee.match.values import MS, AckStatus, AskKind, CancelReason
from referee.rules.option_values import ExchangeRechoose
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from tests.simulation.positions import at, cards
from tests.simulation.table import Table, settings

HANDS = ("2j 3j 4j 5j Mj", "2s 3s 4s 5s", "2p 3p 4p 5p", "2r 3r 4r 5r")


def exchange(**rules: object) -> Table:
    options = RuleOptions(rounds=1, **rules)  # type: ignore[arg-type]
    return at(settings(rules=options), *HANDS, lead=None, phase=Phase.EXCHANGE)


def give(seat: int, text: str, *, tichu: bool = False) -> ExchangeDecision:
    """One card to each other seat, in turn order."""
    return ExchangeDecision(
        gifts=tuple(((seat + 1 + i) % 4, (card,)) for i, card in enumerate(cards_in_order(text))),
        tichu=tichu,
    )


def cards_in_order(text: str) -> list[int]:
    return [cards(card)[0] for card in text.split()]


LOW = ("2j 3j 4j", "2s 3s 4s", "2p 3p 4p", "2r 3r 4r")
HIGH = ("5j 4j 3j", "5s 4s 3s", "5p 4p 3p", "5r 4r 3r")


def moved(table: Table) -> bool:
    return any(isinstance(fact, Exchanged) for fact in table.facts)


def calls(table: Table) -> list[int]:
    return [s for s, call in enumerate(table.public.calls) if call is CallKind.TICHU]


# --- once for all


def test_all_cards_move_together_when_the_last_has_given() -> None:
    table = exchange()
    for seat in (2, 0, 3):
        table.answer(seat, give(seat, LOW[seat]))
        assert table.hand(seat).split().count("2" + "jspr"[seat]) == 1, "it still holds its card"
    assert not moved(table)
    table.answer(1, give(1, LOW[1]))
    assert table.hand(1) == "2j 3r 4p 5s"
    assert table.told()[-1] == "CardsExchanged"


def test_answers_are_received_and_applied_when_all_have_given() -> None:
    table = exchange()
    asks = [table.ask(seat) for seat in range(4)]
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat]))
    for ask in asks:
        assert table.statuses(ask) == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_seat_that_has_given_learns_nothing_until_all_have() -> None:
    table = exchange()
    table.answer(0, give(0, LOW[0]))
    events = len(table.events)
    for seat in (1, 2):
        before = len(table.acks)
        table.answer(seat, give(seat, LOW[seat], tichu=True))
        table.call(3)
        assert {ack.seat for ack in table.acks[before:]} <= {seat, 3}
    assert len(table.events) == events


@pytest.mark.parametrize(
    ("gifts", "code"),
    [
        (((1, cards("2j")), (2, cards("3j"))), "BAD_EXCHANGE"),
        (((1, cards("2j")), (2, cards("3j")), (2, cards("4j"))), "BAD_EXCHANGE"),
        (((0, cards("2j")), (2, cards("3j")), (3, cards("4j"))), "BAD_EXCHANGE"),
        (((1, cards("2j")), (2, cards("2j")), (3, cards("4j"))), "CARDS_NOT_HELD"),
        (((1, cards("2j")), (2, cards("3j")), (3, cards("4s"))), "CARDS_NOT_HELD"),
        (((1, cards("2j 3j")), (2, cards("4j")), (3, cards("5j"))), "BAD_EXCHANGE"),
        (((1, ()), (2, cards("4j")), (3, cards("5j"))), "BAD_EXCHANGE"),
        (((1, (0,)), (2, cards("4j")), (3, cards("5j"))), "MALFORMED"),
        (((1, (63,)), (2, cards("4j")), (3, cards("5j"))), "MALFORMED"),
    ],
)
def test_an_illegal_choice_is_refused(
    gifts: tuple[tuple[int, tuple[int, ...]], ...], code: str
) -> None:
    table = exchange()
    assert table.answer(0, ExchangeDecision(gifts=gifts)).status is AckStatus.REFUSED
    assert table.refused[-1].code == code
    assert table.answer(0, give(0, LOW[0])).status is AckStatus.RECEIVED


def test_gifts_may_be_named_in_any_order_of_recipients() -> None:
    table = exchange()
    gifts = give(0, LOW[0]).gifts
    table.answer(0, ExchangeDecision(gifts=gifts[::-1]))
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert "2j" in table.hand(1).split()


def test_a_silent_seat_gives_its_lowest_cards_the_lowest_to_the_next_seat() -> None:
    table = exchange()
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    table.now += 6000 * MS
    table.wait(0)
    assert table.strikes() == [(0, "late")]
    event = next(e for e in table.events if isinstance(e, CardsExchanged))
    assert [(to, cards_) for giver, to, cards_ in event.gifts if giver == 0] == [
        (1, 1 << cards("Mj")[0]),
        (2, 1 << cards("2j")[0]),
        (3, 1 << cards("3j")[0]),
    ]


# --- calls while the exchange is owed


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_a_riding_call_is_published_with_all_choices_in_every_order(order: tuple[int, ...]) -> None:
    table = exchange()
    for seat in order:
        assert calls(table) == []
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 2))
    assert calls(table) == [2]
    assert not moved(table)
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 3], "everyone but the sole caller"


def test_a_call_that_stands_alone_is_held_until_all_have_given() -> None:
    table = exchange()
    assert table.call(1) is AckStatus.RECEIVED
    assert calls(table) == []
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat]))
    assert calls(table) == [1]
    assert table.asked(AskKind.EXCHANGE) == [0, 2, 3]


def test_a_held_call_cannot_be_made_twice() -> None:
    table = exchange()
    table.call(1)
    assert table.call(1) is AckStatus.REFUSED
    assert table.refused[-1].code == "ALREADY_CALLED"
    assert table.answer(1, give(1, LOW[1], tichu=True)).status is AckStatus.REFUSED
    assert table.refused[-1].code == "ALREADY_CALLED"


def test_after_two_calls_everybody_is_asked_again() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat], tichu=seat in (1, 2)))
    assert calls(table) == [1, 2]
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2, 3]


def test_the_second_asking_has_half_the_base_time_no_bank_and_shows_the_old_choice() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 0))
    again = table.ask(1)
    assert (again.base_ns, again.bank_ns) == (500 * MS, None)
    assert again.standing == ((2, cards("2s")), (3, cards("3s")), (0, cards("4s")))


def test_a_silent_seat_lets_its_old_choice_stand_without_strike_or_charge() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, HIGH[seat], tichu=seat == 0))
    asked = table.now
    table.answer(1, give(1, LOW[1]))
    table.wait_until_due()
    assert table.now == asked + 500 * MS
    assert table.strikes() == []
    assert {table.bank(seat) for seat in range(4)} == {5000 * MS}
    assert [fact.charged for fact in table.facts if isinstance(fact, TimedOut)] == [0, 0]
    assert moved(table)
    assert "5p" in table.hand(3).split(), "seat 2 kept its high choice"
    assert "2s" in table.hand(2).split(), "seat 1 chose again"
    assert table.replays() == []


def test_one_silent_seat_is_told_that_its_ask_is_over_while_others_still_choose() -> None:
    table = exchange()
    table.hold_hands = True
    for seat in range(4):
        table.answer(seat, give(seat, HIGH[seat], tichu=seat == 0))
    table.hand_over(1)
    ask = table.ask(1)
    table.wait(500)
    assert [(c.seat, c.ask_id, c.reason) for c in table.cancelled] == [
        (1, ask.id, CancelReason.TIMED_OUT)
    ]
    assert table.asked(AskKind.EXCHANGE) == [2, 3]
    assert table.answer_ask(ask, give(1, LOW[1])).status is AckStatus.TOO_LATE
    for seat in (2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert moved(table)
    assert "5s" in table.hand(2).split()


def test_after_a_further_call_the_others_are_asked_once_more() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 0))
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 3))
    assert calls(table) == [0, 3]
    assert not moved(table)
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 2]
    for seat in (0, 1, 2):
        table.answer(seat, give(seat, LOW[seat]))
    assert moved(table)


def test_a_call_alone_in_the_second_asking_leads_to_a_third() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 0))
    assert table.call(2) is AckStatus.RECEIVED
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert table.asked(AskKind.EXCHANGE) == [0, 1, 3]


def test_the_default_answer_of_a_second_asking_is_the_old_choice() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, HIGH[seat], tichu=seat == 0))
    for seat in (1, 2, 3):
        table.answer(seat, DefaultDecision())
    assert "5s" in table.hand(2).split()


def test_three_illegal_answers_to_a_second_asking_leave_the_old_choice_and_a_strike() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, HIGH[seat], tichu=seat == 0))
    for _ in range(3):
        table.answer(1, give(1, "2j 3j 4j"))
    assert table.strikes() == [(1, "CARDS_NOT_HELD")]
    for seat in (2, 3):
        table.answer(seat, DefaultDecision())
    assert "5s" in table.hand(2).split()


def test_without_calls_nobody_is_asked_again() -> None:
    table = exchange()
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat]))
    assert moved(table)
    assert table.asked(AskKind.EXCHANGE) == []


# --- options


def test_with_rechoose_never_a_call_moves_the_cards_at_once() -> None:
    table = exchange(exchange_rechoose=ExchangeRechoose.NEVER)
    ask = table.ask(0)
    table.answer(0, give(0, LOW[0], tichu=True))
    assert table.answer_ask(ask, give(0, HIGH[0])).status is AckStatus.STALE
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert moved(table)
    assert calls(table) == [0]


def test_until_all_gave_a_choice_may_be_replaced_until_the_last_has_given() -> None:
    table = exchange(exchange_rechoose=ExchangeRechoose.UNTIL_ALL_GAVE)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, LOW[0]))
    assert table.answer_ask(ask, give(0, LOW[0])).status is AckStatus.DUPLICATE
    assert table.answer_ask(ask, give(0, HIGH[0])).status is AckStatus.RECEIVED
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert moved(table), "a call would not be asked about again either"
    assert "5j" in table.hand(1).split()
    assert table.answer_ask(ask, give(0, LOW[0])).status is AckStatus.STALE
    assert table.replays() == []


def test_until_all_gave_a_third_illegal_replacement_is_the_last_and_the_choice_stands() -> None:
    """PROTOCOL 5: the next one that is refused is the last of its ask."""
    table = exchange(exchange_rechoose=ExchangeRechoose.UNTIL_ALL_GAVE)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, HIGH[0]))
    for _ in range(3):
        assert table.answer_ask(ask, give(0, "2s 3j 4j")).status is AckStatus.REFUSED
    assert table.answer_ask(ask, give(0, "2s 3j 4j")).status is AckStatus.STALE
    assert table.answer_ask(ask, give(0, LOW[0])).status is AckStatus.STALE
    assert table.answer_ask(ask, give(0, HIGH[0])).status is AckStatus.DUPLICATE
    assert table.strikes() == [(0, "CARDS_NOT_HELD")]
    for seat in (1, 2, 3):
        table.answer(seat, give(seat, LOW[seat]))
    assert "5j" in table.hand(1).split()
    assert table.replays() == []


def test_until_all_gave_a_replacement_is_charged_no_time() -> None:
    table = exchange(exchange_rechoose=ExchangeRechoose.UNTIL_ALL_GAVE)
    ask = table.ask(0)
    table.answer_ask(ask, give(0, LOW[0]))
    table.now += 3000 * MS
    table.answer_ask(ask, give(0, HIGH[0]))
    assert table.bank(0) == 5000 * MS


def test_of_two_partners_who_call_together_the_first_by_seat_has_it() -> None:
    """A5 with both_partners_may_call = false; then it is a sole caller."""
    for order in itertools.permutations((1, 3)):
        table = exchange(both_partners_may_call=False)
        for seat in (*order, 0, 2):
            table.answer(seat, give(seat, LOW[seat], tichu=seat in (1, 3)))
        assert calls(table) == [1]
        assert table.asked(AskKind.EXCHANGE) == [0, 2, 3]


def test_with_call_before_exchange_false_no_call_is_taken() -> None:
    table = exchange(call_before_exchange=False)
    assert table.call(0) is AckStatus.REFUSED
    assert table.refused[-1].code == "CALL_NOT_ALLOWED"
    assert table.ask(0).may_call_tichu is False
    assert table.answer(0, give(0, LOW[0], tichu=True)).status is AckStatus.REFUSED


def test_an_ask_offers_no_call_that_its_seat_has_made_and_that_is_held() -> None:
    table = exchange()
    assert table.ask(0).may_call_tichu
    assert table.call(0) is AckStatus.RECEIVED
    assert [table.ask(seat).may_call_tichu for seat in range(4)] == [False, True, True, True]


def test_every_order_of_arrival_gives_the_same_hands_and_calls() -> None:
    results = set()
    for order in itertools.permutations(range(4)):
        table = exchange()
        for seat in order:
            table.answer(seat, give(seat, LOW[seat], tichu=seat in (0, 3)))
        for seat in reversed(order):
            table.answer(seat, give(seat, HIGH[seat]))
        results.add((tuple(table.hand(seat) for seat in range(4)), tuple(table.told())))
    assert len(results) == 1


def test_calls_that_stand_alone_are_facts_accepted_or_not() -> None:
    table = exchange()
    table.call(1)
    table.call(1)
    asked = [fact for fact in table.facts if isinstance(fact, CallAsked)]
    assert [(f.seat, f.call, f.status, f.code) for f in asked] == [
        (1, CallKind.TICHU, AckStatus.RECEIVED, ""),
        (1, CallKind.TICHU, AckStatus.REFUSED, "ALREADY_CALLED"),
    ]


def test_a_held_call_that_stands_alone_is_received_and_applied_when_it_is_published() -> None:
    table = exchange()
    table.call(1)
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat]))
    told = [ack.status for ack in table.acks if ack.request_id is not None]
    assert told == [AckStatus.RECEIVED, AckStatus.APPLIED]


def test_a_held_call_that_a_partners_call_made_impossible_is_refused() -> None:
    """It is never dropped silently."""
    table = exchange(both_partners_may_call=False)
    table.call(3)
    for seat in range(4):
        table.answer(seat, give(seat, LOW[seat], tichu=seat == 1))
    told = [(ack.seat, ack.status) for ack in table.acks if ack.request_id is not None]
    assert told == [(3, AckStatus.RECEIVED), (3, AckStatus.REFUSED)]
    assert table.refused[-1].code == "CALL_NOT_ALLOWED"
