import hashlib
from collections.abc import Callable

import msgspec
import pytest

from referee.formats.records import (
    MAX_LINE_BYTES,
    Record,
    RecordError,
    chain_next,
    chain_start,
    header_line,
    read_record,
    trailer_line,
)
from referee.match.facts import MatchEnded
from referee.match.values import Clock, MatchConfig, Player, Settings
from referee.rules.options import RuleOptions
from tests.unit.formats.recorded import chained, played

LINES = played()
CONFIG = MatchConfig(
    match_id="m-1",
    settings=Settings(rules=RuleOptions(rounds=1)),
    players=tuple(Player(name=f"bot {seat}") for seat in range(4)),
)


def refused(lines: list[bytes]) -> RecordError:
    with pytest.raises(RecordError) as error:
        read_record(lines)
    return error.value


def header(**changed: object) -> bytes:
    value = msgspec.json.decode(LINES[0])
    value.update(changed)
    return msgspec.json.encode(value, order="sorted")


def test_a_record_is_read_back_whole() -> None:
    record = read_record([line + b"\n" for line in LINES])
    assert record.complete
    assert len(record.facts) == len(LINES) - 2
    assert isinstance(record.facts[-1], MatchEnded)
    assert record.header.practice
    assert record.header.isolation == "ISOLATED"


def test_the_header_gives_the_match_back() -> None:
    lines = chained([header_line(CONFIG, practice=False)])
    record = read_record(lines)
    assert record.config == CONFIG
    assert not record.header.practice


def test_the_header_names_every_option_in_sorted_keys_without_blanks() -> None:
    line = header_line(CONFIG, practice=False)
    value = msgspec.json.decode(line)
    assert value["options"]["bomb_arbitration"] == "strongest"
    assert list(value) == sorted(value)
    assert b'"window_ns":1000000000' in line
    assert b": " not in line


def test_the_chain_by_hand() -> None:
    one = hashlib.sha256(b"head").digest()
    two = hashlib.sha256(one + b"line").digest()
    assert chain_start(b"head") == one
    assert chain_next(one, b"line") == two
    expected = f'{{"chain":"{two.hex()}","facts":1,"t":"chain"}}'
    assert trailer_line(1, two).decode() == expected


def test_a_record_without_trailer_is_unfinished_not_wrong() -> None:
    assert not read_record(LINES[:-1]).complete


def test_an_edited_line_breaks_the_chain() -> None:
    edited = LINES.copy()
    at = next(n for n, line in enumerate(edited) if b'"t":"passed"' in line)
    edited[at] = edited[at].replace(b'"at":', b'"at":1')
    later = [*edited[: at + 1], edited[-1].replace(b"%d" % (len(LINES) - 2), b"%d" % at)]
    error = refused(later)
    assert error.line == len(later)
    assert "the chain is broken" in error.what


def test_a_line_left_out_is_counted() -> None:
    error = refused([*LINES[:-2], LINES[-1]])
    assert "the trailer counts" in error.what


def test_anything_after_the_trailer_is_refused() -> None:
    assert "more after the trailer" in refused([*LINES, LINES[1]]).what


@pytest.mark.parametrize("option", [b'"rounds":100001', b'"target":1000001'])
def test_a_record_of_a_longer_match_than_there_is_is_refused(option: bytes) -> None:
    name = option.partition(b":")[0]
    header = msgspec.json.decode(LINES[0])
    header["options"] = msgspec.json.decode(b"{" + option + b"}")
    error = refused([msgspec.json.encode(header, order="sorted"), *LINES[1:]])
    assert f"option {name.decode().strip(chr(34))}: " in error.what
    assert "a whole number from 1 to 100000" in error.what


def _cut(lines: list[bytes]) -> None:
    lines[-1] = lines[-1][:30]


def _garble(lines: list[bytes]) -> None:
    lines[5] = b"\x00\xff" * 20


def _blank(lines: list[bytes]) -> None:
    lines[5] = lines[5].replace(b":", b": ", 1)


def _twice(lines: list[bytes]) -> None:
    lines[5] = lines[5].replace(b"{", b'{"at":0,', 1)


def _oversize(lines: list[bytes]) -> None:
    lines[5] = b" " * (MAX_LINE_BYTES + 1)


def _deep(lines: list[bytes]) -> None:
    lines[5] = b'{"t":"dealt","zeed":' + b"[" * 60_000


