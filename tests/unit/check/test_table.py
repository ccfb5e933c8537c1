"""A table of the check: a whole match for a seat that answers by default."""

import pytest

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.check.opponents import Temper
from referee.check.probe import settings
from referee.check.table import Table
from referee.match.inputs import DefaultDecision, SeatDecision
from referee.match.values import AskKind, Clock, Pace
from referee.ports import AnswerIn, Frame, StandDownIn

GAMES: list[dict[str, object]] = [
    {"rounds": 2},
    {"variant": "trichu", "rounds": 3},
    {"variant": "tientsin"},
    {"variant": "grand_seigneur", "seats": 5, "rounds": 2},
    {"refuse_call": True, "great_grand": True, "rounds": 2},
]


def defaults(table: Table) -> Frame:
    """Answer all that is open by the substitute action."""
    return Frame(answers=[AnswerIn(table.number, one, DefaultDecision()) for one in table.open])


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("patient", [False, True])
def test_a_match_goes_to_its_end_and_tells_every_event_in_order(
    game: dict[str, object], pace: Pace, patient: bool
) -> None:
    table = Table(settings(game, pace=pace), patient=patient, temper=Temper.BOLD, number=3)
    data = table.start()
    numbers: list[int] = []
    asked: list[int] = []
    while True:
        frame = referee_pb2.PlayResponse.FromString(data)
        for update in frame.updates:
            assert update.match == 3
            numbers += [event.number for event in update.events]
            asked += [ask.ask_id for ask in update.asks]
        if table.over:
            break
        table.take(defaults(table))
        data = table.update()
    assert numbers == list(range(1, len(numbers) + 1))
    assert asked == sorted(set(asked))
    assert not table.refusals
    assert table.answered == table.defaults


def test_what_comes_back_is_told_seating_snapshot_and_open_asks() -> None:
    table = Table(settings(rounds=2))
    table.start()
    table.take(defaults(table))
    (update,) = referee_pb2.PlayResponse.FromString(table.retell()).updates
    assert update.HasField("seating")
    assert update.HasField("snapshot")
    assert [ask.ask_id for ask in update.asks] == list(table.open)


def test_an_answer_to_an_ask_that_was_not_put_is_refused() -> None:
    table = Table(settings())
    table.start()
    table.take(Frame(answers=[AnswerIn(1, 99, DefaultDecision())]))
    assert [refusal.code for refusal in table.refusals] == ["NOT_YOUR_ASK"]


def test_an_answer_of_another_kind_is_refused_and_the_ask_stays_open() -> None:
    table = Table(settings())
    table.start()
    (ask_id,) = table.open
    table.take(Frame(answers=[AnswerIn(1, ask_id, SeatDecision(seat=1))]))
    assert [refusal.code for refusal in table.refusals] == ["MALFORMED"]
    assert list(table.open) == [ask_id]


def test_a_request_for_a_hand_of_nobody_is_refused() -> None:
    table = Table(settings())
    table.start()
    table.take(Frame(stand_downs=[StandDownIn(1, 5, 9)]))
    assert [refusal.code for refusal in table.refusals] == ["MALFORMED"]


def test_asks_that_are_cancelled_come_anew() -> None:
    table = Table(settings(clock=Clock()))
    table.start()
    (before,) = table.open
    table.stall()
    (after,) = table.open
    assert after > before
    (update,) = referee_pb2.PlayResponse.FromString(table.update()).updates
    assert [one.ask_id for one in update.cancelled] == [before]
    assert [one.ask_id for one in update.asks] == [after]


def test_a_window_of_bomb_asks_alone_can_lapse() -> None:
    table = Table(settings(pace=Pace.FAIR))
    table.start()
    while not table.only_bombs:
        assert not table.lapse()
        asks = [ask for ask in table.open.values() if ask.kind is not AskKind.BOMB]
        answers = [AnswerIn(1, ask.id, DefaultDecision()) for ask in asks]
        table.take(Frame(answers=answers))
    assert table.lapse()
