"""The closed sets have a number each, and none is made up."""

from collections.abc import Mapping

import pytest

from referee._gen.tichu.referee.v1 import match_pb2
from referee.match.values import WireRefusal
from referee.rules.cards import is_card
from referee.rules.refusals import Refusal
from referee.wire import numbers


@pytest.mark.parametrize(
    "table",
    [
        numbers.CALLS,
        numbers.ACKS,
        numbers.CANCELS,
        numbers.CHOOSE_REASONS,
        numbers.ENDINGS,
        numbers.PACES,
        numbers.OBJECTIVES,
        numbers.PHASES,
        numbers.CLOSINGS,
        numbers.REFUSALS,
    ],
)
def test_every_member_has_a_number_of_its_own_and_none_is_unspecified(
    table: Mapping[object, int],
) -> None:
    assert len(set(table.values())) == len(table)
    assert 0 not in table.values()


def test_every_refusal_travels() -> None:
    assert set(numbers.REFUSALS) == {*map(str, Refusal), *map(str, WireRefusal)}
    assert len(numbers.REFUSALS) == len(match_pb2.RefusalCode.items()) - 1


def test_every_card_of_the_wire_is_a_card_but_for_those_a_second_pack_lacks() -> None:
    from referee._gen.tichu.referee.v1 import card_pb2

    unknown = {name for name, number in card_pb2.Card.items() if not is_card(number)}
    assert unknown == {"CARD_UNSPECIFIED", "CARD_SECOND_DOG", "CARD_SECOND_MAH_JONG"}
