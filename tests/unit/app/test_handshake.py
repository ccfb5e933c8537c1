"""Hello, Welcome, and the ways to be turned away (PROTOCOL 1 and 2)."""

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.ports import Status, StreamEnd
from tests.unit.app.world import Peer, World, hello_frame


def ended(peer: Peer) -> StreamEnd:
    assert peer.link.end_with is not None, "the stream goes on"
    return peer.link.end_with


def test_a_hello_is_welcomed_with_a_session_token_and_the_limits() -> None:
    peer = World().join()
    frame, ping = peer.frames()
    assert ping.HasField("ping")
    assert frame.welcome.protocol_version == 1
    assert frame.welcome.session_token
    assert frame.welcome.grace_ms == 10_000
    assert frame.welcome.max_frame_bytes == 65_536
    assert not frame.welcome.resumed


def test_the_first_frame_must_be_a_hello() -> None:
    world = World()
    peer = world.stream(world.instance())
    peer.send(referee_pb2.PlayRequest(pong=referee_pb2.Pong(number=1)))
    assert ended(peer).status is Status.INVALID_ARGUMENT
    assert ended(peer).field == "hello"


def test_another_protocol_version_is_a_failed_precondition_that_names_ours() -> None:
    world = World()
    peer = world.stream(world.instance())
    peer.send(hello_frame(protocol_version=2))
    assert ended(peer).status is Status.FAILED_PRECONDITION
    assert ended(peer).field == "hello.protocol_version"
    assert "speaks 1" in ended(peer).text


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"bot_name": "x" * 65}, "hello.bot_name"),
        ({"bot_name": "a\nb"}, "hello.bot_name"),
        ({"bot_version": "x" * 65}, "hello.bot_version"),
        ({"max_matches": 513}, "hello.max_matches"),
        ({"event_delivery": 9}, "hello.event_delivery"),
    ],
)
def test_a_wrong_field_of_hello_is_named(fields: dict[str, object], field: str) -> None:
    world = World()
    peer = world.stream(world.instance())
    peer.send(hello_frame(**fields))
    assert ended(peer).status is Status.INVALID_ARGUMENT
    assert ended(peer).field == field


def test_a_second_hello_is_refused_and_the_stream_goes_on() -> None:
    peer = World().join()
    peer.frames()
    peer.send(hello_frame())
    (frame,) = peer.frames()
    (refused,) = frame.refused
    assert refused.code == match_pb2.REFUSAL_CODE_MALFORMED
    assert refused.text.startswith("hello:")
    assert peer.link.end_with is None


def test_bytes_that_are_no_frame_end_the_stream_and_say_so() -> None:
    peer = World().join()
    peer.frames()
    peer.send_bytes(b"\xff\xff\xff")
    (frame,) = peer.frames()
    assert frame.closing.code == referee_pb2.CLOSING_CODE_PROTOCOL
    assert frame.closing.retry
    assert ended(peer).status is Status.INVALID_ARGUMENT
    assert ended(peer).field == "frame"


def test_a_token_that_nobody_issued_is_unauthenticated() -> None:
    end = World().reception.admit("guess", near=True)
    assert isinstance(end, StreamEnd)
    assert end.status is Status.UNAUTHENTICATED


@pytest.mark.parametrize(("open_identity", "near"), [(False, True), (True, False)])
def test_no_token_is_unauthenticated_unless_open_and_near(open_identity: bool, near: bool) -> None:
    end = World(open_identity=open_identity).reception.admit(None, near=near)
    assert isinstance(end, StreamEnd)
    assert end.status is Status.UNAUTHENTICATED


def test_without_a_token_each_hello_is_a_new_instance() -> None:
    world = World(open_identity=True)
    assert world.reception.admit(None, near=True) is None
    one, two = world.stream(None), world.stream(None)
    one.send(hello_frame())
    two.send(hello_frame())
    assert one.stream.instance is not two.stream.instance


def test_a_redirect_comes_instead_of_a_welcome() -> None:
    world = World()
    world.reception.redirect = lambda instance: "unix:/elsewhere"
    peer = world.stream(world.instance())
    peer.send(hello_frame())
    (frame,) = peer.frames()
    assert frame.redirect.address == "unix:/elsewhere"
    assert not frame.HasField("welcome")
    assert ended(peer).status is Status.OK


def test_a_session_can_be_asked_to_move() -> None:
    peer = World().join()
    peer.frames()
    assert peer.stream.session is not None
    peer.stream.session.move("other:1")
    peer.world.clock.settle()
    (frame,) = peer.frames()
    assert frame.moved.address == "other:1"


def test_more_sessions_than_the_limit_are_turned_away() -> None:
    world = World(limits=Limits(sessions=1))
    world.join()
    late = world.stream(world.instance())
    late.send(hello_frame())
    assert ended(late).status is Status.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("coming_back", [True, False])
def test_a_draining_referee_sends_bots_away_until_later_or_for_good(*, coming_back: bool) -> None:
    world = World()
    peer = world.join()
    peer.frames()
    world.service.drain(coming_back=coming_back)
    late = world.stream(world.instance())
    late.send(hello_frame())
    for one in (peer, late):
        (frame,) = one.frames()
        assert frame.closing.code == referee_pb2.CLOSING_CODE_DRAINING
        assert frame.closing.retry == coming_back
        assert ended(one).status is Status.UNAVAILABLE
