"""A call that its opponents may refuse, in a match (`refuse_call`)."""

import pytest

from referee.match.facts import CallMade, Dealt, Played, RoundEnded
from referee.match.inputs import CallDecision, ExchangeDecision
from referee.match.step import Cancelled, CardsDealt
from referee.match.values import MS, AckStatus, AskKind, CancelReason, Pace
from referee.rules.cards import card_numbers
from referee.rules.options import RuleOptions, parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.positions import at, playing
from tests.simulation.table import Table, settings

PACES = pytest.mark.parametrize("pace", Pace)
ACCEPT, REFUSE = CallDecision(choice=CallKind.ACCEPT), CallDecision(choice=CallKind.REFUSE)
GRAND, NO_GRAND = CallDecision(choice=CallKind.GRAND), CallDecision(choice=CallKind.NO_GRAND)
S0, S1, S2, S3 = map(Seat, range(4))


def rules(**more: object) -> RuleOptions:
    return parse_options({"refuse_call": True, "rounds": 2, **more})


def after_bets(*callers: int, pace: Pace = Pace.FAST, **more: object) -> Table:
    """The first cards are dealt, and these seats have called Grand."""
    table = Table(settings(pace=pace, rules=rules(**more))).start()
    for seat in range(4):
        table.answer(seat, GRAND if seat in callers else NO_GRAND)
    return table


def gifts(table: Table, seat: int, *, tichu: bool = False) -> ExchangeDecision:
    view = table.machine.snapshot(Seat(seat)).view
    assert view is not None
    cards = card_numbers(view.hand)
    slots = table.ask(seat).slots
    given = tuple((int(to), (cards[n],)) for n, (to, *_) in enumerate(slots))
    return ExchangeDecision(gifts=given, tichu=tichu)


def said(table: Table) -> list[tuple[int, CallKind]]:
    """What everybody heard of calls but the decisions against Grand."""
    return [
        (fact.seat, fact.call)
        for fact in table.facts
        if isinstance(fact, CallMade) and fact.call is not CallKind.NO_GRAND
    ]


def test_after_a_grand_its_opponents_are_asked_together_and_for_whose_call() -> None:
    table = after_bets(1)
    asks = [table.ask(seat) for seat in (0, 2)]
    assert table.asked() == [S0, S2]
    for ask in asks:
        assert (ask.kind, ask.judged) == (AskKind.CALL, S1)
        assert ask.choices == (CallKind.ACCEPT, CallKind.REFUSE)
    table.answer(2, REFUSE)
    assert said(table) == [(1, CallKind.GRAND)]  # nobody learns before all have answered
    table.answer(0, ACCEPT)
    assert said(table)[1:] == [(0, CallKind.ACCEPT), (2, CallKind.REFUSE)]
    assert table.public.phase is Phase.EXCHANGE
    assert table.replays() == []


def test_a_call_that_both_refuse_ends_the_round_at_their_cost_and_shows_no_more_cards() -> None:
    table = after_bets(1)
    table.answer(0, REFUSE)
    table.answer(2, REFUSE)
    ended = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (ended.points, ended.refused) == ((-200, 0), S1)
    assert (ended.card_points, ended.calls, ended.double_victory) == ((), (), False)
    assert [event.complete for event in table.events if isinstance(event, CardsDealt)] == [
        False,
        False,  # of the next round
    ]
    assert [fact.dealer for fact in table.facts if isinstance(fact, Dealt)] == [S0, S0]
    assert table.replays() == []


def test_two_callers_are_decided_on_one_after_the_other() -> None:
    """In turn order from the dealer; the second is not asked about before the first stands."""
    table = after_bets(0, 3)
    assert [(s, table.ask(s).judged) for s in table.asked()] == [(1, S0), (3, S0)]
    table.answer(1, REFUSE)
    table.answer(3, ACCEPT)
    assert [(s, table.ask(s).judged) for s in table.asked()] == [(0, S3), (2, S3)]
    table.answer(0, REFUSE)
    table.answer(2, REFUSE)
    ended = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (ended.points, ended.refused) == ((-200, 0), S3)


def test_who_is_silent_lets_the_call_stand_and_has_a_strike() -> None:
    table = after_bets(1)
    table.answer(0, REFUSE)
    table.wait(6_000)
    assert (2, CallKind.ACCEPT) in said(table)
    assert table.strikes() == [(2, "late")]
    assert table.public.phase is Phase.EXCHANGE


