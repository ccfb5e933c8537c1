"""Card numbers of a later protocol: nobody ranks, gives or plays them."""

import pytest

from tests.unit.sample_bots.frames import HAND, dealt, seating
from tichu_bot import Bot, Exchange, Play, View, cards
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1.card_pb2 import Card
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.judge import Unseen
from tichu_bot.bots.plan import plan
from tichu_bot.bots.random_play import RandomBot
from tichu_bot.tracker import take_event, take_seating, take_snapshot
from tichu_bot.view import Slot

# By the low bits: no card of either pack, an ace, a Dog, a Phoenix, a Dragon, a seven.
FUTURE = (60, 63, 127, 250, 129, 130, 131, 156)


class Mine(Bot):
    """Has the library's own exchange."""


def with_future_cards() -> View:
    view = View()
    take_seating(view, seating().seating)
    for event in dealt(HAND):
        take_event(view, event)
    hand = [*map(Card.ValueType, view.hand), *map(Card.ValueType, FUTURE)]
    gift = match_pb.Gift(seat=0, cards=hand)
    take_snapshot(view, match_pb.Snapshot(round=1, hands=[gift], hand_counts=[22, 14, 14, 14]))
    return view


def test_they_have_no_rank_and_no_worth_and_make_nothing() -> None:
    for card in FUTURE:
        assert cards.rank(card) == 0
        assert cards.worth(card) < cards.worth(cards.DOG)
        assert cards.readings([card]) == cards.readings([card, 8]) == []
        for special in (cards.DOG, cards.PHOENIX, cards.DRAGON):
            assert not cards.is_card(Play((card,)), special)
    aces = [*range(56, 59), 250, 251]
    assert not cards.holds_bomb(aces)
    assert cards.find_bombs(aces) == []


def test_they_are_in_no_hand_and_no_plan() -> None:
    view = with_future_cards()
    assert view.hand == tuple(sorted(cards.parse(HAND)))
    assert view.counts[0] == 22
    assert plan((*view.hand, *FUTURE)).groups == plan(view.hand).groups
    view.played = list(FUTURE)
    assert Unseen(view).dragons == 0  # in the own hand
    assert Unseen(view).phoenixes == 1


@pytest.mark.parametrize("bot", [GreedyBot(), RandomBot(), Mine()])
def test_nobody_gives_them_away(bot: Bot) -> None:
    for round_number in range(1, 50):
        view = with_future_cards()
        view.round = round_number  # the random bot draws others
        view.start_ask("exchange")
        view.slots = (Slot(1), Slot(2), Slot(3))
        exchange = bot.exchange(view)
        given = exchange.cards if isinstance(exchange, Exchange) else tuple(exchange)
        assert len(set(given)) == 3
        assert set(given) <= set(cards.parse(HAND))
