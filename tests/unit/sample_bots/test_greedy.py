"""Positions in which a sensible player has one thing to do."""

import pytest

from tests.unit.sample_bots.frames import position
from tichu_bot import PASS, Bot, CallKind, Exchange, Slot, View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.plan import plan
from tichu_bot.cards import Kind, parse, show

BOT = GreedyBot()


def choice(view: View) -> str:
    act = BOT.act(view)
    return "pass" if act.play is None else show(act.play.cards)


def test_the_last_cards_are_played() -> None:
    assert choice(position("9j 9s", ["9j", "9j 9s"])) == "9j 9s"


def test_a_low_single_is_led_before_an_ace() -> None:
    assert choice(position("3j 8s 8p Ar", ["3j", "8s", "Ar", "8s 8p"])) != "Ar"


def test_a_straight_is_led_whole() -> None:
    hand = "3j 4s 5p 6r 7j Qs Qp Kj Kr"
    straight = "3j 4s 5p 6r 7j"
    assert choice(position(hand, ["3j", "4s", "Qs", "Qs Qp", straight])) == straight


def test_the_partner_is_not_overtaken_with_an_ace() -> None:
    assert choice(position("3j 8s Ar", ["Ar"], table="Kj", owner=2)) == "pass"


def test_an_opponent_is_beaten_with_the_lowest_single_that_does() -> None:
    view = position("4j 9s Jr Ar Kj", ["9s", "Jr", "Kj", "Ar"], table="8j", owner=1)
    assert choice(view) == "9s"


def test_a_partner_who_called_keeps_his_trick() -> None:
    view = position("4j 9s Jr Kj", ["9s", "Jr", "Kj"], table="8j", owner=2)
    view.calls = {2: CallKind.TICHU}
    assert choice(view) == "pass"


def test_the_dog_goes_to_a_partner_who_called() -> None:
    view = position("Dg 4j 9s Jr Kj Ar", ["Dg", "4j", "9s", "Jr", "Kj", "Ar"])
    view.calls = {2: CallKind.TICHU}
    assert choice(view) == "Dg"


def test_a_bomb_is_kept_from_a_cheap_trick() -> None:
    bomb = "5j 5s 5p 5r"
    view = position(f"2j {bomb} 9s Tj Kp", [bomb], table="Ar", owner=1)
    assert choice(view) == "pass"
    assert BOT.bomb(view) is None


def test_a_rich_trick_of_an_opponent_is_bombed() -> None:
    bomb = "5j 5s 5p 5r"
    view = position(f"2j {bomb} 9s Tj Kp", [bomb], table="Dr", owner=1)
    thrown = BOT.bomb(view)
    assert thrown is not None
    assert show(thrown.cards) == bomb


def test_a_partner_is_never_bombed() -> None:
    bomb = "5j 5s 5p 5r"
    assert BOT.bomb(position(f"2j {bomb} 9s Tj Kp", [bomb], table="Dr", owner=2)) is None


def test_a_play_that_the_wish_forces_is_made() -> None:
    view = position("4j 8s Ar", ["8s"], table="7j", owner=2)
    view.may_pass = False
    assert choice(view) == "8s"


def test_the_mah_jong_wishes_for_what_the_next_opponent_was_given() -> None:
    view = position("Mj", ["Mj"])
    view.gave = {1: parse("4j")}
    assert BOT.act(view).wish == 4


def test_a_strong_hand_calls_and_a_weak_one_does_not() -> None:
    strong = position("Mj 6j 7s 8p 9r Tj Js Kp Kr Aj As Ap Ph Dr", ["Mj"])
    weak = position("2j 3s 4r 6j 7s 7p 9r Tj Js Qp Kr 2s 4j 8j", ["2j"])
    for view in (strong, weak):
        view.may_call_tichu = True
    assert BOT.act(strong).tichu
    assert not BOT.act(weak).tichu


def test_no_tichu_beside_a_partner_who_called() -> None:
    view = position("Mj 6j 7s 8p 9r Tj Js Kp Kr Aj As Ap Ph Dr", ["Mj"])
    view.may_call_tichu = True
    view.calls = {2: CallKind.GRAND}
    assert not BOT.act(view).tichu


@pytest.mark.parametrize(
    ("first", "bets"), [("Dr Ph Aj As 3j 4j 8s 9r", True), ("2j 3s 5r 7j 8s 9p Jr Kj", False)]
)
def test_a_grand_needs_rare_first_cards(first: str, bets: bool) -> None:
    assert BOT.call(position(first)) == bets


def exchanged(hand: str, calls: dict[int, CallKind] | None = None, bot: Bot = BOT) -> list[str]:
    view = position(hand)
    view.slots = (Slot(1), Slot(2), Slot(3))
    view.calls = calls or {}
    given = bot.exchange(view)
    return show(given.cards if isinstance(given, Exchange) else given).split()


def test_opponents_get_the_lowest_and_the_partner_something_good() -> None:
    left, partner, right = exchanged("2j 4s 6r 6p 8s 8j 9r Tj Ts Js Qp Kr Kj 3p")
    assert {left[0], right[0]} <= set("234")
    assert partner[0] in "KA"


def test_a_strong_hand_gives_the_dog_to_the_partner() -> None:
    assert exchanged("Dg 2j 4s 6r 6p 8s 9r Tj Kr Aj As Ap Ph Dr")[1] == "Dg"


def test_a_partner_who_bet_gets_the_best_card() -> None:
    hand = "2j 4s 6r 6p 8s 8j 9r Tj Ts Js Qp Kr Kj Dr"
    assert exchanged(hand, {2: CallKind.GRAND})[1] == "Dr"


def test_the_exchange_of_a_bot_without_one_keeps_dragon_and_phoenix_from_opponents() -> None:
    class Plain(Bot):
        pass

    given = exchanged("Dg Ph Dr 2j 4s 6r 6p 8s 8j 9r Tj Ts Js Qp", bot=Plain())
    assert given == ["Dg", "Dr", "2j"]


def test_the_dragon_goes_to_the_opponent_with_most_cards() -> None:
    view = position("2j")
    view.recipients, view.counts = (1, 3), [1, 5, 6, 9]
    assert BOT.give(view) == 3


def test_a_plan_holds_every_card_once() -> None:
    hand = tuple(sorted(parse("Mj Dg Ph 2j 3s 4p 5r 6j 6s 9r 9j 9p Kj Ks")))
    groups = plan(hand).groups
    assert sorted(card for group in groups for card in group.cards) == list(hand)
    assert Kind.STRAIGHT in {group.kind for group in groups}


def test_nothing_to_play_is_a_pass() -> None:
    assert BOT.act(position("2j", table="Ar", owner=1)) == PASS
