"""The referee as its operator runs it, but for the cards, and for a fault where one is planted.

python -m tests.integration.timing.referee_process FOLDER

It is told the `Plan` on stdin, says `Listening`, begins its matches when `Begin` comes, and ends
with its stdin.
"""

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import structlog

from referee.app.seeds import EventSeeds
from referee.bootstrap import Referee, RefereeSetup
from referee.clock import run
from referee.match.values import MS, Clock, MatchConfig, Player, Settings
from referee.rules.cards import pack
from referee.rules.options import RuleOptions
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.rules.shuffle import shuffle
from tests.bench.child import orders, report
from tests.integration.timing.deals import SEATS, Role, role_at
from tests.integration.timing.plan import SECRET, Plan
from tests.integration.timing.plants import plant

ROUNDS = 60
LONG_MS = 3_600_000


class Order(msgspec.Struct, frozen=True):
    """A plan first, then, without one, the order to begin."""

    plan: Plan | None = None


class Listening(msgspec.Struct, frozen=True):
    """Report: bots may come; tokens by role."""

    address: str
    tokens: tuple[str, ...]


def settings(plan: Plan) -> Settings:
    """A base time just over the window, so that an answer may cost bank; there is plenty."""
    clock = Clock(
        base_ns=(plan.window_ms + 20) * MS,
        call_ns=LONG_MS * MS,
        exchange_ns=LONG_MS * MS,
        bank_ns=LONG_MS * MS,
        lag_quota_ns=0,
    )
    return Settings(
        rules=RuleOptions(rounds=ROUNDS),
        pace=plan.pace,
        window_ns=plan.window_ms * MS,
        clock=clock,
    )


def inject(plan: Plan) -> None:
    """Deal the cards of the plan instead of those that the seeds give."""
    seeds, options = EventSeeds(SECRET), RuleOptions()
    places = {
        tuple(shuffle(seeds.deal_seed(str(match), number), pack(options))): (match, number)
        for match in range(plan.matches)
        for number in range(1, ROUNDS + 1)
    }
    deal = Round.deal

    def injected(
        order: Sequence[int],
        *,
        dealer: Seat,
        options: RuleOptions,
        turn_order: Sequence[Seat] | None = None,
        ranks: Sequence[Seat] = (),
    ) -> Round:
        match, number = places[tuple(order)]
        pair, holds = plan.pair(match, number), plan.holds(match, number)
        cards = pair.order(match, dealer, holds=holds)
        return deal(cards, dealer=dealer, options=options, turn_order=turn_order, ranks=ranks)

    Round.deal = staticmethod(injected)  # type: ignore[method-assign]


async def main(folder: Path) -> None:
    """Serve until stdin ends."""
    setup = RefereeSetup(
        listen=(f"unix:{folder}/r.sock",),
        event_secret=SECRET,
        record_dir=folder / "records",
        store=folder / "referee.db",
    )
    referee = await Referee.start(setup)
    told = orders(Order)
    plan = (await anext(told)).plan
    assert plan is not None
    inject(plan)
    plant(plan.plant)
    issued = [referee.issue_instance(role.name.lower()) for role in Role]
    report(Listening(referee.addresses[0], tuple(one.token for one in issued)))
    async for _ in told:
        await begin(referee, plan, [one.instance_id for one in issued])
    await referee.stop(0)


async def begin(referee: Referee, plan: Plan, instances: Sequence[str]) -> None:
    """Start the matches one after the other, so that their windows do not open together."""
    chosen = settings(plan)
    for match in range(plan.matches):
        by_seat = [role_at(seat, match) for seat in range(SEATS)]
        players = tuple(Player(name=role.name.lower()) for role in by_seat)
        config = MatchConfig(match_id=str(match), settings=chosen, players=players)
        referee.start_match(config, [instances[role] for role in by_seat])
        await asyncio.sleep(plan.window_ms / 1e3 / plan.matches)


if __name__ == "__main__":
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    run(main(Path(sys.argv[1])))
