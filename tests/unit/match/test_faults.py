"""Illegal and late answers, the substitute action, strikes (PROTOCOL 5)."""

import pytest

from referee.match.facts import Answered, MatchEnded, Played, Strike
from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DefaultDecision,
    ExchangeDecision,
    MalformedDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.values import MS, AckStatus, AskKind, Blame, CancelReason, Ending, Pace
from referee.rules.option_values import DragonGiftToFinished, PhoenixChoice
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from tests.simulation.positions import PASS, at, cards, pass_round, playing
from tests.simulation.table import Table, settings

HANDS = ("3j 4s 5j 6s Kj", "3s 4p 5s 6p Aj", "3p 4r 5p 6r As", "3r 4j 5r 6j Ap")
LOW = ("8j 9s Tp", "8s 9p Tr", "8p 9r Tj")  # three hands that hinder nothing
PACES = pytest.mark.parametrize("pace", Pace)


def lead(pace: Pace = Pace.FAST, *hands: str, max_strikes: int = 10) -> Table:
    return at(settings(pace=pace, max_strikes=max_strikes), *(hands or HANDS))


# --- refusals


@pytest.mark.parametrize(
    ("decision", "code"),
    [
        (PASS, "MUST_LEAD"),
        (playing("Kj Ks"), "CARDS_NOT_HELD"),
        (playing("3j 4s"), "NOT_A_COMBINATION"),
        (playing("3j", wish=5), "WISH_WITHOUT_MAH_JONG"),
        (PlayDecision(cards=cards("3j"), phoenix_rank=4), "PHOENIX_RANK"),
        (PlayDecision(cards=(12, 12)), "CARDS_NOT_HELD"),
        (PlayDecision(cards=()), "NOT_A_COMBINATION"),
        (PlayDecision(cards=(0,)), "MALFORMED"),
        (PlayDecision(cards=(5,)), "MALFORMED"),
        (PlayDecision(cards=(-3,)), "MALFORMED"),
        (PlayDecision(cards=(10**6,)), "MALFORMED"),
        (PlayDecision(cards=(76,)), "CARDS_NOT_HELD"),
        (PlayDecision(index=99), "MALFORMED"),
        (PlayDecision(index=-1), "MALFORMED"),
        (MalformedDecision(text="act.choice: empty"), "MALFORMED"),
        (CallDecision(choice=CallKind.TICHU), "MALFORMED"),
        (ExchangeDecision(gifts=()), "MALFORMED"),
        (SeatDecision(seat=1), "MALFORMED"),
        (BombDecision(index=0), "MALFORMED"),
    ],
)
def test_an_illegal_answer_is_refused_changes_nothing_and_may_be_corrected(
    decision: Decision, code: str
) -> None:
    table = lead()
    ask, before = table.ask(0), table.machine.snapshot(table.asks[0].seat)
    assert table.answer_ask(ask, decision).status is AckStatus.REFUSED
    refused = table.refused[-1]
    assert (refused.code, refused.ask_id, refused.resends_left) == (code, ask.id, 2)
    assert refused.text
    assert table.machine.snapshot(table.asks[0].seat) == before
    assert table.answer_ask(ask, playing("Kj")).status is AckStatus.RECEIVED


def test_a_malformed_answer_is_told_the_field_that_the_reader_named() -> None:
    table = lead()
    table.answer(0, MalformedDecision(text="act.play.cards[1]: 63 is no Card"))
    assert table.refused[-1].text == "act.play.cards[1]: 63 is no Card"


def test_a_refusal_cites_the_clause_of_its_rule() -> None:
    table = lead()
    table.answer(0, PASS)
    assert (table.refused[-1].code, table.refused[-1].clause) == ("MUST_LEAD", "C1")
    table.answer(0, MalformedDecision(text="x"))
    assert table.refused[-1].clause == ""


def test_the_clause_of_a_riding_call_that_is_too_late_is_named() -> None:
    table = at(settings(), *HANDS, played=(0,))
    table.answer(0, playing("Kj", tichu=True))
    assert table.refused[-1].code == "CALL_TOO_LATE"


