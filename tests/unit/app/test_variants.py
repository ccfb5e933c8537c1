"""The other games of the box in the service: who sits, who hears what, restarts in the middle."""

from collections.abc import Mapping, Sequence

import msgspec
import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.app.lobby import Lobby
from referee.app.seating import players_by_seat
from referee.app.session import Session
from referee.match.facts import CallAsked, MatchEnded, StoodDown
from referee.match.values import MS, Blame, Ending, MatchConfig, Pace
from referee.rules.errors import ConfigError
from referee.rules.options import parse_options, player_seats
from tests.unit.app.coming_back import come_back, running, same_facts_once
from tests.unit.app.world import HEADER, Peer, World, config_of, default_answers

GAMES: Mapping[str, Mapping[str, object]] = {
    "trichu": {"variant": "trichu", "rounds": 3},
    "tientsin": {"variant": "tientsin", "rounds": 2},
    "five": {"variant": "grand_seigneur", "seats": 5, "rounds": 2},
    "twelve": {"variant": "grand_seigneur", "seats": 12, "rounds": 2},
    "chaos": {"rounds": 2, "chaos": True},
    "refusing": {"rounds": 2, "refuse_call": True},
}


def game(options: Mapping[str, object], **settings: object) -> MatchConfig:
    config = config_of("m", rules=parse_options(options), **settings)
    rules = config.settings.rules
    players = players_by_seat(rules, [f"p{seat}" for seat in player_seats(rules)])
    seeded = tuple(msgspec.structs.replace(player, bot_seed="00" * 32) for player in players)
    return msgspec.structs.replace(config, players=seeded)


def table(world: World, config: MatchConfig) -> list[Peer]:
    return [world.join() for _ in player_seats(config.settings.rules)]


def until(world: World, peers: list[Peer], kind: str) -> dict[int, match_pb2.Ask]:
    """Answer by default up to asks of a kind; return them by the place of their peer."""
    for _ in range(1_000):
        found = {}
        for place, peer in enumerate(peers):
            asks = peer.asks()
            wanted = [ask for _, ask in asks if ask.WhichOneof("kind") == kind]
            if wanted:
                found[place] = wanted[0]
            others = [(n, ask) for n, ask in asks if ask.WhichOneof("kind") != kind]
            if others and not wanted:
                peer.send(default_answers(others), settle=False)
        world.clock.pass_time(MS)
        if found:
            return found
    raise AssertionError(f"nobody is asked: {kind}")


def to_the_end(world: World, peers: list[Peer]) -> MatchEnded:
    match = running(world)
    for _ in range(5_000):
        if match.ended is not None:
            return match.ended
        for peer in peers:
            if asks := peer.asks():
                peer.send(default_answers(asks), settle=False)
        world.clock.pass_time(20 * MS)
    raise AssertionError("the match does not end")


@pytest.mark.parametrize("pace", list(Pace))
@pytest.mark.parametrize("name", GAMES)
def test_a_match_goes_on_after_kills_to_its_end(name: str, pace: Pace) -> None:
    world = World()
    config = game(GAMES[name], pace=pace, window_ns=20 * MS)
    peers = table(world, config)
    world.play(peers, config)
    for _ in range(12):
        for _ in range(4):
            for peer in peers:
                if asks := peer.asks():
                    peer.send(default_answers(asks), settle=False)
            world.clock.pass_time(25 * MS)
        before = world.facts()
        assert world.restart(outage_ns=SECOND) == 1
        assert world.facts() == before
        peers = come_back(world, peers)
    ended = to_the_end(world, peers)
    assert (ended.ending, ended.rounds) == (Ending.COMPLETED, GAMES[name]["rounds"])
    same_facts_once(world)


def test_trichu_takes_three_instances_and_names_the_tisch() -> None:
    world = World()
    config = game(GAMES["trichu"])
    peers = table(world, config)
    match = world.play(peers, config)
    assert list(match.holdings) == [0, 1, 3]
    assert match.names == ["bot", "bot", "Tisch", "bot"]
    told = [peer.updates()[0].seating for peer in peers]
    assert [seating.seat for seating in told] == [0, 1, 3]
    assert [list(seating.player_seats) for seating in told] == [[0, 1, 3]] * 3
    assert [list(seating.names) for seating in told] == [["p0", "p1", "Tisch", "p3"]] * 3


@pytest.mark.parametrize(("name", "peers"), [("trichu", 4), ("five", 4), ("tientsin", 4)])
def test_a_wrong_number_of_instances_is_refused(name: str, peers: int) -> None:
    world = World()
    with pytest.raises(ConfigError, match=f"{peers} instances"):
        world.play([world.join() for _ in range(peers)], game(GAMES[name]))


