"""A question as a frame: what the player is told, and what nobody may be asked."""

import json

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.check.asking_lines import Asked
from referee.check.positions import Posed, Question, frames_of
from referee.formats.suites import SuiteLine, parse_suite_line
from referee.formats.vector_parsing import parse_vector
from referee.match.inputs import PlayDecision
from referee.match.values import AskKind, Pace
from referee.ports import AnswerIn, CallIn, StandDownIn
from referee.rules.cards import card_numbers
from referee.rules.errors import NotationError
from referee.rules.notation import parse_cards
from referee.rules.phases import CallKind
from referee.rules.seat import Seat

HANDS = ["Mj 2j 3s 8p", "8j 8s 9j Kj", "9s Ts Tp 4r", "4j 5j 6j 7j"]
LED = [{"seat": 0, "play": "Mj", "wish": "8"}]
DEAL = [
    "Dr Ph Aj As Ap Kj Ks Kp 2j 3j 4s 6j 7r 9j",
    "2s 3s 5s 7s 8s 9s Js Qp 2p 4p 6p 8p Tp Ar",
    "2r 3r 4r 5r 6r 8r 9r Jp 8j Jj Tj Qj Kr Tr",
    "Mj Dg Ts 4j 5j 5p 6s 7j 7p 9p 3p Jr Qs Qr",
]


def question(
    start: dict[str, object],
    steps: list[dict[str, object]] | None = None,
    *,
    options: dict[str, object] | None = None,
    seat: int | None = None,
    kind: AskKind | None = None,
) -> Question:
    raw = {"id": "x", "options": options or {}, "start": start, "steps": steps or []}
    vector = parse_vector(raw)
    hand = None if seat is None else Seat(seat)
    return Question(name="x", start=vector.start, steps=vector.steps, seat=hand, kind=kind)


def told(frame: referee_pb2.PlayResponse) -> tuple[match_pb2.Update, match_pb2.Ask]:
    (update,) = frame.updates
    (ask,) = update.asks
    return update, ask


def line(**more: object) -> SuiteLine:
    return parse_suite_line(json.dumps({"id": "x", **more}).encode())


def test_a_frame_seats_tells_and_asks() -> None:
    update, ask = told(frames_of(question({"hands": HANDS, "lead": 0}, LED), match=7))
    assert (update.match, update.seating.seat, len(update.seating.names)) == (7, 1, 4)
    assert [list(play.cards) for play in ask.act.plays] == [card_numbers(parse_cards("8j"))]
    snapshot = update.snapshot
    assert (snapshot.turn, snapshot.owner, snapshot.wish) == (1, 0, 8)
    assert list(snapshot.hand_counts) == [3, 4, 4, 4]
    kinds = [event.WhichOneof("event") for event in snapshot.events]
    assert kinds == ["round_started", "cards_dealt", "played"]
    assert [event.number for event in snapshot.events] == [1, 2, 3]
    assert snapshot.last_event == 3


@pytest.mark.parametrize("pace", Pace)
def test_a_bomb_ask_stands_beside_nothing_else(pace: Pace) -> None:
    hands = ["Aj 4s", "8j 2s", "9j 9s", "5s 5p 5r 5j 2j"]
    asked = question(
        {"hands": hands, "lead": 0}, [{"seat": 0, "play": "Aj"}], seat=3, kind=AskKind.BOMB
    )
    _, ask = told(frames_of(asked, pace=pace))
    assert ask.WhichOneof("kind") == "bomb"
    assert len(ask.bomb.plays) == 1


