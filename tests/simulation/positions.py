"""Crafted positions and decisions named by text, for tests of one moment of a round."""

from collections.abc import Sequence

from referee.match.inputs import (
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    PassDecision,
    PlayDecision,
)
from referee.match.values import AskKind, Pace, Settings
from referee.rules.cards import ONE_PACK, card_numbers
from referee.rules.notation import parse_cards, parse_play
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.seat import Seat
from tests.simulation.table import Table


def at(
    what: Settings,
    *hands: str,
    lead: int | None = 0,
    phase: Phase = Phase.PLAY,
    out: Sequence[int] = (),
    wish: int = 0,
    calls: Sequence[tuple[int, CallKind]] = (),
    played: Sequence[int] = (),
) -> Table:
    """A match in a position with these hands, by seat; all other cards lie captured at seat 0."""
    masks = tuple(parse_cards(hand) for hand in hands)
    position = Position(
        hands=masks,
        phase=phase,
        won=(ONE_PACK & ~sum(masks), *[0] * (len(masks) - 1)),
        out=tuple(Seat(seat) for seat in out),
        lead=None if lead is None else Seat(lead),
        wish=wish,
        calls=tuple((Seat(seat), call) for seat, call in calls),
        played=tuple(Seat(seat) for seat in played),
        options=what.rules,
    )
    return Table(what, position=position).start()


def cards(text: str) -> tuple[int, ...]:
    """Card numbers of a text like `7j 7s`."""
    return tuple(card_numbers(parse_cards(text)))


def playing(text: str, *, wish: int | None = None, tichu: bool = False) -> PlayDecision:
    """A play named by its cards, the Phoenix as in `7j Ph=7`."""
    mask, rank = parse_play(text)
    return PlayDecision(cards=tuple(card_numbers(mask)), phoenix_rank=rank, wish=wish, tichu=tichu)


def bombing(text: str) -> BombDecision:
    """A bomb named by its cards."""
    return BombDecision(cards=cards(text))


PASS, DECLINE = PassDecision(), DeclineDecision()


def close_window(table: Table) -> None:
    """Decline every open bomb ask, and let the window come to its end."""
    for seat in table.asked(AskKind.BOMB):
        table.answer(seat, DECLINE, kind=AskKind.BOMB)
    if table.machine.config.settings.pace is Pace.FAIR:
        table.wait_until_due()


def pass_round(table: Table) -> None:
    """Let everybody pass and decline until the trick closes."""
    while table.public.phase is Phase.PLAY:
        if table.asked(AskKind.BOMB):
            table.answer(table.asked(AskKind.BOMB)[0], DECLINE, kind=AskKind.BOMB)
        else:
            table.act(table.asked(AskKind.ACT)[0], PASS)


def decline_bets(table: Table) -> None:
    """Bet nothing on the first cards, so that the exchange is owed."""
    while table.asked(AskKind.CALL):
        seat = table.asked(AskKind.CALL)[0]
        table.answer(seat, CallDecision(choice=table.ask(seat).choices[-1]))


def through_deal(table: Table, *, exchange: Sequence[Decision] | None = None) -> None:
    """Decline every bet and give the lowest cards, so that the first lead is owed."""
    decline_bets(table)
    for index, seat in enumerate(table.asked(AskKind.EXCHANGE)):
        table.answer(seat, exchange[index] if exchange else DefaultDecision())
