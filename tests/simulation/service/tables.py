"""Plans made by hand, for tests that want one thing to go wrong and nothing else."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.facts import Fact, MatchEnded, decode_fact
from referee.match.values import MS, Clock, MatchConfig, Pace, Settings
from referee.rules.options import RuleOptions, player_seats
from tests.simulation.audit.transcript import WorldEvent
from tests.simulation.service.bots import Conduct
from tests.simulation.service.games import players_of
from tests.simulation.service.journal import Happened, Said
from tests.simulation.service.network import LinkPlan
from tests.simulation.service.plans import BotPlan, Kill, KillPoint, MatchPlan, Plan, Return
from tests.simulation.service.policy import Temperament
from tests.simulation.service.world import SimWorld

SECOND = 1_000 * MS
_HELLO = referee_pb2.PlayRequest(hello=referee_pb2.Hello(protocol_version=1, max_matches=2))
_CALM = Temperament(defaults=0.0)


def conduct(make: Callable[[], Conduct]) -> Callable[[random.Random], Conduct]:
    """Return what a plan wants of a conduct that draws nothing."""
    return lambda rng: make()


def bot_of(name: str, owner: str = "") -> BotPlan:
    """Return an honest bot that thinks for 5 to 40 ms over a quick link."""
    return BotPlan(
        name=name,
        owner=owner or name,
        seed=name,
        hello=_HELLO.SerializeToString(),
        link=LinkPlan(up_ns=50_000, down_ns=50_000),
        temperament=_CALM,
        think_ns=(5 * MS, 40 * MS),
    )


def settings_of(clock: Clock | None = None, **changes: object) -> Settings:
    """Return settings of one round in pace fast, unless told else."""
    chosen: dict[str, object] = {
        "rules": RuleOptions(rounds=1),
        "pace": Pace.FAST,
        "window_ns": 50 * MS,
        "clock": clock or Clock(base_ns=SECOND, bank_ns=0),
        **changes,
    }
    return Settings(**chosen)  # type: ignore[arg-type]


def match_of(match_id: str, bots: Sequence[int], settings: Settings, start_ns: int) -> MatchPlan:
    """Return a match that starts so long after the simulation."""
    players = players_of(settings.rules, [f"bot {bot}" for bot in bots])
    config = MatchConfig(match_id=match_id, settings=settings, players=players)
    return MatchPlan(config=config, bots=tuple(bots), start_ns=start_ns)


def plan_of(
    settings: Settings,
    changes: Mapping[int, Mapping[str, object]] | None = None,
    *,
    name: str = "table",
    owners: str = "abab",
    limits: Limits | None = None,
    first_match_ns: int = 200 * MS,
    other_table: bool = False,
    **more: object,
) -> Plan:
    """Return a table of honest bots; `changes` by bot makes some of them others.

    With `other_table`, beside four, four more play a match of their own.
    """
    number = len(player_seats(settings.rules))
    bots = [bot_of(f"bot {seat}", owners[seat % len(owners)]) for seat in range(number)]
    for seat, fields in (changes or {}).items():
        bots[seat] = replace(bots[seat], **fields)  # type: ignore[arg-type]
    matches = [match_of("m", range(number), settings, first_match_ns)]
    if other_table:
        bots += [bot_of(f"bot {seat}", "other") for seat in range(4, 8)]
        matches.append(match_of("other", (4, 5, 6, 7), settings, first_match_ns))
    return Plan(
        name=name,
        bots=tuple(bots),
        matches=tuple(matches),
        limits=limits or Limits(ping_ns=100 * MS),
        start_ns=SECOND,
        horizon_ns=24 * 3_600 * SECOND,
        **more,  # type: ignore[arg-type]
    )


def played(plan: Plan) -> SimWorld:
    """Play a plan to its end."""
    world = SimWorld(plan)
    world.run()
    return world


def facts(world: SimWorld, match_id: str = "m") -> list[Fact]:
    """Return the facts of a match, from its record."""
    return [decode_fact(line) for line in world.store.matches[match_id].lines]


def ended(world: SimWorld, match_id: str = "m") -> MatchEnded:
    """Return how a match ended."""
    return world.ended[match_id]


def kill(
    at: int,
    point: KillPoint = KillPoint.INSTANT,
    *,
    outage_ns: int = SECOND,
    absent: Sequence[int] = (),
    skips: int = 0,
    bots: int = 4,
) -> Kill:
    """Return a kill after which all come back with their session tokens but those `absent`."""
    backs = [None if bot in absent else (100 * MS, Return.SESSION) for bot in range(bots)]
    return Kill(at=at, point=point, skips=skips, outage_ns=outage_ns, backs=tuple(backs))


def updates(world: SimWorld, bot: int) -> list[tuple[int, int, match_pb2.Update]]:
    """Return all updates that a bot was sent: when, on which of its streams, and what."""
    return [
        (said.at, said.stream, update)
        for said in world.log
        if isinstance(said, Said) and said.to_bot and said.bot == bot
        for update in referee_pb2.PlayResponse.FromString(said.frame).updates
    ]


def acks(world: SimWorld, bot: int) -> list[tuple[int, match_pb2.Acknowledgement]]:
    """Return all acknowledgements that a bot was sent, with their times."""
    return [(at, ack) for at, _, update in updates(world, bot) for ack in update.acks]


def asked(world: SimWorld, bot: int, stream: int = 0) -> dict[int, tuple[int, match_pb2.Ask]]:
    """Return all asks that a bot was sent, by number, with the time of the first sending.

    With `stream` only those that were sent on that one.
    """
    found: dict[int, tuple[int, match_pb2.Ask]] = {}
    for at, on, update in updates(world, bot):
        for ask in update.asks:
            if stream in (0, on):
                found.setdefault(ask.ask_id, (at, ask))
    return found


def happenings(world: SimWorld, what: WorldEvent) -> list[Happened]:
    """Return what happened of a kind beside the frames."""
    return [one for one in world.log if isinstance(one, Happened) and one.what is what]
