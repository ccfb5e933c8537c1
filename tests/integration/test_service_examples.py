"""The calls in docs/PROTOCOL.md, made by reflection: by a client that knows no message of ours."""

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any  # noqa: TID251 - JSON

import grpc
import pytest
from google.protobuf import json_format
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # type: ignore[import-untyped]
    ProtoReflectionDescriptorDatabase,
)

from tests.integration.ladders import Ladder
from tests.integration.service_world import World, offering
from tests.integration.serving import LIMIT_S
from tests.repo.tree import ROOT

PACKAGE = "tichu.referee.v1"
PAGE = (ROOT / "docs" / "PROTOCOL.md").read_text(encoding="utf-8")
EXAMPLES = [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```", PAGE, re.M | re.S)]
CHOSEN = re.compile(r"<[^<>]+>")


class Client:
    """Makes calls from JSON; all that it knows of messages it asks the referee."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._pool = DescriptorPool(ProtoReflectionDescriptorDatabase(channel))

    def methods(self) -> set[str]:
        """All calls of the package but the bots' stream."""
        names = ProtoReflectionDescriptorDatabase(self._channel).get_services()
        mine = [name for name in names if name.startswith(PACKAGE)]
        found = {
            f"{service.name}/{method.name}"
            for service in map(self._pool.FindServiceByName, mine)
            for method in service.methods
        }
        return found - {"RefereeService/Play"}

    def call(self, method: str, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the answer, or the messages of a stream of answers."""
        service, _, name = method.partition("/")
        what = self._pool.FindServiceByName(f"{PACKAGE}.{service}").FindMethodByName(name)
        message = json_format.ParseDict(request, GetMessageClass(what.input_type)())
        answer = GetMessageClass(what.output_type)
        path = f"/{PACKAGE}.{method}"
        if what.server_streaming:
            stream = self._channel.unary_stream(
                path, type(message).SerializeToString, answer.FromString
            )
            for one in stream(message, timeout=LIMIT_S * 3):
                yield json_format.MessageToDict(one)
        else:
            unary = self._channel.unary_unary(
                path, type(message).SerializeToString, answer.FromString
            )
            yield json_format.MessageToDict(unary(message, timeout=LIMIT_S))


def filled(value: object, known: dict[str, Any]) -> Any:
    """A value of the page with what the referee chose in its places."""
    if isinstance(value, dict):
        return {key: filled(one, known) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, str):
        return CHOSEN.sub(lambda found: str(known.get(found[0], found[0])), value)
    return value


def learn(expected: object, got: object, known: dict[str, Any]) -> None:
    """Compare an answer with the page; a place that is new takes what stands there."""
    if _is_chosen(expected):
        assert isinstance(expected, str)
        assert known.setdefault(expected, got) == got, expected
    elif isinstance(expected, dict) and isinstance(got, dict):
        assert set(got) <= set(expected)
        for key, one in expected.items():
            if key in got or not _is_chosen(one):  # a number that is 0 is not sent
                learn(one, got[key], known)
    elif isinstance(expected, list) and isinstance(got, list):
        assert len(expected) == len(got)
        for one, other in zip(expected, got, strict=True):
            learn(one, other, known)
    else:
        assert expected == got


def _is_chosen(value: object) -> bool:
    return isinstance(value, str) and CHOSEN.fullmatch(value) is not None


def make(client: Client, example: dict[str, Any], known: dict[str, Any]) -> None:
    """Make one call of the page to its end."""
    answers = client.call(example["method"], filled(example["request"], known))
    if "error" in example:
        expected = filled(example["error"], known)
        with pytest.raises(grpc.RpcError) as refused:
            next(answers)
        code: grpc.StatusCode = refused.value.code()
        assert (code.name, refused.value.details()) == (expected["code"], expected["text"])
        return
    learn(example["response"], next(answers), known)
    if example["method"] != "LadderService/WatchStandings":  # which has no end
        assert all(answers)


async def dial_in(world: World, known: dict[str, Any]) -> None:
    """Four processes of each bot, that play whatever comes."""
    tokens = [known["<token>"], *(known[f"<token {number}>"] for number in (2, 3, 4))]
    for token in [*tokens, *(one["token"] for one in known["<tokens>"])]:
        await world.play([token], matches=10)


@pytest.mark.slow
async def test_the_calls_of_the_page_are_answered_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "ladder").mkdir()
    ladder = Ladder(tmp_path / "ladder")
    played = await asyncio.to_thread(ladder.run, "run")
    assert played.returncode == 0, played.stderr
    async with offering(tmp_path, ladders=[ladder.file]) as world:
        known: dict[str, Any] = {}
        with grpc.insecure_channel(world.address) as channel:
            client = await asyncio.to_thread(Client, channel)
            for example in EXAMPLES:
                if example["request"].get("requestId") == "friday-2":
                    await dial_in(world, known)
                await asyncio.to_thread(make, client, example, known)
            methods = await asyncio.to_thread(client.methods)
    assert methods == {example["method"] for example in EXAMPLES}
