"""What the bot library makes of the other games of the box."""

from collections.abc import Sequence

import pytest

from tests.unit.sample_bots.frames import Table, card_list, dealt, numbered, play, seating
from tichu_bot import PASS, Act, Bot, CallKind, Exchange, Play, Slot, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.judge import Unseen
from tichu_bot.bots.plan import plan
from tichu_bot.bots.random_play import RandomBot
from tichu_bot.cards import Kind, parse, show
from tichu_bot.minimal import MinimalPlayer
from tichu_bot.seat import SeatPlayer
from tichu_bot.tracker import take_event, take_seating

HAND = "Mj 2j 3s 4p 5r 6j 7s 8p 9r Tj Qs Kp Ar Dr"


class Says(Bot):
    """Answers what a test wants, and keeps what it saw."""

    def __init__(self, *, bid: int = 0, refuse: bool = False) -> None:
        self._bid, self._refuse = bid, refuse
        self.judged: int | None = None

    def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS

    def bid(self, view: View) -> int:
        return self._bid

    def refuse(self, view: View) -> bool:
        self.judged = view.judged
        return self._refuse


def seated(
    names: int, *, teams: Sequence[int] = (), seat: int = 0, **options: str
) -> match_pb.Update:
    return match_pb.Update(
        match=1,
        seating=match_pb.Seating(
            match_id="m",
            seat=seat,
            names=[f"p{n}" for n in range(names)],
            teams=teams,
            options=[match_pb.Option(name=name, value=value) for name, value in options.items()],
            pace=match_pb.PACE_FAIR,
            bot_seed=b"\x07" * 32,
        ),
    )


def begin(
    *, order: Sequence[int], teams: Sequence[int] = (), ranks: Sequence[int] = (), dealer: int = 0
) -> match_pb.Event:
    started = match_pb.RoundStarted(
        round=1, dealer=dealer, turn_order=order, teams=teams, ranks=ranks
    )
    return match_pb.Event(round_started=started)


def deal(*hands: tuple[int, str], counts: Sequence[int], complete: bool = True) -> match_pb.Event:
    gifts = [match_pb.Gift(seat=seat, cards=card_list(text)) for seat, text in hands]
    return match_pb.Event(
        cards_dealt=match_pb.CardsDealt(hands=gifts, complete=complete, counts=counts)
    )


def view_of(seating: match_pb.Update, *events: match_pb.Event) -> View:
    view = View()
    take_seating(view, seating.seating)
    for event in numbered(events, first=1):
        take_event(view, event)
    return view


# --- who sits where


def test_without_a_turn_order_the_seats_play_by_number() -> None:
    view = view_of(seating(seat=1))
    assert (view.turn_order, view.others) == ((0, 1, 2, 3), (2, 3, 0))
    assert (view.partners, view.opponents) == ((3,), (2, 0))


def test_partners_and_opponents_are_those_of_the_round_in_its_turn_order() -> None:
    trichu = seated(4, teams=(0, 1, 0, 1), seat=3, variant="trichu")
    view = view_of(trichu, begin(order=(1, 3, 2, 0), teams=(1, 0, 0, 1), dealer=1))
    assert (view.partners, view.opponents) == ((0,), (2, 1))
    view.seat = 2
    assert (view.partners, view.opponents) == ((1,), (0, 3))


def test_six_in_two_teams_have_two_partners_each() -> None:
    view = view_of(seated(6, teams=(0, 1) * 3, seat=4, variant="tientsin"))
    assert (view.partners, view.opponents) == ((0, 2), (5, 1, 3))


def test_without_teams_all_others_are_opponents() -> None:
    alone = seated(5, variant="grand_seigneur")
    view = view_of(alone, begin(order=(3, 0, 4, 1, 2), ranks=(3, 0, 4, 1, 2)))
    assert (view.partners, view.opponents) == ((), (4, 1, 2, 3))
    assert view.ranks == (3, 0, 4, 1, 2)


def test_counts_are_those_that_were_dealt() -> None:
    tientsin = seated(6, teams=(0, 1) * 3, variant="tientsin")
    first, rest = "2j 3j 4j 5j 6j 7j", "8j 9j Tj Jj"
    view = view_of(
        tientsin,
        begin(order=range(6), teams=(0, 1) * 3),
        deal((0, first), counts=[6] * 6, complete=False),
        deal((0, rest), counts=[4, 4, 3, 3, 3, 3]),
    )
    assert view.counts == [10, 10, 9, 9, 9, 9]
    assert len(view.hand) == 10


