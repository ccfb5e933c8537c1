"""The random bots: legal, and the same in a repeated run."""

from tests.unit.sample_bots.frames import act_ask, bomb_ask, play, position, seating, update
from tichu_bot import PASS, Slot, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bots.random_play import RandomBot
from tichu_bot.minimal import MinimalPlayer
from tichu_bot.seat import SeatPlayer

SINGLES = ["Mj", "2j", "3s", "4p", "5r", "6j"]


def seeded(hand: str, plays: list[str], seed: bytes) -> View:
    view = position(hand, plays)
    view.bot_seed = seed
    return view


def test_the_same_seed_gives_the_same_plays() -> None:
    def line(seed: bytes) -> list[object]:
        view = seeded("Mj 2j 3s 4p 5r 6j", SINGLES, seed)
        return [RandomBot().act(view) for _ in range(50)]

    assert line(b"a" * 32) == line(b"a" * 32) != line(b"b" * 32)


def test_a_decision_that_is_asked_for_again_is_the_same_and_changes_no_later_one() -> None:
    """A bomb makes an answer void, and a referee that stalled asks anew: how often is chance."""

    def line(*times: int) -> list[pb.ActAnswer]:
        player = SeatPlayer(1, RandomBot())
        player.update(seating(), pb.PlayRequest())
        given, number = [], 0
        for turn, asked in enumerate(times, start=1):
            for _ in range(asked):
                number += 1
                out = pb.PlayRequest()
                player.update(update(1, act_ask(number, SINGLES, may_pass=True)), out)
            given.append(out.answers[0].act)
            passed = match_pb.Event(number=turn, passed=match_pb.Passed(seat=turn % 4))
            player.update(match_pb.Update(match=1, events=[passed]), pb.PlayRequest())
        return given

    once = line(*[1] * 40)
    assert line(*[1, 2, 3, 1] * 10) == once
    assert len({answer.SerializeToString(deterministic=True) for answer in once}) > 4


def test_every_legal_act_occurs_and_a_pass_only_where_it_is_allowed() -> None:
    view = seeded("Mj 2j 3s 4p 5r 6j", SINGLES, b"a" * 32)
    acts = [RandomBot().act(view) for _ in range(500)]
    assert {act.play for act in acts} == set(view.plays)
    assert {act.wish for act in acts if act.play == view.plays[0]} >= {None, 2, 14}
    assert all(act.wish is None for act in acts if act.play != view.plays[0])
    view.may_pass = True
    assert PASS in [RandomBot().act(view) for _ in range(500)]


def test_a_wish_that_must_be_named_is() -> None:
    view = seeded("Mj", ["Mj"], b"a" * 32)
    view.wish_required = True
    assert all(RandomBot().act(view).wish for _ in range(200))


def test_the_exchange_gives_distinct_cards_of_the_hand() -> None:
    view = seeded("2j 3s 4p 5r", [], b"a" * 32)
    view.slots = (Slot(1), Slot(2), Slot(3))
    given = RandomBot().exchange(view).cards
    assert len(set(given)) == 3
    assert set(given) <= set(view.hand)


def minimal_answers(*asks: match_pb.Ask) -> list[pb.Answer]:
    out = pb.PlayRequest()
    frame = pb.PlayResponse(updates=[seating(), update(1, *asks)])
    MinimalPlayer().frame(frame, out)
    return list(out.answers)


def test_minimal_answers_every_kind_of_ask() -> None:
    asks = [
        act_ask(1, SINGLES),
        bomb_ask(2, ["5j 5s 5p 5r"]),
        bomb_ask(3),
        match_pb.Ask(
            ask_id=4,
            call=match_pb.CallAsk(choices=[match_pb.CALL_KIND_GRAND, match_pb.CALL_KIND_NO_GRAND]),
        ),
        match_pb.Ask(ask_id=5, exchange=match_pb.ExchangeAsk()),
        match_pb.Ask(ask_id=6, choose_seat=match_pb.ChooseSeatAsk(seats=[1, 3])),
        match_pb.Ask(ask_id=7),
        match_pb.Ask(ask_id=8, act=match_pb.ActAsk(may_pass=True)),
    ]
    answers = minimal_answers(*asks)
    kinds = [answer.WhichOneof("decision") for answer in answers]
    default = "default_action"
    assert kinds == ["act", "bomb", "bomb", "call", default, "choose_seat", default, "act"]
    assert answers[0].act.index < len(SINGLES)
    assert answers[2].bomb.HasField("decline")
    assert answers[5].choose_seat.seat in (1, 3)
    assert answers[7].act.WhichOneof("choice") == "pass"


def test_minimal_repeats_itself_and_uses_the_whole_list() -> None:
    asks = [act_ask(number, SINGLES) for number in range(1, 200)]
    answers = minimal_answers(*asks)
    assert answers == minimal_answers(*asks)
    assert {answer.act.index for answer in answers} == set(range(len(SINGLES)))
    with_mah_jong = [a.act.HasField("wish") for a in answers if a.act.index == 0]
    assert all(with_mah_jong)
    assert play("Mj").cards == [4]
