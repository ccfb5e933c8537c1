"""`referee token`: secrets of bots that their owners start, and that dial in."""

import asyncio
import hashlib
import secrets
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from referee.cli.refusing import RefusingCommand

INSTANCES = 4  # of a bot that plays with its own copy: two places in each of two legs
_MOST_INSTANCES = 64
_NOTHING = 1
_TITLES = ("bot", "number", "made")
_EVERYWHERE = ("0.0.0.0:", "[::]:")  # listened on, but nobody can dial it

_ladder = click.option(
    "--ladder",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file of a ladder or tournament: its database, and where its bots dial.",
)
_database = click.option(
    "--database", "url", metavar="URL", envvar="TICHU_DATABASE", help="[TICHU_DATABASE]"
)


@click.group()
def token() -> None:
    """Make, list and revoke tokens of bots that dial in. Only their hashes are kept."""


@token.command(cls=RefusingCommand, short_help="Make tokens for BOT, one for each process.")
@click.argument("bot")
@click.option(
    "--instances",
    type=click.IntRange(1, _MOST_INSTANCES),
    metavar="N",
    help=f"Processes of the bot, each with a token of its own [with --ladder as many as it has "
    f"there, else {INSTANCES}].",
)
@_ladder
@_database
def create(bot: str, instances: int | None, file: Path | None, url: str | None) -> None:
    """Make tokens for BOT, and print the environment of each of its processes, a line each.

    They are shown this once, and come beside those that there are. Whoever has a line plays as
    the bot: send it as you send a password.

    Exit codes: 0 made; 2 bad input, or the database cannot be used: nothing is made.
    """
    from referee.config.names import NAME_RULE, is_name
    from referee.rules.errors import ConfigError

    if not is_name(bot):
        raise ConfigError(f"bot {bot!r} is no name; {NAME_RULE}")
    where = _url(file, url, bot=bot)
    number = instances or _needed(file, bot)
    made = [secrets.token_urlsafe(32) for _ in range(number)]
    asyncio.run(_keep(where, bot, made))
    access = _access(file)
    for secret in made:
        variables = {**access, "TICHU_TOKEN": secret, "TICHU_BOT_NAME": bot}
        words = [f"{name}={shlex.quote(value)}" for name, value in variables.items() if value]
        click.echo(" ".join(words))


@token.command("list", cls=RefusingCommand, short_help="List which tokens there are.")
@click.argument("bot", required=False)
@_ladder
@_database
def list_(bot: str | None, file: Path | None, url: str | None) -> None:
    """List which tokens there are, of BOT or of all: the bot, a number, when it was made.

    Exit codes: 0 listed; 1 there is none; 2 bad input, or the database cannot be used.
    """
    from referee.cli.tokens import tokens_in
    from referee.formats.text_tables import aligned

    where = _url(file, url)
    found = asyncio.run(tokens_in(where, bot)) or ()
    rows = [[one.bot, str(one.number), one.created] for one in found]
    if rows:
        for line in aligned(_TITLES, rows, texts=(True, False, True)):
            click.echo(line)
    else:
        click.echo(f"there are none; {_making(bot, file, where)} makes them", err=True)
        raise SystemExit(_NOTHING)


@token.command(cls=RefusingCommand, short_help="Forget a token.")
@click.argument("bot")
@click.argument("number", type=click.IntRange(1))
@_ladder
@_database
def revoke(bot: str, number: int, file: Path | None, url: str | None) -> None:
    """Forget a token of BOT by its NUMBER in the list: nobody dials in with it any more.

    What runs now still knows it: stop that and start it again.

    Exit codes: 0 forgotten; 1 there is no such token; 2 bad input, or the database cannot be used.
    """
    from referee.cli.tokens import forgotten
    from referee.formats.printable import printable

    if not asyncio.run(forgotten(_url(file, url), bot, number)):
        click.echo(f"there is no token {number} of {printable(bot)}", err=True)
        raise SystemExit(_NOTHING)
    click.echo(f"token {number} of {printable(bot)} is revoked: stop what runs, and run it again")


