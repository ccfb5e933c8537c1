"""A third bot, where teams have three; four columns of points, in Trichu."""

from alembic import op
from sqlalchemy import BigInteger, Column, SmallInteger, Text

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add columns; entries that are there have two bots."""
    op.add_column("entries", Column("bot_2", Text, nullable=True))
    op.add_column("entries", Column("places", SmallInteger, nullable=False, server_default="2"))
    for name in ("points_2", "points_3"):
        op.add_column("rounds", Column(name, BigInteger, nullable=True))
    op.add_column("versions", Column("version_2", Text, nullable=True))
