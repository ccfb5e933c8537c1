"""Links that are cut, and who is to blame for it (PROTOCOL 5)."""

import asyncio
from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.values import MS, Blame, Clock, Ending, Settings
from referee.rules.options import RuleOptions
from tests.integration.link_proxy import link_proxy
from tests.integration.scripted import Decide, Decision, ScriptedBot, by_default, by_hand, seated
from tests.integration.serving import Bot, serving

GRACE_MS = 200
ONE_ROUND = Settings(rules=RuleOptions(rounds=1), clock=Clock(base_ns=30_000 * MS))
TWO_ROUNDS = Settings(rules=RuleOptions(rounds=2), clock=Clock(base_ns=30_000 * MS))


@pytest.mark.parametrize("way", ["unix", "tcp"])
async def test_all_links_cut_at_once_is_the_networks_fault_and_the_match_counts_for_nothing(
    tmp_path: Path, way: str
) -> None:
    changes = {"listen": ("127.0.0.1:0",)} if way == "tcp" else {}
    socket = None if way == "tcp" else tmp_path / "p.sock"
    async with (
        serving(tmp_path, grace_ms=GRACE_MS, **changes) as referee,
        link_proxy(socket, referee.addresses[0]) as proxy,
        seated(
            referee, ONE_ROUND, deciding=(by_hand,) * 4, addresses=(proxy.address,) * 4
        ) as table,
    ):
        for bot in table.bots:
            await bot.ask("call")
        proxy.cut_all()
        end = await table.end()
    table.record()
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.NETWORK)
    assert (end.winner, end.awarded) == (None, ())


async def test_a_link_that_its_bot_cuts_when_it_is_behind_is_the_bots_fault(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path, grace_ms=GRACE_MS) as referee,
        link_proxy(tmp_path / "p.sock", referee.addresses[0]) as proxy,
        seated(referee, TWO_ROUNDS, addresses=(proxy.address,) * 4) as table,
    ):
        for bot in table.bots:
            bot.decide = first_round_only(bot)
        totals = (await table.bots[0].event("round_ended")).round_ended.totals
        assert totals[0] != totals[1]
        behind = 0 if totals[0] < totals[1] else 1
        await table.bots[behind].until(lambda: table.bots[behind].open)
        proxy.links[behind].cut()
        end = await table.end()
        witness = table.bots[behind ^ 1]
        told = (await witness.event("match_ended")).match_ended
    assert (end.ending, end.seat, end.blame) == (Ending.DISCONNECTED, behind, Blame.BOT)
    assert (told.seat, told.blame) == (behind, match_pb2.BLAME_BOT)
    assert end.winner == behind ^ 1
    assert end.awarded[behind] <= totals[behind]
    assert end.awarded[behind] < end.awarded[behind ^ 1]


def first_round_only(bot: ScriptedBot) -> Decide:
    def decide(ask: match_pb2.Ask) -> Decision | None:
        return None if bot.events_of("round_ended") else by_default(ask)

    return decide


async def test_two_links_of_one_owner_cut_at_once_are_his_fault(tmp_path: Path) -> None:
    """Else partners would pull both their plugs, and the lost match would count for nothing."""
    async with (
        serving(tmp_path, grace_ms=GRACE_MS) as referee,
        link_proxy(tmp_path / "p.sock", referee.addresses[0]) as proxy,
        seated(
            referee,
            ONE_ROUND,
            deciding=(by_hand,) * 4,
            addresses=(proxy.address,) * 4,
            owners=("ann", "bob", "ann", "bob"),
        ) as table,
    ):
        for bot in table.bots:
            await bot.ask("call")
        for seat in (0, 2):
            proxy.links[seat].cut()
        end = await table.end()
    table.record()
    assert (end.ending, end.blame) == (Ending.DISCONNECTED, Blame.BOT)
    assert end.seat in (0, 2)
    assert end.winner == 1


async def test_links_that_come_back_within_the_grace_are_nobodys_fault(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, grace_ms=20_000) as referee,
        link_proxy(tmp_path / "p.sock", referee.addresses[0]) as proxy,
        seated(
            referee, ONE_ROUND, deciding=(by_hand,) * 4, addresses=(proxy.address,) * 4
        ) as table,
    ):
        for bot in table.bots:
            await bot.ask("call")
        proxy.cut_all()
        for bot in table.bots:
            await bot.gone()
        async with asyncio.TaskGroup() as group:
            for bot in table.bots:
                group.create_task(come_back(bot, proxy.address))
        end = await table.end()
    table.record()
    assert (end.ending, end.seat, end.blame) == (Ending.COMPLETED, None, Blame.NONE)


async def come_back(bot: ScriptedBot, address: str) -> None:
    """Play on over a new stream, to the end of the match."""
    async with Bot(address, bot.bot.token) as again:
        await again.hello(session_token=bot.bot.session_token)
        await again.play()