def _unknown_fact(lines: list[bytes]) -> None:
    lines[5] = b'{"t":"cheated"}'


def _seat_nine(lines: list[bytes]) -> None:
    lines[5] = b'{"at":9,"seat":9,"t":"passed"}'


def _no_card(lines: list[bytes]) -> None:
    lines[5] = b'{"at":9,"cards":[1000000000],"seat":0,"t":"played"}'


def _no_cards_decided(lines: list[bytes]) -> None:
    lines[5] = (
        b'{"ask":1,"at":9,"decision":{"cards":[1000000000],"type":"play"},"seat":0,'
        b'"status":"refused","t":"answered"}'
    )


def _seat_asked_anew(lines: list[bytes]) -> None:
    lines[5] = b'{"asks":[[4,1]],"at":9,"blocked_ns":1,"t":"stalled"}'


def _failed_seat(lines: list[bytes]) -> None:
    lines[5] = (
        b'{"at":9,"ending":"crashed","failed":[0,7],"rounds":0,"t":"match_ended","totals":[0,0]}'
    )


def _three_clocks(lines: list[bytes]) -> None:
    lines[5] = b'{"at":9,"blame":"bot","ending":"abandoned","seat":0,"sent":[1,2,3],"t":"faulted"}'


def _time_back(lines: list[bytes]) -> None:
    lines[5] = b'{"at":-1,"seat":0,"t":"passed"}'


@pytest.mark.parametrize(
    ("damage", "line", "said"),
    [
        (_cut, len(LINES), "truncated"),
        (_garble, 6, "no fact: JSON is malformed"),
        (_blank, 6, "not canonical"),
        (_twice, 6, "not canonical"),
        (_oversize, 6, "longer than 65536 bytes"),
        (_deep, 6, "no fact"),
        (_unknown_fact, 6, "Invalid value 'cheated'"),
        (_seat_nine, 6, "seat: 9 is none of 0..3"),
        (_no_card, 6, "cards: 1000000000 is no card number"),
        (_no_cards_decided, 6, "decision: 1000000000 is no card number"),
        (_seat_asked_anew, 6, "asks: 4 is none of 0..3"),
        (_failed_seat, 6, "failed: 7 is none of 0..3"),
        (_three_clocks, 6, "sent: 3 times for 4 seats"),
        (_time_back, 6, "match time goes back"),
    ],
)
def test_a_damaged_line_is_named(
    damage: Callable[[list[bytes]], None], line: int, said: str
) -> None:
    lines = LINES.copy()
    damage(lines)
    error = refused(lines)
    assert (error.line, said in error.what) == (line, True), error


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"", "no header: Input data was truncated"),
        (b"PK\x03\x04", "no header"),
        (b"[1]", "no header: Expected `object`"),
        (b"{}", 'must have "format":"tichu-record"'),
        (header(version=2), "format version 2 is not readable by this release, which has 1"),
        (header(rules_version=9), "rules version 9 is not readable"),
        (header(players=[]), "4 seats need 4 players"),
        (header(options={"great_gran": True}), "did you mean great_grand?"),
        (header(options={"rounds": -1}), "option rounds: -1"),
        (header(settings=1), "Expected `object`, got `int` - at `$.settings`"),
    ],
)
def test_a_header_that_cannot_be_used_says_why(first: bytes, said: str) -> None:
    error = refused([first, *LINES[1:]])
    assert error.line == 1
    assert said in error.what


def test_an_empty_file_is_no_record() -> None:
    assert "the file is empty" in refused([]).what


def test_a_later_release_may_add_a_field_to_header_and_facts() -> None:
    fact = b'{"at":9,"seat":0,"t":"passed","zest":1}'
    record: Record = read_record(chained([header(zest=1), fact]))
    assert record.complete


def test_a_header_without_the_later_settings_has_their_defaults() -> None:
    """As one that was written before clocks knew lag."""
    older = msgspec.json.decode(LINES[0])
    settings = older["settings"]
    for name in ("wall_per_round_ns", "lag_limit_ns"):
        del settings[name]
    settings["clock"] = {"bank_ns": 5, "base_ns": 2 * 10**9}
    line = msgspec.json.encode(older, order="sorted")
    what = read_record(chained([line])).config.settings
    assert (what.wall_per_round_ns, what.lag_limit_ns) == (600 * 10**9, 5 * 10**8)
    assert what.clock == Clock(base_ns=2 * 10**9, bank_ns=5)
