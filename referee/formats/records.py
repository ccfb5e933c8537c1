"""Records: one match as canonical JSON lines, tied together by a chain of hashes.

Line 1 is the header: format, versions, settings, rule options, players. Then one line a fact. The
last line is the trailer with the number of facts and the chain: h0 = SHA-256(header), hn =
SHA-256(h(n-1) || line n), lines without their newline. A record without a trailer is unfinished:
its match was cut off, or the file was. Canonical means: keys sorted, no blanks, integers, UTF-8.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from referee.formats.fact_values import value_fault
from referee.formats.imported import Imported, deal_fault, import_fault
from referee.formats.leg_places import place_fault
from referee.ladder.values import LegPlace
from referee.match.facts import Dealt, Fact, decode_fact, encode_fact
from referee.match.values import MS, Clock, MatchConfig, Objective, Pace, Player, Settings
from referee.rules.errors import ConfigError
from referee.rules.options import options_dict, parse_options, seats

FORMAT = "tichu-record"
FORMAT_VERSION = 1
RULES_VERSION = 1  # a fix of the rules that changes any match raises it and names the clause
MAX_LINE_BYTES = 64 * 1024  # the longest line of a match of four has under 1 KiB
MAX_BYTES = 128 * 1024 * 1024  # 60 rounds of 1,000 actions make under 60 MB

_ENCODER = msgspec.json.Encoder(order="sorted")
_T = TypeVar("_T")


class RecordError(ValueError):
    """A record that cannot be read. `line` counts from 1; `what` says what is wrong with it."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(f"line {line}: {what}")
        self.line = line
        self.what = what


class HeaderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a match without its rule options, which have a place of their own."""

    pace: Pace
    window_ns: int
    clock: Clock | None
    objective: Objective
    max_resends: int
    max_strikes: int
    max_actions: int
    max_rounds: int
    wall_per_round_ns: int = 600_000 * MS
    lag_limit_ns: int = 500 * MS


class RecordHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The first line. Later versions add fields with a default; none is renamed."""

    format: str
    version: int
    rules_version: int
    match_id: str
    practice: bool  # the seed was chosen by a person: not for rating
    settings: HeaderSettings
    options: dict[str, object]  # every row of the options table
    players: tuple[Player, ...]
    isolation: str = ""  # how the bots were kept apart; "" = not stated
    ladder: LegPlace | msgspec.UnsetType = msgspec.UNSET  # left out where it belongs to none
    imported: Imported | msgspec.UnsetType = msgspec.UNSET  # left out of what a referee wrote

    @property
    def place(self) -> LegPlace | None:
        """Return which part of a ladder the match was; None where it belongs to none."""
        return None if self.ladder is msgspec.UNSET else self.ladder

    @property
    def import_(self) -> Imported | None:
        """Return what is said of its source; None for the record of a referee."""
        return None if self.imported is msgspec.UNSET else self.imported


class Trailer(msgspec.Struct, frozen=True, kw_only=True, tag_field="t", tag="chain"):
    """The last line: how many facts there are, and the hash over all that stands before it."""

    facts: int
    chain: str


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """A record that was read: well-formed, chain right. Whether it is true says a replay.

    Fact number i (from 0) stands in line i + 2. `complete` is False without a trailer.
    """

    header: RecordHeader
    config: MatchConfig
    facts: tuple[Fact, ...]
    chain: str
    complete: bool


def header_line(
    config: MatchConfig,
    *,
    practice: bool,
    isolation: str = "",
    place: LegPlace | None = None,
    imported: Imported | None = None,
) -> bytes:
    """Return the first line of a match's record, without its newline."""
    header = RecordHeader(
        format=FORMAT,
        version=FORMAT_VERSION,
        rules_version=RULES_VERSION,
        match_id=config.match_id,
        practice=practice,
        settings=_header_settings(config.settings),
        options=options_dict(config.settings.rules, complete=True),
        players=config.players,
        isolation=isolation,
        ladder=msgspec.UNSET if place is None else place,
        imported=msgspec.UNSET if imported is None else imported,
    )
    return _ENCODER.encode(header)