# --- two hands, and hands that lie open


def test_the_soloist_decides_for_each_of_two_hands() -> None:
    class Solo(Says):
        asked: list[tuple[int, str, tuple[int, ...]]]

        def act(self, view: View) -> Act | Play:
            self.asked.append((view.seat, show(view.hand), view.partners))
            return view.plays[0]

    bot = Solo()
    bot.asked = []
    player = SeatPlayer(1, bot)
    player.update(seated(4, teams=(0, 1, 0, 1), variant="trichu"), pb.PlayRequest())
    events = [
        begin(order=range(4), teams=(0, 1, 0, 1)),
        deal((0, "2j 3s 9r"), (2, "4j 5s Tr"), counts=[3] * 4),
    ]
    out = pb.PlayRequest()
    asks = [
        match_pb.Ask(ask_id=1, for_seat=0, act=match_pb.ActAsk(plays=[play("2j")])),
        match_pb.Ask(ask_id=2, for_seat=2, act=match_pb.ActAsk(plays=[play("4j")])),
    ]
    player.update(match_pb.Update(match=1, events=numbered(events, first=1), asks=asks), out)
    assert bot.asked == [(0, "2j 3s 9r", (2,)), (2, "4j 5s Tr", (0,))]
    assert [answer.ask_id for answer in out.answers] == [1, 2]


def test_each_hand_of_the_soloist_stands_down_for_itself() -> None:
    player = SeatPlayer(1, GreedyBot())
    player.update(seated(4, teams=(0, 1, 0, 1), variant="trichu"), pb.PlayRequest())
    bomb = "5j 5s 5p 5r 9j"
    events = [
        begin(order=range(4), teams=(0, 1, 0, 1)),
        deal((0, bomb), (2, "2j 3s 4p 6r 8j"), counts=[5] * 4),
        match_pb.Event(
            cards_exchanged=match_pb.CardsExchanged(
                hands=[match_pb.HandExchanged(seat=0), match_pb.HandExchanged(seat=2)]
            )
        ),
    ]
    out = pb.PlayRequest()
    player.update(match_pb.Update(match=1, events=numbered(events, first=1)), out)
    assert [one.for_seat for one in out.stand_downs] == [2]


def test_a_hand_that_lies_open_is_followed() -> None:
    trichu = seated(4, teams=(0, 1, 0, 1), seat=1, variant="trichu")
    shown = match_pb.HandShown(seat=2, cards=card_list("4j 5s Tr"))
    played = match_pb.Played(seat=2, play=play("5s"), cards_left=2)
    view = view_of(
        trichu,
        begin(order=range(4), teams=(0, 1, 0, 1)),
        deal((1, "2j 3s 9r"), counts=[3] * 4),
        match_pb.Event(hand_shown=shown),
        match_pb.Event(played=played),
    )
    assert {seat: show(hand) for seat, hand in view.hands.items()} == {1: "2j 3s 9r", 2: "4j Tr"}
    assert view.hand == view.hands[1]


def test_the_dog_lies_on_no_table_while_its_lead_is_given_away() -> None:
    """H5: with two partners who hold cards the lead waits for a choice."""
    played = match_pb.Played(seat=0, play=play("Dg"), cards_left=2)
    view = view_of(seated(6, teams=(0, 1) * 3), match_pb.Event(played=played))
    assert (view.table, view.owner, view.trick) == (None, None, [])
    assert view.played == list(parse("Dg"))


def test_a_trick_won_with_the_dragon_lies_until_it_is_given() -> None:
    """C5; in Grand Seigneur nothing is given (I4)."""
    won = (
        match_pb.Event(played=match_pb.Played(seat=1, play=play("Dr"), cards_left=2)),
        match_pb.Event(trick_taken=match_pb.TrickTaken(seat=1, points=25)),
    )
    given = match_pb.Event(dragon_given=match_pb.DragonGiven(seat=1, to_seat=2, points=25))
    kept = match_pb.Event(round_ended=match_pb.RoundEnded(round=1))
    waiting = view_of(seating(), *won)
    assert (waiting.owner, waiting.table_points, waiting.won_points) == (1, 25, [0, 0, 0, 0])
    assert view_of(seating(), *won, given).won_points == [0, 0, 25, 0]
    assert view_of(seating(), *won, kept).won_points == [0, 25, 0, 0]
    alone = view_of(seated(4, variant="grand_seigneur"), *won)
    assert (alone.owner, alone.won_points) == (None, [0, 25, 0, 0])


