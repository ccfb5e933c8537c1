"""Options that change what happens when a trick or round closes (C3, C5, F1, D3, E)."""

import pytest

from referee.match.inputs import CallRequest, DefaultDecision, SeatDecision
from referee.match.values import AckStatus, AskKind, Pace
from referee.rules.option_values import HopelessCall, SelfOvertake, WishBombExempt
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, at, bombing, close_window, pass_round, playing
from tests.simulation.table import Table, settings

PACES = pytest.mark.parametrize("pace", Pace)
OVERTAKE = RuleOptions(rounds=1, self_overtake=SelfOvertake.ANY)
OTHERS = ("3s 4p 5s 6p", "3p 4r 5p 6r", "3r 4j 5r 6j")


# --- self_overtake = any (C3)


def closing(pace: Pace, hand: str, rules: RuleOptions = OVERTAKE, *others: str) -> Table:
    """Seat 0 led the jack of jade, all others have passed."""
    table = at(settings(pace=pace, rules=rules), hand, *(others or OTHERS))
    table.act(0, playing("Jj"))
    pass_round(table)
    return table


@PACES
def test_the_owner_is_asked_whether_he_overtakes_his_own_play(pace: Pace) -> None:
    table = closing(pace, "Jj Kj 2j 2s 7j")
    ask = table.ask(0, AskKind.ACT)
    assert (ask.leading, ask.may_pass, ask.provisional) == (False, True, True)
    assert [play.rank2 for play in ask.plays] == [26]
    assert table.public.phase is Phase.CLOSING


@PACES
def test_the_owner_overtakes_and_the_others_are_asked_again(pace: Pace) -> None:
    table = closing(pace, "Jj Kj 2j 2s 7j", OVERTAKE, "Aj 3s 4p 5s", *OTHERS[1:])
    table.act(0, playing("Kj"))
    assert table.told()[-1] == "PlayedEvent"
    assert "TrickTaken" not in table.told()
    assert table.asked(AskKind.ACT) == [1]
    assert table.replays() == []


@PACES
def test_the_owner_who_passes_takes_his_trick_and_leads(pace: Pace) -> None:
    table = closing(pace, "Jj Kj 2j 2s 7j")
    overtake = table.ask(0, AskKind.ACT)
    table.act(0, PASS)
    assert table.told()[-1] == "TrickTaken"
    lead = table.ask(0, AskKind.ACT)
    assert lead.id > overtake.id
    assert (lead.leading, lead.provisional) == (True, False)
    table.act(0, playing("2j 2s"))
    assert table.replays() == []


def test_the_substitute_for_the_owner_lets_the_trick_go() -> None:
    table = closing(Pace.FAIR, "Jj Kj 2j 2s 7j")
    table.act(0, DefaultDecision())
    assert table.told()[-1] == "TrickTaken"


def test_an_overtaking_play_that_is_too_low_is_refused() -> None:
    table = closing(Pace.FAIR, "Jj Kj 2j 2s 7j")
    table.answer(0, playing("7j"), kind=AskKind.ACT)
    assert table.refused[-1].code == "TOO_LOW"


def test_in_fair_the_owner_is_asked_whatever_he_holds() -> None:
    """What others can time must not tell whether he could overtake."""
    for hand in ("Jj Kj 2j 2s 7j", "Jj 3j 2j 2s 7j"):
        table = closing(Pace.FAIR, hand)
        assert table.ask(0, AskKind.ACT).leading is False
        close_window(table)
        table.act(0, PASS)
        assert table.told()[-1] == "TrickTaken"


def test_in_fast_the_owner_without_a_higher_play_is_asked_for_his_lead_at_once() -> None:
    table = closing(Pace.FAST, "Jj 3j 2j 2s 7j")
    assert table.ask(0, AskKind.ACT).leading


def test_a_bomb_voids_the_owners_own_overtaking() -> None:
    table = closing(Pace.FAIR, "Jj Kj 2j 2s 7j", OVERTAKE, "8j 8s 8p 8r 3s", *OTHERS[1:])
    ask = table.ask(0, AskKind.ACT)
    table.answer_ask(ask, playing("Kj"))
    table.answer(1, bombing("8j 8s 8p 8r"), kind=AskKind.BOMB)
    table.wait_until_due()
    assert table.statuses(ask) == [AckStatus.RECEIVED, AckStatus.VOID_BOMBED]
    assert table.public.owner == 1


@pytest.mark.parametrize("act_first", [True, False])
def test_the_owners_bomb_in_both_asks_lands_once_and_its_call_rides(act_first: bool) -> None:
    """The same bomb in the act and the bomb ask: the order of arrival changes nothing."""
    table = at(settings(pace=Pace.FAIR, rules=OVERTAKE), "Jj 8j 8s 8p 8r 2j", *OTHERS, lead=0)
    table.act(0, playing("Jj"))
    pass_round(table)
    act, bomb = table.ask(0, AskKind.ACT), table.ask(0, AskKind.BOMB)
    if act_first:
        table.answer_ask(act, playing("8j 8s 8p 8r"))
    table.answer_ask(bomb, bombing("8j 8s 8p 8r"))
    if not act_first:
        table.answer_ask(act, playing("8j 8s 8p 8r"))
    table.wait_until_due()
    assert table.statuses(act)[-1] is AckStatus.APPLIED
    assert table.told().count("PlayedEvent") == 2


