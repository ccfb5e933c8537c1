"""Rulings: facts that an organiser adds to a ladder, with a reason, and that stay."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from referee.bootstrap.ladder_plan import LadderPlan
    from referee.ladder.values import Ruling, RulingKind

_MOST_REASON = 500

_file = click.argument("file", type=click.Path(path_type=Path))
_reason = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; it stands under the table."
)
_database = click.option("--database", "url", metavar="URL", help="Instead of the file's.")


@click.command(cls=RefusingCommand)
@_file
@click.argument("subject", metavar="MATCH|BOARD")
@_reason
@_database
def annul(file: Path, subject: str, reason: str, url: str | None) -> None:
    """Rule that a match or board counts for nothing; its board is played again by the next run.

    MATCH is the id in a record's name, BOARD is written ENTRY~ENTRY/NUMBER.

    Exit codes: 0 ruled; 2 bad input, or there is no such match or board: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.ANNUL, subject, reason, url)


@click.command(cls=RefusingCommand)
@_file
@click.argument("entry")
@_reason
@_database
def disqualify(file: Path, entry: str, reason: str, url: str | None) -> None:
    """Rule that an entry and all its boards count no more. That is final.

    Exit codes: 0 ruled; 2 bad input, or there is no such entry: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.DISQUALIFY, entry, reason, url)


@click.command(cls=RefusingCommand)
@_file
@click.argument("entry")
@_reason
@_database
def withdraw(file: Path, entry: str, reason: str, url: str | None) -> None:
    """Rule that an entry plays no more; its boards count.

    Exit codes: 0 ruled; 2 bad input, or there is no such entry: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.WITHDRAW, entry, reason, url)


@click.command(cls=RefusingCommand)
@_file
@click.argument("entry")
@_reason
@click.option(
    "--says",
    metavar="VERSION",
    help="The version in the Hello of its bots, where they dial in.",
)
@_database
def replace(file: Path, entry: str, reason: str, says: str | None, url: str | None) -> None:
    """Rule that an entry goes on with the version that its files have now.

    Its older boards count no more. It plays again where it was withdrawn or quarantined.

    Exit codes: 0 ruled; 2 bad input, or there is no such entry: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.REPLACE, entry, reason, url, says=says)


@click.command(cls=RefusingCommand)
@_file
@_reason
@_database
def freeze(file: Path, reason: str, url: str | None) -> None:
    """Rule that nothing is played any more.

    Rulings on what was played still count; a board that is annulled then is not played again.

    Exit codes: 0 ruled; 2 bad input: nothing is changed.
    """
    from referee.ladder.values import RulingKind

    _rule(file, RulingKind.FREEZE, "", reason, url)


def _rule(
    file: Path,
    kind: "RulingKind",
    subject: str,
    reason: str,
    url: str | None,
    *,
    says: str | None = None,
) -> None:
    from referee.cli.ladder_setup import plan_ladder
    from referee.cli.ladder_subjects import new_version
    from referee.ladder.rulings import decide
    from referee.ladder.values import RulingKind

    reason = reason_of(reason)
    plan = plan_ladder(file, database=url)
    version = new_version(plan, subject, says) if kind is RulingKind.REPLACE else ""
    rulings = asyncio.run(_ruled(plan, kind, subject, reason, version))
    echo_ruling(rulings[-1])
    if decide(rulings).frozen and kind in (RulingKind.ANNUL, RulingKind.REPLACE):
        click.echo("the ladder is frozen: what counts no more is not played again", err=True)


def reason_of(text: str) -> str:
    """Return the reason of a ruling as it is kept. Raises `ConfigError` for what is none."""
    from referee.rules.errors import ConfigError

    if not text.strip() or not text.isprintable() or len(text) > _MOST_REASON:
        raise ConfigError(
            f"--reason {text[:40]!a}: write one line of 1 to {_MOST_REASON} printable characters"
        )
    return text.strip()


def echo_ruling(ruling: "Ruling") -> None:
    """Print a ruling that was made."""
    from referee.formats.printable import printable

    of = f" {printable(ruling.subject)}" if ruling.subject else ""
    click.echo(f"ruling {ruling.number}: {ruling.kind.value}{of}: {printable(ruling.reason)}")


async def _ruled(
    plan: "LadderPlan", kind: "RulingKind", subject: str, reason: str, version: str
) -> "tuple[Ruling, ...]":
    """Rule on a ladder that is known; return all rulings, of which the new one is the last."""
    from referee.cli.ladder_subjects import ruled_subject
    from referee.cli.ladder_table import known
    from referee.rules.errors import ConfigError

    now = await known(plan)
    if now is None:
        raise ConfigError(f"{plan.event}: nothing was played yet, so there is nothing to rule on")
    return await ruled(plan, kind, ruled_subject(plan, now, kind, subject), reason, version)


async def ruled(
    plan: "LadderPlan", kind: "RulingKind", subject: str, reason: str, version: str
) -> "tuple[Ruling, ...]":
    """Append to the journal, which is the truth, then to the database, which follows it.

    Return all rulings; the new one is the last. Raises `ConfigError` where one was lost.
    """
    from referee.bootstrap.ladder_claim import claim
    from referee.bootstrap.ladder_journal import refuse_lost_rulings
    from referee.cli.ladder_table import journal_of
    from referee.store.ladder.schema import open_ladder_store

    journal = journal_of(plan)
    async with await open_ladder_store(plan.database) as store:
        await claim(store, plan)
        refuse_lost_rulings(plan, journal.rulings(), await store.rulings(plan.event))
        ruling = journal.append(kind, subject, reason, version=version)
        rulings = journal.rulings()[: ruling.number]
        for one in rulings:  # also those that did not get there before
            await store.add_ruling(one)
    return rulings
