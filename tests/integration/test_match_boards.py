"""Boards and records of MatchService over real gRPC: sealed as one, and read again when over."""

import asyncio
import threading
from pathlib import Path

import grpc
import pytest

from referee._gen.tichu.referee.v1 import match_pb2, matches_pb2, registry_pb2
from referee.app.watching import Gallery
from referee.bootstrap import match_archive, match_desk
from referee.formats.records import read_record
from referee.match.values import Ending
from referee.store.memory import MemoryStore
from tests.integration.service_world import FOUR, World, events, offering, refused, seated
from tests.integration.serving import LIMIT_S


async def test_a_board_is_sealed_until_all_its_legs_are_over(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        tokens = {name: await world.register(name, 4) for name in ("ann", "bob")}
        held = tokens["ann"][0]  # plays only when the test says so
        await world.play([one for all_ in tokens.values() for one in all_ if one != held])
        mine = await world.come(held)
        legs = await world.create(["bob", "ann"], board=True)
        assert len(set(legs)) == 2
        watched = [asyncio.create_task(world.seen(leg)) for leg in legs]
        await mine.ask()
        for bot in asyncio.as_completed(world.bots, timeout=LIMIT_S):
            await bot  # it has played its leg to the end
            break
        for leg in legs:  # one is over, the other waits for us
            error = await refused(
                world.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=leg))
            )
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
            assert "WatchMatch waits" in (error.details() or "")
        infos = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        assert {one.state for one in infos.matches} == {matches_pb2.MATCH_STATE_SEALED}
        assert not any(one.totals or one.rounds or one.ending for one in infos.matches)
        assert not list((tmp_path / "records").glob("*.jsonl"))
        assert not any(task.done() for task in watched)
        # nor does anybody who looks see whose leg is over: not who plays, and not who is free
        assert await playing(world) == {"ann": [1] * 4, "bob": [1] * 4}
        more = matches_pb2.CreateMatchRequest(request_id="q", bots=FOUR)
        error = await refused(world.matches.CreateMatch(more))
        assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
        await world.matches.CancelMatch(matches_pb2.CancelMatchRequest(match_id=legs[0]))
        seen = await asyncio.wait_for(asyncio.gather(*watched), LIMIT_S)
        assert await playing(world) == {"ann": [0] * 4, "bob": [0] * 4}
        records = [read_record((await world.record(leg)).splitlines(keepends=True)) for leg in legs]
    for one in seen:
        states = [part.match.state for part in one if part.HasField("match")]
        assert states == [matches_pb2.MATCH_STATE_SEALED, matches_pb2.MATCH_STATE_OVER]
        assert events(one)[-1].HasField("match_ended")
    dealt = [record.facts[0] for record in records]
    assert getattr(dealt[0], "seed", 0) == getattr(dealt[1], "seed", 1)
    names = [[player.name for player in record.config.players] for record in records]
    assert names == [["ann", "bob", "ann", "bob"], ["bob", "ann", "bob", "ann"]]
    endings = {getattr(record.facts[-1], "ending", None) for record in records}
    assert endings == {Ending.COMPLETED, Ending.CANCELLED}


async def playing(world: World) -> dict[str, list[int]]:
    """How many matches each process plays, by bot."""
    listed = await world.registry.ListBots(registry_pb2.ListBotsRequest())
    return {bot.name: [one.matches for one in bot.processes] for bot in listed.bots}


async def test_a_board_is_forgotten_as_one_and_not_too_soon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_desk, "_MOST_REMEMBERED", 2)

    async def cancelled(world: World, match_id: str) -> list[str]:
        cancel = matches_pb2.CancelMatchRequest(match_id=match_id)
        return list((await world.matches.CancelMatch(cancel)).match_ids)

    async def listed(world: World) -> list[str]:
        found = await world.matches.ListMatches(matches_pb2.ListMatchesRequest())
        return [one.match_id for one in found.matches]

    async with offering(tmp_path) as world:
        for name in ("ann", "bob"):
            await world.register(name, 4)
        legs = await world.create(["ann", "bob"], board=True, request="board")
        await cancelled(world, legs[0])
        found, made = [], []
        for number in range(3):
            made += await world.create(FOUR, request=f"r{number}")
            await cancelled(world, made[-1])
            found.append(await listed(world))
            for leg in legs:
                assert await cancelled(world, leg) == []  # it was over
        assert found == [[*legs, made[0]], made[:2], made[1:]]


