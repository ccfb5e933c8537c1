"""Records and Brettspielwelt logs say the same: one made of the other, and back."""

import random
from collections.abc import Sequence

import pytest

from referee.formats.bsw import LogReader, Outcome, judge
from referee.formats.bsw.importer import ImportedGame, import_log
from referee.formats.bsw.writer import LogWriter
from referee.formats.records import Record, read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import CallMade, Dealt, DragonGiven, Exchanged, Fact, Played, RoundEnded
from referee.match.values import Pace
from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS, RuleOptions, parse_options
from referee.rules.phases import CallKind
from tests.simulation.table import Table, random_policy, settings
from tests.unit.formats.bsw_logs import NAMES, ODD_NAMES, played_round
from tests.unit.formats.recorded import record_lines


def written(record: Record) -> list[str]:
    """The lines of a record's log, with their ends."""
    writer = LogWriter(record.config)
    return [line + "\n" for line in writer.lines(record.facts)]


def imported(lines: Sequence[str], options: RuleOptions | None = None) -> list[ImportedGame]:
    found = list(import_log(LogReader(), lines, options or RuleOptions(), keep_names=True))
    assert all(isinstance(game, ImportedGame) for game in found), found
    return [game for game in found if isinstance(game, ImportedGame)]


def told(facts: Sequence[Fact]) -> list[object]:
    """What a log says of a match, in its order, without times."""
    rows: list[object] = []
    for fact in facts:
        match fact:
            case Played():
                rows.append((fact.seat, sorted(fact.cards), fact.phoenix_rank, fact.wish))
            case Exchanged():
                rows.append(sorted(fact.gifts))
            case DragonGiven():
                rows.append((fact.seat, fact.to, fact.points))
            case RoundEnded():
                rows.append((fact.points, fact.card_points, sorted(fact.calls), fact.totals))
            case _:
                pass
    return rows


def played_record(rules: RuleOptions, pace: Pace, seed: str) -> Record:
    rng = random.Random(seed)
    table = Table(settings(pace=pace, rules=rules), seed=seed).start()
    table.play(random_policy(rng), rng)
    return read_record(record_lines(table.config, table.facts))


def _check(record: Record, seed: str) -> None:
    rules = record.config.settings.rules
    log = written(record)
    points = [fact.points for fact in record.facts if isinstance(fact, RoundEnded)]
    verdicts = list(judge(LogReader(), log, rules))
    assert [verdict.outcome for verdict in verdicts] == [Outcome.OK] * len(points), seed
    assert [verdict.ours for verdict in verdicts] == points, seed
    [game] = imported(log, rules)
    again = read_record(game.lines)
    verified = verify_record(again)
    assert isinstance(verified, Verified), (seed, verified)
    assert told(again.facts) == told(record.facts), seed
    assert game.over, seed
    assert sorted(written(again)) == sorted(log), seed  # a call may stand behind a pass of others


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("number", range(3))
def test_a_record_is_the_same_after_export_and_import(number: int, pace: Pace) -> None:
    seed = f"log {number} {pace}"
    _check(played_record(RuleOptions(rounds=1), pace, seed), seed)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
def test_a_whole_match_with_default_options_is_the_same(number: int) -> None:
    seed = f"whole {number}"
    _check(played_record(RuleOptions(), Pace.FAST, seed), seed)


def one_option() -> list[dict[str, object]]:
    """Every value of every option that makes sense in a game of four, each alone."""
    found: list[dict[str, object]] = []
    for name, row in OPTION_ROWS.items():
        for value in row.values[1:]:
            options = {name: getattr(value, "value", value)}
            try:
                rules = parse_options(options)
            except ConfigError:
                continue
            if rules.variant == "tichu":
                found.append(options)
    return found


UNSAYABLE = {"great_grand", "chaos", "refuse_call"}
LENGTHS = {"target", "rounds", "tie_at_target"}


@pytest.mark.parametrize(
    "options", [one for one in one_option() if not (UNSAYABLE | LENGTHS) & {*one}]
)
def test_a_record_with_an_option_is_the_same_after_export_and_import(
    options: dict[str, object],
) -> None:
    seed = f"option {options}"
    _check(played_record(parse_options({"rounds": 2, **options}), Pace.FAST, seed), seed)


@pytest.mark.parametrize("options", [one for one in one_option() if "chaos" not in one])
def test_what_the_rules_accept_with_an_option_is_imported(options: dict[str, object]) -> None:
    rules, logs = parse_options(options), 0
    for seed in range(12):
        log = played_round(random.Random(f"{options} {seed}"), racing=seed % 2 == 1)
        lines = [line + "\n" for line in log.lines]
        [verdict] = judge(LogReader(), lines, rules)
        if verdict.outcome is Outcome.OK:
            [game] = imported(lines, rules)
            assert game.totals == log.scores, seed
            assert isinstance(verify_record(read_record(game.lines)), Verified), seed
            logs += 1
    assert logs >= 1


def _logged(seed: int) -> None:
    rng = random.Random(f"import {seed}")
    names = rng.sample(ODD_NAMES, 4) if seed % 4 == 0 else NAMES
    log = played_round(rng, names=names, racing=seed % 2 == 1, bombs=seed % 3 == 0)
    [game] = imported([line + "\n" for line in log.lines])
    record = read_record(game.lines)
    assert isinstance(verify_record(record), Verified), seed
    assert game.totals == log.scores, seed
    [again] = imported(written(record))
    assert again.match_id == game.match_id, seed
    assert told(read_record(again.lines).facts) == told(record.facts), seed


@pytest.mark.parametrize("seed", range(12))
def test_a_log_is_the_same_after_import_and_export(seed: int) -> None:
    _logged(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, 1_160, 40))
def test_many_logs_are_the_same_after_import_and_export(first: int) -> None:
    for seed in range(first, first + 40):
        _logged(seed)


def test_an_import_has_the_calls_of_its_log() -> None:
    logs = (played_round(random.Random(seed), racing=True) for seed in range(50))
    log = next(
        log
        for log in logs
        if all(any(line.startswith(word) for line in log.lines) for word in ("Tichu:", "Grosses"))
    )
    [game] = imported([line + "\n" for line in log.lines])
    facts = read_record(game.lines).facts
    made = {(fact.seat, fact.call) for fact in facts if isinstance(fact, CallMade)}
    for word, kind in (("Tichu: (", CallKind.TICHU), ("Grosses Tichu: (", CallKind.GRAND)):
        seats = {int(line[len(word)]) for line in log.lines if line.startswith(word)}
        assert {seat for seat, call in made if call is kind} == seats
    [dealt] = [fact for fact in facts if isinstance(fact, Dealt)]
    assert len(set(dealt.cards)) == 56
