"""What the other games of the box add to the wire."""

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.facts import CallMade, RoundEnded
from referee.match.inputs import CallDecision, PlayDecision
from referee.match.machine import Machine
from referee.match.step import (
    Ask,
    BidsShown,
    Cancelled,
    CardsDealt,
    CardsExchanged,
    HandShown,
    PlayedEvent,
    RoundStarted,
)
from referee.match.values import AskKind, CancelReason, MatchConfig, Player, Settings
from referee.ports import Frame, SeatingIn
from referee.rules.cards import mask_of
from referee.rules.combinations import readings
from referee.rules.exchanges import Forced
from referee.rules.options import parse_options, player_seats, seats
from referee.rules.round import CallKind
from referee.rules.seat import Seat
from referee.wire.decode import decode_frame
from tests.unit.wire.test_encode import CODEC, S0, S1, S2, S3, ask_of, event_of, update_of

TEAMS = (1, 0, 0, 1)  # of a round of Trichu in which seat 1 is the soloist


def config(**options: object) -> MatchConfig:
    rules = parse_options(options)
    players = tuple(Player(name=f"p{s}", bot_seed="00" * 32) for s in range(seats(rules)))
    return MatchConfig(match_id="m", settings=Settings(rules=rules), players=players)


def test_a_round_tells_its_turn_order_teams_and_ranks() -> None:
    started = RoundStarted(
        round=2,
        dealer=S1,
        commitment=b"c" * 32,
        totals=(),
        order=(S1, S3, S2, S0),
        teams=TEAMS,
        ranks=(S3, S0, S1, S2),
    )
    told = event_of(started).round_started
    assert list(told.turn_order) == [1, 3, 2, 0]
    assert list(told.teams) == list(TEAMS)
    assert list(told.ranks) == [3, 0, 1, 2]


def test_the_end_of_a_round_tells_ranks_and_whose_call_was_refused() -> None:
    ended = RoundEnded(
        at=5,
        round=2,
        points=(),
        card_points=(),
        calls=(),
        double_victory=False,
        totals=(),
        ranks=(S3, S0, S2, S1),
    )
    told = event_of(ended).round_ended
    assert list(told.ranks) == [3, 0, 2, 1]
    assert not told.HasField("refused_seat")
    refused = RoundEnded(
        at=5,
        round=2,
        points=(0, -100),
        card_points=(),
        calls=(),
        double_victory=False,
        totals=(0, -100),
        refused=S0,
    )
    told = event_of(refused).round_ended
    assert (told.HasField("refused_seat"), told.refused_seat) == (True, 0)


def test_the_soloist_alone_is_dealt_the_second_hand_once_all_cards_are_dealt() -> None:
    hands = tuple(mask_of([card]) for card in (8, 9, 10, 11))
    dealt = CardsDealt(hands=hands, complete=True, soloist=S1, tisch=S2)
    seen = {
        seat: [(hand.seat, list(hand.cards)) for hand in event_of(dealt, seat).cards_dealt.hands]
        for seat in (0, 1, 3)
    }
    assert seen == {0: [(0, [8])], 1: [(1, [9]), (2, [10])], 3: [(3, [11])]}


def test_everybody_is_told_how_many_cards_were_dealt_the_hidden_hand_included() -> None:
    first = CardsDealt(hands=(15 << 8, 15 << 12, 0, 15 << 16), complete=False, soloist=S0)
    assert list(event_of(first).cards_dealt.counts) == [4, 4, 0, 4]
    trichu = CardsDealt(
        hands=(15 << 8, 15 << 12, 0, 15 << 16), complete=False, soloist=S0, tisch=S2
    )
    told = [list(event_of(trichu, seat).cards_dealt.counts) for seat in range(4)]
    assert told == [[4, 4, 4, 4]] * 4


def test_the_soloist_is_told_what_each_hand_gave_and_got() -> None:
    gifts = ((S0, S1, 1 << 8), (S0, S2, 1 << 9), (S2, S0, 1 << 10), (S3, S2, 1 << 11))
    moved = CardsExchanged(gifts=gifts, soloist=S1, tisch=S2)
    own, tisch = event_of(moved, seat=1).cards_exchanged.hands
    assert (own.seat, [(g.seat, list(g.cards)) for g in own.received]) == (1, [(0, [8])])
    assert (tisch.seat, [(g.seat, list(g.cards)) for g in tisch.gave]) == (2, [(0, [10])])
    assert [(g.seat, list(g.cards)) for g in tisch.received] == [(0, [9]), (3, [11])]
    (other,) = event_of(moved, seat=3).cards_exchanged.hands
    assert (other.seat, [list(g.cards) for g in other.gave], len(other.received)) == (3, [[11]], 0)


def test_a_hand_that_lies_open_is_the_same_for_all() -> None:
    shown = HandShown(seat=S2, cards=mask_of([8, 59]))
    (encoded,) = CODEC.events(1, [shown], 4)
    assert isinstance(encoded, bytes)
    told = event_of(shown).hand_shown
    assert (told.seat, list(told.cards)) == (2, [8, 59])