@pytest.mark.parametrize(
    ("start", "steps", "seat"),
    [
        ({"lead": 0}, LED, 1),
        ({"lead": 0}, LED, None),
        ({"phase": "exchange"}, [], 1),
        ({"phase": "grand"}, [], 1),
    ],
)
def test_what_the_player_cannot_see_changes_nothing(
    start: dict[str, object], steps: list[dict[str, object]], seat: int | None
) -> None:
    """Seats 2 and 3 change all their cards; seat 1 is sent the same bytes."""
    whole = "phase" in start
    hands = DEAL if whole else HANDS
    other = [hands[0], hands[1], hands[3], hands[2]]
    frames = [
        frames_of(question({"hands": each, **start}, steps, seat=seat)) for each in (hands, other)
    ]
    assert frames[0].SerializeToString() == frames[1].SerializeToString()
    cards = {card for hand in frames[0].updates[0].snapshot.hands for card in hand.cards}
    mine = " ".join(hands[1].split()[:8]) if start.get("phase") == "grand" else hands[1]
    assert cards == set(card_numbers(parse_cards(mine)))


def test_exchanges_and_gifts_are_told_as_in_a_match() -> None:
    given = [
        {"seat": 0, "exchange": ["2j", "Kj", "3j"]},
        {"seat": 1, "exchange": ["2s", "Ar", "3s"]},
        {"seat": 2, "exchange": ["2r", "Kr", "3r"]},
        {"seat": 3, "exchange": ["4j", "Qs", "5j"]},
    ]
    update, _ = told(frames_of(question({"hands": DEAL, "phase": "exchange"}, given)))
    assert update.seating.seat == 3
    (exchanged,) = [
        event.cards_exchanged
        for event in update.snapshot.events
        if event.WhichOneof("event") == "cards_exchanged"
    ]
    (hand,) = exchanged.hands
    assert hand.seat == 3
    assert [(gift.seat, list(gift.cards)) for gift in hand.received] == [
        (0, card_numbers(parse_cards("3j"))),
        (1, card_numbers(parse_cards("Ar"))),
        (2, card_numbers(parse_cards("2r"))),
    ]


def test_the_tisch_is_asked_through_the_soloist() -> None:
    trichu: dict[str, object] = {"variant": "trichu"}
    for dealer, soloist in ((0, 0), (1, 1), (3, 3)):
        start: dict[str, object] = {"hands": HANDS, "lead": 2, "dealer": dealer}
        update, ask = told(frames_of(question(start, options=trichu)))
        assert (update.seating.seat, ask.for_seat) == (soloist, 2)
        assert {hand.seat for hand in update.snapshot.hands} == {soloist, 2}


def test_an_answer_is_judged_by_the_match() -> None:
    posed = Posed(question({"hands": HANDS, "lead": 0}, LED))
    refused = posed.answer(PlayDecision(cards=tuple(card_numbers(parse_cards("Kj")))))
    assert [one.code for one in refused.refused] == ["MUST_FULFIL_WISH"]
    accepted = posed.answer(PlayDecision(cards=tuple(card_numbers(parse_cards("8s")))))
    assert not accepted.refused
    assert posed.ask.choice is not None
    reply = referee_pb2.PlayResponse.FromString(posed.end(3))
    (update,) = reply.updates
    assert update.match == 3
    assert update.events[-1].WhichOneof("event") == "match_ended"


@pytest.mark.parametrize(
    ("start", "steps", "seat", "kind", "said"),
    [
        ({"phase": "grand"}, [], None, None, "seat: 0, 1, 2, 3 could be asked for call; say which"),
        ({"phase": "grand"}, [], 0, AskKind.ACT, "act cannot be asked here, only call"),
        ({"phase": "exchange"}, [], None, None, "could be asked for exchange"),
        (
            {"phase": "exchange"},
            [{"seat": 1, "exchange": ["2s", "Ar", "3s"]}],
            1,
            None,
            "seat: 1 is not asked for exchange here, but 0, 2, 3",
        ),
        ({"lead": 0}, [], 1, None, "no bomb window while the table is empty"),
        ({"lead": 0}, [], 1, AskKind.ACT, "seat: 1 is not asked for act here, but 0"),
        ({"lead": 0}, [], None, AskKind.CHOOSE_SEAT, "choose_seat cannot be asked here"),
        ({"lead": 0}, [{"seat": 0, "play": "2j"}], 1, AskKind.BOMB, "is not asked for bomb here"),
        ({"lead": 0}, [{"seat": 1, "play": "2s"}], None, None, "step 1 is refused: NOT_YOUR_TURN"),
    ],
)
def test_who_cannot_be_asked_is_named(
    start: dict[str, object],
    steps: list[dict[str, object]],
    seat: int | None,
    kind: AskKind | None,
    said: str,
) -> None:
    with pytest.raises(NotationError) as wrong:
        frames_of(question({"hands": DEAL, **start}, steps, seat=seat, kind=kind))
    assert said in str(wrong.value)


