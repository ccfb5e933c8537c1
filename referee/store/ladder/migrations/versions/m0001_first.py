"""The first schema. Written out, not taken from tables.py: a step never changes once released."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Text,
    UniqueConstraint,
)
from sqlalchemy.sql.schema import SchemaItem

revision = "0001"
down_revision = None

_ROW = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    """Make all tables."""
    _who_plays()
    _matches()
    _of_matches()
    _rulings_and_tokens()


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _number(name: str) -> Column[int]:
    return Column(name, BigInteger, nullable=False)


def _key(table: str, *columns: str) -> PrimaryKeyConstraint:
    return PrimaryKeyConstraint(*columns, name=f"pk_{table}")


def _to_bot(table: str, column: str) -> ForeignKeyConstraint:
    return ForeignKeyConstraint([column], ["bots.name"], name=f"fk_{table}_{column}")


def _who_plays() -> None:
    op.create_table("bots", _text("name"), _key("bots", "name"))
    op.create_table(
        "entries",
        _text("event"),
        _text("name"),
        _text("owner"),
        _text("bot_0"),
        _text("bot_1"),
        Column("house", Boolean, nullable=False),
        _key("entries", "event", "name"),
        _to_bot("entries", "bot_0"),
        _to_bot("entries", "bot_1"),
    )
    op.create_table(
        "versions",
        _text("event"),
        _text("entry"),
        Column("number", Integer, autoincrement=False, nullable=False),
        _text("version_0"),
        _text("version_1"),
        _key("versions", "event", "entry", "number"),
        ForeignKeyConstraint(
            ["event", "entry"],
            ["entries.event", "entries.name"],
            name="fk_versions_event",
            ondelete="CASCADE",
        ),
    )


def _matches() -> None:
    op.create_table(
        "boards",
        Column("id", _ROW, nullable=False),
        _text("event"),
        _text("pairing"),
        _number("board"),
        _number("attempt"),
        _text("unit"),
        _text("deals"),
        _key("boards", "id"),
        UniqueConstraint("event", "pairing", "board", "attempt", name="uq_boards_event"),
    )
    op.create_table(
        "matches",
        Column("id", _ROW, nullable=False),
        Column("board", _ROW, nullable=False),
        _number("leg"),
        _text("match_id"),
        Column("practice", Boolean, nullable=False),
        _text("isolation"),
        _number("rounds"),
        _text("ending"),
        _text("blame"),
        Column("rated", Boolean, nullable=False),
        _text("faulty"),
        _number("added"),
        _key("matches", "id"),
        ForeignKeyConstraint(["board"], ["boards.id"], name="fk_matches_board", ondelete="CASCADE"),
        UniqueConstraint("board", "leg", name="uq_matches_board"),
    )
    op.create_index("ix_matches_match_id", "matches", ["match_id"])


def _of_match(name: str, key: str, *columns: SchemaItem) -> None:
    op.create_table(
        name,
        Column("match", _ROW, nullable=False),
        Column(key, Integer, autoincrement=False, nullable=False),
        *columns,
        _key(name, "match", key),
        ForeignKeyConstraint(
            ["match"], ["matches.id"], name=f"fk_{name}_match", ondelete="CASCADE"
        ),
        sqlite_with_rowid=False,
    )


def _seat() -> Column[int]:
    return Column("seat", SmallInteger, nullable=False)


def _of_matches() -> None:
    _of_match("results", "team", _text("entry"), _text("owner"), _number("points"))
    _of_match("players", "seat", _text("name"), _text("bot"), _text("version"), _number("refused"))
    op.create_index("ix_players_bot", "players", ["bot"])
    _of_match(
        "rounds",
        "number",
        *(_number(name) for name in ("round", "points_0", "points_1")),
        Column("luck", Double, nullable=False),
    )
    _of_match(
        "faults",
        "number",
        _seat(),
        *(_number(name) for name in ("round", "at_ms", "ask")),
        _text("kind"),
        _text("why"),
        Column("ended_match", Boolean, nullable=False),
    )
    times = ("thinking_ms", "network_ms", "referee_ms", "charged_ms", "longest_ms", "timed_out")
    _of_match(
        "times",
        "number",
        _seat(),
        _text("kind"),
        _number("asks"),
        *(_number(name) for name in times),
    )
    _of_match("calls", "number", _seat(), _text("call"), _number("made"), _number("won"))


def _rulings_and_tokens() -> None:
    op.create_table(
        "rulings",
        _text("event"),
        Column("number", BigInteger, autoincrement=False, nullable=False),
        *(_text(name) for name in ("kind", "subject", "reason", "at", "version")),
        _key("rulings", "event", "number"),
    )
    op.create_table("ladders", _text("event"), _text("ladder"), _key("ladders", "event"))
    op.create_table(
        "tokens",
        _text("bot"),
        Column("number", BigInteger, autoincrement=False, nullable=False),
        Column("token_hash", LargeBinary, nullable=False),
        _text("created"),
        _key("tokens", "bot", "number"),
        _to_bot("tokens", "bot"),
        UniqueConstraint("token_hash", name="uq_tokens_token_hash"),
    )
