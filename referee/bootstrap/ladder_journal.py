"""The journal of rulings, held against what the database has of it: nothing ruled is taken back."""

from collections.abc import Sequence

from referee.bootstrap.ladder_plan import JOURNAL, LadderPlan
from referee.formats.printable import printable
from referee.ladder.values import Ruling
from referee.rules.errors import ConfigError


def refuse_lost_rulings(
    plan: LadderPlan, written: Sequence[Ruling], kept: Sequence[Ruling]
) -> None:
    """Raise `ConfigError` for a ruling that the database keeps and the journal has not, or changed.

    The journal may be ahead of the database, which is brought up to it.
    """
    for ruling in kept:
        at = ruling.number - 1
        if at >= len(written) or written[at] != ruling:
            what = printable(f"{ruling.kind} {ruling.subject}".strip())
            raise ConfigError(
                f"{plan.folder / JOURNAL}: ruling {ruling.number}, {what}, is in the database and "
                "not here as it was; bring the journal back"
            )
