"""The scan of what watchers are sent: every field has a meaning, and what leaks is found."""

import pytest

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2, matches_pb2
from tests.simulation.leaks.public import WATCHED, faults_of_watched


def test_each_field_that_a_watcher_is_sent_is_classified_and_no_other() -> None:
    fields = {
        f"{message.name}.{field.name}"
        for message in (
            matches_pb2.WatchMatchResponse.DESCRIPTOR,
            matches_pb2.MatchInfo.DESCRIPTOR,
        )
        for field in message.fields
    }
    assert fields == {*WATCHED}


@pytest.mark.parametrize(
    "event",
    [
        match_pb2.Event(
            cards_dealt=match_pb2.CardsDealt(
                hands=[match_pb2.Gift(seat=1, cards=[card_pb2.CARD_DRAGON])]
            )
        ),
        match_pb2.Event(
            cards_exchanged=match_pb2.CardsExchanged(
                hands=[match_pb2.HandExchanged(gave=[match_pb2.Gift(seat=1)])]
            )
        ),
    ],
    ids=["dealt", "exchanged"],
)
def test_what_is_for_one_seat_is_found(event: match_pb2.Event) -> None:
    message = matches_pb2.WatchMatchResponse(events=[event])
    assert faults_of_watched([message.SerializeToString()], [])


def test_a_card_in_a_name_is_found() -> None:
    info = matches_pb2.MatchInfo(match_id="m", names=["2j 3j"])
    message = matches_pb2.WatchMatchResponse(match=info)
    assert faults_of_watched([message.SerializeToString()], [])
