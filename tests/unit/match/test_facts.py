"""Facts as lines, and records that part from their replay (DESIGN 3)."""

import msgspec
import pytest

from referee.match.facts import (
    Answered,
    Fact,
    Faulted,
    MatchEnded,
    Passed,
    Played,
    Stalled,
    TimedOut,
    WindowClosed,
    decode_fact,
    encode_fact,
)
from referee.match.inputs import CallDecision, ExchangeDecision, PlayDecision
from referee.match.replay import Difference, Replayed, replay
from referee.match.values import AckStatus, Blame, Ending
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.table import Table, random_match, settings

BY_HAND: list[tuple[Fact, bytes]] = [
    (Passed(at=5, seat=Seat(2)), b'{"at":5,"seat":2,"t":"passed"}'),
    (
        Played(at=1, seat=Seat(0), cards=(4,), wish=8),
        b'{"at":1,"cards":[4],"seat":0,"t":"played","wish":8}',
    ),
    (
        Answered(
            at=9,
            seat=Seat(3),
            ask=7,
            decision=PlayDecision(index=0, tichu=True),
            status=AckStatus.RECEIVED,
            sent=4,
        ),
        b'{"ask":7,"at":9,"decision":{"index":0,"tichu":true,"type":"play"},'
        b'"seat":3,"sent":4,"status":"received","t":"answered"}',
    ),
    (
        WindowClosed(at=9, opened=2, bomber=Seat(1)),
        b'{"at":9,"bomber":1,"opened":2,"t":"window_closed"}',
    ),
    (
        MatchEnded(
            at=3, ending=Ending.RESIGNED, totals=(5, -5), rounds=1, seat=Seat(0), blame=Blame.BOT
        ),
        b'{"at":3,"blame":"bot","ending":"resigned","rounds":1,"seat":0,'
        b'"t":"match_ended","totals":[5,-5]}',
    ),
    (
        TimedOut(at=9, seat=Seat(3), ask=7, sent=4, charged=5, lag=2),
        b'{"ask":7,"at":9,"charged":5,"lag":2,"seat":3,"sent":4,"t":"timed_out"}',
    ),
    (
        TimedOut(at=9, seat=Seat(3), ask=7, sent=4, charged=0),
        b'{"ask":7,"at":9,"charged":0,"seat":3,"sent":4,"t":"timed_out"}',
    ),
    (
        Stalled(at=9, blocked_ns=8, asks=((Seat(1), 4),)),
        b'{"asks":[[1,4]],"at":9,"blocked_ns":8,"t":"stalled"}',
    ),
    (
        Faulted(at=9, ending=Ending.ABANDONED, seat=Seat(0), blame=Blame.BOT, sent=(3, -1, -1, -1)),
        b'{"at":9,"blame":"bot","ending":"abandoned","seat":0,"sent":[3,-1,-1,-1],"t":"faulted"}',
    ),
    (
        MatchEnded(
            at=3,
            ending=Ending.CRASHED,
            totals=(0, 0),
            rounds=0,
            seat=Seat(0),
            blame=Blame.BOT,
            winner=1,
            failed=(Seat(0), Seat(2)),
            awarded=(-500, 700),
        ),
        b'{"at":3,"awarded":[-500,700],"blame":"bot","ending":"crashed","failed":[0,2],"rounds":0,'
        b'"seat":0,"t":"match_ended","totals":[0,0],"winner":1}',
    ),
]


@pytest.mark.parametrize(("fact", "line"), BY_HAND)
def test_a_fact_is_one_canonical_line(fact: Fact, line: bytes) -> None:
    """Sorted keys, no blanks, integers only."""
    assert encode_fact(fact) == line
    assert decode_fact(line) == fact


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b'{"at":5,"t":"passed"}', "seat"),
        (b'{"at":"x","seat":2,"t":"passed"}', "at"),
        (b'{"at":5,"seat":2,"t":"nonsense"}', "nonsense"),
        (b'{"at":5,"seat":2}', "t"),
        (b"[]", "object"),
    ],
)
def test_a_line_that_is_no_fact_names_what_is_wrong(line: bytes, word: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=word):
        decode_fact(line)


def test_calls_and_gifts_survive_the_way_there_and_back() -> None:
    for decision in (
        CallDecision(choice=CallKind.NO_GRAND),
        ExchangeDecision(gifts=((1, (8,)), (2, (9,)), (3, (10,))), tichu=True),
    ):
        fact = Answered(at=1, seat=Seat(0), ask=1, decision=decision, status=AckStatus.RECEIVED)
        assert decode_fact(encode_fact(fact)) == fact


# --- replay


def record() -> Table:
    table = random_match(settings(), seed="record")
    assert table.replays() == []
    return table


def parts(table: Table, facts: list[Fact]) -> Difference:
    """Where the replay of these facts parts from them."""
    *steps, last = replay(table.config, facts)
    assert all(isinstance(step, Replayed) for step in steps)
    assert isinstance(last, Difference)
    return last


def test_a_whole_record_replays_to_the_end_of_the_match() -> None:
    table = record()
    last = list(replay(table.config, table.facts))[-1]
    assert isinstance(last, Replayed)
    assert last.machine.over


def test_a_changed_play_is_found_at_its_place() -> None:
    table = record()
    at = next(i for i, fact in enumerate(table.facts) if isinstance(fact, Played))
    facts = list(table.facts)
    facts[at] = msgspec.structs.replace(facts[at], cards=(8,))
    difference = parts(table, facts)
    assert (difference.index, difference.expected) == (at, facts[at])
    assert difference.got == table.facts[at]


def test_a_missing_fact_is_found() -> None:
    table = record()
    at = next(i for i, fact in enumerate(table.facts) if isinstance(fact, Played))
    assert parts(table, table.facts[:at] + table.facts[at + 1 :]).index == at


def test_a_fact_that_nothing_led_to_is_found() -> None:
    table = record()
    facts = [*table.facts, Passed(at=table.now + 1, seat=Seat(0))]
    difference = parts(table, facts)
    assert (difference.index, difference.why) == (len(table.facts), "no input led to this fact")


def test_an_input_after_the_end_is_found() -> None:
    table = record()
    fact = Answered(
        at=table.now + 1,
        seat=Seat(0),
        ask=1,
        decision=CallDecision(choice=CallKind.GRAND),
        status=AckStatus.STALE,
    )
    assert parts(table, [*table.facts, fact]).why == "this input changes nothing"


def test_a_record_cut_short_replays_as_far_as_it_goes() -> None:
    table = record()
    cut = [i for i, fact in enumerate(table.facts) if isinstance(fact, Answered)][10]
    assert all(isinstance(step, Replayed) for step in replay(table.config, table.facts[:cut]))


def test_a_false_commitment_is_found() -> None:
    table = record()
    facts = [msgspec.structs.replace(table.facts[0], commitment="00" * 32), *table.facts[1:]]
    assert parts(table, facts).index == 0
