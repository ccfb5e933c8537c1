"""What a run says on stderr where nobody watches: a line now and then."""

import msgspec
import pytest

from referee.app.season_news import Notice, NoticeKind, Progress
from referee.cli.ladder_progress import display

SOME = Progress(done=1, wanted=9, running=2, void=0, rate=60.0, left_s=8.0, elapsed_s=1.0)


def at(seconds: float) -> Progress:
    return msgspec.structs.replace(SOME, elapsed_s=seconds)


def test_a_log_gets_a_line_at_once_and_then_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = display()
    for seconds in (1.0, 2.0, 10.9, 11.0, 12.0, 30.0):
        shown.tell(at(seconds))
    shown.close()
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "1 of 9 boards, 2 running, 60 a minute, 8 s left\n" * 3


def test_a_notice_is_said_at_once_and_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    display().tell(Notice(kind=NoticeKind.FAULT, text="bot \x1b[2J crashed"))
    assert capsys.readouterr().err == "bot \\x1b[2J crashed\n"


def test_what_nobody_knows_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    display().tell(msgspec.structs.replace(SOME, wanted=None, rate=None, left_s=None, void=3))
    assert capsys.readouterr().err == "1 board, 2 running, 3 void\n"


def test_one_of_anything_is_said_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    shown = display()
    shown.tell(msgspec.structs.replace(SOME, wanted=1, what="boards of the final"))
    assert capsys.readouterr().err.startswith("1 of 1 board of the final, ")
    display().tell(msgspec.structs.replace(SOME, wanted=1, what="tables"))
    assert capsys.readouterr().err.startswith("1 of 1 table, ")


def test_a_fault_is_said_once_then_counted_and_every_other_notice_each_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = display()
    for number in range(1, 13):
        ended = f"imp ended: 1; it printed last: x (logs in /x/{number}/imp.err)"
        leg = f"imp: never_started in imp~rr/{number} leg 1, match {number}ab"
        for text in (ended, leg):
            shown.tell(Notice(kind=NoticeKind.FAULT, text=text))
    shown.tell(Notice(kind=NoticeKind.FAULT, text="imp of imp ended: exit code 2"))
    for _ in range(2):
        shown.tell(Notice(kind=NoticeKind.INFO, text="wait"))
    shown.close()
    assert capsys.readouterr().err.splitlines() == [
        "imp ended: 1; it printed last: x (logs in /x/1/imp.err)",
        "imp: never_started in imp~rr/1 leg 1, match 1ab",
        "10 times by now: imp ended: 1",
        "10 times by now: imp: never_started",
        "imp of imp ended: exit code 2",
        "wait",
        "wait",
        "12 times in all: imp ended: 1",
        "12 times in all: imp: never_started",
    ]
