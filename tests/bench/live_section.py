"""Matches of a real referee process beside the echo, in turns, in one run."""

import contextlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from referee.match.values import Pace
from tests.bench.echo import EchoTable, Sizes, echo_table
from tests.bench.echo_server import Ran
from tests.bench.figures import NONE, Measured, Table, Target, ratio
from tests.bench.referee_process import Served
from tests.bench.referee_table import RefereeTable, referee_table

FAIR_WINDOW_MS = 20  # the shortest that is allowed (PROTOCOL 4)
FAST_WINDOW_MS = 1_000
_MOST_CPU_RATIO = 2.5
_MOST_TRIP_RATIO = 1.5
_ROUNDS_S, _AIM_ROUNDS_S = 250, 350
_MOST_KB = 60
_FULL_LOAD = 128  # matches that the figures for a full machine are stated for
_SIZING_S = 1.5


class Level(NamedTuple):
    """One load: so many matches at once, at a pace."""

    matches: int
    pace: Pace

    @property
    def name(self) -> str:
        """The first cell of its row."""
        return f"{self.matches} {self.pace}"


class Plan(NamedTuple):
    """What to run: the echo, the matches, or both in turns."""

    counts: tuple[int, ...]
    seconds: float
    warm_up_s: float
    passes: int
    echo: bool
    matches: bool


class EchoRun(NamedTuple):
    """One run of the echo, with the clients' processor time a cycle in microseconds."""

    ran: Ran
    client_us: float


class RefereeRun(NamedTuple):
    """One run of matches, with the bots' processor time an action in microseconds."""

    served: Served
    bot_us: float


class Live:
    """Everything that was measured, by load; every list has an entry a pass."""

    def __init__(self, counts: Sequence[int]) -> None:
        self.sizes = Sizes()
        self.sizes_measured = False
        self.echo: dict[int, list[EchoRun]] = {}
        self.matches: dict[Level, list[RefereeRun]] = {}
        self.highest = max(counts)

    def echo_us(self, count: int) -> float | None:
        """Return the echo's processor time a cycle in its server, microseconds."""
        runs = self.echo.get(count)
        return Measured.of([r.ran.server_us_a_cycle for r in runs]).median if runs else None

    def echo_cycles_s(self, count: int) -> float | None:
        """Return the echo's cycles a second."""
        runs = self.echo.get(count)
        return Measured.of([r.ran.cycles_s for r in runs]).median if runs else None


def measure_live(plan: Plan) -> Live:
    """Run all passes. The echo's messages get the sizes of the referee's where both run."""
    live = Live(plan.counts)
    if plan.matches:
        _measure_sizes(live, plan)
    with _echo(live, plan) as echo:
        for _ in range(plan.passes):
            _one_pass(live, plan, echo)
    return live


def _measure_sizes(live: Live, plan: Plan) -> None:
    with referee_table() as table:
        run = table.run(live.highest, Pace.FAST, FAST_WINDOW_MS, plan.warm_up_s, _SIZING_S)[0]
    live.sizes = Sizes(ask=run.ask_bytes, answer=run.answer_bytes)
    live.sizes_measured = True


@contextlib.contextmanager
def _echo(live: Live, plan: Plan) -> Iterator[EchoTable | None]:
    if not plan.echo:
        yield None
        return
    with echo_table(live.sizes) as table:
        yield table


def _one_pass(live: Live, plan: Plan, echo: EchoTable | None) -> None:
    """Let echo and matches alternate; a new referee each pass, so that its memory is fresh."""
    with contextlib.ExitStack() as stack:
        referee = stack.enter_context(referee_table()) if plan.matches else None
        for count in plan.counts:
            if echo is not None:
                run = echo.run(count, warm_up_s=plan.warm_up_s, seconds=plan.seconds)
                live.echo.setdefault(count, []).append(EchoRun(*run))
            if referee is not None:
                _serve(live, plan, referee, Level(count, Pace.FAST))
        if referee is not None:
            _serve(live, plan, referee, Level(live.highest, Pace.FAIR))


def _serve(live: Live, plan: Plan, referee: RefereeTable, level: Level) -> None:
    window_ms = FAST_WINDOW_MS if level.pace is Pace.FAST else FAIR_WINDOW_MS
    run = referee.run(level.matches, level.pace, window_ms, plan.warm_up_s, plan.seconds)
    live.matches.setdefault(level, []).append(RefereeRun(*run))


# --- what is printed


def live_tables(live: Live) -> list[Table]:
    """Return the tables of what ran."""
    tables = []
    if live.echo:
        tables.append(_echo_table(live))
    if live.matches:
        tables += [_rates_table(live), _costs_table(live)]
    return tables


