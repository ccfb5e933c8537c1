"""What is said under a table of versions that were mixed, and of answers left to the default."""

from collections.abc import Sequence

import msgspec
import pytest

from referee.ladder.boards import RatedBoard
from referee.ladder.habits import MANY_DEFAULTS, Defaults
from referee.ladder.standings import standings
from referee.ladder.values import LegResult, Player, Ruling, RulingKind, Side, Unit
from tests.unit.ladder.rated import Entry, field_leg, rated_board, resolved

NAMES = ("ann", "bob")


def notes(boards: Sequence[RatedBoard], rulings: Sequence[Ruling] = ()) -> tuple[str, ...]:
    entries = [Entry(name=name) for name in NAMES]
    return standings(resolved(boards), entries, rulings, unit=Unit.BOARD).notes


def board(
    number: int,
    *,
    versions: tuple[str, str] = ("v1", "v1"),
    answers: int = 10,
    defaults: int = 0,
) -> RatedBoard:
    """A board of ann and bob; ann's bots by place have `versions`, and give `answers` in a leg."""
    one = rated_board("ann", "bob", number, margins=(0, 20 * number))
    first, second = (
        msgspec.structs.replace(
            leg,
            place=msgspec.structs.replace(leg.place, sides=_sides(leg, versions)),
            answers=_of_ann(leg, answers),
            defaults=_of_ann(leg, defaults),
        )
        for leg in one.legs
    )
    return msgspec.structs.replace(one, legs=(first, second))


def _sides(leg: LegResult, versions: tuple[str, str]) -> tuple[Side, Side]:
    one, other = (_with(side, versions) for side in leg.place.sides)
    return one, other


def _with(side: Side, versions: tuple[str, str]) -> Side:
    if side.entry != "ann":
        return side
    one, other = (Player(bot="ann", version=version) for version in versions)
    return msgspec.structs.replace(side, players=(one, other))


def _of_ann(leg: LegResult, count: int) -> tuple[int, int]:
    return (count, 0) if leg.place.sides[0].entry == "ann" else (0, count)


def test_an_entry_that_changed_its_version_is_told_with_its_legs_by_version() -> None:
    new = ("hello:2", "hello:2")
    (note,) = notes([board(1), board(2), board(3, versions=new)])
    assert note.startswith("ann changed its version: its legs are of v1 (4), hello:2 (2). ")
    assert "all of them together" in note


def test_two_processes_of_one_bot_that_say_different_versions_are_one_version_of_the_pair() -> None:
    mixed = ("hello:1", "hello:2")
    assert notes([board(1, versions=mixed), board(2, versions=mixed)]) == ()
    (note,) = notes([board(1, versions=mixed), board(2, versions=("hello:2", "hello:2"))])
    assert "hello:1+hello:2 (2), hello:2 (2)" in note


def test_of_many_versions_three_are_named() -> None:
    (note,) = notes([board(n, versions=(f"v{n}", f"v{n}")) for n in range(1, 6)])
    assert "of v1 (2), v2 (2), v3 (2) and 2 more. " in note


def test_the_notes_stand_before_the_rulings() -> None:
    at = "2026-01-31T12:00:00Z"
    kind = RulingKind.WITHDRAW
    ruled = Ruling(number=1, event="e", kind=kind, subject="ann", reason="why", at=at)
    found = notes([board(1), board(2, versions=("v2", "v2"))], [ruled])
    assert [note.split()[0] for note in found] == ["ann", "Ruling"]


@pytest.mark.parametrize(("a_leg", "told"), [(0, False), (1, False), (2, True), (10, True)])
def test_more_than_one_default_in_twenty_answers_is_told(a_leg: int, told: bool) -> None:
    found = notes([board(1), board(2, defaults=a_leg)])  # of 40 answers
    words = (
        f"ann left {2 * a_leg} of 40 answers to the substitute action, more than one in "
        f"{MANY_DEFAULTS}: its strategy may fail."
    )
    assert found == ((words,) if told else ())


def test_the_bound_holds_by_hand() -> None:
    assert not Defaults().are_many
    assert not Defaults(answers=20, defaults=1).are_many
    assert Defaults(answers=39, defaults=2).are_many
    assert Defaults(answers=1, defaults=1).are_many


def test_a_table_of_a_field_is_a_leg_like_any_other() -> None:
    pairs = [("a", "b", 1, 10), ("c", "d", 1, 20), ("a", "c", 2, 5), ("b", "d", 2, 9)]
    tables = [field_leg(one, other, deal, 1, margin) for one, other, deal, margin in pairs]
    legs = [
        msgspec.structs.replace(
            one, leg=msgspec.structs.replace(one.leg, answers=(10, 10), defaults=(9, 0))
        )
        for one in tables
    ]
    entries = [Entry(name=name) for name in "abcd"]
    told = standings(resolved((), legs), entries, (), unit=Unit.BOARD).notes
    starts = [note.split(" answers")[0] for note in told if "substitute" in note]
    assert sorted(starts) == ["a left 18 of 20", "b left 9 of 20", "c left 9 of 20"]
