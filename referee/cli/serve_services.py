"""What `referee serve` reads for its services: ladders that are published, tokens of a database."""

import asyncio
import importlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from referee.bootstrap.shared_answers import SharedAnswers
from referee.formats.printable import printable
from referee.ports.ladder import BotToken, LadderStore, LadderStoreError
from referee.ports.services import CallRefused, Problem, Published
from referee.rules.errors import ConfigError

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan

_FRESH_S = 2.0  # how long an answer is given again: a table may take seconds to make
_log = structlog.get_logger("referee.serve")


class PublishedLadders:
    """Implements `referee.ports.services.Ladders` over the files of ladders.

    A table is made by what `referee ladder show` makes it by, in a thread with a loop of its own:
    matches are not held up. One is made at a time, to its end, and not again while it is fresh.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        """Raise `ConfigError` for a file that is no ladder's, and for two of one name."""
        self._plans: dict[str, LadderPlan] = {}
        self._answers: SharedAnswers[str, Published] = SharedAnswers(fresh_s=_FRESH_S)
        if files:
            self._load(files)

    def _load(self, files: Sequence[Path]) -> None:
        from referee.cli.ladder_setup import plan_ladder

        # here and not at the first call: it takes a second, which running matches would notice
        importlib.import_module("referee.cli.ladder_table")
        for file in files:
            plan = plan_ladder(file)
            if plan.event in self._plans:
                raise ConfigError(
                    f"ladder {file}: another one is called {printable(plan.event)} too; publish one"
                )
            self._plans[plan.event] = plan

    @property
    def names(self) -> Sequence[str]:
        """Return the names of the ladders."""
        return list(self._plans)

    async def now(self, ladder: str) -> Published:
        """Return how a ladder stands. Raises `CallRefused`."""
        plan = self._plans[ladder]
        return await self._answers.get(ladder, lambda: asyncio.to_thread(_found, plan))


def _found(plan: "LadderPlan") -> Published:
    from referee.cli.ladder_table import known

    try:
        now = asyncio.run(known(plan))
    except LadderStoreError as error:  # its text may name the operator's machine
        _log.warning("a ladder was not read", ladder=plan.event, error=str(error))
        raise CallRefused(
            Problem.UNAVAILABLE, "the database of the ladder is away; ask again later"
        ) from None
    except ConfigError as error:
        _log.error("a ladder cannot be read", ladder=plan.event, error=str(error))
        raise CallRefused(
            Problem.FAILED_PRECONDITION,
            "the database of the ladder cannot be used; its operator finds why in the log",
            subject="ladder",
        ) from None
    if now is None or not now.results:
        raise CallRefused(
            Problem.FAILED_PRECONDITION,
            f"nothing was played yet in ladder {plan.event}; ask again later",
            subject="ladder",
        )
    return Published(
        ladder=plan.event,
        standings=now.table(plan),
        results=now.results,
        counted=frozenset(now.counting().counted),
    )


class DatabaseTokens:
    """Implements `referee.ports.services.TokenKeeper` over a database of tokens."""

    def __init__(self, url: str) -> None:
        self._url = url
        importlib.import_module("referee.store.ladder.schema")  # not at the first call, as above

    async def add(self, bot: str, hashes: Sequence[bytes]) -> None:
        """Keep the hashes of new tokens, numbered on from those that there are."""
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

        async def add(store: LadderStore) -> None:
            first = max((one.number for one in await store.tokens(bot)), default=0) + 1
            await store.add_tokens(
                [
                    BotToken(bot=bot, number=first + at, token_hash=secret, created=created)
                    for at, secret in enumerate(hashes)
                ]
            )

        await self._with(add)

    async def forget(self, bot: str, hashes: Sequence[bytes]) -> None:
        """Forget tokens of a bot."""

        async def forget(store: LadderStore) -> None:
            for one in await store.tokens(bot):
                if one.token_hash in hashes:
                    await store.revoke_token(bot, one.number)

        await self._with(forget)

    async def _with(self, work: Callable[[LadderStore], Awaitable[None]]) -> None:
        from referee.store.ladder.schema import open_ladder_store

        try:
            async with await open_ladder_store(self._url) as store:
                await work(store)
        except (LadderStoreError, ConfigError) as error:
            _log.warning("tokens were not kept", error=str(error))
            raise CallRefused(
                Problem.UNAVAILABLE, "the database of tokens is away; ask again later"
            ) from None