@PACES
def test_overtaking_without_a_window_after_all_pass(pace: Pace) -> None:
    rules = RuleOptions(rounds=1, self_overtake=SelfOvertake.ANY, bomb_after_all_pass=False)
    table = closing(pace, "Jj Kj 2j 2s 7j", rules)
    assert table.asked(AskKind.BOMB) == []
    assert table.ask(0, AskKind.ACT).provisional is False
    table.act(0, playing("Kj"))
    if pace is Pace.FAIR:  # in fast the referee has passed for them
        pass_on(table, 1, 2, 3)
    assert table.ask(0, AskKind.ACT).leading is (pace is Pace.FAST), "no play beats the king"


def pass_on(table: Table, *seats: int) -> None:
    for seat in seats:
        table.act(seat, PASS)


# --- the Dragon (C5, F1)


def test_the_last_dragon_is_given_away_unless_the_option_says_no() -> None:
    hands = ("8j 8s 8p 2s", "Dr", "", "")
    for gift, phase in ((True, Phase.DRAGON), (False, Phase.ROUND_OVER)):
        rules = RuleOptions(rounds=1, dragon_last_trick_gift=gift)
        table = at(settings(rules=rules), *hands, lead=1, out=(2, 3))
        table.act(1, playing("Dr"))
        assert table.public.phase is phase


def test_on_a_double_victory_the_last_dragon_is_not_given_away() -> None:
    """F1 (a)."""
    table = at(settings(), "Dr", "3s 4s", "", "3r 4r", out=(2,))
    table.act(0, playing("Dr"))
    assert table.told()[-2:] == ["RoundEnded", "MatchEnded"]
    assert "DragonGiven" not in table.told()


@PACES
def test_after_the_gift_the_giver_leads_or_the_next_if_he_is_out(pace: Pace) -> None:
    for hand, leader in (("Dr 2j", 0), ("Dr", 1)):
        table = at(settings(pace=pace), hand, *OTHERS)
        table.act(0, playing("Dr"))
        pass_round(table)
        if table.asked(AskKind.BOMB):
            close_window(table)
        table.act(0, SeatDecision(seat=3))
        assert table.told()[-2:] == ["TrickTaken", "DragonGiven"]
        assert table.asked(AskKind.ACT) == [leader]


@PACES
def test_the_gift_of_a_dragon_may_be_given_while_the_window_is_open(pace: Pace) -> None:
    """It is provisional: received now, applied when the window is over."""
    table = at(settings(pace=pace), "Dr 2j", "8j 8s 8p 8r 3s", *OTHERS[1:])
    table.act(0, playing("Dr"))
    pass_round(table)
    gift = table.ask(0, AskKind.CHOOSE_SEAT)
    assert table.answer_ask(gift, SeatDecision(seat=1)).status is AckStatus.RECEIVED
    assert "DragonGiven" not in table.told()
    if pace is Pace.FAST:
        table.answer(1, DECLINE, kind=AskKind.BOMB)
    else:
        table.wait_until_due()
    assert table.statuses(gift)[-1] is AckStatus.APPLIED
    assert table.told()[-2:] == ["TrickTaken", "DragonGiven"]


def test_a_call_counts_while_a_dragon_is_given() -> None:
    """A4."""
    table = at(settings(), "Dr 2j 3j 4s 5j", "3s 4p", "3p 4r", "3r 4j")
    table.act(0, playing("Dr"))
    pass_round(table)
    assert table.call(2) is AckStatus.APPLIED
    assert table.public.calls[2] is not None
    table.act(0, SeatDecision(seat=1))
    assert table.public.calls[2] is not None, "the position ahead knows of it"


# --- calls (A4, A5)


def test_a_hopeless_call_is_rejected_by_option_only() -> None:
    for rule, status in (
        (HopelessCall.ALLOWED, AckStatus.APPLIED),
        (HopelessCall.REJECTED, AckStatus.REFUSED),
    ):
        rules = RuleOptions(rounds=1, hopeless_call=rule)
        table = at(settings(rules=rules), "2j 3j", "", "3p 4p", "3r 4r", out=(1,))
        assert table.call(2) is status


def test_a_call_is_refused_once_its_seat_has_played() -> None:
    table = at(settings(), "Jj 2j 3j", *OTHERS)
    table.act(0, playing("Jj"))
    assert table.call(0) is AckStatus.REFUSED
    assert table.refused[-1].code == "CALL_TOO_LATE"
    assert table.call(2) is AckStatus.APPLIED
    assert table.call(2) is AckStatus.REFUSED
    assert table.refused[-1].code == "ALREADY_CALLED"


def test_grand_cannot_be_called_alone() -> None:
    table = Table(settings()).start()
    step = table.step(CallRequest(seat=Seat(0), call=CallKind.GRAND, request_id=4))
    assert step.refused[0].code == "WRONG_PHASE"


# --- the wish and bombs out of turn (E6)


@pytest.mark.parametrize(("exempt", "bombs"), [("interrupt", 2), ("never", 1)])
def test_wish_bomb_exempt_decides_which_bombs_a_window_offers(exempt: str, bombs: int) -> None:
    rules = RuleOptions(rounds=1, wish_bomb_exempt=WishBombExempt(exempt))
    hands = ("Jj 2j 3j 4j", "3s 4s", "8j 8s 8p 8r Kj Ks Kp Kr", "3r 4r")
    table = at(settings(pace=Pace.FAIR, rules=rules), *hands, wish=13)
    table.act(0, playing("Jj"))
    ask = table.ask(2, AskKind.BOMB)
    assert len(ask.plays) == bombs
    table.answer_ask(ask, bombing("8j 8s 8p 8r"))
    assert (table.statuses(ask)[-1] is AckStatus.REFUSED) is (exempt == "never")
