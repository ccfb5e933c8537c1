"""What bots send: vectors written by hand, and every field that can be wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    MalformedDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.ports import FieldFault, Frame
from referee.rules.round import CallKind
from referee.wire.decode import decode_frame

MANY = 4_096  # items that a frame may hold


def decided(text: str) -> Decision:
    """The decision of an answer given as hexadecimal bytes of its oneof."""
    body = bytes.fromhex("08071003" + text)  # match 7, ask 3
    frame = decode_frame(b"\x12" + bytes((len(body),)) + body, MANY)
    assert isinstance(frame, Frame)
    (answer,) = frame.answers
    assert (answer.match, answer.ask_id) == (7, 3)
    return answer.decision


@pytest.mark.parametrize(
    ("data", "decision"),
    [
        ("2a020800", PlayDecision(index=0)),
        ("2a020805", PlayDecision(index=5)),
        ("2a021200", PassDecision()),
        ("2a0412002801", PassDecision(tichu=True)),
        ("2a061a040a020809", PlayDecision(cards=(8, 9))),
        ("2a081a060a020208100a", PlayDecision(cards=(2, 8), phoenix_rank=10)),
        ("2a071a030a01042008", PlayDecision(cards=(4,), wish=8)),
        ("2a040801" + "2801", PlayDecision(index=1, tichu=True)),
        ("32020a00", DeclineDecision()),
        ("32021002", BombDecision(index=2)),
        ("32081a060a0408090a0b", BombDecision(cards=(8, 9, 10, 11))),
        ("1a020802", CallDecision(choice=CallKind.GRAND)),
        ("22070a05080112010c", ExchangeDecision(gifts=((1, (12,)),))),
        ("22090a050800120108" + "1001", ExchangeDecision(gifts=((0, (8,)),), tichu=True)),
        ("3a020800", SeatDecision(seat=0)),
        ("4200", DefaultDecision()),
    ],
)
def test_answers_by_hand(data: str, decision: Decision) -> None:
    assert decided(data) == decision


def _answer(**fields: object) -> referee_pb2.Answer:
    return referee_pb2.Answer(match=1, ask_id=1, **fields)  # type: ignore[arg-type]


def _act(**fields: object) -> referee_pb2.Answer:
    return _answer(act=referee_pb2.ActAnswer(**fields))  # type: ignore[arg-type]


def _play(**fields: object) -> match_pb2.Play:
    return match_pb2.Play(**fields)  # type: ignore[arg-type]


def _exchange(*gifts: match_pb2.Gift) -> referee_pb2.Answer:
    return _answer(exchange=referee_pb2.ExchangeAnswer(gifts=gifts))


def _bomb(**fields: object) -> referee_pb2.Answer:
    return _answer(bomb=referee_pb2.BombAnswer(**fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (_answer(), "decision: empty"),
        (_act(), "act.choice: empty"),
        (_act(index=0, wish=15), "act.wish: 15 is no rank"),
        (_act(index=0, wish=0), "act.wish: 0 is no rank"),
        (_act(**{"pass": referee_pb2.Pass()}, wish=5), "act.wish: set with a pass"),
        (_act(play=_play()), "act.play.cards: empty"),
        (_act(play=_play(cards=[8, 0])), "act.play.cards[1]: 0 is no Card"),
        (_act(play=_play(cards=[5])), "act.play.cards[0]: 5 is no Card"),
        (_act(play=_play(cards=[200])), "act.play.cards[0]: 200 is no Card"),
        (_act(play=_play(cards=[-1])), "act.play.cards[0]: -1 is no Card"),
        (_act(play=_play(cards=[8] * 57)), "act.play.cards: 57 cards"),
        (_act(play=_play(cards=[2], phoenix_rank=1)), "act.play.phoenix_rank: 1 is no rank"),
        (_act(play=_play(cards=[2], phoenix_rank=99)), "act.play.phoenix_rank: 99 is no rank"),
        (_bomb(), "bomb.choice: empty"),
        (_bomb(play=_play()), "bomb.play.cards: empty"),
        (_bomb(play=_play(cards=[8], phoenix_rank=5)), "bomb.play.phoenix_rank: set"),
        (_answer(call=referee_pb2.CallAnswer()), "call.choice: 0 is no CallKind"),
        (
            _answer(call=referee_pb2.CallAnswer(choice=77)),  # type: ignore[arg-type]
            "call.choice: 77 is no CallKind",
        ),
        (_exchange(match_pb2.Gift(cards=[8])), "exchange.gifts[0].seat: not set"),  # type: ignore[list-item]
        (_exchange(match_pb2.Gift(seat=1)), "exchange.gifts[0].cards: empty"),
        (_exchange(*[match_pb2.Gift(seat=1)] * 13), "exchange.gifts: 13 gifts"),
        (_answer(choose_seat=referee_pb2.ChooseSeatAnswer()), "choose_seat.seat: not set"),
    ],
)
def test_a_wrong_field_is_named(answer: referee_pb2.Answer, text: str) -> None:
    frame = decode_frame(referee_pb2.PlayRequest(answers=[answer]).SerializeToString(), MANY)
    assert isinstance(frame, Frame)
    decision = frame.answers[0].decision
    assert isinstance(decision, MalformedDecision)
    assert decision.text.startswith(text)
    assert "\n" not in decision.text


def test_the_second_packs_cards_that_do_not_exist_are_no_cards() -> None:
    answer = _act(play=_play(cards=[match_pb2.Play, 65][1:]))
    frame = decode_frame(referee_pb2.PlayRequest(answers=[answer]).SerializeToString(), MANY)
    assert isinstance(frame, Frame)
    assert frame.answers[0].decision == MalformedDecision(text="act.play.cards[0]: 65 is no Card")


def test_an_absent_seat_is_not_seat_0() -> None:
    request = referee_pb2.PlayRequest()
    request.calls.add(match=1, for_seat=0, call=match_pb2.CALL_KIND_TICHU)
    request.calls.add(match=1, call=match_pb2.CALL_KIND_TICHU)
    frame = decode_frame(request.SerializeToString(), MANY)
    assert isinstance(frame, Frame)
    assert [call.for_seat for call in frame.calls] == [0, None]


def test_a_goodbye_is_shortened_and_made_printable() -> None:
    text = "bye\x1b[31m" + "x" * 300
    request = referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye(text=text))
    frame = decode_frame(request.SerializeToString(), MANY)
    assert isinstance(frame, Frame)
    assert frame.goodbye is not None
    assert frame.goodbye.startswith("bye?[31mxxx")
    assert len(frame.goodbye) == 200


def test_fields_of_later_versions_are_skipped() -> None:
    frame = decode_frame(bytes.fromhex("fa0703616263") + b"\x32\x02\x08\x05", MANY)
    assert isinstance(frame, Frame)
    assert frame.pong == 5


@given(st.binary(max_size=200))
def test_any_bytes_are_a_frame_or_a_fault(data: bytes) -> None:
    assert isinstance(decode_frame(data, MANY), Frame | FieldFault)


def test_of_a_frame_with_too_many_items_only_the_number_is_read() -> None:
    request = referee_pb2.PlayRequest()
    for _ in range(2):
        request.answers.add(match=1, ask_id=1)
    request.resigns.add(match=1)
    frame = decode_frame(request.SerializeToString(), 2)
    assert isinstance(frame, Frame)
    assert (frame.items, list(frame.answers), list(frame.resigns)) == (3, [], [])
    whole = decode_frame(request.SerializeToString(), 3)
    assert isinstance(whole, Frame)
    assert (whole.items, len(whole.answers), len(whole.resigns)) == (3, 2, 1)
