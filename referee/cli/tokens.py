"""Tokens of bots as they lie in a database."""

from referee.ports.ladder import BotToken
from referee.store.ladder.schema import SchemaState, open_ladder_store, schema_of


async def tokens_in(url: str, bot: str | None = None) -> tuple[BotToken, ...] | None:
    """Return the tokens of a bot, or of all; None where there is no database. Nothing is made.

    Raises `ConfigError` or `LadderStoreError` where it cannot be used.
    """
    if (await schema_of(url)).state is SchemaState.EMPTY:
        return None
    async with await open_ladder_store(url) as store:
        return await store.tokens(bot)


async def forgotten(url: str, bot: str, number: int) -> bool:
    """Forget a token of a bot; False where there is none of that number. Nothing is made.

    Raises `ConfigError` or `LadderStoreError` where the database cannot be used.
    """
    if (await schema_of(url)).state is SchemaState.EMPTY:
        return False
    async with await open_ladder_store(url) as store:
        return await store.revoke_token(bot, number)
