"""Whose an event of a database is: two ladders of one name would mix their results."""

from referee.bootstrap.ladder_folder import IDENTITY, LadderFolder, identity_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.formats.printable import printable
from referee.ports.ladder import LadderStore
from referee.rules.errors import ConfigError
from referee.store.ladder.address import database_of


async def refuse_other(store: LadderStore, plan: LadderPlan) -> None:
    """Raise `ConfigError` where the event is another ladder's. Nothing is made.

    Whoever has no folder of the ladder may look at what its name has in the database.
    """
    if plan.folder.is_dir():
        _refuse(plan, identity_of(plan.folder), await store.ladder_of(plan.event))


async def claim(store: LadderStore, plan: LadderPlan) -> None:
    """Make the event this ladder's for good. Raises `ConfigError` where it is another's."""
    _refuse(plan, identity_of(plan.folder), await store.ladder_of(plan.event))
    mine = LadderFolder(plan).identity()
    _refuse(plan, mine, await store.claim_event(plan.event, mine))


def _refuse(plan: LadderPlan, mine: str | None, owner: str | None) -> None:
    if owner in (None, mine):
        return
    where = f"database {database_of(plan.database).shown}"
    lost = f"; if it is this one, bring {plan.folder / IDENTITY} back" if mine is None else ""
    raise ConfigError(
        f"{printable(plan.event)}: {where} has another {plan.kind} of this name; give this one "
        f"another `name` or another `database`{lost}"
    )
