"""What the owner of a bot is told."""

from collections.abc import Sequence

import msgspec

from referee.formats.bot_report import BotReport, report_on
from referee.formats.bot_report_text import SHOWN_FAULTS, report_lines
from referee.formats.counting import counting
from referee.formats.summary import CallCount, FaultNote, MatchSummary, TimeBill
from referee.ladder.habits import Defaults
from referee.ladder.values import Ruling, RulingKind
from tests.unit.formats.exports import HOSTILE, all_count, match, side

SOLO, DUO = side("solo"), side("duo", bots=("left", "solo"))


def note(seat: int, *, at_ms: int = 1500) -> FaultNote:
    return FaultNote(seat=seat, round=2, at_ms=at_ms, ask=7, kind="choose_seat", why="late")


def bill(seat: int, kind: str = "act", *, asks: int = 2, longest: int = 40) -> TimeBill:
    return TimeBill(
        seat=seat, kind=kind, asks=asks, thinking_ms=60, network_ms=5, referee_ms=100,
        charged_ms=1, longest_ms=longest, timed_out=1,
    )  # fmt: skip


def bets(seat: int, *, made: int) -> CallCount:
    return CallCount(seat=seat, call="tichu", made=made, won=1)


def told_of(bot: str, matches: Sequence[MatchSummary]) -> BotReport | None:
    return report_on(bot, matches, all_count(matches))


def text_of(bot: str, *matches: MatchSummary) -> str:
    report = told_of(bot, matches)
    assert report is not None
    return "\n".join(report_lines(report))


def test_a_bot_that_played_nothing_has_no_report() -> None:
    assert told_of("ghost", [match(SOLO, DUO)]) is None
    assert told_of("solo", []) is None


def test_points_are_those_of_its_team_less_those_of_the_other() -> None:
    """In leg 1 it has seats 0 and 2 with 30 of luck for them, in leg 2 seats 1 and 3."""
    other = side("other")
    legs = [
        match(SOLO, other, leg=1, points=(120, -20), luck=30.0),
        match(other, SOLO, leg=2, points=(50, 150), luck=30.0),
    ]
    report = told_of("solo", legs)
    assert report is not None
    ((entry, score),) = report.entries
    assert (entry, score.legs, score.rounds) == ("solo", 2, 2)
    assert (score.points, score.less_luck) == (12000, 12000)
    assert [one.points for one in report.seats] == [14000, 10000, 14000, 10000]
    assert [one.less_luck for one in report.seats] == [11000, 13000, 11000, 13000]


def test_a_bot_in_both_teams_has_a_score_for_each_entry() -> None:
    report = told_of("solo", [match(SOLO, DUO, points=(100, 0), luck=0.0)])
    assert report is not None
    assert [(name, score.points) for name, score in report.entries] == [
        ("duo", -10000),
        ("solo", 10000),
    ]
    assert [score.legs for score in report.seats] == [1, 0, 1, 1]


def test_only_its_own_seats_count() -> None:
    """`left` has seat 1 alone, beside its partner `solo` on seat 3."""
    whole = msgspec.structs.replace(
        match(SOLO, DUO),
        faults=(note(1), note(3)),
        times=(bill(0), bill(1), bill(3)),
        calls=(bets(1, made=3), bets(3, made=1)),
        refused=(1, 2, 4, 8),
        answers=(100, 30, 20, 10),
        defaults=(90, 2, 0, 0),
    )
    report = told_of("left", [whole, msgspec.structs.replace(whole, match_id="again")])
    assert report is not None
    assert report.refused == 4
    assert report.answers == Defaults(answers=60, defaults=4)
    assert [fault.note.seat for fault in report.faults] == [1, 1]
    assert [(call.made, call.won) for call in report.calls] == [(6, 2)]
    (time,) = report.times
    assert (time.asks, time.thinking_ms, time.longest_ms, time.timed_out) == (4, 120, 40, 2)
    solo = told_of("solo", [whole])
    assert solo is not None
    assert (solo.refused, solo.times[0].asks) == (13, 4)


def test_void_boards_are_told_once_and_bring_no_points() -> None:
    legs = [
        match(SOLO, DUO, leg=1, rated=False, blame="network"),
        match(SOLO, DUO, board=2, rated=False, blame="unknown"),
    ]
    report = told_of("left", legs)
    assert report is not None
    assert [(one.place.board, one.blame) for one in report.void] == [(1, "network"), (2, "unknown")]
    assert report.entries == ()
    assert "2 void boards, played again" in text_of("left", *legs)


def test_void_boards_that_nobody_plays_again_are_not_among_them() -> None:
    legs = [match(DUO, SOLO, rated=False, blame="network")]
    for kind in (RulingKind.DISQUALIFY, RulingKind.REPLACE):
        ruling = Ruling(
            event="cup", number=1, at="", kind=kind, subject="duo", reason="why", version="other"
        )
        results = [one.leg for one in legs if one.leg is not None]
        report = report_on("left", legs, counting(results, [ruling], owners={}))
        assert report is not None
        assert report.void == ()
        assert [count for _, count in report.not_counted] == [1]


def test_answers_that_were_left_to_the_substitute_action_are_told() -> None:
    few = msgspec.structs.replace(match(SOLO, DUO), answers=(20,) * 4, defaults=(0, 1, 0, 0))
    assert "substitute" not in text_of("solo", few)
    (line,) = [line for line in text_of("left", few).splitlines() if "substitute" in line]
    assert line == "1 of 20 answers left to the substitute action"
    many = msgspec.structs.replace(few, defaults=(0, 2, 0, 0))
    assert "2 of 20 answers left to the substitute action; so does a" in text_of("left", many)


def test_a_fault_is_told_with_its_last_ask_time_and_reason() -> None:
    text = text_of("left", match(SOLO, DUO, faults=[note(1)]))
    assert "1 fault, 0 refused answers" in text
    (line,) = [line for line in text.splitlines() if "late" in line]
    assert line.split() == [
        "solo-duo-1-1", "solo~duo/1", "leg", "1", "2", "1.500", "s", "1", "7", "choose", "seat",
        "late",
    ]  # fmt: skip


def test_of_many_faults_the_last_are_told_and_how_many_there_are() -> None:
    many = [note(1, at_ms=n) for n in range(SHOWN_FAULTS + 5)]
    text = text_of("left", match(SOLO, DUO, faults=many))
    assert f"{SHOWN_FAULTS + 5} faults" in text
    assert f"the last {SHOWN_FAULTS} of them" in text
    assert text.count("late") == SHOWN_FAULTS
    assert "0.034 s" in text


def test_the_order_of_matches_is_irrelevant() -> None:
    legs = [match(SOLO, DUO, board=board, luck=0.1 * board) for board in range(1, 8)]
    assert told_of("left", legs) == told_of("left", legs[::-1]) == told_of("left", legs * 2)


def test_practice_is_said() -> None:
    practice = msgspec.structs.replace(match(SOLO, DUO), practice=True)
    assert "practice: somebody chose the seed in 1 of them" in text_of("left", practice)


def test_no_name_moves_the_cursor() -> None:
    evil = side(f"{HOSTILE}\x1b[2J\n")
    text = text_of(evil.entry, match(evil, DUO, faults=[note(0)]))
    assert all(line.isprintable() for line in text.split("\n"))
