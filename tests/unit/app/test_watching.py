"""The gallery: which events those see who only watch, and how far behind they are."""

from referee.app.watching import Gallery
from referee.match.facts import MatchEnded, Passed, TrickTaken
from referee.match.step import CardsDealt, Event
from referee.match.values import Blame, Ending
from referee.rules.seat import Seat

PASSED = Passed(at=0, seat=Seat(0))
TAKEN = TrickTaken(at=0, seat=Seat(0), points=0)


def filled(tricks: int, *, passes: int = 2) -> Gallery:
    """So many tricks, each some passes and its end."""
    gallery = Gallery()
    for _ in range(tricks):
        events: list[Event] = [*([PASSED] * passes), TAKEN]
        gallery.add(events, [b"e"] * len(events))
    return gallery


def test_a_delay_of_a_trick_shows_a_trick_with_its_end() -> None:
    gallery = filled(2)
    assert gallery.shown(1) == 6
    gallery.add([PASSED], [b"e"])
    assert (gallery.shown(0), gallery.shown(1), gallery.shown(2)) == (7, 6, 3)


def test_before_so_many_tricks_nothing_is_shown() -> None:
    assert [filled(2).shown(delay) for delay in (2, 3, 1000)] == [3, 0, 0]


def test_with_the_end_all_is_shown() -> None:
    gallery = filled(1)
    gallery.add([PASSED], [b"e"])
    gallery.close()
    assert gallery.over
    assert gallery.shown(1000) == 4


def test_what_one_seat_is_told_is_not_there() -> None:
    gallery = Gallery()
    dealt = CardsDealt(hands=(1, 2), complete=True)
    gallery.add([dealt, PASSED, PASSED], [(b"0", b"1"), b"p", (b"0", b"1")])
    assert list(gallery.part(0, 9)) == [b"p"]


def test_a_kind_of_event_that_nobody_allowed_is_not_there_though_all_seats_see_it() -> None:
    gallery = Gallery()
    gallery.add([CardsDealt(hands=(1, 2), complete=True)], [b"the same for all"])
    assert gallery.shown(0) == 0


def test_who_watches_is_told_until_it_leaves() -> None:
    gallery, told = Gallery(), list[int]()

    def hear() -> None:
        told.append(gallery.shown(0))

    gallery.on_news(hear)
    gallery.add([PASSED], [b"e"])
    ended = MatchEnded(
        at=0, ending=Ending.CANCELLED, seat=None, blame=Blame.NONE, totals=(0, 0), rounds=0
    )
    gallery.add([ended], [b"end"])
    gallery.off_news(hear)
    gallery.off_news(hear)
    gallery.close()
    assert told == [1, 2]