def test_bids_are_told_to_the_own_team_alone() -> None:
    bids = tuple(zip((S0, S1, S2, S3), (CallKind.BID_0, *[CallKind.BID_3] * 3), strict=True))
    shown = BidsShown(bids=bids, teams=(0, 1, 0, 1))
    for seat, team in enumerate([(0, 2), (1, 3), (0, 2), (1, 3)]):
        assert tuple(bid.seat for bid in event_of(shown, seat).bids_shown.bids) == team
    (first, _) = event_of(shown, 2).bids_shown.bids
    assert (first.seat, first.bid) == (0, match_pb2.CALL_KIND_BID_0)


@pytest.mark.parametrize(
    ("call", "number"), [(CallKind.BID_0, 6), (CallKind.ACCEPT, 10), (CallKind.REFUSE, 11)]
)
def test_bids_and_answers_to_a_call_are_kinds_of_calls(call: CallKind, number: int) -> None:
    assert event_of(CallMade(at=1, seat=S1, call=call)).call_made.call == number
    answer = referee_pb2.Answer(match=1, ask_id=1)
    answer.call.choice = match_pb2.CallKind.ValueType(number)
    frame = decode_frame(referee_pb2.PlayRequest(answers=[answer]).SerializeToString(), 10)
    assert isinstance(frame, Frame)
    assert frame.answers[0].decision == CallDecision(choice=call)


def test_an_ask_is_for_a_hand_and_names_whose_call_is_judged() -> None:
    choices = (CallKind.ACCEPT, CallKind.REFUSE)
    ask = Ask(seat=S2, to=S0, id=4, kind=AskKind.CALL, choices=choices, judged=S1)
    told = ask_of(ask)
    assert (told.for_seat, list(told.call.choices), told.call.of_seat) == (2, [10, 11], 1)
    bet = Ask(seat=S0, to=S0, id=1, kind=AskKind.CALL, choices=(CallKind.GRAND,))
    assert not ask_of(bet).call.HasField("of_seat")


def test_slots_say_how_many_cards_and_which_are_forced() -> None:
    slots = ((S1, 3, Forced.BEST), (S1, 2, Forced.WORST), (S3, 1, Forced.FREE))
    ask = Ask(seat=S0, to=S0, id=2, kind=AskKind.EXCHANGE, slots=slots)
    told = [
        (slot.to_seat, slot.count, slot.forced_best, slot.forced_worst)
        for slot in ask_of(ask).exchange.slots
    ]
    assert told == [(1, 3, True, False), (1, 2, False, True), (3, 1, False, False)]


def test_a_call_cancels_what_it_came_before() -> None:
    cancelled = Cancelled(seat=S0, ask_id=4, reason=CancelReason.CALLED)
    (told,) = update_of(CODEC.cancelled_part(cancelled)).cancelled
    assert told.reason == match_pb2.CANCEL_REASON_CALLED


def test_cards_of_the_second_pack_travel_both_ways() -> None:
    (play, *_) = readings(1 << 40 | 1 << 104)  # a ten of each pack
    told = event_of(PlayedEvent(seat=S3, play=play, wish=0, cards_left=1)).played.play
    assert list(told.cards) == [40, 104]
    answer = referee_pb2.Answer(match=1, ask_id=1)
    answer.act.play.cards.extend(told.cards)
    frame = decode_frame(referee_pb2.PlayRequest(answers=[answer]).SerializeToString(), 10)
    assert isinstance(frame, Frame)
    assert frame.answers[0].decision == PlayDecision(cards=(40, 104))


def test_each_of_two_phoenixes_says_what_it_stands_for() -> None:
    cards = mask_of([2, 66, 36, 44, 48, 52])  # both Phoenixes with 9, J, Q, K
    play = readings(cards, two_phoenixes=True)[0]
    told = event_of(PlayedEvent(seat=S3, play=play, wish=0, cards_left=1)).played.play
    assert (told.phoenix_rank, told.second_phoenix_rank) == (10, 14)
    one = readings(mask_of([2, 36, 37]))[0]
    assert not event_of(PlayedEvent(seat=S3, play=one, wish=0, cards_left=1)).played.play.HasField(
        "second_phoenix_rank"
    )


@pytest.mark.parametrize(
    ("options", "teams", "players"),
    [
        ({"variant": "trichu"}, [0, 1, 0, 1], [0, 1, 3]),
        ({"variant": "tientsin"}, [0, 1, 0, 1, 0, 1], [0, 1, 2, 3, 4, 5]),
        ({"variant": "grand_seigneur", "seats": 7}, [], [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_a_seating_tells_who_plays_and_the_teams_of_the_first_round(
    options: dict[str, object], teams: list[int], players: list[int]
) -> None:
    seating = SeatingIn(config=config(**options), seat=Seat(0))
    told = update_of(CODEC.seating_part(seating)).seating
    assert list(told.teams) == teams
    assert list(told.player_seats) == players
    told_options = {option.name: option.value for option in told.options}
    assert told_options["variant"] == options["variant"]


def test_the_tisch_of_trichu_is_no_players_seat() -> None:
    assert player_seats(parse_options({"variant": "trichu"})) == (0, 1, 3)
    assert player_seats(parse_options({})) == (0, 1, 2, 3)


def test_a_snapshot_before_the_first_deal_of_any_game_can_be_read() -> None:
    machine = Machine(config(variant="trichu"))
    told = update_of(CODEC.snapshot_part(machine.snapshot(S0), [])).snapshot
    assert not told.turn_order
    assert list(told.totals) == [0, 0, 0, 0]
