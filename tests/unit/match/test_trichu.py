"""Trichu in a match: one player with two hands (G, PROTOCOL 2 and 4)."""

import pytest

from referee.match.facts import Answered, CallAsked, CallMade, Faulted, StoodDown, TimedOut
from referee.match.inputs import (
    Answer,
    CallDecision,
    CallRequest,
    DefaultDecision,
    Fault,
    Faults,
    StandDownRequest,
)
from referee.match.step import Ask, CardsDealt, CardsExchanged, HandShown, RoundStarted
from referee.match.values import MS, AckStatus, AskKind, Clock, Ending, Pace
from referee.rules.options import RuleOptions, parse_options
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.positions import at, bombing, playing
from tests.simulation.table import Table, settings

TISCH = Seat(2)
SOLOIST = Seat(0)  # of the first round
OPPONENTS = [Seat(1), Seat(3)]
PACES = pytest.mark.parametrize("pace", Pace)


def trichu(**rules: object) -> RuleOptions:
    return parse_options({"variant": "trichu", "rounds": 3, **rules})


def table(pace: Pace = Pace.FAST, **rules: object) -> Table:
    return Table(settings(pace=pace, rules=trichu(**rules))).start()


def in_exchange(pace: Pace = Pace.FAST, **rules: object) -> Table:
    begun = table(pace, **rules)
    for seat in OPPONENTS:
        begun.answer(seat, CallDecision(choice=CallKind.NO_GRAND))
    return begun


def of_hand(begun: Table, player: Seat, hand: Seat) -> Ask:
    (ask,) = [ask for ask in begun.machine.open_asks(player) if ask.seat == hand]
    return ask


def in_play(pace: Pace = Pace.FAST, **rules: object) -> Table:
    begun = in_exchange(pace, **rules)
    while begun.public.phase is Phase.EXCHANGE:
        for seat in (SOLOIST, *OPPONENTS):
            for ask in begun.machine.open_asks(seat):
                begun.default(ask)
    return begun


def test_only_the_opponents_decide_on_grand_with_eight_cards_and_nobody_sees_the_tisch() -> None:
    begun = table()
    assert begun.asked(AskKind.CALL) == OPPONENTS
    started, dealt = begun.events
    assert isinstance(started, RoundStarted)
    assert isinstance(dealt, CardsDealt)
    assert (started.order, started.teams) == ((0, 1, 2, 3), (0, 1, 0, 1))
    assert (started.soloist, started.tisch) == (SOLOIST, TISCH)
    assert [mask.bit_count() for mask in dealt.hands] == [8, 8, 0, 8]
    assert dealt.seen_by(SOLOIST) == ((SOLOIST, dealt.hands[0]),)
    assert begun.machine.snapshot(SOLOIST).view.open_hands == ()  # type: ignore[union-attr]


def test_once_all_cards_are_dealt_the_soloist_sees_both_hands_and_nobody_else_the_tisch() -> None:
    begun = in_exchange()
    dealt = begun.events[-1]
    assert isinstance(dealt, CardsDealt)
    assert dealt.complete
    both = dict(dealt.seen_by(SOLOIST))
    assert {hand: mask.bit_count() for hand, mask in both.items()} == {SOLOIST: 6, TISCH: 14}
    for seat in OPPONENTS:
        assert [hand for hand, _ in dealt.seen_by(seat)] == [seat]
        assert begun.machine.snapshot(seat).view.open_hands == ()  # type: ignore[union-attr]
    view = begun.machine.snapshot(SOLOIST).view
    assert view is not None
    assert view.open_hands == ((TISCH, both[TISCH]),)


def test_the_soloist_is_asked_for_each_hand_by_one_row_of_numbers() -> None:
    begun = in_exchange()
    asks = begun.machine.open_asks(SOLOIST)
    assert [(ask.seat, ask.to, ask.id) for ask in asks] == [(0, 0, 1), (2, 0, 2)]
    assert [[to for to, *_ in ask.slots] for ask in asks] == [[1, 3], [3, 1]]  # G4
    assert [[to for to, *_ in begun.ask(seat).slots] for seat in OPPONENTS] == [
        [2, 3, 0],
        [0, 1, 2],
    ]
    assert begun.machine.open_asks(TISCH) == []
    assert begun.machine.player_of(TISCH) == SOLOIST


