"""The tables of a ladder's database. A change of them is a new step in `migrations/versions`."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = 3  # the number of the last step in migrations/versions

MOST_BOTS = 3  # of an entry, in Tientsin

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)
# SQLite numbers rows by itself in a column of this very type alone.
_ROW = BigInteger().with_variant(Integer(), "sqlite")

BOTS = Table("bots", METADATA, Column("name", Text, primary_key=True))

ENTRIES = Table(
    "entries",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("bot_0", Text, ForeignKey(BOTS.c.name), nullable=False),
    Column("bot_1", Text, ForeignKey(BOTS.c.name), nullable=False),
    Column("house", Boolean, nullable=False),
    Column("bot_2", Text),  # where a team has three; of one bot alone bot_1 is the same
    Column("places", SmallInteger, nullable=False),  # how many bots it has: 1, 2 or 3
)

VERSIONS = Table(
    "versions",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("entry", Text, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),  # from 1, in order
    Column("version_0", Text, nullable=False),
    Column("version_1", Text, nullable=False),
    Column("version_2", Text),
    ForeignKeyConstraint(["event", "entry"], [ENTRIES.c.event, ENTRIES.c.name], ondelete="CASCADE"),
)

BOARDS = Table(
    "boards",
    METADATA,
    Column("id", _ROW, primary_key=True),
    Column("event", Text, nullable=False),
    Column("pairing", Text, nullable=False),
    Column("board", BigInteger, nullable=False),
    Column("attempt", BigInteger, nullable=False),
    Column("unit", Text, nullable=False),
    Column("deals", Text, nullable=False),
    UniqueConstraint("event", "pairing", "board", "attempt"),
)

MATCHES = Table(
    "matches",
    METADATA,
    Column("id", _ROW, primary_key=True),
    Column("board", _ROW, ForeignKey(BOARDS.c.id, ondelete="CASCADE"), nullable=False),
    Column("leg", BigInteger, nullable=False),
    Column("match_id", Text, nullable=False, index=True),
    Column("practice", Boolean, nullable=False),
    Column("isolation", Text, nullable=False),
    Column("rounds", BigInteger, nullable=False),
    Column("ending", Text, nullable=False),
    Column("blame", Text, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("faulty", Text, nullable=False),  # entries, a JSON list
    Column("added", BigInteger, nullable=False),  # seconds of wall time: a label for prune
    Column("digest", Text, nullable=False),  # SHA-256 of the record's file; "" by an older release
    UniqueConstraint("board", "leg"),
)


def _of_match(name: str, key: str, *columns: Column[object]) -> Table:
    """Return a table of rows that belong to a match, numbered in it by `key`."""
    return Table(
        name,
        METADATA,
        Column("match", _ROW, ForeignKey(MATCHES.c.id, ondelete="CASCADE"), primary_key=True),
        Column(key, Integer, primary_key=True, autoincrement=False),
        *columns,
        sqlite_with_rowid=False,  # rows lie under their key: half the pages of a match
    )


def _text(name: str, *, index: bool = False) -> Column[object]:
    return Column(name, Text, nullable=False, index=index)


def _number(name: str) -> Column[object]:
    return Column(name, BigInteger, nullable=False)


def _seat() -> Column[object]:
    return Column("seat", SmallInteger, nullable=False)


RESULTS = _of_match("results", "team", _text("entry"), _text("owner"), _number("points"))

# seat: as `referee.ladder.seats` has it; the Tisch of Trichu has no bot
PLAYERS = _of_match(
    "players",
    "seat",
    _text("name"),
    _text("bot", index=True),
    _text("version"),
    _number("refused"),
    _number("answers"),
    _number("defaults"),
)

ROUNDS = _of_match(
    "rounds",
    "number",
    _number("round"),
    _number("points_0"),
    _number("points_1"),
    Column("points_2", BigInteger),  # where there are four columns
    Column("points_3", BigInteger),
    Column("luck", Double, nullable=False),
)

FAULTS = _of_match(
    "faults",
    "number",
    _seat(),
    _number("round"),
    _number("at_ms"),
    _number("ask"),
    _text("kind"),
    _text("why"),
    Column("ended_match", Boolean, nullable=False),
)

TIMES = _of_match(
    "times",
    "number",
    _seat(),
    _text("kind"),
    _number("asks"),
    _number("thinking_ms"),
    _number("network_ms"),
    _number("referee_ms"),
    _number("charged_ms"),
    _number("longest_ms"),
    _number("timed_out"),
)

CALLS = _of_match("calls", "number", _seat(), _text("call"), _number("made"), _number("won"))

RULINGS = Table(
    "rulings",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("version", Text, nullable=False),
)

# Whose an event is: two ladders of one name would mix.
LADDERS = Table(
    "ladders",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("ladder", Text, nullable=False),
)

TOKENS = Table(
    "tokens",
    METADATA,
    Column("bot", Text, ForeignKey(BOTS.c.name), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    Column("created", Text, nullable=False),
)
