"""What stands of a tournament now: its matches from the database, else from their records."""

import asyncio
import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from types import MappingProxyType

import msgspec

from referee.app.tournament import summaries_in
from referee.bootstrap.ladder_advice import place_of
from referee.bootstrap.ladder_claim import refuse_other
from referee.bootstrap.ladder_damage import Damage, damage_lines, damage_remark, damages_of
from referee.bootstrap.ladder_folder import LadderFolder
from referee.bootstrap.ladder_journal import refuse_lost_rulings
from referee.bootstrap.ladder_plan import JOURNAL, RECORDS, SECRET, LadderPlan
from referee.bootstrap.ladder_records import summaries_of
from referee.bootstrap.setup import Isolation
from referee.formats.exported import PRACTICE
from referee.formats.summary import MatchSummary
from referee.formats.tournament_results import Misfit, TournamentResults
from referee.formats.tournament_text import TournamentReport
from referee.ladder.habits import Defaults
from referee.ladder.notes import default_note, ruling_note
from referee.ladder.partners import entrant_at
from referee.ladder.tournaments import Tournament
from referee.ladder.values import TEAMS, Ruling
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from referee.store.ladder.schema import SchemaState, open_ladder_store, schema_of

_TRUST: Mapping[str, str] = MappingProxyType(
    {
        Isolation.DECLARED: "Declared: bots dialled in, and what their processes tell each other "
        "cannot be seen.",
        Isolation.NONE: "Isolation none: one process may have held both hands of a pair.",
    }
)


class TournamentKnown(msgspec.Struct, frozen=True, kw_only=True):
    """All that stands of a tournament: its matches, the rulings, and records that are damaged."""

    results: TournamentResults
    matches: Sequence[MatchSummary]
    rulings: Sequence[Ruling]
    damages: Sequence[Damage]


async def report_of(plan: LadderPlan, tournament: Tournament) -> TournamentReport:
    """Return all rounds that are over. Nothing is made.

    Raises `ConfigError` where matches cannot be read, or do not fit the movement.
    """
    known = await known_of(plan, tournament)
    results, matches, counting = known.results, known.matches, known.results.all_counting()
    practice = plan.practice or any(one.practice for one in matches)
    remarks = [PRACTICE] if practice else []
    remarks += [_TRUST[kind] for kind in sorted({one.isolation for one in matches} & set(_TRUST))]
    remarks += _by_default(tournament, counting.values())
    remarks += [_ruling_note(ruling, results) for ruling in known.rulings]
    if known.damages:
        remarks.append(damage_remark(known.damages, counting, results.named))
    unproved = [one.leg for one in known.damages if one.leg.match_id in counting]
    return TournamentReport(
        tournament=tournament,
        rounds=results.rounds(),
        lots=lots_of(plan, tournament),
        remarks=tuple(remarks),
        unproved=frozenset(results.seated(leg) for leg in unproved),
        warnings=tuple(damage_lines(plan, known.damages, counting, results.named)),
    )


async def known_of(plan: LadderPlan, tournament: Tournament) -> TournamentKnown:
    """Return what stands; a database that is gone is made again by a run. Nothing is made.

    Raises `ConfigError` where the file says otherwise than when the tournament began.
    """
    rulings: tuple[Ruling, ...] = ()
    if plan.folder.is_dir():
        LadderFolder(plan).check_known_terms()
        rulings = RulingJournal(plan.folder / JOURNAL, plan.event).rulings()
    matches: Sequence[MatchSummary] = ()
    damages: Sequence[Damage] = ()
    if (await schema_of(plan.database)).state is not SchemaState.EMPTY:
        async with await open_ladder_store(plan.database) as store:
            await refuse_other(store, plan)
            kept = await store.rulings(plan.event)
            if plan.folder.is_dir():
                refuse_lost_rulings(plan, rulings, kept)
            rulings = rulings or kept
            matches = await summaries_in(store, tournament.event)
            digests = await store.digests(plan.event)
        legs = [one.leg for one in matches if one.leg is not None]
        damages = await asyncio.to_thread(damages_of, plan, legs, digests)
    if not matches and (plan.folder / RECORDS).is_dir():
        matches = await summaries_of(plan.folder / RECORDS, tournament.event)
    results = TournamentResults(tournament, rulings)
    with placed_in(plan):
        results.add(matches)
    return TournamentKnown(results=results, matches=matches, rulings=rulings, damages=damages)


@contextmanager
def placed_in(plan: LadderPlan) -> Iterator[None]:
    """Name file and line of what makes a match that was played have no place any more."""
    try:
        yield
    except Misfit as error:
        raise ConfigError(f"{place_of(plan, error.key)}{error}") from None


def _by_default(tournament: Tournament, matches: Iterable[MatchSummary]) -> Iterator[str]:
    """Yield a sentence for each entrant that left many answers to the substitute action."""
    found = dict.fromkeys(tournament.entrants, Defaults())
    for one in matches:
        for seat, (answers, defaults) in enumerate(zip(one.answers, one.defaults, strict=True)):
            if one.place is not None:
                name = entrant_at(one.place.sides[seat % TEAMS].entry, seat // TEAMS)
                found[name] = found[name].more(answers, defaults)
    yield from (default_note(name, one) for name, one in found.items() if one.are_many)


def _ruling_note(ruling: Ruling, results: TournamentResults) -> str:
    match = results.match(ruling.subject)
    where = "" if match is None or match.leg is None else f"{results.named(match.leg)}, match "
    return ruling_note(ruling, f"{where}{ruling.subject}")


def lots_of(plan: LadderPlan, tournament: Tournament) -> dict[str, str]:
    """Return a lot for every entrant, drawn from the event secret; {} where it is not here."""
    if plan.seed is None and not (plan.folder / SECRET).exists():
        return {}
    secret = LadderFolder(plan).secret()
    return {
        name: hmac.new(secret, f"lot|{name}".encode(), sha256).hexdigest()
        for name in tournament.entrants
    }