def chain_start(header: bytes) -> bytes:
    """Return the chain (32 bytes) after the header line."""
    return hashlib.sha256(header).digest()


def chain_next(prev: bytes, line: bytes) -> bytes:
    """Return the chain (32 bytes) after one more fact line. `line` comes without its newline."""
    return hashlib.sha256(prev + line).digest()


def trailer_line(facts: int, chain: bytes) -> bytes:
    """Return the last line of a record of so many facts, without its newline."""
    return _ENCODER.encode(Trailer(facts=facts, chain=chain.hex()))


def read_record(lines: Iterable[bytes]) -> Record:
    """Return the record of a file's lines, with or without their newlines.

    Raises `RecordError` for the first line that is no line of a record of this release, and when
    the chain does not hold.
    """
    reader = _Reader()
    number = 0
    for number, line in enumerate(lines, 1):
        reader.feed(number, line.removesuffix(b"\n"))
    return reader.finish(number)


def read_until_fault(lines: Iterable[bytes]) -> tuple[Record, RecordError | None]:
    """Return the record up to its first fault, and the fault: what a crash or an edit left.

    Raises `RecordError` when not even the header can be read.
    """
    reader = _Reader()
    number = 0
    for number, line in enumerate(lines, 1):
        try:
            reader.feed(number, line.removesuffix(b"\n"))
        except RecordError as fault:
            if number == 1:
                raise
            return reader.finish(number), fault
    return reader.finish(number), None


class FactStream:
    """A record that is read as it is iterated over, once; none of its facts is kept.

    Attributes:
        header: its first line.
        config: what the match is made of.
        complete: True once the trailer was read.
    """

    def __init__(self, lines: Iterable[bytes]) -> None:
        """Raises `RecordError` when not even the header can be read, and so does iterating."""
        self._lines = enumerate(lines, 1)
        self._reader = _Reader(keep=False)
        for number, line in self._lines:
            self._reader.feed(number, line.removesuffix(b"\n"))
            break
        read = self._reader.finish(0)
        self.header, self.config = read.header, read.config
        self.complete = False

    def __iter__(self) -> Iterator[Fact]:
        for number, line in self._lines:
            fact = self._reader.feed(number, line.removesuffix(b"\n"))
            if fact is not None:
                yield fact
        self.complete = self._reader.finish(0).complete