async def test_a_cancelled_leg_takes_its_board_with_it_and_twice_is_harmless(
    tmp_path: Path,
) -> None:
    async with offering(tmp_path) as world:
        for name in ("ann", "bob"):
            await world.register(name, 4)  # nobody comes: the legs wait
        legs = await world.create(["ann", "bob"], board=True)
        watched = asyncio.create_task(world.seen(legs[1]))
        cancel = matches_pb2.CancelMatchRequest(match_id=legs[1])
        assert sorted((await world.matches.CancelMatch(cancel)).match_ids) == sorted(legs)
        seen = await asyncio.wait_for(watched, LIMIT_S)
        assert events(seen)[-1].match_ended.ending == match_pb2.ENDING_CANCELLED
        assert not (await world.matches.CancelMatch(cancel)).match_ids


# --- records


async def test_a_match_that_is_over_is_watched_from_its_record_as_it_was_live(
    tmp_path: Path,
) -> None:
    async with offering(tmp_path) as world:
        await seated(world)
        (match_id,) = await world.create(FOUR)
        live = events(await asyncio.wait_for(world.seen(match_id), LIMIT_S))
        again = await asyncio.wait_for(world.seen(match_id), LIMIT_S)
    assert again[0].match.state == matches_pb2.MATCH_STATE_OVER
    assert events(again) == live


async def test_a_record_is_played_again_once_for_all_who_watch_and_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, let, begun = match_archive._view, threading.Event(), []

    def slow(path: Path) -> Gallery:
        begun.append(path)
        assert let.wait(LIMIT_S)
        return view(path)

    monkeypatch.setattr(match_archive, "_view", slow)
    async with offering(tmp_path) as world:
        await seated(world)
        (match_id,) = await world.create(FOUR)
        live = events(await asyncio.wait_for(world.seen(match_id), LIMIT_S))
        request = matches_pb2.WatchMatchRequest(match_id=match_id)
        for _ in range(5):
            error = await refused(world.matches.WatchMatch(request, timeout=0.05))
            assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        last = asyncio.create_task(world.seen(match_id))
        await asyncio.sleep(0)
        let.set()
        assert events(await asyncio.wait_for(last, LIMIT_S)) == live
        assert len(begun) == 1


async def test_a_record_is_fetched_byte_by_byte_whatever_ends_a_line_elsewhere(
    tmp_path: Path,
) -> None:
    data = '{"name":"a\u2028b\x85c\x0bd\x1ce"}\n{"name":"é"}\n'.encode()
    async with offering(tmp_path) as world:
        (tmp_path / "records" / "odd.jsonl").write_bytes(data)
        assert await world.record("odd") == data


async def test_a_record_that_will_never_be_there_is_not_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, broken = MemoryStore.close_match, [True]

    def closed(self: MemoryStore, match_id: str) -> str | None:
        if broken:
            broken.clear()
            raise RuntimeError("no record of this one")
        return close(self, match_id)

    monkeypatch.setattr(MemoryStore, "close_match", closed)
    async with offering(tmp_path) as world:
        await seated(world)
        (match_id,) = await world.create(FOUR)
        await world.matches.CancelMatch(matches_pb2.CancelMatchRequest(match_id=match_id))
        request = matches_pb2.GetRecordRequest(match_id=match_id)
        error = await refused(world.matches.GetRecord(request, timeout=LIMIT_S))
        assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert "could not be made" in (error.details() or "")


@pytest.mark.parametrize("data", [b"", b"\n", b"{", b"\xff\xfe\n", b"\x00" * 99])
async def test_a_damaged_record_is_refused_as_one(tmp_path: Path, data: bytes) -> None:
    async with offering(tmp_path) as world:
        (tmp_path / "records" / "bad.jsonl").write_bytes(data)
        errors = [await refused(world.watch("bad"))]
        if b"\xff" in data:  # what is text at least is sent as it is
            errors.append(
                await refused(world.matches.GetRecord(matches_pb2.GetRecordRequest(match_id="bad")))
            )
        else:
            assert await world.record("bad") in (data, data + b"\n")
        for error in errors:
            assert error.code() is grpc.StatusCode.FAILED_PRECONDITION, error
            assert "damaged" in (error.details() or "")
