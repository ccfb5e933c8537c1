from referee.formats.tally import CallResult, RoundSummary, SeatStrike, Tally, is_bomb
from referee.match.facts import Played, RoundEnded, Strike, WentOut
from referee.rules.cards import card_numbers
from referee.rules.notation import parse_cards
from referee.rules.phases import CallKind
from referee.rules.seat import Seat


def cards(text: str) -> tuple[int, ...]:
    return tuple(card_numbers(parse_cards(text)))


def ended(round_number: int) -> RoundEnded:
    return RoundEnded(
        at=9,
        round=round_number,
        points=(200, 0),
        card_points=(),
        calls=((Seat(2), CallKind.GRAND, True, 200),),
        double_victory=True,
        totals=(400, 0),
    )


def test_a_round_is_told_when_it_ends_and_counted_anew_after_it() -> None:
    tally = Tally(seats=4)
    assert tally.take(Played(at=1, seat=Seat(2), cards=cards("7j 7s 7p 7r"))) is None
    assert tally.take(Played(at=1, seat=Seat(2), cards=cards("8j"))) is None
    assert tally.take(Strike(at=2, seat=Seat(1), ask=3, why="late", count=1)) is None
    assert tally.take(WentOut(at=3, seat=Seat(2), place=1)) is None
    first = tally.take(ended(1))
    assert first == RoundSummary(
        round=1,
        points=(200, 0),
        card_points=(),
        calls=(CallResult(seat=Seat(2), call="grand", won=True, points=200),),
        double_victory=True,
        out=(Seat(2),),
        bombs=(0, 0, 1, 0),
        strikes=(SeatStrike(seat=Seat(1), why="late"),),
        totals=(400, 0),
    )
    second = tally.take(ended(2))
    assert second is not None
    assert (second.bombs, second.strikes, second.out) == ((0, 0, 0, 0), (), ())


def test_bombs_by_hand() -> None:
    assert is_bomb(cards("7j 7s 7p 7r"))
    assert is_bomb(cards("3j 4j 5j 6j 7j"))
    assert not is_bomb(cards("3j 4j 5j 6j 7s"))
    assert not is_bomb(cards("7j 7s 7p"))
    assert not is_bomb(cards("3j 4j 5j 6j Ph"))
    assert not is_bomb(cards("3j 4s 9p Kr"))
