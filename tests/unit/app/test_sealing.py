"""Legs of a deal are sealed until all of them are over (PROTOCOL 1)."""

from collections.abc import MutableMapping
from functools import partial

import pytest
from prometheus_client import CollectorRegistry

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.limits import SECOND
from referee.app.sealing import HeldMeter, Seals
from referee.match.facts import Dealt
from referee.match.values import AckStatus, AskKind, Ending, WireRefusal
from referee.metrics.meter import PrometheusMeter
from referee.ports import StoreError
from referee.rules.errors import ConfigError
from referee.store.memory import MemoryStore
from tests.unit.app.away import Away
from tests.unit.app.coming_back import come_back
from tests.unit.app.legs import closed, play_leg, start_leg
from tests.unit.app.world import World, default_answers, play_to_end, reach_play
from tests.unit.formats.placed import place_of, table_of

Logs = list[MutableMapping[str, object]]
LEG_1, LEG_2 = place_of(), place_of(leg=2)


def by_kind(meter: PrometheusMeter) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """What a page says of kinds, codes and reasons, as far as it is not 0."""
    registry = CollectorRegistry()
    registry.register(meter)
    names = ("referee_asks", "referee_answers", "referee_refusals", "referee_strikes")
    decided = ("referee_decision_seconds", "referee_lag_credited_seconds")
    return {
        (sample.name, tuple(sample.labels.items())): sample.value
        for family in registry.collect()
        for sample in family.samples
        if sample.name.startswith((*names, *decided)) and sample.value
        if not sample.name.endswith("_created")
    }


def test_both_legs_have_the_same_cards_and_other_commitments() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    play_leg(world, world.table(), LEG_2, "y")
    dealt = [[fact for fact in world.facts(name) if isinstance(fact, Dealt)] for name in ("x", "y")]
    assert [fact.seed for fact in dealt[0]] == [fact.seed for fact in dealt[1]]
    assert not {fact.commitment for fact in dealt[0]} & {fact.commitment for fact in dealt[1]}


def test_a_leg_has_no_record_until_the_board_is_unsealed() -> None:
    world, recorded = World(), []
    world.service.on_recorded(lambda name, path: recorded.append(name), recorded.append)
    play_leg(world, world.table(), LEG_1, "x")
    world.clock.pass_time(100 * SECOND)
    assert (closed(world), recorded) == (set(), [])
    play_leg(world, world.table(), LEG_2, "y")
    assert closed(world) == set()
    world.service.unseal(["y", "x"])
    world.clock.settle()
    assert (closed(world), recorded) == ({"x", "y"}, ["y", "x"])
    assert all(match.let_go for match in world.memory.matches.values())
    world.service.unseal(["y", "x", "unknown"])
    world.clock.settle()
    assert recorded == ["y", "x"]


def test_other_matches_have_their_record_meanwhile() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    peers = world.table()
    play_to_end(world, peers, world.play(peers))
    assert closed(world) == {"m"}
    assert world.service.settled


def test_nothing_is_unsealed_while_a_leg_of_the_deal_runs() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    second = world.table()
    match = start_leg(world, second, LEG_2, "y")
    for names in (["x"], ["y"], ["x", "y"]):
        with pytest.raises(ConfigError, match="match y still runs: the legs of a deal are"):
            world.service.unseal(names)
    world.clock.settle()
    assert closed(world) == set()
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.settle()
    world.service.unseal(["x", "y"])
    world.clock.settle()
    assert closed(world) == {"x", "y"}


def test_another_attempt_that_runs_is_another_deal() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    start_leg(world, world.table(), place_of(attempt=2), "y")
    world.service.unseal(["x"])
    world.clock.settle()
    assert closed(world) == {"x"}


def test_a_board_that_is_unsealed_is_over_for_those_who_sat_in_it() -> None:
    world = World()
    peers = world.table()
    play_leg(world, peers, LEG_1, "x")
    with pytest.raises(ConfigError, match=r"sits in x of the same board adam~zoe\|1\|1"):
        start_leg(world, peers, LEG_2, "y")
    world.service.unseal(["x"])
    assert world.service.seating.boards == 0
    start_leg(world, peers, place_of(board=2), "z")


def test_a_field_has_more_tables_than_a_board_has_legs_and_nobody_in_two() -> None:
    world = World()
    tables = [world.table() for _ in range(3)]
    for number, peers in enumerate(tables):
        play_leg(world, peers, table_of(number + 1), f"t{number}")
    with pytest.raises(ConfigError, match=r"sits in t1 of the same board field\|1\|1"):
        start_leg(world, [*world.table()[:3], tables[1][2]], table_of(4), "t3")
    seeds = {
        fact.seed for n in range(3) for fact in world.facts(f"t{n}") if isinstance(fact, Dealt)
    }
    assert len(seeds) == 1
    world.service.unseal(["t0", "t1", "t2"])
    world.clock.settle()
    assert closed(world) == {"t0", "t1", "t2"}


