"""Lines of a suite: what is compared, and what is wrong with one that is none."""

import json
from collections.abc import Sequence

import pytest

from referee.formats.suites import (
    BadLine,
    Given,
    SuiteLine,
    expected_text,
    fault_of,
    given_text,
    parse_suite_line,
    read_suite,
)
from referee.match.step import Choice
from referee.match.values import AskKind
from referee.rules.combinations import Combination, readings
from referee.rules.errors import NotationError
from referee.rules.exchanges import ExchangeSlot
from referee.rules.notation import parse_cards, parse_play
from referee.rules.phases import CallKind
from referee.rules.seat import Seat

START = {"hands": ["2j", "3j", "4j", "5j"], "lead": 0}
SLOTS = (ExchangeSlot(Seat(1)), ExchangeSlot(Seat(2)), ExchangeSlot(Seat(3)))


def suite_line(**more: object) -> SuiteLine:
    return parse_suite_line(json.dumps({"id": "x", "start": START, **more}).encode())


def played(text: str) -> Combination:
    cards, rank = parse_play(text)
    return next(p for p in readings(cards) if rank in (None, p.phoenix_rank))


def act(text: str | None, *, wish: int = 0, tichu: bool = False, default: bool = False) -> Given:
    play = None if text is None else played(text)
    choice = Choice(play=play, wish=wish, tichu=tichu)
    return Given(kind=AskKind.ACT, choice=choice, tichu=tichu, default=default)


def gives(*cards: str, slots: Sequence[ExchangeSlot] = SLOTS) -> Given:
    masks = tuple(map(parse_cards, cards))
    return Given(kind=AskKind.EXCHANGE, choice=Choice(cards=masks), slots=tuple(slots))


@pytest.mark.parametrize(
    ("entry", "given", "same"),
    [
        ("8j", act("8r"), True),
        ("8j", act("9j"), False),
        ("8j 8s", act("8p 8r"), True),
        ("8j 8s", act("8p"), False),
        ("8j 8s 8p 8r", act("8j 8s 8p 8r"), True),
        ("5j 6j 7j 8j 9j", act("5s 6s 7s 8s 9s"), False),  # another bomb
        ("5j 6j 7j 8j 9r", act("5s 6s 7s 8s 9s"), False),  # a straight is no bomb
        ("5j 6j 7j 8j 9r", act("5s 6s 7s 8r 9s"), True),
        ("8j 8s 8p 9j 9s", act("8j 8s 8r 9p 9r"), True),
        ("8j 8s 8p 9j 9s", act("8j 8s 8r Tp Tr"), False),
        ("8j 8s 9j 9s Ph=8", act("8j 8s 9j 9s Ph=8"), True),
        ("8j 8s 9j 9s Ph=8", act("8j 8s 9j 9s Ph=9"), False),
        ("8j 8s 9j 9s Ph", act("8j 8s 9j 9s Ph=9"), True),  # unsaid: the highest reading
        ("Ph", act("Ph"), True),
        ("Ph", act("Dr"), False),
        ("Dg", act("Mj"), False),
        ("pass", act(None), True),
        ("pass", act("8j"), False),
        ("tichu", act("8j", tichu=True), True),
        ("no_tichu", act("8j", tichu=True), False),
        ("no_tichu", act(None), True),
        ({"wish": "8"}, act("Mj", wish=8), True),
        ({"wish": "8"}, act("Mj", wish=9), False),
        ({"play": "Mj", "wish": "8"}, act("Mj", wish=8), True),
        ({"play": "2j", "wish": "8"}, act("Mj", wish=8), False),
        ({"play": "8j", "call": "tichu"}, act("8s", tichu=True), True),
        ({"play": "8j", "call": "tichu"}, act("8s"), False),
        ({"play": "pass", "call": "tichu"}, act(None, tichu=True), True),
        ({"play": "pass", "call": "tichu"}, act("8s", tichu=True), False),
        ({"exchange": ["2j", "Ar", "3s"]}, gives("2s", "Aj", "3s"), True),
        ({"exchange": ["2j", "Ar", "3s"]}, gives("3s", "Aj", "2j"), False),
        ({"exchange": [None, "Ar", None]}, gives("3s", "Aj", "2j"), True),
        ({"exchange": ["Ar", None, None]}, gives("3s", "Aj", "2j"), False),
        (
            {"exchange": ["Kj", "Dr"]},
            gives("Dr Ks", slots=[ExchangeSlot(Seat(0), 2)]),
            True,  # within a slot there is no order
        ),
        (
            {"exchange": ["Kj", "Kp"]},
            gives("Dr Ks", slots=[ExchangeSlot(Seat(0), 2)]),
            False,  # each is counted
        ),
        ({"seat": 3}, Given(kind=AskKind.CHOOSE_SEAT, choice=Choice(seat=Seat(3))), True),
        ({"seat": 3}, Given(kind=AskKind.CHOOSE_SEAT, choice=Choice(seat=Seat(1))), False),
        ("grand", Given(kind=AskKind.CALL, choice=Choice(call=CallKind.GRAND)), True),
        ("grand", Given(kind=AskKind.CALL, choice=Choice(call=CallKind.NO_GRAND)), False),
        ("no_bomb", Given(kind=AskKind.BOMB, choice=Choice()), True),
        ("pass", Given(kind=AskKind.BOMB, choice=Choice()), False),
    ],
)
def test_what_an_answer_meant_is_compared(entry: object, given: Given, *, same: bool) -> None:
    wanted, unwanted = suite_line(one_of=[entry]), suite_line(none_of=[entry])
    assert (fault_of(wanted, given) is None) is same
    assert (fault_of(unwanted, given) is None) is not same