class _Reader:
    """Reads line by line: header, facts, trailer."""

    def __init__(self, *, keep: bool = True) -> None:
        self._header: RecordHeader | None = None
        self._config: MatchConfig | None = None
        self._facts: list[Fact] = []
        self._keep = keep
        self._count = 0
        self._chain = b""
        self._at = 0
        self._seats = 0
        self._size = 0
        self._trailer: Trailer | None = None

    def feed(self, number: int, line: bytes) -> Fact | None:
        """Take a line; return its fact, if it is one."""
        if self._trailer is not None:
            raise RecordError(number, "there is more after the trailer, which is the last line")
        self._size += len(line)
        if self._size > MAX_BYTES:
            raise RecordError(number, f"a record has at most {MAX_BYTES >> 20} MiB")
        if len(line) > MAX_LINE_BYTES:
            raise RecordError(number, f"the line is longer than {MAX_LINE_BYTES} bytes")
        if self._header is None:
            self._feed_header(number, line)
        elif line.startswith(b'{"chain":'):
            self._feed_trailer(number, line)
        else:
            return self._feed_fact(number, line)
        return None

    def _feed_fact(self, number: int, line: bytes) -> Fact:
        fact = _fact(number, line)
        fault = value_fault(fact, seats=self._seats)
        if isinstance(fact, Dealt) and not fault and self._header and self._config:
            fault = deal_fault(fact, self._header.import_, self._config.settings.rules)
        if fault:
            raise RecordError(number, fault)
        if fact.at < self._at:
            raise RecordError(number, f"match time goes back from {self._at} to {fact.at} ns")
        self._at = fact.at
        self._count += 1
        if self._keep:
            self._facts.append(fact)
        self._chain = chain_next(self._chain, line)
        return fact

    def _feed_header(self, number: int, line: bytes) -> None:
        self._header = _header(number, line)
        try:
            self._config = _config(self._header)
        except ConfigError as error:
            raise RecordError(number, f"header: {error}") from None
        self._seats = seats(self._config.settings.rules)
        if len(self._header.players) != self._seats:
            raise RecordError(number, f"header: {self._seats} seats need {self._seats} players")
        place = self._header.place
        if place is not None and (fault := place_fault(place, self._config.settings.rules)):
            raise RecordError(number, f"header: ladder: {fault}")
        header = self._header
        fault = import_fault(header.import_, header.place, practice=header.practice)
        if fault:
            raise RecordError(number, f"header: imported: {fault}")
        self._chain = chain_start(line)

    def _feed_trailer(self, number: int, line: bytes) -> None:
        trailer = _decoded(_TRAILER, number, line, "trailer")
        if trailer.facts != self._count:
            raise RecordError(
                number, f"the trailer counts {trailer.facts} facts, there are {self._count}"
            )
        if trailer.chain != self._chain.hex():
            raise RecordError(
                number,
                f"the chain is broken: expected {self._chain.hex()}, got {trailer.chain}; "
                "a line before it was changed",
            )
        self._trailer = trailer

    def finish(self, lines: int) -> Record:
        if self._header is None or self._config is None:
            raise RecordError(max(lines, 1), "the file is empty; a record begins with its header")
        return Record(
            header=self._header,
            config=self._config,
            facts=tuple(self._facts),
            chain=self._chain.hex(),
            complete=self._trailer is not None,
        )


_HEADER = msgspec.json.Decoder(RecordHeader)
_TRAILER = msgspec.json.Decoder(Trailer)
_ANY_OBJECT = msgspec.json.Decoder(dict[str, object])


class _Probe(msgspec.Struct):
    """What every version of the format has: enough to say that a version is not ours."""

    format: str = ""
    version: int = 0
    rules_version: int = 0


_PROBE = msgspec.json.Decoder(_Probe)


def _header(number: int, line: bytes) -> RecordHeader:
    probe = _decoded(_PROBE, number, line, "header")
    if probe.format != FORMAT:
        raise RecordError(
            number, f'this is no record: its first line must have "format":"{FORMAT}"'
        )
    for name, found, ours in (
        ("format", probe.version, FORMAT_VERSION),
        ("rules", probe.rules_version, RULES_VERSION),
    ):
        if found != ours:
            raise RecordError(
                number, f"{name} version {found} is not readable by this release, which has {ours}"
            )
    return _decoded(_HEADER, number, line, "header")


def _fact(number: int, line: bytes) -> Fact:
    try:
        fact = decode_fact(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(number, f"no fact: {_reason(error)}") from None
    if encode_fact(fact) != line:  # else canonical: the encoder wrote it
        _check_canonical(number, line)
    return fact


def _decoded(decoder: msgspec.json.Decoder[_T], number: int, line: bytes, name: str) -> _T:
    try:
        value = decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RecordError(number, f"no {name}: {_reason(error)}") from None
    _check_canonical(number, line)
    return value


def _check_canonical(number: int, line: bytes) -> None:
    """A second spelling of the same value would give the same match another chain."""
    if _ENCODER.encode(_ANY_OBJECT.decode(line)) != line:
        raise RecordError(
            number, "not canonical: keys sorted and unique, no blanks, no needless escapes"
        )


def _reason(error: Exception) -> str:
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def _header_settings(settings: Settings) -> HeaderSettings:
    fields = {name: getattr(settings, name) for name in HeaderSettings.__struct_fields__}
    return HeaderSettings(**fields)


def _config(header: RecordHeader) -> MatchConfig:
    fields = {name: getattr(header.settings, name) for name in HeaderSettings.__struct_fields__}
    settings = Settings(rules=parse_options(header.options), **fields)
    return MatchConfig(match_id=header.match_id, settings=settings, players=header.players)