def _echo_table(live: Live) -> Table:
    rows = []
    for count, runs in live.echo.items():
        ran = [run.ran for run in runs]
        rows.append(
            (
                str(count),
                Measured.of([r.cycles_s for r in ran]).text(),
                _ms([r.cycle_p50_us for r in ran]),
                _ms([r.cycle_p99_us for r in ran]),
                _ms([r.trip_p50_us for r in ran]),
                Measured.of([r.server_us_a_cycle for r in ran]).text(1),
                Measured.of([r.client_us for r in runs]).text(1),
                Measured.of([r.messages_s for r in ran]).text(),
            )
        )
    source = "as the referee's were" if live.sizes_measured else "as first measured"
    sizes = f"{live.sizes.ask:.0f} bytes an ask, {live.sizes.answer:.0f} an answer ({source})."
    return Table(
        title="Echo: bare grpc.aio, four clients, a cycle is 1 ask and then 3 at once",
        head=("units", "cycles/s", "p50 ms", "p99 ms", "trip p50 ms", "server us/cycle",
              "clients us/cycle", "messages/s"),
        rows=rows,
        notes=(sizes,),
    )  # fmt: skip


def _rates_table(live: Live) -> Table:
    rows = []
    for level, runs in live.matches.items():
        served = [run.served for run in runs]
        actions = Measured.of([s.actions_s for s in served])
        rows.append(
            (
                level.name,
                Measured.of([s.rounds_s for s in served]).text(),
                actions.text(),
                ratio(actions.median, live.echo_cycles_s(level.matches)),
                Measured.of([s.asks_s for s in served]).text(),
                f"{1e3 * level.matches / actions.median:.2f}",
                _ms([s.answer_p50_us for s in served]),
                _ms([s.answer_p99_us for s in served]),
            )
        )
    return Table(
        title="Matches: one referee process, four processes of minimal bots",
        head=("matches, pace", "rounds/s", "actions/s", "x echo cycles/s", "asks/s",
              "ms/action in a match", "p50 ms", "p99 ms"),
        rows=rows,
        notes=(
            "An action is an applied play, pass, gift or bomb. p50 and p99: from an ask's",
            "hand-over to the stamp of its answer, which is applied in the same pass",
            "(fair: when the window ends).",
            f"The echo cycles once for each action. fair: windows of {FAIR_WINDOW_MS} ms.",
        ),
    )  # fmt: skip


def _costs_table(live: Live) -> Table:
    rows = []
    for level, runs in live.matches.items():
        served = [run.served for run in runs]
        cost = Measured.of([s.us_an_action for s in served])
        rows.append(
            (
                level.name,
                cost.text(1),
                ratio(cost.median, live.echo_us(level.matches)),
                Measured.of([s.us_an_action * s.actions_s / 1e6 for s in served]).text(2),
                Measured.of([run.bot_us for run in runs]).text(1),
                Measured.of([s.messages_s for s in served]).text(),
                Measured.of([s.rss_mb for s in served]).text(1),
                Measured.of([s.kb_a_match for s in served]).text(),
            )
        )
    return Table(
        title="Matches: what they cost",
        head=("matches, pace", "referee us/action", "x echo us/cycle", "referee cores",
              "bots us/action", "messages/s", "referee RSS MB", "kB/match"),
        rows=rows,
        notes=(
            "kB/match: what the RSS grew by since the warmed-up service without a match, by match;",
            "with few matches that is buffers and free memory rather than matches.",
        ),
    )  # fmt: skip


def live_targets(live: Live) -> list[Target]:
    """Return the figures to reach, as far as their loads ran."""
    targets = []
    one = live.matches.get(Level(1, Pace.FAST))
    if one is not None and 1 in live.echo:
        targets.append(_trip_target(one, live.echo[1]))
    full = live.matches.get(Level(_FULL_LOAD, Pace.FAST))
    if full is None:
        return targets
    rounds_s = Measured.of([run.served.rounds_s for run in full]).median
    cost = Measured.of([run.served.us_an_action for run in full]).median
    kb = Measured.of([run.served.kb_a_match for run in full]).median
    targets.append(
        Target(name=f"{_FULL_LOAD} matches, fast: rounds/s", value=rounds_s, unit="rounds/s",
               bound=_ROUNDS_S, at_least=True, aim=_AIM_ROUNDS_S)
    )  # fmt: skip
    echo_us = live.echo_us(_FULL_LOAD)
    if echo_us is not None:
        targets.append(
            Target(name=f"{_FULL_LOAD} matches, fast: referee CPU an action", value=cost / echo_us,
                   unit="x", bound=_MOST_CPU_RATIO, at_least=False,
                   against=f"echo's CPU a cycle, {echo_us:.1f} us")
        )  # fmt: skip
    targets.append(
        Target(name=f"{_FULL_LOAD} matches, fast: memory a running match", value=kb, unit="kB",
               bound=_MOST_KB, at_least=False)
    )  # fmt: skip
    return targets


def _trip_target(one: Sequence[RefereeRun], echo: Sequence[EchoRun]) -> Target:
    us_an_action = 1e6 / Measured.of([run.served.actions_s for run in one]).median
    trip_us = Measured.of([run.ran.trip_p50_us for run in echo]).median
    return Target(
        name="1 match, fast: time per action",
        value=us_an_action / trip_us,
        unit="x",
        bound=_MOST_TRIP_RATIO,
        at_least=False,
        against=f"echo's round trip, {trip_us:.0f} us",
    )


def _ms(microseconds: Sequence[float]) -> str:
    if not any(microseconds):
        return NONE
    return f"{Measured.of(microseconds).median / 1e3:.2f}"
