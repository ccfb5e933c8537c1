"""What one seat may know of a running match, built field by field from an allowlist."""

import msgspec

from referee.match.state import MatchState
from referee.match.step import Ask
from referee.rules.seat import Seat
from referee.rules.views import SeatView, seat_view


class SeatSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """The whole knowledge of a player: with the events of the round, a bot needs no memory.

    `view` is that of its own seat, None before the first deal; `stood_down` are hands that it plays
    and `asks` are about any of them. The events `first_event` to `last_event` are not kept
    here: whoever told them has them already, cut to the seat.
    """

    seat: Seat
    round_number: int
    view: SeatView | None
    totals: tuple[int, ...]
    stood_down: tuple[Seat, ...]
    last_event: int
    first_event: int
    asks: tuple[Ask, ...]


def take_snapshot(state: MatchState, seat: Seat) -> SeatSnapshot:
    """The snapshot of the player at `seat` at this moment."""
    hands = [hand for hand, player in enumerate(state.players) if player == seat]
    return SeatSnapshot(
        seat=seat,
        round_number=state.round_number,
        view=seat_view(state.round, seat) if state.round is not None else None,
        totals=tuple(state.score.totals),
        stood_down=tuple(Seat(hand) for hand in hands if state.stood_down[hand]),
        last_event=state.event_number,
        first_event=state.round_event,
        asks=tuple(ask for ask in state.asks.of(seat) if ask.choice is None),
    )