def test_a_refused_answer_is_a_fact() -> None:
    table = lead()
    table.answer(0, PASS)
    fact = table.facts[-1]
    assert isinstance(fact, Answered)
    assert (fact.status, fact.code, fact.decision) == (AckStatus.REFUSED, "MUST_LEAD", PASS)


@PACES
def test_an_answer_is_resent_at_most_twice_the_third_is_the_substitute_and_a_strike(
    pace: Pace,
) -> None:
    table = lead(pace)
    ask = table.ask(0)
    for left in (2, 1, 0):
        assert table.answer_ask(ask, PASS).status is AckStatus.REFUSED
        assert table.refused[-1].resends_left == left
    assert table.strikes() == [(0, "MUST_LEAD")]
    assert [(c.ask_id, c.reason) for c in table.cancelled] == [(ask.id, CancelReason.SUBSTITUTED)]
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert [f.cards for f in table.facts if isinstance(f, Played)] == [cards("3j")]
    assert table.answer_ask(ask, playing("Kj")).status is AckStatus.TOO_LATE
    assert table.replays() == []


@PACES
def test_a_silent_seat_is_passed_for_and_given_a_strike(pace: Pace) -> None:
    table = lead(pace)
    table.act(0, playing("Kj"))
    ask = table.ask(1, AskKind.ACT)
    table.wait(6000)
    assert table.strikes() == [(1, "late")]
    assert [(c.ask_id, c.reason) for c in table.cancelled] == [(ask.id, CancelReason.TIMED_OUT)]
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.told()[-1] == "Passed"
    assert table.answer_ask(ask, PASS).status is AckStatus.TOO_LATE
    assert table.replays() == []


def test_refusals_are_counted_for_each_ask_anew() -> None:
    table = lead()
    for _ in range(2):
        table.answer(0, PASS)
    table.answer(0, playing("Kj"))
    table.answer(1, playing("3s"))
    assert table.refused[-1].resends_left == 2


def test_the_default_answer_is_the_substitute_without_a_strike() -> None:
    table = lead()
    assert table.answer(0, DefaultDecision()).status is AckStatus.RECEIVED
    assert table.strikes() == []
    assert [f.cards for f in table.facts if isinstance(f, Played)] == [cards("3j")]


# --- strikes


@PACES
@pytest.mark.parametrize("silent", [True, False])
def test_a_seat_over_the_strike_limit_forfeits(pace: Pace, silent: bool) -> None:
    table = lead(pace, max_strikes=0)
    if silent:
        table.wait(6000)
    else:
        for _ in range(3):
            table.answer(0, PASS)
    ending = Ending.FORFEIT_TIME if silent else Ending.FORFEIT_ILLEGAL
    assert (table.ended.ending, table.ended.seat, table.ended.blame) == (ending, 0, Blame.BOT)
    assert table.ended.winner == 1
    assert table.replays() == []


def test_strikes_up_to_the_limit_are_borne() -> None:
    table = lead(max_strikes=1)
    for _ in range(3):
        table.answer(0, PASS)
    assert not table.machine.over
    counts = [fact.count for fact in table.facts if isinstance(fact, Strike)]
    assert counts == [1]


def test_strikes_are_counted_over_the_whole_match_and_by_seat() -> None:
    table = Table(settings(max_strikes=1, rules=RuleOptions(rounds=2))).start()
    for seat in (0, 1):
        for _ in range(3):
            table.answer(seat, PASS)
    for seat in (2, 3):
        table.answer(seat, DefaultDecision())
    assert not table.machine.over
    for _ in range(3):
        table.answer(1, PASS)
    assert (table.ended.ending, table.ended.seat) == (Ending.FORFEIT_ILLEGAL, 1)


# --- the substitute action, row by row


def played(table: Table) -> Played:
    return [fact for fact in table.facts if isinstance(fact, Played)][-1]


def test_substitute_passes_where_that_is_allowed() -> None:
    table = lead()
    table.answer(0, playing("Kj"))
    table.answer(1, DefaultDecision())
    assert table.told()[-1] == "Passed"


