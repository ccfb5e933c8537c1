"""LadderService over real gRPC: what `ladder show` prints, to programs."""

import asyncio
import threading
from pathlib import Path

import grpc
import pytest

from referee._gen.tichu.referee.v1 import ladder_pb2
from referee.bootstrap.ladder_plan import LadderPlan
from referee.cli import serve_services
from referee.cli.ladder_setup import plan_ladder
from referee.cli.ladder_table import known
from referee.cli.serve_services import PublishedLadders
from referee.ladder.table import HUNDREDTHS
from referee.ports.services import Published
from referee.rules.errors import ConfigError
from tests.integration.ladders import Ladder
from tests.integration.service_world import World, offering, refused
from tests.integration.serving import LIMIT_S

pytestmark = pytest.mark.slow  # a ladder is played first


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Ladder:
    """A ladder of three boards, played to its end."""
    ladder = Ladder(tmp_path_factory.mktemp("ladder"))
    done = ladder.run("run")
    assert done.returncode == 0, done.stderr
    return ladder


async def standings(world: World, ladder: str = "") -> ladder_pb2.Standings:
    request = ladder_pb2.GetStandingsRequest(ladder=ladder)
    answer: ladder_pb2.GetStandingsResponse = await world.ladders.GetStandings(request)
    return answer.standings


async def test_the_table_is_the_one_that_show_prints(played: Ladder, tmp_path: Path) -> None:
    shown = await asyncio.to_thread(played.table)
    async with offering(tmp_path, ladders=[played.file]) as world:
        listed = await world.ladders.ListLadders(ladder_pb2.ListLaddersRequest())
        assert list(listed.ladders) == ["small"]
        table = await standings(world)
        assert table == await standings(world, "small")
    assert (table.ladder, table.unit, table.results) == ("small", "board", 6)
    lines = [line for line in shown.splitlines() if "random" in line or "greedy" in line]
    assert [row.entry for row in table.rows] == [
        name for line in lines[:2] for name in ("random", "greedy") if name in line.split()
    ]
    assert all(row.boards == 3 for row in table.rows)
    now = await known(plan_ladder(played.file))
    assert now is not None
    points = [row.points for row in now.table(plan_ladder(played.file)).rows]
    assert [row.points.value for row in table.rows] == [
        one.value / HUNDREDTHS for one in points if one is not None
    ]
    assert any("practice" in note.lower() for note in table.notes)


async def test_one_table_is_made_for_all_who_ask_and_leave(
    played: Ladder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found, let, begun = serve_services._found, threading.Event(), []

    def slow(plan: LadderPlan) -> Published:
        begun.append(plan.event)
        assert let.wait(LIMIT_S)
        return found(plan)

    monkeypatch.setattr(serve_services, "_found", slow)
    async with offering(tmp_path, ladders=[played.file]) as world:
        request = ladder_pb2.GetStandingsRequest()
        for _ in range(5):
            error = await refused(world.ladders.GetStandings(request, timeout=0.05))
            assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        last = asyncio.create_task(standings(world))
        await asyncio.sleep(0)
        let.set()
        assert (await asyncio.wait_for(last, LIMIT_S)).results == 6
        assert begun == ["small"]


async def test_results_come_in_pages_and_none_is_on_two(played: Ladder, tmp_path: Path) -> None:
    async with offering(tmp_path, ladders=[played.file]) as world:
        found: list[ladder_pb2.LegOutcome] = []
        token = ""
        pages = 0
        while token or not pages:
            pages += 1
            request = ladder_pb2.ListResultsRequest(page_size=4, page_token=token)
            page = await world.ladders.ListResults(request)
            found += page.results
            token = page.next_page_token
        whole = await world.ladders.ListResults(ladder_pb2.ListResultsRequest(entry="greedy"))
        none = await world.ladders.ListResults(ladder_pb2.ListResultsRequest(entry="nobody"))
    assert pages == 2
    assert list(whole.results) == found
    assert not none.results
    keys = [(one.board, one.attempt, one.leg) for one in found]
    assert keys == sorted(set(keys))
    assert len(keys) == 6
    assert all(one.counted and one.rated and one.rounds == 1 for one in found)
    assert {record.stem for record in played.records()} == {one.match_id for one in found}


async def test_a_watcher_gets_the_table_at_once_and_again_when_it_changed(
    played: Ladder, tmp_path: Path
) -> None:
    copy = await asyncio.to_thread(played.copied, tmp_path / "copy")
    async with offering(tmp_path, ladders=[copy.file]) as world:
        request = ladder_pb2.WatchStandingsRequest()
        call = world.ladders.WatchStandings(request, timeout=LIMIT_S * 3)
        first = await call.read()
        assert all(row.state == "" for row in first.standings.rows)
        reading = asyncio.ensure_future(call.read())
        ruled = await asyncio.to_thread(copy.say, "withdraw", "random", "--reason", "tired")
        assert ruled.returncode == 0, ruled.stderr
        second = await asyncio.wait_for(reading, LIMIT_S * 3)
        assert [row.state for row in second.standings.rows if row.entry == "random"] != [""]
        waiting = asyncio.ensure_future(call.read())
        await world.referee.stop(0.5)
        with pytest.raises(grpc.aio.AioRpcError) as ended:
            await asyncio.wait_for(waiting, LIMIT_S)
        assert ended.value.code() is grpc.StatusCode.UNAVAILABLE


async def test_what_is_not_published_is_refused_with_what_to_do(
    played: Ladder, tmp_path: Path
) -> None:
    async def said(world: World, code: grpc.StatusCode, **fields: str) -> str:
        request = ladder_pb2.ListResultsRequest(**fields)  # type: ignore[arg-type]
        error = await refused(world.ladders.ListResults(request))
        assert error.code() is code, error
        return error.details() or ""

    async with offering(tmp_path) as world:
        text = await said(world, grpc.StatusCode.FAILED_PRECONDITION)
        assert "--ladder FILE" in text
    async with offering(tmp_path, ladders=[played.file]) as world:
        text = await said(world, grpc.StatusCode.NOT_FOUND, ladder="big\x1b[2J")
        assert text == "no ladder of that name is published here; there are small"
        for token in ("!", "e30=", "IngiCg=="):
            await said(world, grpc.StatusCode.INVALID_ARGUMENT, page_token=token)


async def test_a_ladder_that_has_not_begun_says_so(tmp_path: Path) -> None:
    ladder = Ladder(tmp_path)
    async with offering(tmp_path, ladders=[ladder.file]) as world:
        error = await refused(world.ladders.GetStandings(ladder_pb2.GetStandingsRequest()))
        assert error.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert "nothing was played yet in ladder small" in (error.details() or "")
        assert not ladder.kept.exists()


async def test_a_database_that_cannot_be_used_names_no_path(played: Ladder, tmp_path: Path) -> None:
    copy = await asyncio.to_thread(played.copied, tmp_path / "copy")
    (copy.kept / "ladder.db").write_bytes(b"no database" * 1000)
    async with offering(tmp_path, ladders=[copy.file]) as world:
        error = await refused(world.ladders.GetStandings(ladder_pb2.GetStandingsRequest()))
    assert error.code() in (
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.UNAVAILABLE,
    )
    assert str(tmp_path) not in str(error.details())


def test_two_ladders_of_one_name_cannot_be_published(played: Ladder, tmp_path: Path) -> None:
    copy = played.copied(tmp_path / "copy")
    assert plan_ladder(copy.file).event == "small"
    with pytest.raises(ConfigError, match="another one is called small too"):
        PublishedLadders([played.file, copy.file])