def test_nobody_is_asked_in_a_round_that_is_over() -> None:
    start: dict[str, object] = {"hands": ["2j", "3j", "", "5j"], "out": [2], "lead": 0}
    with pytest.raises(NotationError, match="the round is over"):
        frames_of(question(start, [{"seat": 0, "play": "2j"}]))


PLAY: dict[str, object] = {"start": {"hands": HANDS, "lead": 0}, "steps": LED}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({**PLAY, "one_of": ["Kj"]}, "one_of[0]: 'Kj' cannot be played here: MUST_FULFIL_WISH"),
        ({**PLAY, "one_of": ["8j"], "none_of": ["2j"]}, "none_of[0]: '2j' cannot be played here"),
        ({**PLAY, "one_of": ["no_bomb"]}, "is no answer to act, whose words are pass, tichu"),
        ({**PLAY, "one_of": ["pass"]}, "is not allowed here: the seat has to play"),
        ({**PLAY, "one_of": [{"seat": 1}]}, "is none of the seats []"),
        ({**PLAY, "one_of": [{"exchange": ["8j"]}]}, "is no answer to act"),
        (
            {"start": {"hands": HANDS, "lead": 0, "played": [0]}, "one_of": ["tichu"]},
            "cannot be called here any more",
        ),
        (
            {"start": {"hands": DEAL, "phase": "grand"}, "seat": 0, "one_of": ["great_grand"]},
            "whose words are default, grand, no_grand",
        ),
        (
            {"start": {"hands": DEAL, "phase": "grand"}, "seat": 0, "one_of": [{"wish": "8"}]},
            "is no answer to call",
        ),
        (
            {
                "start": {"hands": DEAL, "phase": "exchange"},
                "seat": 0,
                "one_of": [{"exchange": ["Dr"]}],
            },
            "names 1 cards, 3 are due; write null for any",
        ),
        (
            {
                "start": {"hands": DEAL, "phase": "exchange"},
                "seat": 0,
                "one_of": [{"exchange": ["Ar", None, None]}],
            },
            "names a card that is not in the hand",
        ),
    ],
)
def test_an_entry_that_nobody_could_answer_is_a_fault_of_the_line(
    raw: dict[str, object], said: str
) -> None:
    with pytest.raises(NotationError) as wrong:
        Asked(line(**raw))
    assert said in str(wrong.value)


def test_a_call_that_stands_alone_counts_as_one_that_rides() -> None:
    raw = {"start": {"hands": HANDS, "lead": 0}, "one_of": ["tichu"]}
    asked = Asked(line(**raw))
    asked.call(CallIn(1, 5, None, CallKind.TICHU))
    assert not asked.settled
    asked.answer(AnswerIn(1, asked.posed.ask.id, PlayDecision(index=0, wish=2)))
    assert (asked.settled, asked.fault) == (True, None)


def test_standing_down_declines_a_bomb() -> None:
    raw = {
        "start": {"hands": ["Aj 4s", "8j 2s", "9j 9s", "5s 5p 5r 5j 2j"], "lead": 0},
        "steps": [{"seat": 0, "play": "Aj"}],
        "seat": 3,
        "one_of": ["no_bomb"],
    }
    asked = Asked(line(**raw))
    asked.stand_down(StandDownIn(1, 5, None))
    assert (asked.settled, asked.fault) == (True, None)
