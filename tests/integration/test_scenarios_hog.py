"""Something hogs the referee's loop: nobody is late for it, nobody pays for it (PROTOCOL 3)."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.clock import new_loop
from referee.match.facts import Faulted, Stalled, Strike, TimedOut
from referee.match.values import MS, Blame, Clock, Ending, Settings
from referee.rules.options import RuleOptions
from tests.integration.link_proxy import link_proxy
from tests.integration.scripted import (
    ScriptedBot,
    asked_to_act,
    by_default,
    by_hand,
    moment,
    seated,
)
from tests.integration.serving import serving

SHORT_S, LONG_S = 0.030, 2.0
BASE_MS = 300
EARLY_S = 0.020  # the answers leave so long before their limit; the short hog outlasts it
TRIES = 5
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


def in_loop(main: Coroutine[object, object, None], factory: LoopFactory = new_loop) -> None:
    """Run in the loop that a referee runs in: it knows how long its turns take."""
    with asyncio.Runner(loop_factory=factory) as runner:
        runner.run(main)


def settings(clock: Clock) -> Settings:
    return Settings(rules=RuleOptions(rounds=1), window_ns=20 * MS, clock=clock)


def hog(duration_s: float) -> None:
    """Keep the loop from its work."""
    threading.Event().wait(duration_s)


async def say_then_hog(
    bots: Sequence[ScriptedBot], asks: Sequence[int], duration_s: float
) -> float:
    """Answers of bots leave, and in the same turn of the loop the hog begins; return when."""
    loop = asyncio.get_running_loop()
    began: asyncio.Future[float] = loop.create_future()

    def block() -> None:
        began.set_result(loop.time())
        hog(duration_s)

    saying = [
        asyncio.ensure_future(bot.say_default(ask)) for bot, ask in zip(bots, asks, strict=True)
    ]
    loop.call_soon(block)
    await asyncio.gather(*saying)
    return await began


# --- a short one


async def answer_over_a_short_hog(folder: Path) -> list[str]:
    """Four answers wait unread from before their limit to after it; what became of each."""
    clock = Clock(base_ns=BASE_MS * MS, bank_ns=0, lag_quota_ns=0)
    for number in range(TRIES):
        (folder / str(number)).mkdir()
        async with (
            serving(folder / str(number)) as referee,
            seated(referee, settings(clock), deciding=(by_hand,) * 4) as table,
        ):
            asks = [(await bot.ask("call")).ask_id for bot in table.bots]
            came = [bot.came[ask] for bot, ask in zip(table.bots, asks, strict=True)]
            limit = min(came) + BASE_MS / 1e3
            await moment(limit - EARLY_S)
            began = await say_then_hog(table.bots, asks, SHORT_S)
            answered = [
                await bot.first_status(ask) for bot, ask in zip(table.bots, asks, strict=True)
            ]
        if began < limit - EARLY_S / 2:
            return answered
        # a machine that stalled by itself let the limit pass before the hog
    raise AssertionError(f"this machine stalled in {TRIES} attempts")


def test_a_hog_of_30_ms_makes_nobody_late(tmp_path: Path) -> None:
    async def main() -> None:
        assert await answer_over_a_short_hog(tmp_path) == ["RECEIVED"] * 4

    in_loop(main())


def test_without_the_loops_turns_the_same_hog_would_make_them_late(tmp_path: Path) -> None:
    """The test above can fail: an ordinary loop stamps what waited with the end of the hog."""

    async def main() -> None:
        assert await answer_over_a_short_hog(tmp_path) == ["TOO_LATE"] * 4

    in_loop(main(), asyncio.SelectorEventLoop)


# --- a long one


async def over_a_long_hog(folder: Path, kind: str) -> None:
    """One open ask, or four, are cancelled and put anew; nobody pays."""
    clock = Clock(base_ns=1_000 * MS, bank_ns=500 * MS)  # the hog is longer than both
    async with (
        serving(folder) as referee,
        seated(referee, settings(clock), deciding=(by_hand,) * 4) as table,
    ):
        bots = [await to_the_first_lead(table.bots)] if kind == "act" else table.bots
        owed = [await bot.ask(kind) for bot in bots]
        asyncio.get_running_loop().call_soon(hog, LONG_S)
        anew = [await bot.ask(kind, after=ask.ask_id) for bot, ask in zip(bots, owed, strict=True)]
        for bot, old, new in zip(bots, owed, anew, strict=True):
            assert [(c.ask_id, c.reason) for c in bot.cancelled] == [
                (old.ask_id, match_pb2.CANCEL_REASON_REFEREE)
            ]
            assert new.bank_left_ms == old.bank_left_ms == 500
            assert new.time_left_ms > 1_400
            assert bot.statuses(old.ask_id) == []
        for bot in table.bots:
            await bot.leave_to(by_default)
        end = await table.end()
    assert (end.ending, end.seat, end.blame) == (Ending.COMPLETED, None, Blame.NONE)
    facts = table.record().facts
    (stalled,) = [fact for fact in facts if isinstance(fact, Stalled)]
    assert stalled.blocked_ns >= LONG_S * 1e9
    assert len(stalled.asks) == len(bots)
    assert not [fact for fact in facts if isinstance(fact, TimedOut | Strike | Faulted)]
    assert end.banks == (500 * MS,) * 4


async def to_the_first_lead(bots: Sequence[ScriptedBot]) -> ScriptedBot:
    """Decide calls and exchange; return the leader when he is asked."""
    for kind in ("call", "exchange"):
        for bot in bots:
            await bot.say_default((await bot.ask(kind)).ask_id)
    return await asked_to_act(bots)


@pytest.mark.parametrize("kind", ["act", pytest.param("call", marks=pytest.mark.slow)])
def test_a_hog_of_2_s_is_blamed_on_the_referee_and_what_was_open_is_asked_anew(
    tmp_path: Path, kind: str
) -> None:
    in_loop(over_a_long_hog(tmp_path, kind))


def test_an_answer_that_waited_through_a_long_hog_counts_and_the_others_are_asked_anew(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        clock = Clock(base_ns=1_000 * MS, bank_ns=500 * MS)
        async with (
            serving(tmp_path) as referee,
            seated(referee, settings(clock), deciding=(by_hand,) * 4) as table,
        ):
            asks = [(await bot.ask("call")).ask_id for bot in table.bots]
            await say_then_hog(table.bots[:1], asks[:1], LONG_S)
            for bot, old in zip(table.bots[1:], asks[1:], strict=True):
                await bot.say_default((await bot.ask("call", after=old)).ask_id)
            await table.bots[0].ack(asks[0], "APPLIED")
            assert table.bots[0].cancelled == []
            assert table.bots[0].statuses(asks[0]) == ["RECEIVED", "APPLIED"]
            for bot in table.bots:
                await bot.leave_to(by_default)
            end = await table.end()
        assert end.ending is Ending.COMPLETED
        assert end.banks == (500 * MS,) * 4

    in_loop(main())


@pytest.mark.slow
def test_a_link_that_was_lost_during_a_long_hog_is_the_referees_fault(tmp_path: Path) -> None:
    async def main() -> None:
        clock = Clock(base_ns=30_000 * MS)
        async with (
            serving(tmp_path, grace_ms=200) as referee,
            link_proxy(tmp_path / "p.sock", referee.addresses[0]) as proxy,
            seated(
                referee,
                settings(clock),
                deciding=(by_hand,) * 4,
                addresses=(proxy.address, *referee.addresses * 3),
            ) as table,
        ):
            for bot in table.bots:
                await bot.ask("call")

            def cut_and_hog() -> None:
                proxy.links[0].cut()
                hog(LONG_S)

            asyncio.get_running_loop().call_soon(cut_and_hog)
            end = await table.end()
        assert (end.ending, end.seat, end.blame) == (Ending.DISCONNECTED, 0, Blame.REFEREE)
        assert (end.winner, end.awarded) == (None, ())
        table.record()

    in_loop(main())