def test_a_game_without_an_exchange_stands_down_when_all_cards_are_dealt() -> None:
    player = SeatPlayer(1, GreedyBot())
    player.update(seated(5, variant="grand_seigneur"), pb.PlayRequest())
    first = [begin(order=range(5)), deal((0, "2j 3s 4p 6r 8j"), counts=[5] * 5)]
    out = pb.PlayRequest()
    player.update(match_pb.Update(match=1, events=numbered(first, first=1)), out)
    assert [one.for_seat for one in out.stand_downs] == [0]
    later = [begin(order=range(5), ranks=range(5)), deal((0, "2j 3s 4p 6r"), counts=[4] * 5)]
    out = pb.PlayRequest()
    player.update(match_pb.Update(match=1, events=numbered(later, first=3)), out)
    assert not out.stand_downs, "the exchange comes first"


# --- bids and refusals

BIDS = [match_pb.CallKind.ValueType(number) for number in range(6, 10)]
ANSWERS = [match_pb.CALL_KIND_ACCEPT, match_pb.CALL_KIND_REFUSE]


def called(bot: Bot, choices: Sequence[match_pb.CallKind.ValueType], of: int | None = None) -> str:
    table = Table(bot, HAND)
    asked = match_pb.CallAsk(choices=choices, of_seat=of)
    (answer,) = table.asks(match_pb.Ask(ask_id=1, call=asked)).answers
    if answer.WhichOneof("decision") != "call":
        return str(answer.WhichOneof("decision"))
    return CallKind(answer.call.choice).name


@pytest.mark.parametrize("bid", range(4))
def test_a_bid_is_answered_by_its_number(bid: int) -> None:
    assert called(Says(bid=bid), BIDS) == f"BID_{bid}"


def test_a_bid_that_is_none_gets_the_substitute_action() -> None:
    assert called(Says(bid=4), BIDS) == "default_action"


def test_who_writes_nothing_bids_nothing_and_accepts() -> None:
    class Plain(Bot):
        pass

    assert called(Plain(), BIDS) == "BID_0"
    assert called(Plain(), ANSWERS, 1) == "ACCEPT"


def test_a_strategy_that_refuses_knows_whose_call_it_is() -> None:
    bot = Says(refuse=True)
    assert called(bot, ANSWERS, 3) == "REFUSE"
    assert bot.judged == 3


def test_bids_of_the_own_team_are_in_the_view() -> None:
    bids = [match_pb.Bid(seat=0, bid=BIDS[2]), match_pb.Bid(seat=2, bid=BIDS[0])]
    view = view_of(seating(), match_pb.Event(bids_shown=match_pb.BidsShown(bids=bids)))
    assert view.bids == {0: 2, 2: 0}


def test_greedy_bids_more_on_better_cards() -> None:
    def bid(first: str) -> int:
        view = View()
        view.names, view.hands = ("a", "b", "c", "d"), {0: parse(first)}
        return GreedyBot().bid(view)

    weak, middle, strong = (
        "2j 3s 5r 7j 8s 9p Jr 4j",
        "Dr 3s As 7j 8s 9p Jr 4j",
        "Dr Ph Aj As 3j 4j 8s 9r",
    )
    assert 0 == bid(weak) < bid(middle) < bid(strong) == 3


def test_minimal_bids_anything_and_refuses_seldom() -> None:
    def choices(
        asked: Sequence[match_pb.CallKind.ValueType],
    ) -> list[match_pb.CallKind.ValueType]:
        asks = [match_pb.Ask(ask_id=n, call=match_pb.CallAsk(choices=asked)) for n in range(1, 400)]
        out = pb.PlayRequest()
        update = match_pb.Update(match=1, asks=asks)
        MinimalPlayer().frame(pb.PlayResponse(updates=[seating(), update]), out)
        return [answer.call.choice for answer in out.answers]

    assert set(choices(BIDS)) == set(BIDS)
    answers = choices(ANSWERS)
    assert 0 < answers.count(match_pb.CALL_KIND_REFUSE) < len(answers) // 10