@pytest.mark.parametrize(
    ("hand", "play"),
    [
        ("5j 5s 5p 5r Kj", "5j"),  # fewer cards first
        ("Dg Kj Aj 2s 3s", "Dg"),  # then lower rank: the Dog is 0
        ("Mj Kj Aj 2s", "Mj"),
        ("Ph 2s Kj Aj", "Ph"),  # led alone it is 1.5
        ("2p 2s Kj", "2s"),  # then lower card numbers
        ("Dr", "Dr"),
    ],
)
def test_substitute_leads_the_first_play_of_the_canonical_list(hand: str, play: str) -> None:
    table = lead(Pace.FAST, hand, *LOW)
    table.answer(0, DefaultDecision())
    assert played(table).cards == cards(play)


def test_substitute_of_a_bound_seat_fulfils_the_wish_without_a_bomb_if_it_can() -> None:
    table = at(settings(), "3j 4s 5j 6s Qj", "Kj Ks Kp Kr 2j", *HANDS[2:], wish=13)
    table.answer(0, playing("Qj"))
    table.answer(1, DefaultDecision())
    assert played(table).cards == cards("Kj")


def test_substitute_throws_a_bomb_only_where_nothing_else_is_legal() -> None:
    """E5: over a straight the wished king lies in the bomb alone."""
    table = at(settings(), "2s 3s 4s 5s 6j", "Kj Ks Kp Kr 2j", *LOW[:2], wish=13)
    table.answer(0, playing("2s 3s 4s 5s 6j"))
    assert table.ask(1).may_pass is False
    table.answer(1, DefaultDecision())
    assert played(table).cards == cards("Kj Ks Kp Kr")


def test_substitute_gives_the_phoenix_its_highest_reading() -> None:
    """A wish for a 6 over a straight to 5: 3 to 6 with the Phoenix, low or high."""
    table = at(settings(), "Mj 2j 3s 4s 5s", "3j 4j 5j 6j Ph", *HANDS[2:3], "9j 9s", wish=6)
    table.answer(0, playing("Mj 2j 3s 4s 5s"))
    assert [play.phoenix_rank for play in table.ask(1).plays] == [2, 7]
    table.answer(1, DefaultDecision())
    assert played(table).phoenix_rank == 7


def test_substitute_names_no_wish_and_calls_nothing() -> None:
    table = lead(Pace.FAST, "Mj Kj Aj 2s", *LOW)
    table.answer(0, DefaultDecision())
    assert played(table).wish == 0
    assert "CallMade" not in table.told()


def test_substitute_wishes_for_a_two_where_a_wish_must_be_named() -> None:
    rules = RuleOptions(rounds=1, wish_optional=False)
    table = at(settings(rules=rules), "Mj Kj Aj 2s", *LOW)
    assert table.ask(0).wish_required
    table.answer(0, DefaultDecision())
    assert (played(table).cards, played(table).wish) == (cards("Mj"), 2)


def test_with_wish_optional_false_a_mah_jong_without_a_wish_is_refused() -> None:
    rules = RuleOptions(rounds=1, wish_optional=False)
    table = at(settings(rules=rules), "Mj Kj Aj 2s", *LOW)
    table.answer(0, playing("Mj"))
    assert table.refused[-1].code == "BAD_WISH"
    table.answer(0, playing("Mj", wish=8))
    assert (table.public.wish, played(table).wish) == (8, 8)


def gift(*hands: str, rules: RuleOptions | None = None, out: tuple[int, ...] = ()) -> Table:
    """Seat 0 owes the gift of its Dragon, and has asked for the substitute."""
    table = at(settings(pace=Pace.FAIR, rules=rules), *hands, out=out)
    table.act(0, playing("Dr"))
    pass_round(table)
    table.act(0, DefaultDecision())
    return table


@pytest.mark.parametrize(
    ("hands", "to"),
    [
        (("Dr 3j", "3s 4p", "3p", "3r 4s 5s"), 3),  # most cards
        (("Dr 3j", "3s 4p 5p", "3p", "3r 4s"), 1),
        (("Dr 3j", "3s 4p", "3p", "3r 4s"), 1),  # of equal ones the first after the giver
    ],
)
def test_substitute_gives_the_dragon_to_the_opponent_with_most_cards(
    hands: tuple[str, ...], to: int
) -> None:
    table = gift(*hands)
    given = next(event for event in table.events if type(event).__name__ == "DragonGiven")
    assert given.to == to  # type: ignore[union-attr]


