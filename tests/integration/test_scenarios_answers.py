"""Answers repeated, out of order and not one's own, over real gRPC: each gets its due, once."""

from pathlib import Path

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.values import MS, Clock, Ending, Pace, Settings
from referee.rules.options import RuleOptions
from tests.integration.scripted import (
    Decision,
    ScriptedBot,
    asked_to_act,
    by_default,
    by_hand,
    decline,
    seated,
)
from tests.integration.serving import serving

DEFAULT = Decision(default_action=referee_pb2.DefaultAction())
NO_GRAND = Decision(call=referee_pb2.CallAnswer(choice=match_pb2.CALL_KIND_NO_GRAND))
GRAND = Decision(call=referee_pb2.CallAnswer(choice=match_pb2.CALL_KIND_GRAND))
ONE_BY_HAND = (by_hand, by_default, by_default, by_default)
PLENTY = Clock(base_ns=30_000 * MS)


def settings(pace: Pace, window_ms: int) -> Settings:
    return Settings(rules=RuleOptions(rounds=1), pace=pace, window_ns=window_ms * MS, clock=PLENTY)


async def test_the_same_answer_twice_counts_once_and_a_different_one_is_stale(
    tmp_path: Path,
) -> None:
    async with (
        serving(tmp_path) as referee,
        seated(referee, settings(Pace.FAST, 1_000), deciding=ONE_BY_HAND) as table,
    ):
        bot = table.bots[0]
        call = (await bot.ask("call")).ask_id
        await bot.say((call, NO_GRAND), (call, NO_GRAND), (call, GRAND))
        await bot.ack(call, "STALE")
        exchange = (await bot.ask("exchange")).ask_id
        await bot.say((call, NO_GRAND), (exchange, DEFAULT), (exchange, DEFAULT))
        act = (await bot.ask("act")).ask_id
        await bot.say((act, DEFAULT))
        await bot.ack(act, "APPLIED")
        await bot.say((act, DEFAULT), (exchange, DEFAULT))
        await bot.until(lambda: bot.statuses(exchange).count("DUPLICATE") == 2)

        # of the barriers' answers it depends on the other seats how early they are applied
        assert bot.statuses(call)[0] == bot.statuses(exchange)[0] == "RECEIVED"
        assert sorted(bot.statuses(call)) == [
            "APPLIED", "DUPLICATE", "DUPLICATE", "RECEIVED", "STALE"
        ]  # fmt: skip
        assert sorted(bot.statuses(exchange)) == ["APPLIED", "DUPLICATE", "DUPLICATE", "RECEIVED"]
        assert bot.statuses(act) == ["RECEIVED", "APPLIED", "DUPLICATE"]
        calls = [(e.call_made.seat, e.call_made.call) for e in bot.events_of("call_made")]
        assert calls == [(seat, match_pb2.CALL_KIND_NO_GRAND) for seat in range(4)]
        assert not bot.refused
        await bot.leave_to(by_default)
        assert (await table.end()).ending is Ending.COMPLETED


async def test_two_asks_answered_in_the_wrong_order_are_both_taken(tmp_path: Path) -> None:
    """After the last pass the winner of a trick may bomb it, and owes his lead (PROTOCOL 4)."""

    async with (
        serving(tmp_path) as referee,
        seated(referee, settings(Pace.FAIR, 250), deciding=(passive,) * 4) as table,
    ):
        winner = await asked_to_act(table.bots)
        await winner.say_default((await winner.ask("act")).ask_id)
        two = await winner.until(lambda: bomb_and_lead(winner))
        bomb, lead = (ask.ask_id for ask in two)
        assert bomb < lead
        await winner.say((lead, DEFAULT), (bomb, decline()))
        await winner.ack(lead, "APPLIED")

        assert winner.statuses(bomb) == ["RECEIVED"]
        assert winner.statuses(lead) == ["RECEIVED", "APPLIED"]
        order = [ack.ask_id for ack in winner.acks if ack.ask_id in (bomb, lead)]
        assert order == [lead, bomb, lead]
        assert not winner.refused


async def test_an_answer_to_another_seats_ask_is_refused_and_harms_nobody(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as referee,
        seated(referee, settings(Pace.FAST, 1_000), deciding=(by_hand,) * 4) as table,
    ):
        for kind in ("call", "exchange"):
            for bot in table.bots:
                await bot.say_default((await bot.ask(kind)).ask_id)
        owner = await asked_to_act(table.bots)
        theirs = (await owner.ask("act")).ask_id
        thief = next(bot for bot in table.bots if bot is not owner)
        assert theirs not in thief.came
        await thief.say((theirs, DEFAULT))
        await thief.ack(theirs, "REFUSED")
        assert [(r.ask_id, r.code) for r in thief.refused] == [
            (theirs, match_pb2.REFUSAL_CODE_NOT_YOUR_ASK)
        ]

        assert owner.statuses(theirs) == []
        await owner.say_default(theirs)
        await owner.ack(theirs, "APPLIED")
        assert [event.played.seat for event in owner.events_of("played")] == [seat_of(owner)]
        for bot in table.bots:
            await bot.leave_to(by_default)
        assert (await table.end()).ending is Ending.COMPLETED


def passive(ask: match_pb2.Ask) -> Decision | None:
    """Leave leads to the test, and bombs of a trick that closes."""
    if ask.WhichOneof("kind") == "act":
        return None if ask.act.leading else DEFAULT
    return DEFAULT if ask.WhichOneof("kind") != "bomb" else None


def bomb_and_lead(bot: ScriptedBot) -> tuple[match_pb2.Ask, match_pb2.Ask] | None:
    """The two asks of a frame: a bomb on the trick that closes, and the lead after it."""
    if len(bot.asks) < 2 or not bot.asks[-1].act.leading:
        return None
    bomb, lead = sorted(bot.asks[-2:], key=lambda ask: ask.HasField("act"))
    return (bomb, lead) if bomb.HasField("bomb") and lead.act.leading else None


def seat_of(bot: ScriptedBot) -> int:
    assert bot.seating is not None
    return bot.seating.seat