def test_the_exchange_waits_for_both_hands_of_the_soloist_then_shows_the_tisch() -> None:
    begun = in_exchange()
    for seat in (1, 3, 0):
        begun.default(begun.ask(seat))
    assert begun.asked() == [SOLOIST]  # its first hand is still owed
    begun.default(begun.ask(0))
    told = [event for event in begun.events if isinstance(event, CardsExchanged | HandShown)]
    exchanged, shown = told
    assert isinstance(exchanged, CardsExchanged)
    assert isinstance(shown, HandShown)
    assert exchanged.hands_of(SOLOIST) == (SOLOIST, TISCH)
    assert {giver for giver, _, _ in exchanged.seen_by(SOLOIST)} == {0, 1, 2, 3}
    assert len(exchanged.gifts) == 10
    assert len(exchanged.seen_by(SOLOIST)) == 8  # all but what the opponents gave each other
    assert len(exchanged.seen_by(Seat(1))) == 6
    assert (shown.seat, shown.cards) == (TISCH, begun.machine._state.current.hands[TISCH])
    assert begun.public.open_hands == ((TISCH, shown.cards),)


def test_an_answer_for_the_tisch_is_the_soloists_and_the_bank_is_the_tischs_own() -> None:
    begun = in_exchange()
    ask = of_hand(begun, SOLOIST, TISCH)
    begun.now += 1_500 * MS  # half a second over the base
    ack = begun.answer_ask(ask, DefaultDecision())
    assert (ack.seat, ack.status, ack.charged_ns) == (SOLOIST, AckStatus.RECEIVED, 500 * MS)
    assert ack.bank_ns == begun.bank(2) == 4_500 * MS
    assert begun.bank(0) == 5_000 * MS
    fact = begun.facts[-1]
    assert isinstance(fact, Answered)
    assert (fact.seat, fact.ask) == (SOLOIST, ask.id)


def test_an_answer_from_the_seat_of_the_tisch_is_to_no_ask() -> None:
    begun = in_exchange()
    begun.step(Answer(TISCH, of_hand(begun, SOLOIST, TISCH).id, DefaultDecision()))
    assert begun.refused[-1].code == "NOT_YOUR_ASK"


def test_a_late_hand_of_the_soloist_is_a_strike_of_the_soloist() -> None:
    begun = in_exchange()
    begun.wait(6_000)
    late = [(fact.seat, fact.ask) for fact in begun.facts if isinstance(fact, TimedOut)]
    assert late[:2] == [(0, 1), (0, 2)]
    assert begun.machine.strikes == (2, 1, 0, 1)


def test_each_hand_of_the_soloist_calls_tichu_for_itself() -> None:
    """G6: a call for the Tisch names it, and goes by the Tisch's first card."""
    begun = in_play()
    for for_seat, hand in ((None, SOLOIST), (TISCH, TISCH)):
        call = CallRequest(seat=SOLOIST, call=CallKind.TICHU, request_id=5, for_seat=for_seat)
        step = begun.step(call)
        assert [(ack.seat, ack.status) for ack in step.acks] == [(SOLOIST, AckStatus.APPLIED)]
        asked, made = step.facts
        assert isinstance(asked, CallAsked)
        assert (asked.seat, asked.for_seat) == (SOLOIST, for_seat)
        assert isinstance(made, CallMade)
        assert made.seat == hand


@pytest.mark.parametrize("for_seat", [0, 2, 3, 4, 99])
def test_nobody_calls_or_stands_down_for_a_hand_that_is_not_its_own(for_seat: int) -> None:
    begun = in_play()
    hand = Seat(for_seat)
    call = CallRequest(seat=Seat(1), call=CallKind.TICHU, request_id=5, for_seat=hand)
    begun.step(call)
    assert begun.refused[-1].code == "CALL_NOT_ALLOWED"
    assert "for_seat" in begun.refused[-1].text
    begun.step(StandDownRequest(seat=Seat(1), request_id=6, for_seat=hand))
    assert begun.refused[-1].code == "WRONG_PHASE"
    assert begun.replays() == []


