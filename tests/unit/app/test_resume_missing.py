"""After a restart: seats that do not come back, matches that were over or cannot go on."""

from collections.abc import MutableMapping

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import SECOND
from referee.match.facts import Faulted, encode_fact
from referee.match.values import MS, Blame, Ending
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.unit.app.coming_back import (
    come_back,
    hello_of,
    reach_round,
    running,
    same_facts_once,
    updates_of,
)
from tests.unit.app.world import (
    HEADER,
    Peer,
    World,
    config_of,
    default_answers,
    over,
    play_to_end,
)


@pytest.mark.parametrize("missing", [[0], [1, 2], [0, 1, 2, 3]])
def test_who_is_missing_after_the_resume_grace_is_nobodys_fault(missing: list[int]) -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart(outage_ns=40 * SECOND)
    came = [world.back(peer) for seat, peer in enumerate(peers) if seat not in missing]
    match = running(world)
    world.clock.pass_time(30 * SECOND - 1)
    assert not over(match)
    world.clock.pass_time(1)
    faults = [fact for fact in world.facts() if isinstance(fact, Faulted)]
    assert [fact.seat for fact in faults] == missing
    assert {(fact.ending, fact.blame) for fact in faults} == {(Ending.DISCONNECTED, Blame.UNKNOWN)}
    assert match.ended is not None
    assert (match.ended.winner, match.ended.awarded) == (None, ())
    for peer in came:
        ends = [e for u in peer.updates() for e in u.events if e.HasField("match_ended")]
        assert [end.match_ended.blame for end in ends] == [match_pb2.BLAME_UNKNOWN]
    assert not world.service._desk.matches
    assert len(world.reception.register) == len(came)
    same_facts_once(world)
    assert world.memory.matches["m"].let_go


def match_seats(world: World) -> list[Seat]:
    return [holding.seat for holding in running(world).holdings.values()]


def test_a_seat_that_is_lost_again_while_it_waits_is_missing() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    early = world.back(peers[0])
    early.lose()
    world.clock.pass_time(20 * SECOND)  # more than the grace: its match waits anyhow
    assert world.service.running == 1
    asks = [ask for seat in match_seats(world) for ask in running(world).machine.open_asks(seat)]
    assert [ask.sent for ask in asks] == [-1] * 4  # no clock runs
    come_back(world, peers[1:])
    assert running(world).waiting
    world.back(peers[0])
    assert not running(world).waiting


def test_a_seat_that_is_lost_again_for_good_is_nobodys_fault_either() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    early = come_back(world, peers[:3])
    world.clock.pass_time(29 * SECOND)
    early[1].lose()
    match = running(world)
    world.clock.pass_time(SECOND)
    assert match.ended is not None
    assert (match.ended.failed, match.ended.blame) == ((1, 3), Blame.UNKNOWN)


def test_a_lost_link_is_nobodys_fault_as_long_as_the_match_waits() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    early = world.back(peers[0])
    match = running(world)
    world.reception.gone(early.session, Ending.DISCONNECTED)
    world.clock.settle()
    assert match.ended is not None
    assert (match.ended.seat, match.ended.blame) == (0, Blame.UNKNOWN)


def test_who_says_goodbye_while_a_match_waits_gives_it_up() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    world.restart()
    early = come_back(world, peers[:2])
    match = running(world)
    early[0].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert match.ended is not None
    assert (match.ended.ending, match.ended.seat) == (Ending.RESIGNED, 0)
    assert updates_of([early[1]])[0].events[-1].match_ended.seat == 0
    late = world.back(peers[2])
    (update,) = late.updates()
    assert update.events[-1].match_ended.ending == match_pb2.ENDING_RESIGNED
    assert not world.memory.matches["m"].let_go
    world.clock.pass_time(31 * SECOND)
    assert world.memory.matches["m"].let_go


def over_while_one_was_away() -> tuple[World, list[Peer]]:
    """A match that ended by order while the link of seat 3 was cut."""
    world = World()
    peers = world.table()
    match = world.play(peers)
    peers[3].lose()
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.pass_time(MS)
    return world, peers


def test_a_match_that_was_over_is_told_again_to_who_was_not_there() -> None:
    world, peers = over_while_one_was_away()
    stored = world.memory.matches["m"]
    assert stored.closed
    assert not stored.let_go
    stored.closed = False
    assert world.restart() == 0
    assert stored.closed  # its record is there at the latest now
    assert world.service.running == 0
    (update,) = world.back(peers[3]).updates()
    assert update.seating.match_id == "m"
    assert update.events[-1].match_ended.ending == match_pb2.ENDING_CANCELLED
    others = come_back(world, peers[:3])  # they hear it twice: nobody knows what they read
    for peer in others:
        assert peer.updates()[0].events[-1].HasField("match_ended")
        assert not peer.session.holdings
    assert stored.let_go


