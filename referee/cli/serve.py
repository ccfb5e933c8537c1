"""`referee serve`: seat the bots that dial in, a table at a time."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click
import structlog

from referee.app.seeds import secret_of
from referee.bootstrap import Isolation, Referee, RefereeSetup, TablePlan, configure_logs
from referee.bootstrap.offering import Offering
from referee.bootstrap.setup import Guest
from referee.cli.ended_text import counts_words, ended_words
from referee.cli.once import OnceCommand
from referee.cli.rule_flags import variant_flag
from referee.cli.serve_services import DatabaseTokens, PublishedLadders
from referee.cli.serve_setup import (
    ServeArguments,
    ServePlan,
    plan_serve,
    refuse_closed_house,
)
from referee.cli.stop_orders import SIGNAL_EXIT, StopOrders
from referee.clock import run
from referee.config import MOST_DELAY, ServeConfig
from referee.match.facts import MatchEnded, PublicFact, Strike
from referee.match.values import Pace
from referee.ports import Audience, Durability
from referee.rules.errors import ConfigError
from referee.rules.options import MAX_ROUNDS, MAX_TARGET

_PACES = tuple(pace.value for pace in Pace)
_ISOLATIONS = (Isolation.DECLARED.value, Isolation.NONE.value)
_FENCED = _UNFINISHED = 1
_USAGE = 2
_STOP_S = 1.0  # for streams to end after their Closing

_log = structlog.get_logger("referee.serve")


@click.command(cls=OnceCommand)
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="A TOML file.")
@click.option("--listen", multiple=True, metavar="ADDRESS", help="unix:/path or host:port.")
@click.option("--tls-cert", metavar="FILE", help="Certificate chain, PEM.")
@click.option("--tls-key", metavar="FILE", help="Key of the certificate, PEM.")
@click.option("--plaintext", is_flag=True, default=None, help="No TLS off this machine.")
@click.option("--issue", multiple=True, metavar="NAME", help="Issue a token to a bot and print it.")
@click.option(
    "--database", metavar="URL", help="Let in the bots whose tokens are in this database."
)
@click.option(
    "--ladder",
    "ladders",
    multiple=True,
    metavar="FILE",
    help="Publish the table and results of the ladder in FILE.",
)
@click.option(
    "--watch-delay",
    type=click.IntRange(0, MOST_DELAY),
    metavar="TRICKS",
    help="How far behind those are who watch a match [1].",
)
@click.option(
    "--isolation", type=click.Choice(_ISOLATIONS), help="none: seats may share a process."
)
@click.option("--pace", type=click.Choice(_PACES), help="Timing of bomb windows [fair].")
@click.option("--window", "window_ms", type=int, metavar="MS", help="Length of a bomb window.")
@click.option("--clock", metavar="BASE+BANK", help="Thinking time, or none [2s+60s].")
@click.option(
    "--base",
    "bases",
    multiple=True,
    metavar="KIND=TIME",
    help="A longer base time: of call, exchange, act or choose_seat.",
)
@click.option("--lag", metavar="CAP+QUOTA", help="Credit for slow links, or none [500ms+10s].")
@variant_flag("Which game: tichu, trichu, tientsin, grand_seigneur [tichu].")
@click.option("--rounds", type=click.IntRange(1, MAX_ROUNDS), help="Play so many rounds.")
@click.option("--target", type=click.IntRange(1, MAX_TARGET), help="Play to so many points [1000].")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="A rule option.")
@click.option("--seed", metavar="TEXT", help="The same cards each time; records say PRACTICE.")
@click.option("--matches", type=click.IntRange(1), help="Stop after so many matches.")
@click.option(
    "--parallel",
    type=click.IntRange(1, 512),
    metavar="N",
    help="Let a bot that offers it play so many matches at once [1].",
)
@click.option("--once", is_flag=True, help="Stop after one match.")
@click.option("--record-dir", metavar="DIR", help="Where records go [records].")
@click.option("--store", metavar="FILE", help="Where facts lie [referee.db in the record folder].")
@click.option(
    "--durability",
    type=click.Choice([durability.value for durability in Durability]),
    help="Facts survive the end of the process, or a loss of power too [process].",
)
@click.option("--metrics-port", type=click.IntRange(0, 65_535), help="Serve /metrics; 0: any port.")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="NAME=N",
    help="A limit of a fault; `referee rules faults` has the names.",
)
@click.option(
    "--grace",
    type=float,
    metavar="SECONDS",
    help="For running matches after a signal; only 0 in this release [0].",
)
@click.option(
    "--grace-ms",
    type=click.IntRange(0, 3_600_000),
    metavar="MS",
    help="How long a seat may be without a stream.",
)
@click.option("--log-format", type=click.Choice(["console", "json"]), help="Of the log on stderr.")
def serve(
    *,
    config_file: Path | None,
    options: tuple[str, ...],
    variant: str | None,
    rounds: int | None,
    target: int | None,
    once: bool,
    pace: str | None,
    window_ms: int | None,
    clock: str | None,
    bases: tuple[str, ...],
    lag: str | None,
    faults: tuple[str, ...],
    grace: float | None,
    **flags: object,
) -> None:
    """Seat waiting bots, a table at a time in the order of their Hello, until a signal.

    A table is four, in Tientsin six, in Trichu three (at seats 0, 1 and 3), and in Grand Seigneur
    as many as the option seats says.

    SIGINT or SIGTERM ends the running matches as cancelled and tells the bots to come back later;
    a second one ends at once. Signals within 100 ms are one.

    A server that was killed, or ended at once, left its matches in the store: started with the same
    store it goes on with them as soon as their bots are back.

    Exit codes: 0 the matches are played, or a signal ended it in good order; 1 another process
    took the store over, or something could not be kept and is left there; 2 usage, or it cannot
    listen or open the store; 128 + its number for the second signal.
    """
    try:
        arguments = ServeArguments(
            config_file=config_file,
            variant=variant,
            rounds=rounds,
            target=target,
            options=options,
            pace=pace,
            window_ms=window_ms,
            clock=clock,
            bases=bases,
            lag=lag,
            faults=faults,
            grace=grace,
            flags=_given(flags, once=once),
        )
        plan = plan_serve(arguments)
        refuse_closed_house(plan, arguments)
        code = _serve(plan)
    except ConfigError as error:
        click.echo(f"error: {error}", err=True)
        code = _USAGE
    sys.exit(code)


def _given(flags: dict[str, object], *, once: bool) -> dict[str, object]:
    given = {name: value for name, value in flags.items() if value not in (None, ())}
    if once and given.setdefault("matches", 1) != 1:
        raise ConfigError(f"--once and --matches {given['matches']} exclude each other; drop one")
    return given


def _setup(plan: ServePlan) -> RefereeSetup:
    config, in_force = plan.config, plan.in_force
    return RefereeSetup(
        listen=config.listen,
        event_secret=None if config.seed is None else secret_of(config.seed),
        practice=config.seed is not None,
        tls_cert=Path(config.tls_cert) if config.tls_cert else None,
        tls_key=Path(config.tls_key) if config.tls_key else None,
        plaintext=config.plaintext,
        open_identity=config.open_identity,
        isolation=Isolation(config.isolation),
        record_dir=Path(config.record_dir) if config.record_dir else None,
        store=plan.store,
        durability=Durability(config.durability),
        metrics_port=config.metrics_port,
        metrics_host=config.metrics_host,
        grace_ms=in_force.grace_ms,
        resume_grace_ms=in_force.resume_grace_ms,
        start_budget_s=in_force.start_ms / 1000,
        limits=config.limits,
    )


def _serve(plan: ServePlan) -> int:
    config = plan.config
    configure_logs(config.log_format)
    results = _Results()
    table = TablePlan(
        settings=plan.settings,
        matches=config.matches,
        parallel=config.parallel,
        audience=results,
        lobby=config.lobby,
    )
    return run(_until_stopped(_setup(plan), table, config, _offering(plan, results)))


def _offering(plan: ServePlan, audience: Audience) -> Offering:
    """Return what is served beside the streams. Raises `ConfigError`."""
    config = plan.config
    return Offering(
        settings=plan.settings,
        ladders=PublishedLadders([Path(file) for file in config.ladders]),
        keeper=None if config.database is None else DatabaseTokens(config.database),
        records=Path(config.record_dir) if config.record_dir else None,
        may_share=Isolation(config.isolation) is Isolation.NONE,
        delay_tricks=config.watch_delay,
        audience=audience,
    )


async def _until_stopped(
    setup: RefereeSetup, plan: TablePlan, config: ServeConfig, offering: Offering
) -> int:
    stopped: asyncio.Future[signal.Signals] = asyncio.get_running_loop().create_future()
    orders = StopOrders(partial(_ordered, stopped))
    # before anything is awaited: whoever is waited for may swallow what an interrupt raises
    with orders.heeded((signal.SIGINT, signal.SIGTERM)):
        guests = await _guests_in(config.database)
        referee = await Referee.start(setup, guests=guests, offer=offering)
        if stopped.done():
            await referee.forgo()
            return SIGNAL_EXIT + stopped.result()
        return await _serve_bots(referee, plan, config.issue, stopped)


async def _guests_in(url: str | None) -> Sequence[Guest]:
    """Return who has a token in a database. Raises `ConfigError` where it cannot be used."""
    if url is None:
        return ()
    from referee.cli.tokens import tokens_in
    from referee.ports.ladder import LadderStoreError
    from referee.store.ladder.address import database_of

    try:
        tokens = await tokens_in(url)
    except LadderStoreError as error:
        raise ConfigError(str(error)) from None
    if tokens is None:
        making = f"referee token create BOT --database {database_of(url).word}"
        raise ConfigError(f"database: nothing is in it yet; {making} makes tokens")
    return [Guest(name=one.bot, owner=one.bot, token_hash=one.token_hash) for one in tokens]


async def _serve_bots(
    referee: Referee,
    plan: TablePlan,
    names: Sequence[str],
    stopped: "asyncio.Future[signal.Signals]",
) -> int:
    try:
        if referee.resumed:
            click.echo(f"resumed {referee.resumed} match{'' if referee.resumed == 1 else 'es'}")
        for address in referee.addresses:
            click.echo(f"listening {address}")
        if referee.metrics_address is not None:
            click.echo(f"metrics http://{referee.metrics_address}/metrics")
        for name in names:
            click.echo(f"token {name} {_token(referee, name)}")
        finished = referee.open_lobby(plan)
        ends: set[asyncio.Future[Any]] = {finished, stopped, referee.fenced}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await referee.stop(_STOP_S, coming_back=stopped.done())
    if referee.fenced.done():
        click.echo(f"error: {referee.fenced.result()}", err=True)
        return _FENCED
    if referee.unfinished is not None:
        click.echo(
            f"error: {referee.unfinished}; what could not be kept or written is left in the store: "
            "cure that, and start again with the same --store",
            err=True,
        )
        return _UNFINISHED
    return 0


def _token(referee: Referee, name: str) -> str:
    """Return the token to show; of an instance that was left only its hash was kept."""
    return "kept" if referee.has_instance(name) else referee.issue_instance(name).token


def _ordered(stopped: "asyncio.Future[signal.Signals]", order: int, number: signal.Signals) -> None:
    """The first order ends matches and streams in good order, the second at once."""
    if order > 1:
        _log.warning("stopping at once", signal=number.name)
        os._exit(SIGNAL_EXIT + number)
    _log.info("stopping", signal=number.name)
    if not stopped.done():
        stopped.set_result(number)


class _Results:
    """The audience of every match: one line on stdout at its end."""

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Print the end of a match."""
        for fact in facts:
            if isinstance(fact, MatchEnded):
                points = ":".join(map(str, fact.totals))
                words = [*ended_words(fact), points, *counts_words(fact)]
                click.echo(f"match {match_id} {' '.join(filter(None, words))}")
