"""Registers bots that dial in, and replaces their tokens."""

import asyncio
import secrets
from collections.abc import Sequence
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
_log = structlog.get_logger("referee.services")


class RegistryDesk:
    """Implements `referee.ports.services.Registry`. `keeper` keeps the tokens in a database too."""

    def __init__(self, instances: InstanceBook, keeper: TokenKeeper | None = None) -> None:
        self._instances = instances
        self._keeper = keeper
        self._one = asyncio.Lock()  # no call of two for the same bot sees half of the other

    def bots(self) -> Sequence[RegisteredBot]:
        """Return the bots that have tokens, by name."""
        mine = sorted(self._instances.registered(), key=lambda one: one.name)
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
            raise _wrong("processes", f"{number} is not 1 to {_MOST_PROCESSES}")
        if self._keeper is not None and owner not in ("", name):
            raise _wrong("owner", "a database of tokens keeps none; leave it out")
        async with self._one:
            self._check_new(name, number)
            tokens = [secrets.token_urlsafe(32) for _ in range(number)]
            hashes = [token_hash(token) for token in tokens]
            if self._keeper is not None:
                await self._keeper.add(name, hashes)
            try:
                for secret in hashes:
                    self._instances.admit(name, owner or name, secret)
            except StoreError as error:
                _log.warning("a bot was not registered", error=str(error))
                if self._keeper is not None:
                    await self._keeper.forget(name, hashes)
                raise _store_away() from None
        return [IssuedToken(process=at, token=token) for at, token in enumerate(tokens, start=1)]

    def _check_new(self, name: str, number: int) -> None:
        if self._instances.named(name):
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
        async with self._one:
            mine = sorted(self._instances.named(name), key=_number)
            if not mine:
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
            return [await self._rotated(mine[number - 1], number) for number in chosen]

    async def _rotated(self, instance: Instance, number: int) -> IssuedToken:
        """Replace one token. On the way both are kept, so that a failure locks nobody out."""
        token = secrets.token_urlsafe(32)
        fresh, keeper = token_hash(token), self._keeper
        if keeper is not None:
            await keeper.add(instance.name, [fresh])
        try:
            old = self._instances.replace(instance, fresh)
        except StoreError as error:
            _log.warning("a token was not replaced", instance=instance.id, error=str(error))
            if keeper is not None:
                await keeper.forget(instance.name, [fresh])
            raise _store_away() from None
        if keeper is not None:
            await keeper.forget(instance.name, [old])
        return IssuedToken(process=number, token=token)


def _number(instance: Instance) -> tuple[int, str]:
    return (len(instance.id), instance.id)  # ids count: i2 before i10


def _processes(group: Sequence[Instance]) -> list[BotProcess]:
    return [
        BotProcess(
            number=number,
            ready=one.session is not None and one.session.link is not None,
            matches=0 if one.session is None else one.session.running,
        )
        for number, one in enumerate(sorted(group, key=_number), start=1)
    ]


def _wrong(field: str, text: str) -> CallRefused:
    return CallRefused(Problem.INVALID_ARGUMENT, f"{field}: {text}", subject=field)


def _store_away() -> CallRefused:
    return CallRefused(Problem.UNAVAILABLE, "nothing can be stored now; ask again later")