def test_a_great_grand_is_decided_on_before_any_card_is_dealt() -> None:
    table = Table(settings(rules=rules(great_grand=True))).start()
    for seat in range(4):
        call = CallKind.GREAT_GRAND if seat == 2 else CallKind.NO_GREAT_GRAND
        table.answer(seat, CallDecision(choice=call))
    assert table.asked() == [S1, S3]
    assert not any(isinstance(event, CardsDealt) for event in table.events)
    table.answer(1, ACCEPT)
    table.answer(3, REFUSE)
    assert table.public.phase is Phase.GRAND
    assert table.asked() == [S0, S1, S3]


def test_calls_of_the_exchange_are_published_together_then_decided_then_all_choose_again() -> None:
    table = after_bets()
    table.answer(0, gifts(table, 0, tichu=True))
    table.answer(1, gifts(table, 1))
    assert table.call(3) is AckStatus.RECEIVED
    table.answer(2, gifts(table, 2))
    table.answer(3, gifts(table, 3))
    assert said(table) == [(0, CallKind.TICHU), (3, CallKind.TICHU)]
    for opponents in ((1, 3), (0, 2)):
        assert table.asked() == [*map(Seat, opponents)]
        for seat in opponents:
            table.answer(seat, ACCEPT)
    assert table.asked(AskKind.EXCHANGE) == [S0, S1, S2, S3]
    assert all(table.ask(seat).standing for seat in range(4))
    assert table.replays() == []


def test_a_call_made_while_another_is_decided_on_in_the_exchange_waits_for_it() -> None:
    table = after_bets()
    table.answer(0, gifts(table, 0, tichu=True))
    for seat in (1, 2, 3):
        table.answer(seat, gifts(table, seat))
    assert table.call(2) is AckStatus.RECEIVED
    assert table.call(2) is AckStatus.REFUSED
    assert said(table) == [(0, CallKind.TICHU)]
    for seat in (1, 3):
        table.answer(seat, ACCEPT)
    assert said(table)[-1] == (2, CallKind.TICHU)
    assert [table.ask(seat).judged for seat in table.asked()] == [S2, S2]
    for seat in (1, 3):
        table.answer(seat, ACCEPT)
    assert table.asked(AskKind.EXCHANGE) == [S0, S1, S2, S3]  # two callers: each sees a call


def test_a_held_call_comes_too_late_when_the_round_ends_before_it() -> None:
    table = after_bets()
    table.answer(0, gifts(table, 0, tichu=True))
    for seat in (1, 2, 3):
        table.answer(seat, gifts(table, seat))
    table.call(2)
    for seat in (1, 3):
        table.answer(seat, REFUSE)
    of_call = [ack.status for ack in table.acks if ack.request_id == 7]
    assert of_call == [AckStatus.RECEIVED, AckStatus.REFUSED]
    ended = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (ended.points, ended.refused) == ((0, -100), S0)
    assert table.machine.round_number == 2
    assert table.replays() == []


HANDS = ("Kj 3j 4j", "Aj 2s 3s", "2p 5s 6s", "7j 8s 9p")


def before_the_lead(pace: Pace) -> Table:
    return at(settings(pace=pace, rules=rules()), *HANDS)


@PACES
def test_a_call_before_the_first_lead_takes_the_lead_back_until_it_is_decided(pace: Pace) -> None:
    table = before_the_lead(pace)
    lead = table.ask(0, AskKind.ACT)
    assert table.call(1) is AckStatus.APPLIED
    assert table.cancelled == [Cancelled(seat=S0, ask_id=lead.id, reason=CancelReason.CALLED)]
    assert table.asked() == [S0, S2]
    assert table.answer_ask(lead, playing("Kj")).status is AckStatus.STALE  # crossed
    table.answer(0, ACCEPT)
    table.answer(2, REFUSE)
    again = table.ask(0, AskKind.ACT)
    assert again.id > lead.id
    assert again.plays == lead.plays
    table.act(0, playing("Kj"))
    assert table.replays() == []