def test_one_of_several_is_enough_and_none_of_several_may_be() -> None:
    line = suite_line(one_of=["8j", "9j"], none_of=[{"play": "9j", "call": "tichu"}, "Tj"])
    assert fault_of(line, act("9s")) is None
    assert fault_of(line, act("9s", tichu=True)) == (
        "expected 8j or 9j, not 9j, tichu nor Tj, got 9s, tichu"
    )


def test_a_default_is_right_only_where_it_is_named() -> None:
    given = act("8j", default=True)
    assert fault_of(suite_line(one_of=["8j"]), given) == "expected 8j, got default (8j)"
    assert fault_of(suite_line(none_of=["9j"]), given) is not None
    assert fault_of(suite_line(one_of=["default"]), given) is None


def test_what_was_given_and_expected_is_told_in_the_notation() -> None:
    assert given_text(gives("2s", "Aj", "3s")) == "gives 2s Aj 3s"
    assert given_text(act("Mj", wish=8, tichu=True)) == "Mj, wish 8, tichu"
    line = suite_line(one_of=[{"exchange": [None, "Ar", None]}, "tichu"])
    assert expected_text(line) == "gives any Ar any or tichu"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"oneof": ["2j"]}, 'unknown key "oneof"; did you mean "one_of"?'),
        ({"one_of": "2j"}, "one_of is no list"),
        ({"one_of": []}, "say which answers are right"),
        ({"one_of": ["2x"]}, "one_of[0]: '2x' is no card"),
        ({"one_of": ["passes"]}, "words are pass, no_bomb, default"),
        ({"one_of": ["2j 5s"]}, 'one_of[0]: "2j 5s" is no combination'),
        ({"one_of": ["2j 2j"]}, "is no combination"),
        ({"none_of": ["3j", {}]}, "none_of[1] is empty"),
        ({"one_of": ["3j"], "none_of": ["pass", "3j"]}, "so nothing can pass"),
        ({"one_of": [{"card": "2j"}]}, 'unknown key "card"'),
        ({"one_of": [{"wish": "1"}]}, "no rank from 2 to A"),
        ({"one_of": [{"seat": 4}]}, "there is no seat 4"),
        ({"one_of": [{"call": "solo"}]}, 'call: "solo" is none of'),
        ({"one_of": [{"exchange": ["2j 3j"]}]}, "is not one card; null is any"),
        ({"one_of": [3]}, "one_of[0] is no object"),
        ({"one_of": ["2j"], "ask": "play"}, "is none of call, exchange, act, bomb, choose_seat"),
        ({"one_of": ["2j"], "seat": "0"}, "seat is no whole number"),
        ({"one_of": ["2j"], "id": ""}, "id is empty"),
        ({"one_of": ["2j"], "title": 3}, "title is no text"),
        ({"one_of": ["2j"], "start": {"hands": []}}, "start: hands: 0 given"),
        ({"one_of": ["2j"], "options": {"varinat": "tichu"}}, "varinat"),
        ({"one_of": ["2j"], "steps": [{}]}, "step 1"),
    ],
)
def test_a_line_that_is_none_is_named_with_what_would_do(
    change: dict[str, object], said: str
) -> None:
    with pytest.raises(NotationError) as wrong:
        suite_line(**change)
    assert said in str(wrong.value)


def test_a_suite_is_read_to_its_end_whatever_is_in_it() -> None:
    good = json.dumps({"id": "x", "start": START, "one_of": ["2j"]}).encode()
    lines = [b"\xef\xbb\xbf" + good, b"\n", b"{", b"[]", b"\xff", good, b'{"id":"\x1b[2J"}']
    read = list(read_suite(lines))
    assert [number for number, _ in read] == [1, 3, 4, 5, 6, 7]
    assert isinstance(read[0][1], SuiteLine)
    faults = [line.fault for _, line in read if isinstance(line, BadLine)]
    assert len(faults) == 5
    assert faults[3] == 'id "x" is that of line 1 too'
    assert all(fault.isprintable() for fault in faults)
