"""What a seat may know (DESIGN 1: views from an allowlist)."""

import msgspec
import pytest

from referee.match.snapshot import SeatSnapshot
from referee.match.values import AskKind, Pace
from referee.rules.phases import Phase
from referee.rules.seat import Seat
from tests.simulation.positions import PASS, at, decline_bets, playing, through_deal
from tests.simulation.table import Table, settings

SEATS = [Seat(seat) for seat in range(4)]


def plain(snapshot: SeatSnapshot) -> bytes:
    """Every field of a snapshot, so that nothing hides in an object without equality."""
    return msgspec.json.encode(snapshot, order="deterministic")


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("moment", ["lead", "window", "closing"])
def test_it_does_not_change_when_cards_it_cannot_see_are_exchanged(pace: Pace, moment: str) -> None:
    """Two deals: seats 1 to 3 hold other cards, bombs too; seat 0 sees the same."""
    hands = (
        ("3s 4p 5s 6p 9j", "8p 9p Tp Jp", "2s 2p 2r 7s"),
        ("8p 4p Tp 7s 2r", "3s 9p 5s Jp", "2s 2p 6p 9j"),
        ("2s 2p 9p Jp 7s", "3s 4p 5s 6p", "8p 2r Tp 9j"),
    )
    seen = []
    for others in hands:
        table = at(settings(pace=pace), "3j 4s 5j 6s Kj", *others)
        if moment != "lead":
            table.act(0, playing("Kj"))
        if moment == "closing":
            while table.public.phase is Phase.PLAY:
                table.act(table.asked(AskKind.ACT)[0], PASS)
        seen.append(plain(table.machine.snapshot(Seat(0))))
    assert len(set(seen)) == 1


def test_it_names_the_events_of_the_round() -> None:
    table = Table(settings()).start()
    through_deal(table)
    snapshot = table.machine.snapshot(Seat(2))
    assert (snapshot.first_event, snapshot.last_event) == (1, len(table.events))


def test_it_shows_open_asks_and_no_answered_ones() -> None:
    table = Table(settings()).start()
    assert [ask.kind for ask in table.machine.snapshot(Seat(1)).asks] == [AskKind.CALL]
    decline_bets(table)
    ask = table.ask(1)
    through_deal(table)
    assert ask.id not in [a.id for a in table.machine.snapshot(Seat(1)).asks]


def test_while_grand_is_decided_it_shows_eight_cards() -> None:
    """A3: the ninth is not taken before the decision."""
    table = Table(settings()).start()
    view = table.machine.snapshot(Seat(1)).view
    assert view is not None
    assert view.hand.bit_count() == 8
    assert view.public.hand_counts == (8, 8, 8, 8)


def test_before_the_first_deal_it_is_empty() -> None:
    snapshot = Table(settings()).machine.snapshot(Seat(1))
    assert (snapshot.view, snapshot.asks) == (None, ())


def test_a_closing_trick_is_shown_uncollected_until_its_ask_is_answered() -> None:
    """The position ahead is ours alone."""
    table = at(settings(pace=Pace.FAIR), "3j 4s 5j 6s Kj", "3s 4p", "3p 4r", "3r 4j")
    table.act(0, playing("Kj"))
    for seat in (1, 2, 3):
        table.act(seat, PASS)
    table.wait_until_due()
    assert table.public.phase is Phase.CLOSING
    assert (table.public.owner, table.public.trick.bit_count()) == (0, 1)
