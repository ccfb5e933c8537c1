"""What one bot, one link or one busy turn of the loop does to a match, in virtual time."""

import random

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.facts import Answered, Released, Stalled, Strike, TimedOut
from referee.match.values import MS, AckStatus, Blame, Clock, Ending, Pace
from referee.rules.options import RuleOptions
from tests.simulation.service import hostile
from tests.simulation.service.bots import Bot, Conduct
from tests.simulation.service.journal import Said
from tests.simulation.service.network import LinkPlan
from tests.simulation.service.plans import Break, Plan
from tests.simulation.service.playing import findings_of
from tests.simulation.service.policy import Hand
from tests.simulation.service.tables import (
    SECOND,
    acks,
    asked,
    conduct,
    ended,
    facts,
    plan_of,
    played,
    settings_of,
)
from tests.simulation.service.world import SimWorld

_SHORT_GRACE = Limits(grace_ns=500 * MS)
_FAR = LinkPlan(up_ns=75 * MS, down_ns=75 * MS)  # 150 ms there and back


class JustBefore(Conduct):
    """Answers what is asked in turn 10 ms before its base time is over by its own clock."""

    def __init__(self, early_ns: int = 10 * MS) -> None:
        self._early = early_ns

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Base time less 10 ms, for acts."""
        if ask.WhichOneof("kind") != "act" or hand.base_ms is None:
            return think
        return hand.base_ms * MS - self._early


class LateBy(Conduct):
    """Answers every act of its seat `ns` after the limit, `times` times."""

    heeds = False

    def __init__(self, ns: int, times: int) -> None:
        self._by, self._left = ns, times

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Past the limit."""
        if ask.WhichOneof("kind") != "act" or self._left == 0:
            return think
        self._left -= 1
        return ask.time_left_ms * MS + self._by


class HoldsPongs(Conduct):
    """Answers each ping 10 s late."""

    def pong(self, bot: Bot, delay: int) -> int:
        """Much later."""
        return 10 * SECOND


def strikes(world: SimWorld, seat: int) -> list[Strike]:
    return [f for f in facts(world) if isinstance(f, Strike) and f.seat == seat]


def far_away(quota_ms: int) -> Plan:
    """Seat 0 answers at the last moment over a link of 150 ms; it has no bank."""
    clock = Clock(base_ns=SECOND, bank_ns=0, lag_quota_ns=quota_ms * MS)
    settings = settings_of(clock, max_strikes=100)
    return plan_of(settings, {0: {"link": _FAR, "conducts": (conduct(JustBefore),)}})


def test_ten_ms_before_the_limit_over_a_slow_link_is_in_time_while_the_quota_lasts() -> None:
    world = played(far_away(quota_ms=10_000))
    assert ended(world).ending is Ending.COMPLETED
    assert strikes(world, 0) == []
    late = [at for at, ask in asked(world, 0).values() if ask.WhichOneof("kind") == "act"]
    assert len(late) > 5
    assert findings_of(world) == []


def test_without_its_quota_the_same_answers_are_late() -> None:
    generous, none = played(far_away(quota_ms=500)), played(far_away(quota_ms=0))
    # each answer in time takes 140 ms of 500
    first = min(strike.at for strike in strikes(generous, 0))
    in_time = [
        f
        for f in facts(generous)
        if isinstance(f, Answered) and f.seat == 0 and f.at < first and f.at - f.sent > SECOND
    ]
    assert len(in_time) == 3
    assert len(strikes(none, 0)) > len(strikes(generous, 0)) > 0
    assert findings_of(generous) == findings_of(none) == []


def test_who_fakes_lag_gains_the_quota_and_no_more() -> None:
    quota = 3 * SECOND
    clock = Clock(base_ns=SECOND, bank_ns=2 * SECOND, lag_cap_ns=500 * MS, lag_quota_ns=quota)
    fakes = (conduct(HoldsPongs), conduct(lambda: JustBefore(early_ns=-490 * MS)))
    settings = settings_of(clock, max_strikes=100)
    # nothing is asked for 11 s, so that the false lag is known when play begins
    plan = plan_of(settings, {0: {"conducts": fakes}}, first_match_ns=11 * SECOND)
    world = played(plan)
    in_force = {
        ack.ask_id for _, ack in acks(world, 0) if ack.status == match_pb2.ACK_STATUS_APPLIED
    }
    over = charged = 0
    for fact in facts(world):
        if isinstance(fact, Answered) and fact.seat == 0 and fact.ask in in_force:
            over += max(0, fact.at - fact.sent - SECOND)
        elif isinstance(fact, Released) and fact.seat == 0:
            charged += fact.charged
    assert over - charged == quota, "it had use for all of it"
    assert findings_of(world) == []