def test_a_lobby_of_trichu_seats_three_at_a_time() -> None:
    world = World()
    config = game(GAMES["trichu"])
    started: list[int] = []

    def start(sessions: Sequence[Session]) -> None:
        started.append(len(sessions))
        named = msgspec.structs.replace(config, match_id=f"m{len(started)}")
        world.service.start_match(named, sessions, header=HEADER)

    seats = len(player_seats(config.settings.rules))
    world.reception.open_lobby(Lobby(seats=seats, may_share=False, start=start))
    for _ in range(7):
        world.join()
    assert started == [3, 3]


def test_the_soloist_is_asked_for_both_hands_under_one_row_of_numbers() -> None:
    world = World()
    config = game(GAMES["trichu"])
    peers = table(world, config)
    world.play(peers, config)
    for peer in peers:
        peer.send(default_answers(peer.asks()), settle=False)  # the opponents' Grand decisions
    world.clock.pass_time(MS)
    asked = [
        [(ask.for_seat, ask.ask_id) for _, ask in peer.asks() if ask.HasField("exchange")]
        for peer in peers
    ]
    assert [[seat for seat, _ in one] for one in asked] == [[0, 2], [1], [3]]
    assert len({number for _, number in asked[0]}) == 2


def request(**fields: int) -> referee_pb2.PlayRequest:
    frame = referee_pb2.PlayRequest()
    frame.stand_downs.add(match=1, **fields)
    return frame


def test_each_hand_of_the_soloist_stands_down_and_another_player_may_not_for_it() -> None:
    world = World()
    config = game(GAMES["trichu"], pace=Pace.FAIR, window_ns=20 * MS)
    peers = table(world, config)
    world.play(peers, config)
    until(world, peers, "act")
    for peer in peers:
        peer.frames()
    peers[0].send(request(for_seat=2, request_id=7))
    (ack,) = [ack for update in peers[0].updates() for ack in update.acks]
    assert (ack.request_id, ack.status) == (7, match_pb2.ACK_STATUS_APPLIED)
    peers[1].send(request(for_seat=2, request_id=8))
    (refused,) = [one for update in peers[1].updates() for one in update.refused]
    assert (refused.request_id, "for_seat" in refused.text) == (8, True)
    peers[1].send(request(for_seat=3, request_id=9))
    (refused,) = [one for update in peers[1].updates() for one in update.refused]
    assert (refused.code, refused.request_id) == (match_pb2.REFUSAL_CODE_MALFORMED, 9)
    downs = [fact for fact in world.facts() if isinstance(fact, StoodDown)]
    assert (downs[0].seat, downs[0].for_seat, downs[0].code) == (0, 2, "")


def test_a_call_for_the_tisch_is_hers() -> None:
    """G6: each of the soloist's hands may call until its own first card."""
    world = World()
    config = game(GAMES["trichu"], pace=Pace.FAIR, window_ns=20 * MS)
    peers = table(world, config)
    world.play(peers, config)
    until(world, peers, "act")
    frame = referee_pb2.PlayRequest()
    frame.calls.add(match=1, for_seat=2, call=match_pb2.CALL_KIND_TICHU, request_id=0)
    peers[1].frames()
    peers[0].send(frame)
    heard = [event.call_made for update in peers[1].updates() for event in update.events]
    assert [(call.seat, call.call) for call in heard] == [(2, match_pb2.CALL_KIND_TICHU)]
    (asked,) = [fact for fact in world.facts() if isinstance(fact, CallAsked)]
    assert (asked.seat, asked.for_seat) == (0, 2)


@pytest.mark.parametrize("name", GAMES)
def test_who_resigns_ends_the_match_by_its_seat(name: str) -> None:
    world = World()
    config = game(GAMES[name])
    peers = table(world, config)
    match = world.play(peers, config)
    until(world, peers, "act")
    frame = referee_pb2.PlayRequest()
    frame.resigns.add(match=1, request_id=3)
    peers[-1].send(frame)
    assert match.ended is not None
    seat = player_seats(config.settings.rules)[-1]
    assert (match.ended.ending, match.ended.seat) == (Ending.RESIGNED, seat)
    assert match.ended.blame is Blame.BOT
    for peer in peers:
        (told,) = [
            event.match_ended
            for update in peer.updates()
            for event in update.events
            if event.HasField("match_ended")
        ]
        assert told.seat == seat
        assert len(told.awarded) == len(match.ended.awarded)