def test_the_dragon_may_go_to_an_opponent_who_is_out_unless_the_option_forbids_it() -> None:
    """C5."""
    hands = ("Dr 3j 4j", "", "3p 4p", "3r 4s")
    table = gift(*hands, out=(1,))
    assert table.asks[0].seat == 0
    for choice, seats in (
        (DragonGiftToFinished.ALLOWED, (1, 3)),
        (DragonGiftToFinished.FORBIDDEN, (3,)),
    ):
        rules = RuleOptions(rounds=1, dragon_gift_to_finished=choice)
        table = at(settings(rules=rules), *hands, out=(1,))
        table.answer(0, playing("Dr"))
        pass_round(table)
        ask = table.ask(0, AskKind.CHOOSE_SEAT)
        assert ask.seats == seats
    assert table.answer_ask(ask, SeatDecision(seat=1)).status is AckStatus.REFUSED
    assert table.refused[-1].code == "BAD_RECIPIENT"


@pytest.mark.parametrize("to", [0, 2, 4, -1])
def test_the_dragon_goes_to_an_opponent_and_nobody_else(to: int) -> None:
    table = at(settings(), "Dr 3j 4j", "3s 4p", "3p 4r", "3r 4s")
    table.answer(0, playing("Dr"))
    table.answer(0, SeatDecision(seat=to))
    assert table.refused[-1].code == "BAD_RECIPIENT"


def test_substitute_answers_every_kind_of_ask_and_a_whole_silent_match_ends() -> None:
    """Four silent seats: late in every ask, every round ends, nobody loops."""
    table = Table(settings(max_strikes=10_000, rules=RuleOptions(rounds=2)), seed="silent").start()
    for _ in range(4000):
        if table.machine.over:
            break
        table.wait_until_due()
    assert table.ended.ending is Ending.COMPLETED
    assert {why for _, why in table.strikes()} == {"late"}
    assert table.replays() == []


# --- calls that ride


def test_a_call_rides_on_an_act_and_counts_just_before_it() -> None:
    table = lead()
    table.answer(0, playing("Kj", tichu=True))
    assert table.told().index("CallMade") < table.told().index("PlayedEvent")


@PACES
def test_a_call_that_was_made_alone_meanwhile_is_not_made_twice(pace: Pace) -> None:
    table = lead(pace, "3j 4s 5j 6s Kj", HANDS[1], "8j 8s 8p 8r 2s", HANDS[3])
    table.act(0, playing("Kj"))
    table.answer(1, PassDecision(tichu=True), kind=AskKind.ACT)
    assert table.call(1) is AckStatus.APPLIED
    if table.asked(AskKind.BOMB):
        table.answer(2, DefaultDecision(), kind=AskKind.BOMB)
    if pace is Pace.FAIR:
        table.wait_until_due()
    assert table.told().count("CallMade") == 1
    assert "Passed" in table.told()


def test_with_phoenix_choice_highest_the_lower_reading_is_neither_listed_nor_taken() -> None:
    """B7."""
    rules = RuleOptions(rounds=1, phoenix_choice=PhoenixChoice.HIGHEST)
    table = at(settings(rules=rules), "3j 4s 5j 6s Ph", *HANDS[1:3], "9j 9s")
    straights = [play for play in table.ask(0).plays if play.length == 5]
    assert [play.phoenix_rank for play in straights] == [7]
    table.answer(0, playing("3j 4s 5j 6s Ph=2"))
    assert table.refused[-1].code == "PHOENIX_RANK"


def test_a_bank_that_runs_out_is_no_reason_to_end_the_match() -> None:
    table = lead()
    table.wait(6000)
    assert not table.machine.over
    assert table.bank(0) == 0
    assert not any(isinstance(fact, MatchEnded) for fact in table.facts)
    assert table.now == 6000 * MS
