"""Rounds of every game from a few words, for tests by hand."""

from collections.abc import Mapping

from referee.rules.notation import parse_cards
from referee.rules.options import parse_options
from referee.rules.position import Position
from referee.rules.round import Round
from referee.rules.seat import Seat

S = [Seat(seat) for seat in range(12)]


def at(*hands: str, options: Mapping[str, object], **start: object) -> Round:
    """Return the round of a position; the seats of Grand Seigneur are counted.

    `won` is given as card strings, as in a vector.
    """
    won = start.pop("won", ())
    assert isinstance(won, tuple)
    if options.get("variant") == "grand_seigneur":
        options = {**options, "seats": len(hands)}
    return Round.from_position(
        Position(
            hands=tuple(map(parse_cards, hands)),
            won=tuple(map(parse_cards, won)),
            options=parse_options(options),
            **start,  # type: ignore[arg-type]
        )
    )


def play(round_: Round, *plays: tuple[int, str]) -> None:
    """Do plays; "" is a pass, "-" the collection of the trick."""
    for seat, cards in plays:
        if cards == "-":
            assert round_.collect() is None
        elif cards:
            assert round_.play(Seat(seat), parse_cards(cards)) is None, cards
        else:
            assert round_.pass_turn(Seat(seat)) is None, seat
