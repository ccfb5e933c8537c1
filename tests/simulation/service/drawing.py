"""Plans drawn from one seed: the same seed and number give the same plan."""

import random
from collections import Counter
from collections.abc import Sequence

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.limits import KIB, Limits
from referee.match.values import MS, Clock, MatchConfig, Objective, Pace, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS, RuleOptions, player_seats
from tests.property.rules.playing import ROWS_OF_FOUR
from tests.simulation.service.games import Game, draw_game, draw_rules, players_of
from tests.simulation.service.misdeeds import (
    CONDUCTS,
    NEED_A_CLOCK,
    WEIGHTS,
    Misdeed,
    WorldFault,
)
from tests.simulation.service.network import LinkPlan, Reading
from tests.simulation.service.plans import BotPlan, MatchPlan, Plan, Return
from tests.simulation.service.policy import Temperament
from tests.simulation.service.troubles import Troubles, draw_faults

_SECOND = 1_000 * MS
_HOUR = 3_600 * _SECOND
_LETTERS = "abcdefghijkl"


def draw_plan(seed: str, number: int, *, points: bool = False, game: Game | None = None) -> Plan:
    """Return the plan of a match: one round, or with `points` a target of 50 to 1,000.

    `game` None: one is drawn; of the others than Tichu a match has a few rounds.
    """
    return _Drawing(f"{seed}/{number}", points=points, game=game).plan()


