"""What a Brettspielwelt log cannot say of a record is left out and told, or refused."""

import random

import msgspec
import pytest

from referee.formats.bsw import LogReader, Outcome, judge
from referee.formats.bsw.writer import LogWriter, Unsayable
from referee.match.facts import Fact, MatchEnded, RoundEnded
from referee.match.inputs import Fault
from referee.match.values import Ending, MatchConfig
from referee.rules.options import RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.simulation.table import Table, random_policy, settings


def match_of(rules: RuleOptions, *, rounds: int = 9) -> tuple[MatchConfig, list[Fact]]:
    """A match that is cancelled in the round after `rounds`, or ends before."""
    rng = random.Random("writer")
    table = Table(settings(rules=rules), seed="writer").start()
    policy = random_policy(rng)
    for _ in range(20_000):
        waiting = [ask for seat in range(4) for ask in table.machine.open_asks(Seat(seat))]
        if table.machine.over or not waiting:
            break
        if table.machine.rounds_played == rounds and waiting[0].kind == "act":
            table.step(Fault(seat=Seat(2), ending=Ending.CRASHED))
            break
        table.answer_ask(waiting[0], policy(table, waiting[0]))
    return table.config, table.facts


def outcomes(lines: list[str]) -> list[Outcome]:
    text = [line + "\n" for line in lines]
    return [verdict.outcome for verdict in judge(LogReader(), text, RuleOptions())]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"variant": "trichu"}, "plain Tichu, this is trichu"),
        ({"variant": "tientsin"}, "plain Tichu, this is tientsin"),
        ({"great_grand": True}, "the option great_grand"),
        ({"chaos": True}, "the option chaos"),
        ({"refuse_call": True}, "the option refuse_call"),
    ],
)
def test_a_game_that_a_log_does_not_know_is_refused(options: dict[str, object], said: str) -> None:
    config = Table(settings(rules=parse_options(options))).config
    with pytest.raises(Unsayable, match=f"{said}.*; --format decisions takes it"):
        LogWriter(config)


def test_the_round_in_which_a_match_broke_off_is_left_out() -> None:
    config, facts = match_of(RuleOptions(), rounds=1)
    assert isinstance(facts[-1], MatchEnded)
    writer = LogWriter(config)
    lines = list(writer.lines(facts))
    assert outcomes(lines) == [Outcome.OK]
    assert writer.notes == [
        "signs of names that would not be read back are written as _",
        "the ending is left out: crashed",
        "round 2 is left out: it was not finished",
    ]


def test_a_match_without_a_finished_round_is_no_log() -> None:
    config, facts = match_of(RuleOptions(), rounds=0)
    with pytest.raises(Unsayable, match="no finished round"):
        list(LogWriter(config).lines(facts))


def test_options_are_left_out_with_the_words_that_read_the_log() -> None:
    config, facts = match_of(RuleOptions(rounds=1))
    writer = LogWriter(config)
    list(writer.lines(facts))
    assert any("referee rules bsw --option rounds=1" in note for note in writer.notes)


def test_names_cannot_forge_a_line() -> None:
    config, facts = match_of(RuleOptions(rounds=1))
    hostile = ("Tichu: (0)", "a\nErgebnis: 9 - 9", "x gibt: y: Ph - ", "\x1b[31m")
    players = tuple(
        msgspec.structs.replace(player, name=name)
        for player, name in zip(config.players, hostile, strict=True)
    )
    lines = list(LogWriter(msgspec.structs.replace(config, players=players)).lines(facts))
    assert outcomes(lines) == [Outcome.OK]
    assert all("\n" not in line and "\x1b" not in line for line in lines)


def test_a_round_that_reads_back_as_something_else_is_not_written() -> None:
    config, facts = match_of(RuleOptions(rounds=1))
    forged = [
        msgspec.structs.replace(fact, points=(fact.points[0] + 5, fact.points[1]))
        if isinstance(fact, RoundEnded)
        else fact
        for fact in facts
    ]
    with pytest.raises(Unsayable, match="round 1 reads back as something else"):
        list(LogWriter(config).lines(forged))
