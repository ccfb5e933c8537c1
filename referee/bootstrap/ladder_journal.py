"""The journal of rulings, held against what the database has of it: nothing ruled is taken back."""

from collections.abc import Sequence

import msgspec

from referee.bootstrap.ladder_advice import place_of
from referee.bootstrap.ladder_plan import JOURNAL, LadderPlan
from referee.formats.printable import printable
from referee.ladder.values import Ruling
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal


class _Of(msgspec.Struct):
    event: str


def written_rulings(plan: LadderPlan) -> tuple[Ruling, ...]:
    """Return the rulings that lie beside the records of a plan, in order.

    Raises `ConfigError` for one that was changed, and where they are of another name.
    """
    path = plan.folder / JOURNAL
    refuse_other_name(plan)
    return RulingJournal(path, plan.event).rulings()


def refuse_other_name(plan: LadderPlan) -> None:
    """Raise `ConfigError` that says what to write where the journal is of another name."""
    path = plan.folder / JOURNAL
    try:
        with path.open("rb") as lines:
            name = msgspec.json.decode(lines.readline(), type=_Of).event
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return  # nothing is ruled, or the journal says itself what is wrong with it
    if name != plan.event:
        shown = printable(name)
        raise ConfigError(
            f"{place_of(plan, 'name')}name: the rulings in {path} are of the {plan.kind} {shown}; "
            f'write name = "{shown}", or name another folder'
        )


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