# --- exchanges by rank


def giving(view: View, *slots: Slot, bots: Sequence[Bot]) -> list[list[str]]:
    view.slots = slots
    given = [bot.exchange(view) for bot in bots]
    return [show(g.cards if isinstance(g, Exchange) else g).split() for g in given]


def seigneur(hand: str, best_order: str = "dragon_phoenix_mahjong") -> View:
    seating = seated(9, variant="grand_seigneur", gs_best_order=best_order)
    view = view_of(seating, begin(order=range(9)))
    view.hands = {0: tuple(sorted(parse(hand)))}
    return view


class Plain(Bot):
    """Writes no exchange."""


EVERY: tuple[Bot, ...] = (Plain(), GreedyBot(), RandomBot())


def test_forced_cards_are_the_best_of_what_is_left() -> None:
    view = seigneur("2j 3s 9r Mj Ph Dr' As As' Kj")
    given = giving(view, Slot(3, 3, forced_best=True), bots=EVERY)
    assert all(set(cards) == {"Dr'", "Ph", "Mj"} for cards in given)
    given = giving(view, Slot(3, 2, forced_best=True), Slot(3, 2, forced_best=True), bots=EVERY)
    assert [set(cards[2:]) <= {"Mj", "As", "As'"} for cards in given] == [True] * 3


def test_the_mah_jong_can_be_the_lowest() -> None:
    view = seigneur("2j 3s 9r Mj As", "mahjong_last")
    for cards in giving(view, Slot(3, 2, forced_best=True), bots=EVERY):
        assert set(cards) == {"As", "9r"}
    for cards in giving(view, Slot(3, 2, forced_worst=True), bots=EVERY):
        assert set(cards) == {"Mj", "2j"}


def test_a_free_gift_is_a_low_card() -> None:
    view = seigneur("2j 3s 9r Mj Ph Dr' As As' Kj")
    for cards in giving(view, Slot(8, 3), bots=EVERY[:2]):
        assert set(cards) == {"2j", "3s", "9r"}


# --- two packs


def test_a_plan_of_two_packs_holds_every_card_once() -> None:
    hand = tuple(sorted(parse("Mj Ph Ph' Dr 2j 2j' 2s 2s' 2p 9r 9r' 9j 9j' 9p 9p' Kj")))
    groups = plan(hand).groups
    assert sorted(card for group in groups for card in group.cards) == list(hand)
    assert all(
        len(g.cards) == {Kind.PAIR: 2, Kind.TRIPLE: 3}.get(g.kind, len(g.cards)) for g in groups
    )


def test_of_two_packs_twice_as_many_cards_are_unseen() -> None:
    view = seigneur("9r 9r' Dr")
    unseen = Unseen(view)
    assert (unseen.of_rank(9), unseen.of_rank(8)) == (6, 8)
    assert (unseen.dragons, unseen.phoenixes) == (1, 2)
    small = view_of(seated(6, variant="grand_seigneur"), begin(order=range(6)))
    assert Unseen(small).of_rank(8) == 4


def test_the_dogs_lead_goes_to_the_partner_who_is_nearest_to_going_out() -> None:
    view = view_of(seated(6, teams=(0, 1) * 3, variant="tientsin"))
    view.counts, view.recipients = [5, 9, 7, 9, 3, 9], (2, 4)
    assert GreedyBot().give(view) == 4
    view.calls = {2: CallKind.TICHU}
    assert GreedyBot().give(view) == 2
    view.recipients = (1, 3, 5)
    view.counts = [5, 2, 7, 9, 3, 9]
    assert GreedyBot().give(view) == 3


def test_of_equal_opponents_the_dragon_goes_to_the_first_in_turn_order() -> None:
    view = view_of(
        seated(4, teams=(0, 1, 0, 1), seat=3, variant="trichu"),
        begin(order=(1, 3, 2, 0), teams=(1, 0, 0, 1)),
    )
    view.counts, view.recipients = [5, 5, 5, 5], (1, 2)
    assert Says().give(view) == 2


def test_a_round_of_the_common_game_begins_as_ever() -> None:
    view = view_of(seating(), *dealt(HAND))
    assert (view.turn_order, view.ranks, view.packs, view.has_exchange) == (
        (0, 1, 2, 3),
        (),
        1,
        True,
    )
    assert view.counts == [14] * 4
