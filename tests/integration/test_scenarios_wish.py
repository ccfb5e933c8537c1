"""A bound seat's partner bombs first, leads, and fulfils the wish himself (E3, E7, PROTOCOL 4)."""

from pathlib import Path

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.seeds import secret_of
from referee.match.values import MS, Clock, Pace, Settings
from referee.rules.options import RuleOptions
from tests.integration.scripted import (
    Decide,
    Decision,
    ScriptedBot,
    bomb_with,
    by_default,
    give,
    play_cards,
    seated,
)
from tests.integration.serving import serving

# The first deal of this secret's match "m" gives seat 0 the Mah Jong, seats 1 and 3 a four, seat 3
# all aces, and no bomb to anybody else; the gifts below leave all of that as it is.
SEED = "wish and bomb 21"
MAH_JONG, WISH = 4, 4
FOUR_OF_SWORD, FOUR_OF_STAR, SIX_OF_JADE = 17, 19, 24
ACES = (56, 57, 58, 59)
GIFTS = (
    {1: 14, 2: 22, 3: 25},
    {2: 10, 3: 20, 0: 23},
    {3: 8, 0: 9, 1: 11},
    {0: 13, 1: 15, 2: 1},
)
PUBLIC = ("played", "passed", "trick_taken")


def giving(seat: int, hands_off: bool) -> Decide:
    """Give the seat's cards; with `hands_off` leave acts and bombs to the test."""

    def decide(ask: match_pb2.Ask) -> Decision | None:
        kind = ask.WhichOneof("kind")
        if kind == "exchange":
            return give(GIFTS[seat])
        return by_default(ask) if not hands_off or kind == "call" else None

    return decide


def told(bot: ScriptedBot, count: int) -> list[tuple[str, int, tuple[int, ...]]]:
    """The first public events of play: kind, seat, cards."""
    found: list[tuple[str, int, tuple[int, ...]]] = []
    for event in bot.events_of(*PUBLIC)[:count]:
        kind = event.WhichOneof("event")
        assert kind is not None
        what = getattr(event, kind)
        found.append((kind, what.seat, tuple(what.play.cards) if kind == "played" else ()))
    return found


@pytest.mark.parametrize(
    ("pace", "window_ms"), [(Pace.FAST, 1_000), (Pace.FAIR, 300)], ids=["fast", "fair"]
)
async def test_the_partner_of_a_bound_seat_bombs_first_and_must_then_lead_the_rank_himself(
    tmp_path: Path, pace: Pace, window_ms: int
) -> None:
    settings = Settings(
        rules=RuleOptions(rounds=1),
        pace=pace,
        window_ns=window_ms * MS,
        clock=Clock(base_ns=10_000 * MS),
    )
    deciding = [giving(seat, hands_off=seat != 2) for seat in range(4)]
    async with (
        serving(tmp_path, event_secret=secret_of(SEED)) as referee,
        seated(referee, settings, deciding=deciding) as table,
    ):
        wisher, bound, _, bomber = table.bots
        lead = await wisher.ask("act")
        await wisher.say((lead.ask_id, play_cards(MAH_JONG, wish=WISH)))

        owed = await bound.ask("act")
        assert owed.provisional
        assert owed.act.wish == WISH
        assert not owed.act.may_pass
        assert owed.act.plays
        assert all(holds_the_rank(play) for play in owed.act.plays)
        await bound.say((owed.ask_id, play_cards(FOUR_OF_SWORD)))
        await bound.ack(owed.ask_id, "RECEIVED")

        chance = await bomber.ask("bomb")
        await bomber.say((chance.ask_id, bomb_with(*ACES)))
        await bomber.ack(chance.ask_id, "RECEIVED")
        await bound.ack(owed.ask_id, "VOID_BOMBED")
        assert [(c.ask_id, c.reason) for c in bound.cancelled] == [
            (owed.ask_id, match_pb2.CANCEL_REASON_BOMBED)
        ]
        for bot in (wisher, bound):
            await bot.leave_to(by_default)

        own = await bomber.ask("act")
        assert own.act.leading
        assert own.act.wish == WISH
        assert all(holds_the_rank(play) for play in own.act.plays)
        await bomber.say((own.ask_id, play_cards(SIX_OF_JADE)))
        await bomber.ack(own.ask_id, "REFUSED")
        assert [refused.code for refused in bomber.refused] == [
            match_pb2.REFUSAL_CODE_MUST_FULFIL_WISH
        ]
        await bomber.say((own.ask_id, play_cards(FOUR_OF_STAR)))
        await bomber.ack(own.ask_id, "APPLIED")
        await bomber.leave_to(by_default)

        expected = [
            ("played", 0, (MAH_JONG,)),
            ("played", 3, ACES),
            ("passed", 0, ()),
            ("passed", 1, ()),
            ("passed", 2, ()),
            ("trick_taken", 3, ()),
            ("played", 3, (FOUR_OF_STAR,)),
        ]
        for bot in table.bots:
            await heard(bot, len(expected))
            assert told(bot, len(expected)) == expected
        wishes = [event.played.wish for event in wisher.events_of("played") if event.played.wish]
        assert wishes == [WISH]
        last = await wisher.until(lambda: snapshot_after(wisher, bomber.events_of("played")[-1]))
        assert not last.HasField("wish")


async def heard(bot: ScriptedBot, count: int) -> None:
    """Return when a bot was told so many public events of play."""
    await bot.until(lambda: len(bot.events_of(*PUBLIC)) >= count)


def holds_the_rank(play: match_pb2.Play) -> bool:
    return any(card // 4 == WISH for card in play.cards)


def snapshot_after(bot: ScriptedBot, event: match_pb2.Event) -> match_pb2.Snapshot | None:
    return next((s for s in bot.snapshots if s.last_event >= event.number), None)
