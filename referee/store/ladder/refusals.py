"""What every store of ladders refuses, in the same words."""

from collections.abc import Sequence

from referee.formats.printable import printable
from referee.formats.summary import MatchSummary
from referee.ladder.seats import hands_at
from referee.ladder.values import LegPlace, LegResult
from referee.ports.ladder import BotToken, LadderStoreError
from referee.rules.errors import RefereeBug


def leg_of(summary: MatchSummary) -> LegResult:
    """Return the leg of a summary that can be kept. Raises `RefereeBug` for any other."""
    leg = summary.leg
    if leg is None or summary.place != leg.place or summary.match_id != leg.match_id:
        raise RefereeBug(f"{summary.match_id}: its summary is of no leg, or of another")
    sides = leg.place.sides
    seats = hands_at(len(sides), players=len(sides[0].players))
    by_seat = (summary.players, summary.refused, summary.answers, summary.defaults)
    if any(len(values) != seats for values in by_seat):
        raise RefereeBug(f"{summary.match_id}: a leg of these sides has {seats} seats")
    return leg


def boards_differ(place: LegPlace) -> LadderStoreError:
    """Return what is said of a leg whose board is kept as one of another kind."""
    return LadderStoreError(
        f"board {printable(place.pairing)}/{place.board}, attempt {place.attempt}: its legs differ "
        "in unit or deals; rebuild the ladder from its records"
    )


def tokens_taken(tokens: Sequence[BotToken]) -> LadderStoreError:
    """Return what is said of tokens of which one is kept already."""
    names = ", ".join(sorted({printable(token.bot) for token in tokens}))
    return LadderStoreError(
        f"tokens of {names}: one of these numbers or tokens is kept already; somebody else made "
        "tokens at the same time, so try again"
    )
