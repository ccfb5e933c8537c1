"""Requests that answer no ask, and answers that make no sense: refused, and the match goes on."""

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.match.values import MS, Ending
from referee.rules.seat import Seat
from tests.unit.app.world import Peer, World, default_answers, reach_play


@pytest.fixture
def peers() -> list[Peer]:
    world = World()
    peers = world.table()
    world.play(peers)
    return peers


def test_a_call_of_an_unknown_kind_is_refused_by_its_number(peers: list[Peer]) -> None:
    peers[0].frames()
    call = referee_pb2.Call(match=1, call=99, request_id=0)  # type: ignore[arg-type]
    peers[0].send(referee_pb2.PlayRequest(calls=[call]))
    (update,) = peers[0].updates()
    (ack,), (refused,) = update.acks, update.refused
    assert ack.WhichOneof("subject") == refused.WhichOneof("subject") == "request_id"
    assert ack.status == match_pb2.ACK_STATUS_REFUSED
    assert refused.code == match_pb2.REFUSAL_CODE_MALFORMED
    assert refused.text == "call.call: 99 is no CallKind"


def test_a_hand_that_is_not_the_bots_cannot_call_or_stand_down(peers: list[Peer]) -> None:
    peers[0].frames()
    frame = referee_pb2.PlayRequest()
    frame.calls.add(match=1, for_seat=1, call=match_pb2.CALL_KIND_TICHU, request_id=5)
    frame.stand_downs.add(match=1, for_seat=2, request_id=6)
    peers[0].send(frame)
    (update,) = peers[0].updates()
    assert [r.request_id for r in update.refused] == [5, 6]
    assert "call.for_seat: 1" in update.refused[0].text
    assert "stand_down.for_seat: 2" in update.refused[1].text


def test_requests_for_no_match_of_the_stream_are_refused(peers: list[Peer]) -> None:
    peers[0].frames()
    frame = referee_pb2.PlayRequest()
    frame.calls.add(match=2, call=match_pb2.CALL_KIND_TICHU, request_id=1)
    frame.calls.add(match=2, request_id=2)
    frame.stand_downs.add(match=2, request_id=3)
    frame.resigns.add(match=2, request_id=4)
    peers[0].send(frame)
    (response,) = peers[0].frames()
    assert [r.request_id for r in response.refused] == [1, 2, 3, 4]
    assert {r.code for r in response.refused} == {match_pb2.REFUSAL_CODE_NOT_YOUR_ASK}


def test_tichu_is_called_for_everybody_to_see(peers: list[Peer]) -> None:
    leader, rest = reach_play(peers[0].world, peers)
    call = referee_pb2.Call(match=1, call=match_pb2.CALL_KIND_TICHU, request_id=4)
    rest[0].send(referee_pb2.PlayRequest(calls=[call]))
    (update,) = rest[0].updates()
    assert [(a.request_id, a.status) for a in update.acks] == [(4, match_pb2.ACK_STATUS_APPLIED)]
    (told,) = update.events
    rest[0].world.clock.pass_time(1_000_000)
    for peer in (leader, rest[1], rest[2]):
        (event,) = [e for u in peer.updates() for e in u.events]
        assert event == told
    assert told.call_made.call == match_pb2.CALL_KIND_TICHU


def test_the_number_of_an_ask_that_was_not_sent_yet_is_refused(peers: list[Peer]) -> None:
    """The last of four decisions brings the next ask; an answer to it in the same frame guesses."""
    for peer in peers[1:]:
        peer.send(default_answers(peer.asks()))
    ((number, asked),) = peers[0].asks()
    frame = default_answers([(number, asked)])
    for guess in (asked.ask_id + 1, asked.ask_id + 2):
        frame.answers.add(match=number, ask_id=guess).default_action.SetInParent()
    frame.answers.add(match=number, ask_id=asked.ask_id + 1).bomb.decline.SetInParent()
    peers[0].send(frame)
    (update,) = peers[0].updates()
    assert sorted(refused.ask_id for refused in update.refused) == [2, 2, 3]
    assert {refused.code for refused in update.refused} == {match_pb2.REFUSAL_CODE_NOT_YOUR_ASK}
    (ask,) = update.asks
    assert ask.ask_id == 2
    peers[0].send(default_answers([(number, ask)]))
    acks = [ack for update in peers[0].updates() for ack in update.acks]
    assert [(ack.ask_id, ack.status) for ack in acks] == [(2, match_pb2.ACK_STATUS_RECEIVED)]


def test_the_number_of_an_ask_that_comes_of_what_is_due_is_refused_too(peers: list[Peer]) -> None:
    """The frame is read before the timer rings: its stamp lets the time run out first."""
    for peer in peers[1:]:
        peer.send(default_answers(peer.asks()))
    ((number, asked),) = peers[0].asks()
    peers[0].world.clock.time += asked.time_left_ms * MS + SECOND
    frame = referee_pb2.PlayRequest()
    frame.answers.add(match=number, ask_id=asked.ask_id + 1).default_action.SetInParent()
    peers[0].send(frame)
    updates = peers[0].updates()
    refused = [one for update in updates for one in update.refused]
    assert [one.code for one in refused] == [match_pb2.REFUSAL_CODE_NOT_YOUR_ASK]
    assert [ask.ask_id for update in updates for ask in update.asks] == [asked.ask_id + 1]


def test_a_resignation_ends_the_match(peers: list[Peer]) -> None:
    session = peers[3].stream.session
    assert session is not None
    match = session.holdings[1].match
    peers[3].send(referee_pb2.PlayRequest(resigns=[referee_pb2.Resign(match=1, request_id=8)]))
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.RESIGNED, 3)


def test_an_answer_without_a_decision_counts_as_malformed_and_may_be_sent_again(
    peers: list[Peer],
) -> None:
    ((number, ask),) = peers[0].asks()
    empty = referee_pb2.Answer(match=number, ask_id=ask.ask_id)
    peers[0].send(referee_pb2.PlayRequest(answers=[empty]))
    (update,) = peers[0].updates()
    (refused,) = update.refused
    assert refused.code == match_pb2.REFUSAL_CODE_MALFORMED
    assert refused.text.startswith("decision: empty")
    assert refused.resends_left == 2


def test_another_seats_ask_is_not_ones_own(peers: list[Peer]) -> None:
    peers[0].frames()
    frame = referee_pb2.PlayRequest()
    frame.answers.add(match=1, ask_id=99).default_action.SetInParent()
    peers[0].send(frame)
    (update,) = peers[0].updates()
    assert update.refused[0].code == match_pb2.REFUSAL_CODE_NOT_YOUR_ASK
    assert update.acks[0].status == match_pb2.ACK_STATUS_REFUSED


def test_an_index_means_nothing_to_a_bot_that_gets_no_lists() -> None:
    world = World()
    peers = world.table(without_legal_plays=True)
    match = world.play(peers)
    leader, _ = reach_play(world, peers)
    (ask,) = match.machine.open_asks(Seat(peers.index(leader)))
    frame = referee_pb2.PlayRequest()
    frame.answers.add(match=1, ask_id=ask.id).act.index = 0
    leader.send(frame)
    (refused,) = [one for update in leader.updates() for one in update.refused]
    assert refused.code == match_pb2.REFUSAL_CODE_MALFORMED
    assert refused.text == "index: 0 has no list; Hello turned it off, so name the cards"