# --- logs


def test_log_lines_of_a_sealed_leg_tell_no_score(logs: Logs) -> None:
    world = World()
    peers = world.table()
    match = start_leg(world, peers, LEG_1, "x", max_strikes=0)
    slow, _ = reach_play(world, peers)
    world.clock.pass_time(120 * SECOND)
    assert match.ended is not None
    mine = [log for log in logs if log.get("match") == "x"]
    told = {"event", "log_level", "match"}
    assert [(log["event"], set(log) - told) for log in mine] == [
        ("match started", {"instances", "names"}),
        ("strike", {"seat", "count"}),
        ("match ended", {"ending", "seat", "name", "blame", "failed"}),
    ]
    seat = peers.index(slow)
    assert (mine[-1]["ending"], mine[-1]["seat"]) == ("forfeit_time", seat)
    world.service.unseal(["x"])
    last = logs[-1]
    assert last["event"] == "match unsealed"
    assert (last["match"], last["totals"]) == ("x", list(match.ended.totals))
    assert last["awarded"] == list(match.ended.awarded)
    assert last["strikes"] == [int(at == seat) for at in range(4)]


def test_a_round_of_a_sealed_leg_is_not_logged(logs: Logs) -> None:
    world = World()
    match = play_leg(world, world.table(), LEG_1, "x")
    assert match.ended is not None
    assert match.ended.ending is Ending.COMPLETED
    points = {str(list(match.ended.totals)), str(list(match.score[0]))}
    assert not [log for log in logs if log["event"] == "round ended"]
    assert not [log for log in logs if any(text in str(log) for text in points)]


# --- numbers


def test_what_happens_in_a_sealed_leg_is_counted_when_it_is_unsealed() -> None:
    world, plain = World(), World()
    play_leg(world, world.table(), LEG_1, "x")
    assert by_kind(world.meter) == {}
    peers = plain.table()
    header = world.memory.matches["x"].header
    match = plain.service.start_match(
        world.memory.matches["x"].config, [peer.session for peer in peers], header=header
    )
    match.held = None  # the same leg as if it were no secret
    plain.clock.settle()
    play_to_end(plain, peers, match)
    assert by_kind(plain.meter) != {}
    world.service.unseal(["x"])
    assert by_kind(world.meter) == by_kind(plain.meter)
    world.service.unseal(["x"])
    assert by_kind(world.meter) == by_kind(plain.meter)


def test_matches_that_begin_and_end_are_counted_at_once() -> None:
    world = World()
    registry = CollectorRegistry()
    registry.register(world.meter)
    play_leg(world, world.table(), LEG_1, "x")
    labels = {"ending": "completed", "blame": "none"}
    assert registry.get_sample_value("referee_matches_ended_total", labels) == 1
    assert registry.get_sample_value("referee_matches_running") == 0


def test_a_held_meter_counts_everything_once() -> None:
    meter = PrometheusMeter()
    held = HeldMeter(meter)
    held.asked(AskKind.BOMB)
    held.answered(AskKind.ACT, AckStatus.REFUSED, SECOND)
    held.refused(WireRefusal.NOT_YOUR_ASK)
    held.lag_credited(SECOND)
    held.struck("late")
    assert by_kind(meter) == {}
    held.release()
    first = by_kind(meter)
    held.release()
    assert by_kind(meter) == first
    assert first["referee_asks_total", (("kind", "bomb"),)] == 1
    assert first["referee_strikes_total", (("why", "late"),)] == 1
    assert first["referee_lag_credited_seconds_total", ()] == 1


def test_nothing_is_left_of_a_thousand_boards() -> None:
    seals, world = Seals(PrometheusMeter()), World()
    peers = world.table()
    match = world.play(peers)
    for number in range(1_000):
        seals.seal(match, place_of(board=number + 1))
        seals.unseal("m")
    assert len(seals) == 0


# --- ends of the process


def test_a_process_that_stops_writes_the_records_of_sealed_legs_too() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    start_leg(world, world.table(), LEG_2, "y")
    world.service.drain(coming_back=False)
    world.service.write_records()
    assert closed(world) == {"x", "y"}
    assert (world.memory.matches["y"].over, world.service.settled) == (True, True)


