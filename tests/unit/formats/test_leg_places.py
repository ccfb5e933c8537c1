"""The place that a match has in a ladder, as its record says it."""

import msgspec
import pytest

from referee.formats.leg_places import place_fault, place_lines, seats_text
from referee.formats.playthrough import PUBLIC, full_view, playthrough, seat_view
from referee.formats.records import RecordError, header_line, read_record
from referee.ladder.values import Deals, LegPlace, Unit
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.unit.formats.placed import place_of, side, table_of
from tests.unit.formats.recorded import chained, played
from tests.unit.formats.test_records import CONFIG

PLACE = place_of(board=7, attempt=2, leg=2)


def placed(place: LegPlace) -> bytes:
    return header_line(CONFIG, practice=False, place=place)


def test_a_place_is_read_back_as_it_was() -> None:
    record = read_record(chained([placed(PLACE)]))
    assert record.header.place == PLACE
    assert record.config == CONFIG


def test_a_match_of_no_ladder_has_no_word_of_one() -> None:
    assert read_record(played()).header.place is None
    plain = header_line(CONFIG, practice=False)
    assert b"ladder" not in plain
    with_place = msgspec.json.decode(placed(PLACE))
    assert with_place.pop("ladder")["pairing"] == "adam~zoe"
    assert with_place == msgspec.json.decode(plain)


def test_the_place_is_written_canonically() -> None:
    value = msgspec.json.decode(placed(PLACE))["ladder"]
    assert list(value) == sorted(value)
    assert value["sides"][0]["players"][1] == {"bot": "zoe", "version": "sha256:zoe"}
    assert (value["unit"], value["deals"]) == ("board", "board")


def test_a_team_has_as_many_bots_as_its_game_has_seats_for_it() -> None:
    tientsin = RuleOptions(variant=Variant.TIENTSIN)
    three = tuple(
        msgspec.structs.replace(one, players=one.players[:1] * 3) for one in place_of().sides
    )
    assert place_fault(place_of(sides=three), tientsin) == ""
    assert place_fault(place_of(), tientsin) == "sides: each has 3 bots"
    assert place_fault(place_of(sides=three), RuleOptions()) == "sides: each has 2 bots"
    uneven = (three[0], place_of().sides[1])
    assert place_fault(place_of(sides=uneven), tientsin) == "sides: each has 3 bots"


def test_a_game_without_points_has_no_leg() -> None:
    seigneur = RuleOptions(variant=Variant.GRAND_SEIGNEUR, seats=5)
    assert place_fault(place_of(), seigneur) == "sides: entries cannot meet in grand_seigneur"


def trio(*names: str, **changes: object) -> LegPlace:
    """A leg of Trichu."""
    sides = tuple(
        msgspec.structs.replace(side(name), players=side(name).players[:1]) for name in names
    )
    return place_of(sides=sides, pairing="a~b~c", **changes)


def test_three_of_trichu_turn_by_leg_and_the_other_way_round_on_every_second_board() -> None:
    trichu = RuleOptions(variant=Variant.TRICHU)
    legs = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    for leg, names in enumerate(legs, 1):
        assert place_fault(trio(*names, leg=leg), trichu) == ""
        assert place_fault(trio(*names, leg=leg, board=2), trichu).startswith("sides: in leg 1")
    assert place_fault(trio("c", "b", "a", board=2), trichu) == ""
    assert place_fault(trio("a", "b", "c", leg=4), trichu) == "leg: a board has 3"
    assert place_fault(place_of(), trichu) == "sides: 3 meet in trichu"
    assert place_fault(trio("a", "b", "c"), RuleOptions()) == "sides: 2 meet in tichu"
    assert [seats_text(trio("a", "b", "c"), number) for number in range(3)] == ["0", "1", "3"]


def test_the_seats_of_a_team_are_shown_as_people_say_them() -> None:
    three = tuple(
        msgspec.structs.replace(one, players=one.players[:1] * 3) for one in place_of().sides
    )
    assert [seats_text(place_of(), team) for team in (0, 1)] == ["0 and 2", "1 and 3"]
    told = [seats_text(place_of(sides=three), team) for team in (0, 1)]
    assert told == ["0, 2 and 4", "1, 3 and 5"]


