"""Links that die silently, and stores that are away: what a match makes of it, in virtual time."""

import msgspec
import pytest

from referee.app.limits import Limits
from referee.match.facts import Stalled, Strike, TimedOut
from referee.match.replay import Difference, replay
from referee.match.values import MS, Blame, Clock, Ending, Pace
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.network import LinkEnd
from tests.simulation.service.plans import Break, Outage, Plan, Return
from tests.simulation.service.playing import findings_of
from tests.simulation.service.tables import (
    SECOND,
    asked,
    ended,
    facts,
    happenings,
    plan_of,
    played,
    settings_of,
    updates,
)
from tests.simulation.service.world import SimWorld

_PATIENT = Clock(base_ns=60 * SECOND, bank_ns=0)  # nobody is late while a dead link is not found
_DIES_AT = 400 * MS


def table_with(*breaks: Break, clock: Clock = _PATIENT) -> Plan:
    return plan_of(
        settings_of(clock), breaks=breaks, limits=Limits(ping_ns=SECOND, grace_ns=5 * SECOND)
    )


def test_a_half_open_link_is_found_within_20_s_and_its_grace_begins_then() -> None:
    world = played(table_with(Break(at=_DIES_AT, bot=1, how=LinkEnd.HALF_OPEN)))
    (lost,) = happenings(world, WorldEvent.LOST)
    died = world.began + _DIES_AT
    assert lost.bot == 1
    assert 8 * SECOND <= lost.at - died <= 20 * SECOND
    end = ended(world)
    assert (end.ending, end.seat, end.blame) == (Ending.DISCONNECTED, 1, Blame.BOT)
    assert end.at + world.organiser.first_began["m"] - lost.at == 5 * SECOND
    assert findings_of(world) == []


@pytest.mark.parametrize("returns", Return)
def test_who_dials_again_beside_a_dead_link_goes_on_at_once(returns: Return) -> None:
    dead = Break(at=_DIES_AT, bot=1, how=LinkEnd.HALF_OPEN, back_ns=2 * SECOND, returns=returns)
    world = played(table_with(dead))
    assert ended(world).ending is Ending.COMPLETED
    assert not happenings(world, WorldEvent.LOST), "it was superseded"
    assert any(update.HasField("snapshot") for _, on, update in updates(world, 1) if on == 2)
    assert findings_of(world) == []


@pytest.mark.parametrize("returns", Return)
def test_a_second_stream_takes_over_from_the_first(returns: Return) -> None:
    world = played(table_with(Break(at=_DIES_AT, bot=2, how=None, back_ns=0, returns=returns)))
    assert ended(world).ending is Ending.COMPLETED
    assert {on for _, on, _ in updates(world, 2)} == {1, 2}
    assert findings_of(world) == []


def test_who_is_back_a_moment_before_its_grace_ends_plays_on_and_a_moment_after_does_not() -> None:
    late = 60 * MS  # the way to the referee, 50 us, and the turn that reads the frame
    for back, ending in ((-late, Ending.COMPLETED), (late, Ending.DISCONNECTED)):
        world = played(table_with(Break(at=_DIES_AT, bot=0, back_ns=5 * SECOND + back)))
        assert ended(world).ending is ending
        assert findings_of(world) == []


# --- the store


def with_outage(length: int, *, full: bool = False, pace: Pace = Pace.FAST) -> SimWorld:
    outage = Outage(at=_DIES_AT, length=length, full=full)
    return played(plan_of(settings_of(pace=pace), outages=(outage,)))


@pytest.mark.parametrize("full", [False, True])
def test_a_store_that_is_away_for_59_900_ms_costs_nobody_anything(full: bool) -> None:
    for pace in Pace:
        world = with_outage(59_900 * MS, full=full, pace=pace)
        told = facts(world)
        assert ended(world).ending is Ending.COMPLETED
        assert not [f for f in told if isinstance(f, Strike | TimedOut)]
        assert any(isinstance(f, Stalled) and f.blocked_ns > 59 * SECOND for f in told)
        assert ended(world).at < 10 * SECOND, "match time stood still"
        assert findings_of(world) == []


def test_after_60_100_ms_the_match_is_over_and_nobody_is_to_blame_but_the_referee() -> None:
    world = with_outage(60_100 * MS)
    end = ended(world)
    assert (end.ending, end.blame) == (Ending.STORE_FAILED, Blame.REFEREE)
    assert (end.winner, end.awarded) == (None, ())
    (over,) = happenings(world, WorldEvent.ENDED)
    assert over.at - (world.began + _DIES_AT) < 60_100 * MS
    assert findings_of(world) == []


def test_the_end_is_on_record_once_the_store_is_back_and_the_record_replays() -> None:
    world = with_outage(60_100 * MS)
    last, told = facts(world)[-1], ended(world)
    assert last == msgspec.structs.replace(told, at=last.at), "told where time stood still"
    steps = list(replay(world.plan.matches[0].config, facts(world)))
    assert not [step for step in steps if isinstance(step, Difference)]


def test_nobody_is_told_anything_of_the_match_while_the_store_is_away() -> None:
    world = with_outage(3 * SECOND)
    away, back = (
        happenings(world, what)[0].at for what in (WorldEvent.STORE_AWAY, WorldEvent.STORE_BACK)
    )
    assert back - away >= 2_900 * MS
    assert not [at for bot in range(4) for at, _, _ in updates(world, bot) if away < at < back]


def test_a_bot_that_comes_while_the_store_is_away_is_sent_away_and_let_in_later() -> None:
    outage = Outage(at=_DIES_AT, length=3 * SECOND)
    gone = Break(at=_DIES_AT + 500 * MS, bot=3, back_ns=SECOND, returns=Return.BEARER)
    plan = plan_of(settings_of(), {3: {"retry_ns": 250 * MS}}, breaks=(gone,), outages=(outage,))
    world = played(plan)
    assert ended(world).ending is Ending.COMPLETED
    assert max(on for _, on, _ in updates(world, 3)) > 2, "it was not let in at once"
    assert asked(world, 3)
    assert findings_of(world) == []
