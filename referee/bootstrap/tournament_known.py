"""What stands of a tournament now: its matches from the database, else from their records."""

import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256
from types import MappingProxyType

from referee.app.tournament import summaries_in
from referee.bootstrap.ladder_claim import refuse_other
from referee.bootstrap.ladder_folder import LadderFolder
from referee.bootstrap.ladder_plan import RECORDS, SECRET, LadderPlan
from referee.bootstrap.ladder_records import summaries_of
from referee.bootstrap.setup import Isolation
from referee.formats.exported import PRACTICE
from referee.formats.summary import MatchSummary
from referee.formats.tournament_results import TournamentResults
from referee.formats.tournament_text import TournamentReport
from referee.ladder.tournaments import Tournament
from referee.store.ladder.schema import SchemaState, open_ladder_store, schema_of

_TRUST: Mapping[str, str] = MappingProxyType(
    {
        Isolation.DECLARED: "Declared: bots dialled in, and what their processes tell each other "
        "cannot be seen.",
        Isolation.NONE: "Isolation none: one process may have held both hands of a pair.",
    }
)


async def report_of(plan: LadderPlan, tournament: Tournament) -> TournamentReport:
    """Return all rounds that are over. Nothing is made.

    Raises `ConfigError` where matches cannot be read, or do not fit the movement.
    """
    matches = await matches_of(plan, tournament)
    results = TournamentResults(tournament)
    results.add(matches)
    practice = plan.practice or any(one.practice for one in matches)
    remarks = [PRACTICE] if practice else []
    remarks += [_TRUST[kind] for kind in sorted({one.isolation for one in matches} & set(_TRUST))]
    return TournamentReport(
        tournament=tournament,
        rounds=results.rounds(),
        lots=lots_of(plan, tournament),
        remarks=tuple(remarks),
    )


async def matches_of(plan: LadderPlan, tournament: Tournament) -> Sequence[MatchSummary]:
    """Return all matches of a tournament; a database that is gone is made again by a run."""
    found: Sequence[MatchSummary] = ()
    if (await schema_of(plan.database)).state is not SchemaState.EMPTY:
        async with await open_ladder_store(plan.database) as store:
            await refuse_other(store, plan)
            found = await summaries_in(store, tournament.event)
    if not found and (plan.folder / RECORDS).is_dir():
        found = await summaries_of(plan.folder / RECORDS, tournament.event)
    return found


def lots_of(plan: LadderPlan, tournament: Tournament) -> dict[str, str]:
    """Return a lot for every entrant, drawn from the event secret; {} where it is not here."""
    if plan.seed is None and not (plan.folder / SECRET).exists():
        return {}
    secret = LadderFolder(plan).secret()
    return {
        name: hmac.new(secret, f"lot|{name}".encode(), sha256).hexdigest()
        for name in tournament.entrants
    }
