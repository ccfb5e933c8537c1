"""A record that was imported says so, and nothing of it may stand in another."""

import json
import random

import pytest

from referee.formats.bsw import LogReader
from referee.formats.bsw.importer import ImportedGame, import_log
from referee.formats.records import FactStream, RecordError, header_line, read_record
from referee.rules.options import RuleOptions
from tests.unit.formats.bsw_logs import played_round
from tests.unit.formats.placed import place_of
from tests.unit.formats.recorded import chained, played


def imported() -> list[bytes]:
    lines = [line + "\n" for line in played_round(random.Random(3)).lines]
    [game] = import_log(LogReader(), lines, RuleOptions(), keep_names=False)
    assert isinstance(game, ImportedGame)
    return list(game.lines)


def changed(lines: list[bytes], at: int, **values: object) -> list[bytes]:
    """The record with other values in one line; its chain fits again."""
    value = {**json.loads(lines[at]), **values}
    text = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return chained([*lines[:at], text, *lines[at + 1 : -1]])


def refused(lines: list[bytes]) -> str:
    with pytest.raises(RecordError) as found:
        read_record(lines)
    return str(found.value)


def test_the_header_says_what_is_not_known() -> None:
    header = read_record(imported()).header
    assert header.practice
    assert header.import_ is not None
    assert header.import_.unknown == ("asks", "clock", "dealers", "seeds", "times")
    assert read_record(played()).header.import_ is None


def test_a_referees_own_record_lists_no_cards() -> None:
    cards = json.loads(imported()[1])["cards"]
    assert "only an imported record lists them" in refused(changed(played(), 1, cards=cards))


def test_an_import_lists_all_cards_and_names_no_seed() -> None:
    lines = imported()
    cards = json.loads(lines[1])["cards"]
    for wrong in ([], cards[:-1], [*cards[:-1], cards[0]]):
        assert "cards: not each card of the pack once" in refused(changed(lines, 1, cards=wrong))
    assert "64 zeros" in refused(changed(lines, 1, seed="ab" * 32))


def test_an_import_is_practice_and_of_no_ladder() -> None:
    lines = imported()
    assert "it is practice" in refused(changed(lines, 0, practice=False))
    other = {"source": "elsewhere", "unknown": []}
    assert "this release knows bsw" in refused(changed(lines, 0, imported=other))
    config = read_record(played()).config
    placed = json.loads(header_line(config, practice=True, place=place_of()))["ladder"]
    said = refused(changed(lines, 0, ladder=placed))
    assert "never imported" in said or "ladder: " in said


def test_a_stream_gives_the_facts_of_a_record_one_by_one() -> None:
    lines = played()
    record = read_record(lines)
    taken = iter(lines)
    stream = FactStream(taken)
    assert stream.config == record.config
    facts = iter(stream)
    assert next(facts) == record.facts[0]
    assert next(taken) == lines[2]  # no line was read ahead
    stream = FactStream(lines)
    assert tuple(stream) == record.facts
    assert stream.complete
    stream = FactStream(lines[:-1])
    assert tuple(stream) == record.facts
    assert not stream.complete
    with pytest.raises(RecordError, match="line 1"):
        FactStream([])