def test_an_answer_50_ms_late_is_too_late_at_once_and_the_next_one_counts() -> None:
    late = {1: {"conducts": (conduct(lambda: LateBy(50 * MS, times=1)),)}}
    world = played(plan_of(settings_of(), late))
    assert ended(world).ending is Ending.COMPLETED
    assert len(strikes(world, 1)) == 1
    (at, too_late), *more = [
        (at, ack) for at, ack in acks(world, 1) if ack.status == match_pb2.ACK_STATUS_TOO_LATE
    ]
    assert more == []
    sent, _ = asked(world, 1)[too_late.ask_id]
    assert at - sent < SECOND + 52 * MS
    after = [
        f for f in facts(world) if isinstance(f, Answered) and f.at > at - sent and f.seat == 1
    ]
    assert any(f.status is AckStatus.APPLIED or f.status is AckStatus.RECEIVED for f in after)
    assert findings_of(world) == []


def test_who_drags_to_the_cap_is_abandoned_and_others_do_not_feel_it() -> None:
    settings = settings_of(wall_per_round_ns=5 * SECOND)
    drags = {2: {"conducts": (conduct(JustBefore),)}}
    world = played(plan_of(settings, drags, other_table=True))
    end = ended(world, "m")
    assert (end.ending, end.seat, end.blame) == (Ending.ABANDONED, 2, Blame.BOT)
    assert end.at == settings.wall_ns(seats=4, round_number=1)
    alone = played(plan_of(settings, other_table=True))
    assert ended(alone, "m").ending is Ending.COMPLETED
    assert ended(world, "other").ending is Ending.COMPLETED
    assert facts(world, "other") == facts(alone, "other")
    assert findings_of(world) == []


def test_all_links_cut_at_once_is_the_networks_fault() -> None:
    cuts = tuple(Break(at=400 * MS, bot=bot) for bot in range(4))
    plan = plan_of(settings_of(), breaks=cuts, limits=_SHORT_GRACE)
    world = played(plan)
    end = ended(world)
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.NETWORK)
    assert end.winner is None
    assert end.awarded == ()
    assert findings_of(world) == []


def test_one_link_cut_alone_is_its_bots_fault() -> None:
    cut = (Break(at=400 * MS, bot=3),)
    world = played(plan_of(settings_of(), breaks=cut, limits=_SHORT_GRACE))
    end = ended(world)
    assert (end.ending, end.blame, end.seat) == (Ending.DISCONNECTED, Blame.BOT, 3)
    assert findings_of(world) == []


def test_who_cuts_its_own_link_when_it_is_behind_gains_nothing() -> None:
    sore = {0: {"conducts": (lambda rng: hostile.SoreLoser(random.Random(1)),)}}
    settings = settings_of(rules=RuleOptions(rounds=20))
    world = played(plan_of(settings, sore, limits=_SHORT_GRACE))
    end = ended(world)
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.BOT)
    assert (end.seat, end.winner) == (0, 1)
    behind = end.totals[0] - end.totals[1]
    assert behind < 0
    assert end.awarded[0] - end.awarded[1] < behind, "a round that runs can only be lost"
    assert findings_of(world) == []


def hogged(length_ns: int, pace: Pace) -> SimWorld:
    """All answer 12 ms before the limit while something keeps the loop for a while, often."""
    settings = settings_of(Clock(base_ns=3 * SECOND, bank_ns=0), pace=pace, max_strikes=0)
    early = {seat: {"conducts": (conduct(lambda: JustBefore(12 * MS)),)} for seat in range(4)}
    every = 10 * length_ns + 7 * MS
    stalls = tuple((300 * MS + i * every, length_ns) for i in range(200))
    return played(plan_of(settings, early, stalls=stalls))


def test_a_hog_of_30_ms_in_the_loop_makes_nobody_late() -> None:
    for pace in Pace:
        world = hogged(30 * MS, pace)
        assert ended(world).ending is Ending.COMPLETED
        assert not [f for f in facts(world) if isinstance(f, Strike | TimedOut | Stalled)]
        assert findings_of(world) == []


def test_a_hog_of_2_s_is_blamed_on_the_referee() -> None:
    for pace in Pace:
        world = hogged(2 * SECOND, pace)
        assert ended(world).ending is Ending.COMPLETED
        told = facts(world)
        assert not [f for f in told if isinstance(f, Strike | TimedOut)]
        stalled = [f for f in told if isinstance(f, Stalled)]
        assert any(f.asks for f in stalled)
        cancelled = [
            gone.reason
            for said in world.log
            if isinstance(said, Said) and said.to_bot
            for update in referee_pb2.PlayResponse.FromString(said.frame).updates
            for gone in update.cancelled
        ]
        assert match_pb2.CANCEL_REASON_REFEREE in cancelled
        assert match_pb2.CANCEL_REASON_TIMED_OUT not in cancelled
        assert findings_of(world) == []