def test_a_lead_that_waits_for_the_grid_is_void_and_costs_nothing() -> None:
    table = before_the_lead(Pace.FAIR)
    lead = table.ask(0, AskKind.ACT)
    table.now += 1_500 * MS
    table.answer(0, playing("Kj"))
    table.call(3)
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.STALE]
    assert table.bank(0) == 5_000 * MS
    table.answer(0, ACCEPT)
    table.answer(2, ACCEPT)
    assert not any(isinstance(fact, Played) for fact in table.facts)
    assert table.asked() == [S0]


@PACES
def test_a_call_that_rides_on_the_first_lead_is_decided_before_the_lead(pace: Pace) -> None:
    table = before_the_lead(pace)
    lead = table.ask(0, AskKind.ACT)
    table.now += 1_200 * MS
    table.answer_ask(lead, playing("Kj", tichu=True))
    while table.statuses(lead)[-1] is AckStatus.RECEIVED:
        table.wait_until_due()
    assert table.statuses(lead) == [AckStatus.RECEIVED, AckStatus.STALE]
    assert said(table) == [(0, CallKind.TICHU)]
    assert table.bank(0) == 4_800 * MS  # its own call: the thinking is charged
    assert [gone.reason for gone in table.cancelled] == [CancelReason.CALLED]
    table.answer(1, ACCEPT)
    table.answer(3, ACCEPT)
    again = table.ask(0, AskKind.ACT)
    assert not again.may_call_tichu
    table.act(0, playing("Kj"))
    assert table.public.owner == S0


@PACES
def test_a_call_that_is_refused_before_the_lead_ends_the_round(pace: Pace) -> None:
    table = before_the_lead(pace)
    table.call(2)
    table.answer(1, REFUSE)
    table.answer(3, REFUSE)
    ended = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (ended.points, ended.refused) == ((0, -100), S2)


def test_a_call_made_while_another_is_decided_on_before_the_lead_is_public_and_comes_next() -> None:
    table = before_the_lead(Pace.FAST)
    table.call(1)
    table.call(2)
    assert said(table) == [(1, CallKind.TICHU), (2, CallKind.TICHU)]
    assert [table.ask(seat).judged for seat in table.asked()] == [S1, S1]
    table.answer(0, ACCEPT)
    table.answer(2, REFUSE)
    assert [(seat, table.ask(seat).judged) for seat in table.asked()] == [(1, S2), (3, S2)]
    table.answer(1, ACCEPT)
    table.answer(3, REFUSE)
    assert table.asked(AskKind.ACT) == [S0]


@PACES
def test_once_a_card_is_played_no_call_is_made_any_more(pace: Pace) -> None:
    table = before_the_lead(pace)
    table.act(0, playing("Kj"))
    assert table.call(1) is AckStatus.REFUSED
    assert table.refused[-1].code == "CALL_TOO_LATE"
    assert not any(ask.may_call_tichu for ask in table.asks[1:])


def test_a_block_of_the_referee_asks_anew_who_owes_a_decision() -> None:
    table = after_bets(1)
    table.now += 10 * MS
    table.stall(3_000)
    assert [table.ask(seat).judged for seat in table.asked()] == [S1, S1]
    table.answer(0, ACCEPT)
    table.answer(2, ACCEPT)
    assert table.public.phase is Phase.EXCHANGE
    assert table.replays() == []


def test_with_six_all_three_opponents_must_refuse() -> None:
    options = parse_options({"variant": "tientsin", "refuse_call": True, "rounds": 1})
    table = Table(settings(rules=options)).start()
    for seat in range(6):
        table.answer(seat, GRAND if seat == 4 else NO_GRAND)
    assert table.asked() == [S1, S3, Seat(5)]
    for seat, answer in ((1, REFUSE), (3, REFUSE), (5, ACCEPT)):
        table.answer(seat, answer)
    assert table.public.phase is Phase.EXCHANGE


def test_in_trichu_the_soloist_decides_for_each_hand() -> None:
    options = parse_options({"variant": "trichu", "refuse_call": True, "rounds": 3})
    table = Table(settings(rules=options)).start()
    table.answer(1, GRAND)
    table.answer(3, NO_GRAND)
    asks = table.machine.open_asks(S0)
    assert [(ask.seat, ask.judged) for ask in asks] == [(0, S1), (2, S1)]
    for ask in asks:
        table.answer_ask(ask, REFUSE)
    ended = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (ended.points, ended.refused) == ((-200, 0, -200, 0), S1)