def _url(file: Path | None, url: str | None, *, bot: str | None = None) -> str:
    """Return the database of a ladder, or the one that is named. Raises `ConfigError`."""
    from referee.cli.db import database_url

    if file is None:
        return database_url(url)
    from referee.bootstrap.ladder_doors import check_doors
    from referee.cli.ladder_setup import DATABASE
    from referee.cli.tournament_setup import plan_either
    from referee.rules.errors import ConfigError
    from referee.store.ladder.address import sqlite_url

    plan = plan_either(file, database=_flag(url))
    if bot is not None:
        check_doors(plan)
    names = {one.name for entry in plan.entries for one in entry.bots if one.argv is None}
    if bot is not None and bot not in names:
        there = f"there are {', '.join(sorted(names))}" if names else "none of its entries does"
        raise ConfigError(f"{file}: no bot {bot!r} dials in; {there}")
    if plan.database == sqlite_url(plan.folder / DATABASE):
        plan.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return plan.database


def _needed(file: Path | None, bot: str) -> int:
    """Return with how many processes a bot dials in to a ladder or tournament."""
    if file is None:
        return INSTANCES
    from referee.bootstrap.arena_roles import roles_of
    from referee.cli.tournament_setup import plan_either

    plan = plan_either(file)
    roles = {role for entry in plan.entries for role in roles_of(plan, entry.name)}
    return sum(role.bot == bot for role in roles)


def _making(bot: str | None, file: Path | None, url: str) -> str:
    """Return the command that makes tokens, as the operator would write it here."""
    from referee.store.ladder.address import database_of

    words = ["referee", "token", "create", bot or "BOT"]
    if file is not None:
        words += ["--ladder", str(file)]
    if file is None or _flag(url) is not None:
        return f"{shlex.join(words)} --database {database_of(url).word}"
    return shlex.join(words)


def _flag(url: str | None) -> str | None:
    """Return a URL that was given as a flag: the variable is for commands without a file."""
    context = click.get_current_context()
    source = context.get_parameter_source("url")
    return url if source is click.core.ParameterSource.COMMANDLINE else None


def _access(file: Path | None) -> dict[str, str]:
    """Return the variables with which bots of a ladder find it, as far as its file tells them.

    What an owner has to change in them, or needs beside them, is said on stderr.
    """
    if file is None:
        return {}
    from referee.config.tournament import load_either
    from referee.formats.printable import printable

    ladder = load_either(file)
    listen = [address for address in ladder.listen if not address.endswith(":0")]
    if any(address.startswith(_EVERYWHERE) for address in listen):
        click.echo("write this machine's name in place of the address of TICHU_SERVER", err=True)
    if ladder.tls_cert is None:
        return {"TICHU_SERVER": ",".join(listen)}
    name = Path(ladder.tls_cert).name
    click.echo(
        f"send {printable(name)} along, never the key: TICHU_CA_FILE names it, from the folder "
        "where the bot is started; where an authority signed it, name that authority's certificate",
        err=True,
    )
    return {"TICHU_SERVER": ",".join(listen), "TICHU_CA_FILE": name}


async def _keep(url: str, bot: str, made: Sequence[str]) -> None:
    """Keep the hashes of tokens, numbered on from those that are there."""
    from referee.ports.ladder import BotToken
    from referee.store.ladder.schema import open_ladder_store

    async with await open_ladder_store(url) as store:
        there = await store.tokens(bot)
        first = max((one.number for one in there), default=0) + 1
        created = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        await store.add_tokens(
            [
                BotToken(
                    bot=bot,
                    number=first + place,
                    token_hash=hashlib.sha256(secret.encode()).digest(),
                    created=created,
                )
                for place, secret in enumerate(made)
            ]
        )
