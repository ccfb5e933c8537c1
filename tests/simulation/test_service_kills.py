"""A referee that is killed and started again: what its matches make of it, in virtual time."""

from dataclasses import replace

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.dispatcher import Dispatcher
from referee.match.facts import Passed, Played, Resumed, Strike, TimedOut, decode_fact
from referee.match.values import MS, Blame, Clock, Ending, Pace
from referee.rules.option_values import GrandOrder
from referee.rules.options import RuleOptions
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.journal import Said
from tests.simulation.service.plans import Kill, KillPoint, Plan, Return
from tests.simulation.service.playing import findings_of
from tests.simulation.service.tables import (
    SECOND,
    acks,
    asked,
    bot_of,
    ended,
    facts,
    happenings,
    kill,
    match_of,
    plan_of,
    played,
    settings_of,
    updates,
)
from tests.simulation.service.world import SimWorld

_MOVES = ("played", "passed")
_SLOW = {seat: {"think_ns": (50 * MS, 400 * MS)} for seat in range(4)}
_CLOCK = Clock(base_ns=SECOND, bank_ns=500 * MS)
_TOGETHER = RuleOptions(rounds=1, grand_order=GrandOrder.TOGETHER)


def killed(*kills: Kill, pace: Pace = Pace.FAST, **settings: object) -> SimWorld:
    return played(plan_with(*kills, pace=pace, **settings))


def plan_with(*kills: Kill, pace: Pace = Pace.FAST, **settings: object) -> Plan:
    return plan_of(settings_of(_CLOCK, pace=pace, **settings), _SLOW, kills=kills)


def durable_moves(world: SimWorld) -> int:
    """How many plays and passes the store held when the referee was killed first."""
    lines = happenings(world, WorldEvent.KILLED)[0].lines
    known = map(decode_fact, world.store.matches["m"].lines[:lines])
    return sum(isinstance(fact, Played | Passed) for fact in known)


def moves_told(world: SimWorld, bot: int, *, before: int) -> int:
    return sum(
        event.WhichOneof("event") in _MOVES
        for at, _, update in updates(world, bot)
        if at <= before
        for event in update.events
    )


def first_after(world: SimWorld, bot: int) -> match_pb2.Update:
    """The first that a bot is told of its match by the next process."""
    restart = happenings(world, WorldEvent.RESTARTED)[0].at
    return next(update for at, _, update in updates(world, bot) if at > restart)


def test_what_was_kept_and_not_told_is_in_the_snapshot_of_the_next_process() -> None:
    untold = 0
    for skips in range(6):
        world = killed(kill(1_500 * MS, KillPoint.AFTER_APPEND, skips=skips), pace=Pace.FAIR)
        (gone,) = happenings(world, WorldEvent.KILLED)
        for bot in range(4):
            snapshot = first_after(world, bot).snapshot
            shown = sum(event.WhichOneof("event") in _MOVES for event in snapshot.events)
            assert shown == durable_moves(world)
            untold += shown - moves_told(world, bot, before=gone.at)
        assert ended(world).ending is Ending.COMPLETED
        assert findings_of(world) == []
    assert untold, "one of them was killed after the append of a move"


def last_read(world: SimWorld, before: int) -> tuple[int, int]:
    """The bot and the ask of the last answer that the referee read before a time."""
    for said in reversed(world.log):
        if isinstance(said, Said) and not said.to_bot and said.at <= before:
            answers = referee_pb2.PlayRequest.FromString(said.frame).answers
            if answers:
                return said.bot, answers[-1].ask_id
    raise AssertionError("nobody answered")


def test_an_answer_that_was_not_kept_was_never_given_and_its_ask_has_its_whole_time() -> None:
    world = killed(kill(900 * MS, KillPoint.BEFORE_APPEND))
    (gone,) = happenings(world, WorldEvent.KILLED)
    bot, ask_id = last_read(world, gone.at)
    before, after = asked(world, bot, stream=1)[ask_id][1], asked(world, bot, stream=2)[ask_id][1]
    assert after == before, "the same ask, with all the time it had when it was sent"
    heard = [(at, ack.status) for at, ack in acks(world, bot) if ack.ask_id == ask_id]
    assert all(at > gone.at for at, _ in heard)
    assert heard, "it answers again"
    assert findings_of(world) == []


@pytest.mark.parametrize("point", KillPoint)
def test_wherever_it_is_killed_the_match_is_played_to_its_end(point: KillPoint) -> None:
    for at in (0, 250, 600, 1_100):
        world = killed(kill(at * MS, point))
        assert ended(world).ending is Ending.COMPLETED
        assert sum(world.struck[each] for each in KillPoint) == (
            0 if at and point in (KillPoint.BEFORE_SESSION, KillPoint.AFTER_SESSION) else 1
        )
        assert findings_of(world) == []


def test_an_outage_costs_no_time() -> None:
    for at in range(300, 1_700, 100):
        world = killed(kill(at * MS, outage_ns=20 * SECOND))
        assert ended(world).ending is Ending.COMPLETED
        assert not [f for f in facts(world) if isinstance(f, Strike | TimedOut)]
        assert ended(world).at < 20 * SECOND
        assert findings_of(world) == []


def test_if_nobody_comes_back_the_match_is_void_after_30_s() -> None:
    world = killed(kill(900 * MS, absent=range(4)))
    end = ended(world)
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.UNKNOWN)
    assert (end.winner, end.awarded) == (None, ())
    (over,), (restart,) = (
        happenings(world, what) for what in (WorldEvent.ENDED, WorldEvent.RESTARTED)
    )
    assert 30 * SECOND <= over.at - restart.at < 30 * SECOND + 10 * MS
    assert findings_of(world) == []


