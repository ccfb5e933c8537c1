"""RegistryService over real gRPC: tokens are made, replaced, and good or refused at a Hello."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any  # noqa: TID251 - generated stubs know the synchronous kind of call alone

import grpc
import pytest

from referee._gen.tichu.referee.v1 import registry_pb2
from referee.app.instances import token_hash
from referee.cli.serve_services import DatabaseTokens
from referee.cli.tokens import tokens_in
from referee.ports import StoredInstance, StoreError
from referee.store.memory import MemoryStore
from tests.integration.service_world import World, offering, refused
from tests.integration.serving import LIMIT_S, Bot


async def let_in(world: World, token: str) -> bool:
    """Whether a Hello with this token is welcome."""
    async with Bot(world.address, token) as bot:
        try:
            await bot.hello()
        except AssertionError:
            assert (await bot.status())[0] is grpc.StatusCode.UNAUTHENTICATED
            return False
        return True


async def rotated(world: World, name: str, process: int = 0) -> list[str]:
    request = registry_pb2.RotateTokensRequest(name=name, process=process)
    made = await world.registry.RotateTokens(request)
    return [one.token for one in made.tokens]


async def test_a_registered_bot_is_let_in_at_once(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        tokens = await world.register("ann", 0)
        assert len(set(tokens)) == 4
        bot = await world.come(tokens[2])
        (ann,) = (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots
        assert (ann.name, ann.owner) == ("ann", "ann")
        assert [one.ready for one in ann.processes] == [False, False, True, False]
        assert bot.session_token


async def test_a_rotated_token_is_refused_at_the_next_hello_and_an_open_stream_goes_on(
    tmp_path: Path,
) -> None:
    async with offering(tmp_path) as world:
        old = await world.register("ann", 2)
        await world.register("bob", 2)
        bot = await world.come(old[0])
        (new,) = await rotated(world, "ann", 1)
        assert not await let_in(world, old[0])
        assert await let_in(world, old[1])
        await world.create(["ann", "bob", "ann", "bob"])
        await asyncio.wait_for(bot.ask(), LIMIT_S)  # its stream is as good as before
        assert await let_in(world, new)  # and is taken over by the new token
        all_new = await rotated(world, "ann")
        assert len(set(all_new)) == 2
        assert not await let_in(world, new)
        assert not await let_in(world, old[1])
        assert [await let_in(world, one) for one in all_new] == [True, True]


async def test_a_bot_is_registered_once_also_by_two_at_once(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        request = registry_pb2.RegisterBotRequest(name="ann", processes=3)
        calls = [world.registry.RegisterBot(request) for _ in range(5)]
        done = await asyncio.gather(*calls, return_exceptions=True)
        errors = [one for one in done if isinstance(one, grpc.aio.AioRpcError)]
        assert len(errors) == 4
        assert {one.code() for one in errors} == {grpc.StatusCode.ALREADY_EXISTS}
        assert all("RotateTokens" in (one.details() or "") for one in errors)
        (ann,) = (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots
        assert len(ann.processes) == 3


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"name": ""}, "name"),
        ({"name": "a b"}, "name"),
        ({"name": "a~b"}, "name"),
        ({"name": "\x1b[31mred"}, "name"),
        ({"name": "x" * 33}, "name"),
        ({"name": "ann", "owner": "a\nb"}, "owner"),
        ({"name": "ann", "processes": 65}, "processes"),
    ],
)
async def test_what_is_no_name_or_number_is_refused_by_its_field(
    tmp_path: Path, fields: dict[str, object], names: str
) -> None:
    async with offering(tmp_path) as world:
        request = registry_pb2.RegisterBotRequest(**fields)  # type: ignore[arg-type]
        error = await refused(world.registry.RegisterBot(request))
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        text = error.details() or ""
        assert text.startswith(f"{names}: ")
        assert text.isprintable()
        assert not (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots


async def test_who_is_not_there_cannot_be_rotated(tmp_path: Path) -> None:
    async with offering(tmp_path) as world:
        await world.register("ann", 1)
        for name, process, what in (("eve", 0, "ListBots"), ("ann", 2, "has 1 processes")):
            request = registry_pb2.RotateTokensRequest(name=name, process=process)
            error = await refused(world.registry.RotateTokens(request))
            assert error.code() is grpc.StatusCode.NOT_FOUND
            assert what in (error.details() or "")


async def test_tokens_are_kept_in_the_database_too_and_good_after_a_restart(
    tmp_path: Path,
) -> None:
    url = f"sqlite:///{tmp_path}/tokens.db"
    store = tmp_path / "facts.db"
    async with offering(tmp_path, database=url, store=store) as world:
        first = await world.register("ann", 2)
        (second,) = await rotated(world, "ann", 2)
    kept = {one.token_hash for one in await tokens_in(url) or ()}
    assert kept == {token_hash(first[0]), token_hash(second)}
    async with offering(tmp_path, store=store) as world:
        error = await refused(world.registry.RotateTokens(registry_pb2.RotateTokensRequest()))
        assert error.code() is grpc.StatusCode.NOT_FOUND  # the event was over: a new one began


async def test_a_token_is_replaced_everywhere_also_where_its_caller_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/tokens.db"
    forget, let = DatabaseTokens.forget, asyncio.Event()

    async def slow(self: DatabaseTokens, bot: str, hashes: Sequence[bytes]) -> None:
        await let.wait()
        await forget(self, bot, hashes)

    monkeypatch.setattr(DatabaseTokens, "forget", slow)
    async with offering(tmp_path, database=url) as world:
        await world.register("ann", 1)
        request = registry_pb2.RotateTokensRequest(name="ann")
        error = await refused(world.registry.RotateTokens(request, timeout=0.5))
        assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        let.set()
        (last,) = await rotated(world, "ann")
        kept = [one.token_hash for one in await tokens_in(url) or ()]
        assert kept == [token_hash(last)]  # else an old one would be good after a restart


@pytest.mark.parametrize("database", [False, True])
async def test_a_store_that_fills_up_midway_leaves_no_token_that_nobody_was_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, database: bool
) -> None:
    url = f"sqlite:///{tmp_path}/tokens.db" if database else None
    keep, room = MemoryStore.keep_instance, [100]

    def kept_or_not(self: MemoryStore, instance: StoredInstance) -> None:
        if room[0] == 0:
            raise StoreError("No space left on device")
        room[0] -= 1
        keep(self, instance)

    async def unavailable(call: Any) -> None:
        assert (await refused(call)).code() is grpc.StatusCode.UNAVAILABLE

    monkeypatch.setattr(MemoryStore, "keep_instance", kept_or_not)
    async with offering(tmp_path, database=url) as world:
        registered = registry_pb2.RegisterBotRequest(name="ann", processes=4)
        rotate = registry_pb2.RotateTokensRequest(name="ann")
        for room[0] in (3, 2, 3):
            await unavailable(world.registry.RegisterBot(registered))
            assert not (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots
            error = await refused(world.registry.RotateTokens(rotate))
            assert error.code() is grpc.StatusCode.NOT_FOUND
        room[0] = 100
        tokens = await world.register("ann", 4)
        (ann,) = (await world.registry.ListBots(registry_pb2.ListBotsRequest())).bots
        assert len(ann.processes) == len(set(tokens)) == 4
        room[0] = 2
        await unavailable(world.registry.RotateTokens(rotate))
        room[0] = 100
        assert [await let_in(world, one) for one in tokens] == [True] * 4
        new = await rotated(world, "ann")
        assert [await let_in(world, one) for one in [*tokens, *new]] == [False] * 4 + [True] * 4
        if url is not None:
            kept = {one.token_hash for one in await tokens_in(url) or ()}
            assert kept == set(map(token_hash, new))


async def test_a_token_that_cannot_be_stored_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{tmp_path}/tokens.db"
    keep, full = MemoryStore.keep_instance, [False]

    def kept_or_not(self: MemoryStore, instance: StoredInstance) -> None:
        if full[0]:
            raise StoreError("/secret/place: No space left on device")
        keep(self, instance)

    monkeypatch.setattr(MemoryStore, "keep_instance", kept_or_not)
    async with offering(tmp_path, database=url) as world:
        (token,) = await world.register("ann", 1)
        full[0] = True
        calls = (
            world.registry.RotateTokens(registry_pb2.RotateTokensRequest(name="ann")),
            world.registry.RegisterBot(registry_pb2.RegisterBotRequest(name="bob")),
        )
        for call in calls:
            error = await refused(call)
            assert error.code() is grpc.StatusCode.UNAVAILABLE
            assert "/secret" not in str(error.details())
        full[0] = False
        assert await let_in(world, token)
        kept = [(one.bot, one.token_hash) for one in await tokens_in(url) or ()]
        assert kept == [("ann", token_hash(token))]