def test_a_hand_stands_down_for_itself() -> None:
    begun = in_play(Pace.FAIR)
    begun.step(StandDownRequest(seat=SOLOIST, request_id=6, for_seat=TISCH))
    fact = begun.facts[-1]
    assert isinstance(fact, StoodDown)
    assert (fact.seat, fact.for_seat) == (SOLOIST, TISCH)
    assert begun.machine.snapshot(SOLOIST).stood_down == (TISCH,)
    assert begun.machine.snapshot(Seat(1)).stood_down == ()


HANDS = ("Kj Ks 3j 3s", "Aj 2s 2p 2j", "8j 8s 8p 8r 4j", "9j 9s 9p 9r 5j")


def test_the_hand_not_on_turn_is_asked_for_a_bomb_too() -> None:
    """PROTOCOL 4: both hands of the soloist may bomb in one window."""
    begun = at(settings(pace=Pace.FAIR, rules=trichu()), *HANDS)
    begun.act(0, playing("Kj"))
    asks = begun.machine.open_asks(SOLOIST)
    assert [(ask.seat, ask.kind) for ask in asks] == [(TISCH, AskKind.BOMB)]
    begun.answer(0, bombing("8j 8s 8p 8r"), kind=AskKind.BOMB)
    begun.wait_until_due()
    assert begun.landings()[-1] == TISCH


def test_the_soloist_acts_for_the_tisch_in_its_turn() -> None:
    begun = at(settings(rules=trichu()), "Kj 3j", "2s 3s", "Aj 4s", "Dr 5s")
    begun.act(0, playing("Kj"))
    assert begun.asked(AskKind.ACT) == [SOLOIST]  # 1 has no legal play; the Tisch is on turn
    ask = begun.ask(0, AskKind.ACT)
    assert (ask.seat, ask.to) == (TISCH, SOLOIST)
    begun.act(0, playing("Aj"))
    assert begun.public.owner == TISCH


def test_the_soloist_changes_and_plays_the_tisch_as_seat_one_and_three() -> None:
    """G9: 0, 1, 3; the turn order of a round begins with its soloist."""
    orders: list[object] = []
    begun = table()
    while not begun.machine.over:
        started = next(e for e in reversed(begun.events) if isinstance(e, RoundStarted))
        if not orders or orders[-1] != (started.soloist, started.order, started.teams):
            orders.append((started.soloist, started.order, started.teams))
        waiting = [a for s in range(4) for a in begun.machine.open_asks(Seat(s))]
        if waiting:
            begun.default(waiting[0])
        else:
            begun.wait_until_due()
    assert orders == [
        (0, (0, 1, 2, 3), (0, 1, 0, 1)),
        (1, (1, 3, 2, 0), (1, 0, 0, 1)),
        (3, (3, 0, 2, 1), (1, 1, 0, 0)),
    ]
    assert len(begun.ended.totals) == 4


def test_a_player_that_fails_loses_alone_and_the_better_of_the_others_wins() -> None:
    begun = in_play()
    begun.step(Fault(seat=Seat(1), ending=Ending.RESIGNED))
    ended = begun.ended
    assert len(ended.awarded) == 4
    assert ended.awarded[1] == min(ended.awarded) < 0
    others = [ended.awarded[seat] for seat in (0, 3)]
    best = {0: others[0], 3: others[1]}
    assert ended.winner == (None if others[0] == others[1] else max(best, key=lambda s: best[s]))


def test_two_players_that_fail_at_once_are_both_named_and_it_counts_for_nothing() -> None:
    begun = in_play()
    faults = [Fault(seat=Seat(s), ending=Ending.CRASHED) for s in (1, 3)]
    begun.step(Faults(faults=tuple(faults)))
    assert (begun.ended.failed, begun.ended.awarded, begun.ended.winner) == ((1, 3), (), None)


def test_the_soloist_answers_for_the_thinking_of_both_hands() -> None:
    clock = Clock(base_ns=200_000 * MS, bank_ns=0)
    begun = Table(settings(rules=trichu(), clock=clock, wall_per_round_ms=1_000)).start()
    for seat in OPPONENTS:
        begun.answer(seat, CallDecision(choice=CallKind.NO_GRAND))
    for seat in OPPONENTS:
        begun.default(begun.ask(seat))
    begun.wait_until_due()
    fault = begun.facts[-2]
    assert isinstance(fault, Faulted)
    assert (fault.seat, fault.sent) == (SOLOIST, (0, -1, 0, -1))
    assert begun.replays() == []
