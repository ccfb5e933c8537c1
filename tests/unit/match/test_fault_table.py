"""The table of faults: one row a fault, and no ending that it does not explain."""

from referee.match.faults import FAULTS, Consequence, FaultKind, Limit
from referee.match.values import Blame, Ending


def test_every_fault_has_one_row_in_the_order_of_the_names() -> None:
    assert [row.kind for row in FAULTS] == [*FaultKind]


def test_every_ending_but_a_match_played_to_its_end_is_explained() -> None:
    assert {row.ending for row in FAULTS} - {None} == {*Ending} - {Ending.COMPLETED}


def test_a_match_that_goes_on_is_no_ending_and_one_that_ends_is() -> None:
    goes_on = {
        Consequence.CORRECT,
        Consequence.CORRECT_BOMB,
        Consequence.STRIKE,
        Consequence.THROTTLE,
        Consequence.ASKED_ANEW,
    }
    assert {row.follows for row in FAULTS} == {*Consequence}
    for row in FAULTS:
        assert (row.ending is None) == (row.follows in goes_on), row


def test_every_limit_belongs_to_a_fault() -> None:
    assert {limit for row in FAULTS for limit in row.limits} == {*Limit}


def test_nobody_but_a_bot_is_to_blame_for_its_fault_unless_its_link_was_lost() -> None:
    others = {row.kind: row.blames for row in FAULTS if row.blames != (Blame.BOT,)}
    assert others == {
        FaultKind.GONE: (Blame.BOT, Blame.NETWORK, Blame.REFEREE),
        FaultKind.NOT_BACK: (Blame.UNKNOWN,),
        FaultKind.ENDLESS_ROUND: (Blame.NONE,),
        FaultKind.ENDLESS_MATCH: (Blame.NONE,),
        FaultKind.BLOCKED: (Blame.REFEREE,),
        FaultKind.REFEREE_FAILED: (Blame.REFEREE,),
        FaultKind.STORE_FAILED: (Blame.REFEREE,),
        FaultKind.CANCELLED: (Blame.NONE,),
    }