class _Drawing:
    def __init__(self, name: str, *, points: bool, game: Game | None) -> None:
        self.name = name
        self.rng = random.Random(name)
        games = random.Random(f"{name}/game")  # apart, so that matches of four are as ever
        self.game = draw_game(games, points=points) if game is None else game
        self.points = points
        self.faults: Counter[str] = Counter()
        self.clock = self._clock()
        self.pace = self.rng.choice(tuple(Pace))
        self.start_ns = self.rng.choice((1, 30)) * _SECOND
        self.plain = self.rng.random() < 0.5  # the settled rules
        self.thinking: tuple[int, ...] = (1, 5, 20, 60)  # at most, ms
        self.other: RuleOptions | None = None
        if self.game is not Game.TICHU:
            self.other = draw_rules(games, self.game, plain=self.plain, points=points)
            self.faults[self.game] += 1
        self.seats = len(player_seats(self.other or RuleOptions()))

    def plan(self) -> Plan:
        rng = self.rng
        both = rng.random() < 0.1 and self.other is None
        settings = [self._settings() for _ in range(2 if both else 1)]
        misdeeds = self._misdeeds()
        world = draw_faults(rng, at_least_one=not any(misdeeds))
        if WorldFault.STALL_LONG in world and self.clock is not None:  # so that asks are open
            self.thinking = (20, self.clock.base_ns // MS // 2)
        owners = rng.choice(("abab", "abab", "abcd", "aaaa"))
        bots = [self._bot(i, owners[i % len(owners)], misdeeds[i]) for i in range(self.seats)]
        tables: list[tuple[int, ...]] = [tuple(range(self.seats))]
        if both:
            tables.append(self._second_table(bots))
        long = self._length_ns(settings[0])
        limits = self._limits()
        troubles = Troubles(rng, world, long)
        breaks = tuple(troubles.breaks(bots, limits.grace_ns))
        resume_grace_ns = rng.choice((1, 30, 30)) * _SECOND
        kills = tuple(troubles.kills(bots, resume_grace_ns))
        self.faults.update(world)
        self.faults.update({one.returns for one in breaks if one.back_ns is not None})
        self.faults.update(kill.point for kill in kills)
        return Plan(
            name=self.name,
            bots=tuple(bots),
            matches=self._matches(settings, tables, world, long),
            limits=limits,
            start_ns=self.start_ns,
            horizon_ns=24 * _HOUR,
            deal_tries=1 if self.points or rng.random() < 0.6 else 200,
            grid_ns=rng.choice((1, 1, MS, 5 * MS)),
            store_latency_ns=rng.choice((1, 1, MS, 4 * MS)),
            outages=tuple(troubles.outages()),
            stalls=troubles.stalls(),
            breaks=breaks,
            kills=kills,
            resume_grace_ns=resume_grace_ns,
            faults=dict(self.faults),
        )

    # --- the match

    def _clock(self) -> Clock | None:
        rng = self.rng
        if rng.random() < 0.08:
            return None
        base = rng.choice((100, 250, 1_000, 2_000)) * MS
        longer = [base * rng.choice((1, 2, 5)) if rng.random() < 0.2 else None for _ in range(4)]
        quota = rng.choice((0, 500, 3_000, 10_000, 10_000)) * MS
        return Clock(
            base_ns=base,
            bank_ns=rng.choice((0, 0, 500, 3_000, 10_000, 60_000)) * MS,
            call_ns=longer[0],
            exchange_ns=longer[1],
            act_ns=longer[2],
            choose_seat_ns=longer[3],
            lag_cap_ns=rng.choice((0, 100, 500, 500, 2_000)) * MS,
            lag_quota_ns=quota,
        )

    def _settings(self) -> Settings:
        rng = self.rng
        windows = [20, 50, 50, 80, 500]
        if self.clock is not None:
            windows = [w for w in windows if w * MS < self.clock.base_ns]
        return Settings(
            rules=self._rules(),
            pace=self.pace,
            window_ns=rng.choice(windows) * MS,
            clock=self.clock,
            objective=rng.choice(tuple(Objective)),
            max_resends=rng.choice((0, 1, 2, 2, 2)),
            max_strikes=rng.choice((10, 50) if self.points else (0, 1, 3, 10, 10, 50, 50)),
            max_actions=1_000 if rng.random() < 0.97 else rng.randrange(1, 60),
            max_rounds=60 if rng.random() < 0.95 else 2,
            wall_per_round_ns=(600 if rng.random() < 0.93 else rng.choice((1, 5, 20))) * _SECOND,
            lag_limit_ns=rng.choice((50, 500, 500, 1_000)) * MS,
        )

    def _rules(self) -> RuleOptions:
        if self.other is not None:
            return self.other
        rng = self.rng
        chosen: dict[str, object] = {"rounds": 1}
        if self.points:
            chosen = {"target": rng.choice((50, 200, 500, 1_000, 1_000, 1_000))}
        if not self.plain:
            for name in ROWS_OF_FOUR:
                if rng.random() < 0.3:
                    chosen[name] = rng.choice(OPTION_ROWS[name].values)
        try:
            return RuleOptions(**chosen)  # type: ignore[arg-type]
        except ConfigError:  # two that do not go together
            chosen["grand_allowed"] = True
            return RuleOptions(**chosen)  # type: ignore[arg-type]

    def _length_ns(self, settings: Settings) -> int:
        """About how long a round takes: 100 actions."""
        each = settings.window_ns if self.pace is Pace.FAIR else 10 * MS
        several = 1 if self.other is None else (self.other.rounds or 2) * self.seats // 3
        return 100 * each * (4 if self.points else 1) * several

    def _matches(
        self,
        settings: Sequence[Settings],
        tables: Sequence[tuple[int, ...]],
        world: Sequence[WorldFault],
        long: int,
    ) -> tuple[MatchPlan, ...]:
        plans = []
        for i, (what, bots) in enumerate(zip(settings, tables, strict=True)):
            match_id = f"{self.name}{'ab'[i]}"
            players = players_of(what.rules, [f"bot {_LETTERS[bot]}" for bot in bots])
            cancelled = None
            if WorldFault.CANCELLED in world:
                cancelled = self.rng.randrange(long)
            elif self.clock is None:
                cancelled = 600 * _SECOND  # somebody has to
            plans.append(
                MatchPlan(
                    config=MatchConfig(match_id=match_id, settings=what, players=players),
                    bots=bots,
                    start_ns=300 * MS + self.rng.randrange(500) * MS * i,
                    cancelled_ns=cancelled,
                )
            )
        return tuple(plans)

    def _second_table(self, bots: list[BotPlan]) -> tuple[int, ...]:
        """Seat one or two of the bots in a second match too, with others that are honest."""
        shared = self.rng.sample(range(self.seats), self.rng.choice((1, 2)))
        seats = list(shared)
        while len(seats) < self.seats:
            seats.append(len(bots))
            bots.append(self._bot(len(bots), self.rng.choice("abx"), ()))
        self.rng.shuffle(seats)
        return tuple(seats)

    # --- bots

    def _misdeeds(self) -> list[tuple[Misdeed, ...]]:
        rng = self.rng
        known = [one for one in WEIGHTS if self.clock is not None or one not in NEED_A_CLOCK]
        weights = [WEIGHTS[one] for one in known]
        some = []
        for _ in range(self.seats):
            count = rng.choice((0, 0, 0, 1) if self.points else (0, 0, 1, 1, 2))
            some.append(tuple(dict.fromkeys(rng.choices(known, weights, k=count))))
        return some

    def _bot(self, index: int, owner: str, misdeeds: Sequence[Misdeed]) -> BotPlan:
        rng = self.rng
        self.faults.update(misdeeds)
        hello: int | None = rng.randrange(250) * MS
        if rng.random() < 0.05:
            hello = rng.randrange(1_000) * MS  # perhaps after the start of the match
        exits = rng.randrange(1_000) * MS if Misdeed.EXITS_EARLY in misdeeds else None
        if Misdeed.NO_HELLO in misdeeds or exits is not None:
            hello = None
        quick = rng.choice(self.thinking) * MS
        return BotPlan(
            name=f"bot {_LETTERS[index]}",
            owner=owner,
            seed=f"{self.name}/bot {index}",
            hello=self._hello(index, misdeeds),
            hello_ns=hello,
            exits_ns=exits,
            link=self._link(misdeeds),
            temperament=self._temperament(),
            think_ns=(0, quick),
            pong_ns=rng.choice((0, 0, MS)),
            retry_ns=rng.choice((None, 50 * MS, 250 * MS, 2_000 * MS)),
            retries=rng.choice((Return.SESSION, Return.BEARER)),
            conducts=tuple(CONDUCTS[one] for one in misdeeds if one in CONDUCTS),
        )

    def _hello(self, index: int, misdeeds: Sequence[Misdeed]) -> bytes:
        rng = self.rng
        blind = Misdeed.BLIND in misdeeds
        hello = referee_pb2.Hello(
            protocol_version=7 if Misdeed.WRONG_VERSION in misdeeds else 1,
            bot_name=f"bot {_LETTERS[index]}",
            max_matches=2,
            without_snapshots=rng.random() < 0.7 and Misdeed.SLOW_READER not in misdeeds,
            without_legal_plays=blind,
            event_delivery=referee_pb2.EventDelivery.ValueType(rng.choice((0, 1, 2))),
        )
        return referee_pb2.PlayRequest(hello=hello).SerializeToString()

    def _link(self, misdeeds: Sequence[Misdeed]) -> LinkPlan:
        rng = self.rng
        if Misdeed.SLOW_LINK in misdeeds:
            up, down = (rng.choice((20, 75, 150, 200)) * MS for _ in range(2))
        else:
            up, down = (int(rng.choice((0.05, 0.2, 1, 5)) * MS) for _ in range(2))
        jitter = rng.choice((0, 0, 1, 10))
        reading = Reading.AT_ONCE
        if Misdeed.SLOW_READER in misdeeds:
            reading = rng.choice((Reading.SLOWLY, Reading.NEVER))
        return LinkPlan(
            up_ns=up,
            up_jitter_ns=up * jitter // 10,
            down_ns=down,
            down_jitter_ns=down * jitter // 10,
            reading=reading,
            reads_until_ns=520 * MS + rng.randrange(rng.choice((300, 3_000))) * MS,
            bytes_per_s=rng.choice((2_000, 20_000, 200_000)),
        )

    def _temperament(self) -> Temperament:
        rng = self.rng
        return Temperament(
            passes=rng.choice((0.02, 0.1, 0.3)),
            high=rng.choice((0.1, 0.5)),
            long=rng.choice((0.3, 0.8)),
            bombs=rng.choice((0.2, 1.0)),
            calls=rng.choice((0.0, 0.02, 0.2)),
            grands=rng.choice((0.0, 0.05, 0.5)),
            wishes=rng.choice((0.3, 1.0)),
            defaults=rng.choice((0.0, 0.02, 0.2)),
            by_cards=rng.choice((0.0, 0.3)),
        )

    # --- the world

    def _limits(self) -> Limits:
        rng = self.rng
        usual, tight = ((4_000, 500), (200, 200)), ((60, 50), (200, 200))  # burst and rate
        burst, rate = rng.choice(tight if Misdeed.SPAMS in self.faults else usual)
        return Limits(
            grace_ns=rng.choice((0, 500, 3_000, 10_000)) * MS,
            unsent_bytes=rng.choice((64, 64, 2_048)) * KIB,
            ping_ns=rng.choice((100, 1_000, 5_000)) * MS,
            frames_per_s=rate,
            frames_burst=burst,
        )