def test_if_one_seat_does_not_come_back_nobody_wins_and_it_is_named() -> None:
    world = killed(kill(900 * MS, absent=(2,)))
    end = ended(world)
    assert (end.ending, end.blame, end.seat) == (Ending.DISCONNECTED, Blame.UNKNOWN, 2)
    assert (end.winner, end.awarded) == (None, ())
    for bot in (0, 1, 3):
        told = [event for _, _, update in updates(world, bot) for event in update.events]
        assert told[-1].WhichOneof("event") == "match_ended"
        assert told[-1].match_ended.blame == match_pb2.BLAME_UNKNOWN
    assert findings_of(world) == []


def when_asked(kind: str, pace: Pace, **settings: object) -> int:
    """When, after the start of the simulation, something of a kind is first asked."""
    world = played(plan_with(pace=pace, **settings))
    times = [
        at
        for bot in range(4)
        for at, ask in asked(world, bot).values()
        if ask.WhichOneof("kind") == kind
    ]
    return min(times) - world.began


def test_a_window_opens_anew_and_lasts_as_long() -> None:
    opened = when_asked("bomb", Pace.FAIR)
    world = killed(kill(opened + 5 * MS), pace=Pace.FAIR)
    again = 0
    for bot in range(4):
        before, after = asked(world, bot, stream=1), asked(world, bot, stream=2)
        for ask_id in before.keys() & after.keys():
            assert after[ask_id][1] == before[ask_id][1]
            again += after[ask_id][1].WhichOneof("kind") == "bomb"
    assert again, "the window was open when it was killed"
    assert ended(world).ending is Ending.COMPLETED
    assert findings_of(world) == []


@pytest.mark.parametrize("kind", ["exchange", "call"])
def test_behind_a_barrier_answers_that_were_kept_stand_and_the_others_are_owed(kind: str) -> None:
    begins = when_asked(kind, Pace.FAST, rules=_TOGETHER)
    some = 0
    for later in (60, 120, 180, 240):
        world = killed(kill(begins + later * MS), rules=_TOGETHER)
        restart = happenings(world, WorldEvent.KILLED)[0].at
        for bot in range(4):
            ask_id = next(
                key for key, (_, ask) in asked(world, bot).items() if ask.WhichOneof("kind") == kind
            )
            received = [at for at, ack in acks(world, bot) if ack.ask_id == ask_id]
            kept = bool(received) and received[0] < restart
            owed = ask_id in asked(world, bot, stream=2)
            assert owed is not kept
            some += kept
        assert ended(world).ending is Ending.COMPLETED
        assert findings_of(world) == []
    assert 0 < some < 16


def test_killed_twice_it_goes_on_twice() -> None:
    world = killed(kill(700 * MS), kill(2_500 * MS))
    epochs = [fact.epoch for fact in facts(world) if isinstance(fact, Resumed)]
    assert epochs == [2, 3]
    assert ended(world).ending is Ending.COMPLETED
    assert findings_of(world) == []


def test_killed_again_before_its_bots_were_back_it_goes_on_once() -> None:
    world = killed(kill(700 * MS, absent=(1,)), kill(5 * SECOND))
    again = replace(world.plan, kills=(_late(world.plan.kills[0]), world.plan.kills[1]))
    world = played(again)
    epochs = [fact.epoch for fact in facts(world) if isinstance(fact, Resumed)]
    assert epochs == [3]
    assert ended(world).ending is Ending.COMPLETED
    assert findings_of(world) == []


def _late(first: Kill) -> Kill:
    """Bot 1 comes only after the second kill."""
    backs = [(8 * SECOND, Return.SESSION) if back is None else back for back in first.backs]
    return replace(first, backs=tuple(backs))


@pytest.mark.parametrize("returns", Return)
def test_two_matches_of_one_session_both_go_on(returns: Return) -> None:
    settings = settings_of(_CLOCK)
    plan = plan_of(settings, _SLOW)
    more = tuple(bot_of(f"bot {bot}") for bot in (4, 5))
    other = match_of("other", (0, 4, 1, 5), settings, 300 * MS)
    back = kill(900 * MS, bots=6)
    back = replace(back, backs=tuple((100 * MS, returns) for _ in range(6)))
    world = played(
        replace(plan, bots=plan.bots + more, matches=(*plan.matches, other), kills=(back,))
    )
    for match_id in ("m", "other"):
        assert ended(world, match_id).ending is Ending.COMPLETED
        assert [type(fact) for fact in facts(world, match_id)].count(Resumed) == 1
    assert findings_of(world) == []


def test_a_match_that_was_over_is_told_its_end_by_the_next_process() -> None:
    over = ended(played(plan_with())).at
    world = killed(kill(200 * MS + over // MS * MS - 5 * MS, KillPoint.AFTER_APPEND, skips=0))
    assert ended(world).ending is Ending.COMPLETED
    assert findings_of(world) == []


# --- a referee that is wrong


def test_a_referee_that_tells_before_it_keeps_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_and_tell = Dispatcher._keep_and_tell

    def tell_first(self: Dispatcher) -> None:
        for match in self._touched:
            steps = match.steps
            match.steps = list(steps)
            self._tell(match)
            match.steps, match.touched = steps, True
        self._flush()
        keep_and_tell(self)

    monkeypatch.setattr(Dispatcher, "_keep_and_tell", tell_first)
    for kills in ((), (kill(900 * MS, KillPoint.BEFORE_APPEND),)):
        assert any("unkept" in finding for finding in findings_of(killed(*kills)))