def test_an_old_end_is_let_go_when_nobody_comes_for_it() -> None:
    world, _ = over_while_one_was_away()
    world.restart()
    world.clock.pass_time(30 * SECOND)
    assert world.memory.matches["m"].let_go
    assert not world.reception.register.all()


def test_a_number_that_a_newer_session_gave_anew_tells_nobody_of_an_old_match() -> None:
    world = World()
    peers = world.table()
    old = world.play(peers, config_of("old"))
    peers[3].lose()
    peers[0].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert old.ended is not None
    anew = world.back(peers[0])
    others = world.table()[:3]
    world.play([anew, *others], config_of("new"))
    world.restart()
    again = world.back(anew)
    come_back(world, others)
    assert [update.seating.match_id for update in again.updates()] == ["new"]


def test_a_newer_session_without_a_match_hears_nothing_of_an_old_one() -> None:
    world = World()
    peers = world.table()
    old = world.play(peers, config_of("old"))
    peers[3].lose()
    peers[0].send(referee_pb2.PlayRequest(goodbye=referee_pb2.Goodbye()))
    assert over(old)
    anew = world.back(peers[0])
    world.restart()
    again = world.back(anew)
    assert again.token
    assert not again.updates()


def corrupt(world: World, match_id: str) -> None:
    lines = world.memory.matches[match_id].lines
    lines[3] = lines[3].replace(b'"seat":', b'"seat":7')  # it can be read, and is not true


def unreadable(world: World, match_id: str) -> None:
    world.memory.matches[match_id].lines[2] = b"{}"


@pytest.mark.parametrize("spoil", [corrupt, unreadable])
def test_a_match_whose_facts_do_not_give_it_ends_and_the_others_go_on(
    spoil: object, logs: list[MutableMapping[str, object]]
) -> None:
    world = World()
    sick, well = world.table(), world.table()
    world.play(sick, config_of("sick"))
    world.play(well, config_of("well"))
    for peer in (*sick, *well):
        peer.send(default_answers(peer.asks()))
    world.clock.pass_time(5 * MS)
    spoil(world, "sick")  # type: ignore[operator]
    assert world.restart() == 1
    world.clock.settle()
    again = come_back(world, sick)
    for update in updates_of(again):
        assert update.events[-1].match_ended.ending == match_pb2.ENDING_REFEREE_FAILED
        assert not update.asks
        assert not update.HasField("snapshot")
    assert world.memory.matches["sick"].closed
    assert [log["match"] for log in logs if log["event"] == "a match cannot go on"] == ["sick"]
    healthy = come_back(world, well)
    assert play_to_end(world, healthy, running(world, "well")).ending is Ending.COMPLETED


def test_the_rounds_of_a_match_that_cannot_go_on_count_as_they_were_told() -> None:
    world = World()
    peers = world.table()
    world.play(peers, config_of(rules=RuleOptions(rounds=2)))
    reach_round(world, peers, 2)
    totals, rounds = running(world).score
    corrupt(world, "m")
    world.restart()
    world.clock.settle()
    event = updates_of([world.back(peers[0])])[0].events[-1].match_ended
    assert (tuple(event.totals), event.rounds) == (totals, rounds)
    assert rounds == 1


def test_what_began_before_the_bot_came_waits_for_its_first_hello() -> None:
    world = World()
    peers = world.table()[:3]
    late = world.instance()
    sessions = [world.reception.session_of(late), *(peer.session for peer in peers)]
    world.service.start_match(config_of(), sessions, header=HEADER)
    world.clock.settle()
    world.restart()
    come_back(world, peers)
    assert running(world).waiting
    instance = world.reception.instances.get(late.id)
    first = world.stream(instance)
    first.send(referee_pb2.PlayRequest(hello=hello_of("late")))
    (update,) = first.updates()
    assert update.seating.seat == 0
    assert not running(world).waiting


def test_a_seat_whose_instance_is_gone_is_missing_at_the_deadline() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    gone = peers[2].session.instance.id
    del world.memory._instances[gone], world.memory._sessions[gone]
    world.restart()
    come_back(world, [peers[0], peers[1], peers[3]])
    match = running(world)
    world.clock.pass_time(30 * SECOND - 1)
    assert not over(match)
    world.clock.pass_time(1)
    assert match.ended is not None
    assert (match.ended.seat, match.ended.blame) == (2, Blame.UNKNOWN)


def test_facts_that_end_in_the_end_are_over_whatever_the_store_says() -> None:
    world = World()
    peers = world.table()
    match = world.play(peers)
    play_to_end(world, peers, match)
    stored = world.memory.matches["m"]
    assert stored.lines[-1] == encode_fact(world.facts()[-1])
    stored.let_go = False
    assert world.restart() == 0
    assert world.service.running == 0
