from referee.formats.conduct import Conduct, grouped, read_conduct
from referee.match.facts import Answered, Fact, Passed, Strike, encode_fact
from referee.match.inputs import DefaultDecision, MalformedDecision, PassDecision
from referee.match.values import AckStatus
from referee.rules.seat import Seat

REFUSED = Answered(
    at=1, seat=Seat(1), ask=3, decision=MalformedDecision(text="x"), status=AckStatus.REFUSED
)
BY_DEFAULT = Answered(
    at=2, seat=Seat(1), ask=3, decision=DefaultDecision(), status=AckStatus.RECEIVED
)
LATE = Strike(at=3, seat=Seat(0), ask=4, why="late", count=1)
FACTS: tuple[Fact, ...] = (
    REFUSED,
    BY_DEFAULT,
    Answered(at=2, seat=Seat(2), ask=5, decision=PassDecision(), status=AckStatus.RECEIVED),
    Passed(at=2, seat=Seat(2)),
    LATE,
    LATE,
)
LINES = [b'{"format":"a header is no fact"}', *map(encode_fact, FACTS)]


def test_defaults_refusals_and_strikes_are_counted_by_seat() -> None:
    assert read_conduct(LINES, seats=4) == (
        Conduct(strikes=("late", "late")),
        Conduct(defaults=1, refused=1),
        Conduct(),
        Conduct(),
    )


def test_what_a_bot_writes_cannot_pass_for_a_strike() -> None:
    text = '"t":"strike"'
    fact = Answered(
        at=1, seat=Seat(1), ask=3, decision=MalformedDecision(text=text), status=AckStatus.REFUSED
    )
    assert read_conduct([encode_fact(fact)], seats=2)[1] == Conduct(refused=1)


def test_a_record_is_counted_up_to_a_line_that_was_cut_off() -> None:
    half = encode_fact(LATE)[:-1]
    assert read_conduct([encode_fact(LATE), half], seats=1) == (Conduct(strikes=("late",)),)


def test_reasons_are_grouped_the_most_frequent_first() -> None:
    assert grouped(["MALFORMED", "late", "late"]) == "late x2, MALFORMED"
    assert grouped([]) == ""


def test_only_a_seat_with_nothing_to_tell_is_ordinary() -> None:
    assert Conduct().is_ordinary
    assert not Conduct(defaults=1).is_ordinary
    assert not Conduct(refused=1).is_ordinary
    assert not Conduct(strikes=("late",)).is_ordinary
