"""Registers bots that dial in, and replaces their tokens."""

import asyncio
import secrets
from collections.abc import Coroutine, Mapping, Sequence
from itertools import groupby

import structlog

from referee.app.instances import Instance, InstanceBook, token_hash
from referee.config.names import NAME_RULE, is_name
from referee.formats.printable import printable
from referee.ports import StoreError
from referee.ports.services import (
    BotProcess,
    CallRefused,
    IssuedToken,
    Problem,
    RegisteredBot,
    TokenKeeper,
)

_PROCESSES, _MOST_PROCESSES = 4, 64  # of a bot: two seats in each of two legs
_MOST_REGISTERED = 4_096  # processes of all bots: each stays until the referee ends
_SHOWN_CHARS = 80
_Tokens = Sequence[IssuedToken]
_log = structlog.get_logger("referee.services")


class RegistryDesk:
    """Implements `referee.ports.services.Registry`. `keeper` keeps the tokens in a database too."""

    def __init__(self, instances: InstanceBook, keeper: TokenKeeper | None = None) -> None:
        self._instances = instances
        self._keeper = keeper
        self._one = asyncio.Lock()  # no call of two for the same bot sees half of the other
        self._works: set[asyncio.Task[_Tokens]] = set()
        self._halves: dict[str, list[Instance]] = {}  # of bots whose registration failed midway

    def bots(self) -> Sequence[RegisteredBot]:
        """Return the bots that have tokens, by name."""
        mine = [one for one in self._instances.registered() if one.name not in self._halves]
        mine.sort(key=lambda one: one.name)
        groups = ((name, list(group)) for name, group in groupby(mine, lambda one: one.name))
        return [
            RegisteredBot(name=name, owner=group[0].owner, processes=tuple(_processes(group)))
            for name, group in groups
        ]

    async def register(self, name: str, owner: str, processes: int) -> Sequence[IssuedToken]:
        """Register a bot; an empty owner is the bot, 0 processes are as many as a board needs."""
        for field, text in (("name", name), ("owner", owner or name)):
            if not is_name(text):
                raise _wrong(field, f"{printable(text[:_SHOWN_CHARS])!r} is no name; {NAME_RULE}")
        number = processes or _PROCESSES
        if number > _MOST_PROCESSES:
            most, usual = _MOST_PROCESSES, _PROCESSES
            text = f"{number} is not 1 to {most}; write one of these, or 0 for {usual}"
            raise _wrong("processes", text)
        if self._keeper is not None and owner not in ("", name):
            raise _wrong("owner", "a database of tokens keeps none; leave it out")
        return await self._whole(self._registered(name, owner or name, number))

    async def _whole(self, work: Coroutine[None, None, _Tokens]) -> _Tokens:
        """Do something to its end, whether its caller waits or not.

        Half of it would be a token in one place that is not in the other.
        """
        task = asyncio.get_running_loop().create_task(work)
        self._works.add(task)  # the loop alone keeps no task alive
        task.add_done_callback(self._works.discard)
        return await asyncio.shield(task)

    async def _registered(self, name: str, owner: str, number: int) -> _Tokens:
        async with self._one:
            half = self._halves.get(name, [])  # they are stored: the same call again takes them
            number = max(number, len(half))
            self._check_new(name, number - len(half))
            tokens = [secrets.token_urlsafe(32) for _ in range(number)]
            hashes = [token_hash(token) for token in tokens]
            await self._keep(name, hashes)
            try:
                for instance, secret in zip(half, hashes, strict=False):
                    self._instances.replace(instance, secret)
                for secret in hashes:
                    self._instances.admit(name, owner, secret)
            except StoreError as error:
                _log.warning("a bot was not registered", error=str(error))
                if stored := self._instances.named(name):
                    self._halves[name] = sorted(stored, key=_number)
                await self._forget(name, hashes)
                raise _store_away() from None
            self._halves.pop(name, None)
        return [IssuedToken(process=at, token=token) for at, token in enumerate(tokens, start=1)]

    def _check_new(self, name: str, number: int) -> None:
        if self._instances.named(name) and name not in self._halves:
            raise CallRefused(
                Problem.ALREADY_EXISTS,
                f"bot {name} is registered; RotateTokens gives it new tokens",
                subject="name",
            )
        if len(self._instances.registered()) + number > _MOST_REGISTERED:
            raise CallRefused(
                Problem.RESOURCE_EXHAUSTED,
                f"one referee registers {_MOST_REGISTERED} processes at most",
                subject="processes",
            )

    async def rotate(self, name: str, process: int) -> Sequence[IssuedToken]:
        """Replace the token of a process, 0: of all processes of a bot."""
        return await self._whole(self._replaced(name, process))

    async def _replaced(self, name: str, process: int) -> _Tokens:
        async with self._one:
            mine = sorted(self._instances.named(name), key=_number)
            if not mine or name in self._halves:
                shown = printable(name[:_SHOWN_CHARS])
                raise CallRefused(
                    Problem.NOT_FOUND,
                    f"no bot {shown!r} is registered here; ListBots names those that are",
                    subject="name",
                )
            if process > len(mine):
                raise CallRefused(
                    Problem.NOT_FOUND,
                    f"bot {printable(name)} has {len(mine)} processes, none of number {process}",
                    subject="process",
                )
            chosen = [process] if process else range(1, len(mine) + 1)
            return await self._rotated({number: mine[number - 1] for number in chosen})

    async def _rotated(self, mine: Mapping[int, Instance]) -> _Tokens:
        """Replace the tokens of processes of a bot, by number: all of them or none.

        What nobody was told would lock a process out. On the way both are kept.
        """
        made = [IssuedToken(process=at, token=secrets.token_urlsafe(32)) for at in mine]
        fresh = [token_hash(one.token) for one in made]
        name, old = next(iter(mine.values())).name, list[bytes]()
        await self._keep(name, fresh)
        try:
            for instance, secret in zip(mine.values(), fresh, strict=True):
                old.append(self._instances.replace(instance, secret))
            await self._forget(name, old)
        except (StoreError, CallRefused) as error:
            _log.warning("no token was replaced", name=name, error=str(error))
            for instance, secret in zip(mine.values(), old, strict=False):
                self._instances.take_back(instance, secret)
            await self._forget(name, fresh)
            raise _store_away() from None
        return made

    async def _keep(self, name: str, hashes: Sequence[bytes]) -> None:
        if self._keeper is not None:
            await self._keeper.add(name, hashes)

    async def _forget(self, name: str, hashes: Sequence[bytes]) -> None:
        if self._keeper is not None:
            await self._keeper.forget(name, hashes)


def _number(instance: Instance) -> tuple[int, str]:
    return (len(instance.id), instance.id)  # ids count: i2 before i10


def _processes(group: Sequence[Instance]) -> list[BotProcess]:
    return [
        BotProcess(
            number=number,
            ready=one.session is not None and one.session.link is not None,
            matches=one.playing,
        )
        for number, one in enumerate(sorted(group, key=_number), start=1)
    ]


def _wrong(field: str, text: str) -> CallRefused:
    return CallRefused(Problem.INVALID_ARGUMENT, f"{field}: {text}", subject=field)


def _store_away() -> CallRefused:
    return CallRefused(Problem.UNAVAILABLE, "nothing can be stored now; ask again later")