def test_an_empty_place_is_refused() -> None:
    line = placed(PLACE)
    value = {**msgspec.json.decode(line), "ladder": None}
    with pytest.raises(RecordError, match=r"line 1: no header: .*ladder"):
        read_record(chained([msgspec.json.encode(value, order="sorted")]))


GOOD = [
    place_of(),
    place_of(leg=2),
    place_of(unit=Unit.MATCH, board=10_000, attempt=3),
    table_of(1),
    table_of(9),
    table_of(1, sides=(side("zoe"), side("adam"))),
]


@pytest.mark.parametrize("place", GOOD)
def test_what_makes_sense_has_no_fault(place: LegPlace) -> None:
    assert place_fault(place, RuleOptions()) == ""


BAD = [
    (place_of(board=0), "board: 0 is not 1 or more"),
    (place_of(attempt=0), "attempt: 0 is not 1 or more"),
    (place_of(leg=-1), "leg: -1 is not 1 or more"),
    (place_of(leg=3), "leg: a board has 2"),
    (place_of(event=""), "event: a name of one character or more, without |"),
    (place_of(event="a|b"), "event: a name of one character or more, without |"),
    (place_of(pairing="zoe~adam"), "pairing: not that of the sides"),
    (place_of(pairing="field"), "pairing: not that of the sides"),
    (place_of(sides=(side("adam"), side("adam"))), "sides: 2 entries"),
    (place_of(sides=(side(""), side("zoe"))), "sides: 2 entries"),
    (place_of(sides=(side("a~b"), side("c")), pairing="a~b~c"), "pairing: not that of"),
    (place_of(sides=(side("zoe"), side("adam"))), "sides: in leg 1 they stand by name"),
    (place_of(leg=2, sides=(side("adam"), side("zoe"))), "sides: in leg 1 they stand by name"),
    (table_of(1, pairing="adam~zoe"), "pairing: deals of a field are of field"),
    (place_of(deals=Deals.FIELD), "pairing: deals of a field are of field"),
]


@pytest.mark.parametrize(("place", "fault"), BAD)
def test_what_makes_no_sense_is_named_and_refused_in_a_record(place: LegPlace, fault: str) -> None:
    assert place_fault(place, RuleOptions()).startswith(fault)
    with pytest.raises(RecordError) as refused:
        read_record(chained([placed(place)]))
    assert refused.value.line == 1
    assert refused.value.what.startswith(f"header: ladder: {fault}")


def test_a_place_is_shown_to_those_who_may_see_everything_and_to_no_seat() -> None:
    record = read_record(chained([placed(PLACE)]))
    lines = list(playthrough(record, full_view(record.config)))
    assert lines[-3:] == [
        "  ladder spring: adam~zoe, board 7, attempt 2, leg 2",
        "  seats 0 and 2  zoe of zoe's owner: zoe sha256:zoe, zoe sha256:zoe",
        "  seats 1 and 3  adam of adam's owner: adam sha256:adam, adam sha256:adam",
    ]
    for view in (PUBLIC, seat_view(Seat(0))):
        assert lines[:-3] == list(playthrough(record, view))


def test_names_in_a_place_cannot_write_to_the_terminal() -> None:
    evil = side("\x1b[2Jx")
    place = place_of(sides=(evil, side("zoe")), pairing="\x1b[2Jx~zoe", event="a\nb")
    assert place_fault(place, RuleOptions()) == ""
    assert not [line for line in place_lines(place) if "\x1b" in line or "\n" in line]


def test_all_legs_of_a_deal_have_it_in_common_and_no_other_has_it() -> None:
    assert place_of(board=3, attempt=2).deal == place_of(leg=2, board=3, attempt=2).deal
    assert place_of(board=3, attempt=2).deal == "adam~zoe|3|2"
    assert table_of(1).deal == table_of(2).deal == "field|1|1"
