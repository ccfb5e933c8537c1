"""What goes wrong beside the bots, drawn: links, the loop, the store, the referee itself."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from referee.match.values import MS
from tests.simulation.service.misdeeds import WorldFault
from tests.simulation.service.network import LinkEnd
from tests.simulation.service.plans import BotPlan, Break, Kill, KillPoint, Outage, Return

_SECOND = 1_000 * MS
_FLAPS = (LinkEnd.CUT, LinkEnd.CUT, LinkEnd.HALF_OPEN, None)

# How often each is drawn.
WEIGHTS: Mapping[WorldFault, int] = MappingProxyType(
    {
        WorldFault.CUT_ONE: 3,
        WorldFault.CUT_TWO_OWNERS: 4,
        WorldFault.HALF_OPEN: 4,
        WorldFault.RECONNECT: 6,
        WorldFault.FLAPPING: 4,
        WorldFault.SUPERSEDE: 5,
        WorldFault.STORE_AWAY: 4,
        WorldFault.STORE_FULL: 3,
        WorldFault.KILLED: 10,
        WorldFault.STALL_SHORT: 6,
        WorldFault.STALL_LONG: 5,
        WorldFault.CANCELLED: 2,
    }
)


def draw_faults(rng: random.Random, *, at_least_one: bool) -> tuple[WorldFault, ...]:
    """Return what goes wrong in a simulation; most have nothing of the kind."""
    if not at_least_one and rng.random() >= 0.3:
        return ()
    kinds, weights = tuple(WEIGHTS), tuple(WEIGHTS.values())
    several = rng.choice((1, 1, 1, 2))
    return tuple(dict.fromkeys(rng.choices(kinds, weights, k=several)))


@dataclass(frozen=True, slots=True)
class Troubles:
    """Draws what the faults of a simulation come to. `long`: how long it lasts about, ns."""

    rng: random.Random
    world: Sequence[WorldFault]
    long: int

    def stalls(self) -> tuple[tuple[int, int], ...]:
        """Return when the loop is busy, and for how long."""
        rng, long = self.rng, self.long
        if WorldFault.STALL_SHORT in self.world:
            several = range(rng.randrange(1, 12))
            return tuple((rng.randrange(long), rng.randrange(2, 50) * MS) for _ in several)
        if WorldFault.STALL_LONG in self.world:
            several, most = range(rng.randrange(1, 6)), rng.choice((120, 600, 3_000))
            return tuple((rng.randrange(long), rng.randrange(50, most) * MS) for _ in several)
        return ()

    # --- links

    def breaks(self, bots: Sequence[BotPlan], grace_ns: int) -> Iterator[Break]:
        """Yield what happens to links."""
        rng, world, when = self.rng, self.world, self._when()
        if WorldFault.CUT_ONE in world:
            yield Break(at=when, bot=rng.randrange(len(bots)))
        if WorldFault.CUT_TWO_OWNERS in world:
            yield from self._two_owners(bots, when)
        if WorldFault.HALF_OPEN in world:
            yield self._one(bots, grace_ns, LinkEnd.HALF_OPEN)
        if WorldFault.RECONNECT in world:
            yield self._one(bots, grace_ns, LinkEnd.CUT)
        if WorldFault.SUPERSEDE in world:
            for _ in range(rng.choice((1, 1, 4))):
                yield self._one(bots, grace_ns, None)
        if WorldFault.FLAPPING in world:
            for _ in range(rng.randrange(2, 12)):
                yield self._one(bots, grace_ns, rng.choice(_FLAPS))

    def _when(self) -> int:
        return 300 * MS + self.rng.randrange(self.long)

    def _two_owners(self, bots: Sequence[BotPlan], when: int) -> Iterator[Break]:
        """All links of two owners break within a time; now and then all their bots come back."""
        rng = self.rng
        known = sorted({bot.owner for bot in bots})
        owners = rng.sample(known, k=min(2, len(known)))
        within, back = rng.choice((1, 30, 900)), rng.choice((None, None, rng.randrange(3_000)))
        for i, bot in enumerate(bots):
            if bot.owner in owners:
                at = when + rng.randrange(within) * MS
                yield Break(at=at, bot=i, back_ns=None if back is None else back * MS)

    def _one(self, bots: Sequence[BotPlan], grace_ns: int, how: LinkEnd | None) -> Break:
        rng = self.rng
        bot = rng.randrange(len(bots))
        return Break(
            at=self._when(),
            bot=bot,
            how=how,
            back_ns=0 if how is None else self._back_ns(how, grace_ns, bots[bot].link.up_ns),
            returns=rng.choice(tuple(Return)),
        )

    def _back_ns(self, how: LinkEnd, grace_ns: int, up_ns: int) -> int | None:
        """Soon, just as the grace ends, or too late. A dead link may be superseded or be found."""
        rng = self.rng
        if how is LinkEnd.HALF_OPEN and rng.random() < 0.3:
            return rng.choice((None, rng.randrange(18_000) * MS + grace_ns))
        match rng.randrange(6):
            case 0:
                return max(0, grace_ns - up_ns + rng.choice((-MS, -1, 0, 1, MS)))
            case 1:
                return grace_ns + rng.randrange(5_000) * MS
            case 2:
                return int(rng.random() * grace_ns)
            case _:
                return int(rng.random() * rng.choice((2, 50, 1_000)) * MS)

    # --- the store

    def outages(self) -> Iterator[Outage]:
        """Yield when the store refuses what it is given."""
        for fault, full in ((WorldFault.STORE_AWAY, False), (WorldFault.STORE_FULL, True)):
            if fault in self.world:
                for _ in range(self.rng.choice((1, 1, 2, 4))):
                    yield Outage(at=self._when_stored(), length=self._away_ns(), full=full)

    def _when_stored(self) -> int:
        """Any time, also before the match, while bots say Hello."""
        return int(self.rng.random() * (300 * MS + self.long))

    def _away_ns(self) -> int:
        rng = self.rng
        low, high = rng.choice(((50, 500), (50, 3_000), (3_000, 30_000), (30_000, 90_000)))
        return rng.randrange(low, high) * MS

    # --- the referee

    def kills(self, bots: Sequence[BotPlan], grace_ns: int) -> Iterator[Kill]:
        """Yield when the referee is killed, and who comes back to it; `grace_ns` for how long."""
        if WorldFault.KILLED not in self.world:
            return
        rng, at = self.rng, self._when()
        for _ in range(rng.choice((1, 1, 2, 3))):
            outage = int(rng.choice((rng.uniform(0.1, 1), rng.uniform(0.1, 40))) * _SECOND)
            manner = rng.choice(("all", "all", "all", "some", "few"))
            yield Kill(
                at=at,
                point=rng.choice(tuple(KillPoint)),
                skips=rng.choice((0, 0, 0, 1, rng.randrange(20))),
                outage_ns=outage,
                backs=tuple(self._back(manner, outage, grace_ns) for _ in bots),
            )
            at += outage + self._soon_after()

    def _soon_after(self) -> int:
        """Some are killed again while they wait for their bots."""
        rng = self.rng
        return rng.choice((rng.randrange(100) * MS, rng.randrange(self.long), 5 * _SECOND))

    def _back(self, manner: str, outage: int, grace_ns: int) -> tuple[int, Return] | None:
        """Soon as a rule; at the end of the time for it, too late or never by chance."""
        rng = self.rng
        returns = rng.choice((Return.SESSION, Return.SESSION, *Return))
        off = {"all": 0.03, "some": 0.3, "few": 0.8}[manner]
        if rng.random() >= off:
            return int(rng.random() * rng.choice((MS, _SECOND, outage + _SECOND))), returns
        match rng.randrange(4):
            case 0:
                return outage + int(rng.random() * grace_ns), returns
            case 1:
                return outage + grace_ns + rng.choice((-5 * MS, 0, 5 * MS)), returns
            case 2:
                return outage + grace_ns + rng.randrange(1, 10_000) * MS, returns
            case _:
                return None