def test_the_store_ends_an_event_with_the_records_of_sealed_legs() -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    world.store.finish_event()
    assert closed(world) == {"x"}


@pytest.mark.parametrize("come", [True, False])
def test_the_next_process_writes_the_record_and_ends_the_leg_that_ran(*, come: bool) -> None:
    world = World()
    play_leg(world, world.table(), LEG_1, "x")
    peers = world.table()
    start_leg(world, peers, LEG_2, "y")
    reach_play(world, peers)
    assert world.restart() == 0
    again = come_back(world, peers) if come else []
    world.service.go_on()
    world.clock.settle()
    assert [list(peer.updates()) for peer in again] == [[]] * len(again)
    world.service.end_rest()
    assert closed(world) == {"x", "y"}
    assert world.facts("y")[-1].ending is Ending.CANCELLED  # type: ignore[union-attr]
    for peer in again:
        world.clock.settle()
        (update,) = peer.updates()
        assert update.events[-1].match_ended.ending == match_pb2.ENDING_CANCELLED
    world.clock.pass_time(60 * SECOND)
    assert all(match.let_go for match in world.memory.matches.values())
    world.service.end_rest()


def test_who_comes_back_after_the_end_of_the_leg_is_told_it() -> None:
    world = World()
    peers = world.table()
    start_leg(world, peers, LEG_1, "x")
    reach_play(world, peers)
    world.restart()
    world.service.end_rest()
    world.clock.pass_time(SECOND)
    for peer in come_back(world, peers):
        (update,) = peer.updates()
        assert update.events[-1].HasField("match_ended")
    assert world.memory.matches["x"].let_go


def test_matches_of_no_ladder_go_on_unless_nothing_is_to() -> None:
    world = World()
    peers = world.table()
    world.play(peers)
    assert world.restart() == 1
    world.service.end_rest()
    assert world.service.running == 1
    world.clock.kill()
    world.memory.reopen()
    world._begin()
    world.service.resumption.goes_on = lambda stored: False
    assert world.service.resume(world.memory.left(), hold=True) == 0
    world.service.end_rest()
    assert (world.service.running, closed(world)) == (0, {"m"})


def test_what_cannot_be_ended_now_is_said() -> None:
    store = Away()
    world = World(store=store)
    store.now = world.clock.now
    peers = world.table()
    start_leg(world, peers, LEG_1, "x")
    world.restart()
    store.why = StoreError("disk full")
    with pytest.raises(StoreError, match="what was left running cannot be ended"):
        world.service.end_rest()


def test_a_leg_that_ends_while_the_store_is_away_is_sealed_all_the_same() -> None:
    store = Away()
    world = World(store=store)
    store.now = world.clock.now
    peers = world.table()
    match = start_leg(world, peers, LEG_1, "x")
    store.why = StoreError("disk full")
    for peer in peers:
        if asks := peer.asks():
            peer.send(default_answers(asks))
    world.clock.pass_time(1_000 * SECOND)
    assert match.ended is not None
    assert match.ended.ending is Ending.STORE_FAILED
    store.why = None
    world.clock.pass_time(10 * SECOND)
    assert (world.memory.matches["x"].over, closed(world)) == (True, set())
    world.service.unseal(["x"])
    world.clock.settle()
    assert closed(world) == {"x"}


def test_a_leg_that_is_unsealed_before_its_end_is_kept_has_one_record_and_none_is_lost() -> None:
    store, told = Away(), []
    world = World(store=store)
    store.now = world.clock.now
    world.service.on_recorded(lambda name, path: told.append("written"), told.append)
    match = start_leg(world, world.table(), LEG_1, "x")
    store.why = StoreError("disk full")
    real = partial(MemoryStore.close_match, store)  # records lie on another disk
    store.close_match = real  # type: ignore[method-assign]
    world.service.end_match(match, Ending.CANCELLED)
    world.clock.pass_time(1_000 * SECOND)
    assert match.ended is not None
    world.service.unseal(["x"])
    world.clock.pass_time(10 * SECOND)
    assert (closed(world), told) == (set(), [])
    store.why = None
    world.clock.pass_time(10 * SECOND)
    assert (closed(world), told) == ({"x"}, ["written"])


def test_a_leg_that_is_unsealed_while_the_store_is_away_has_its_record_later() -> None:
    store = Away()
    world = World(store=store)
    store.now = world.clock.now
    play_leg(world, world.table(), LEG_1, "x")
    store.why = StoreError("disk full")
    world.service.unseal(["x"])
    world.clock.settle()
    assert closed(world) == set()
    store.why = None
    world.clock.pass_time(SECOND)
    assert closed(world) == {"x"}
