"""What tells whether a record is still as it was, and how many answers asked for the default."""

from alembic import op
from sqlalchemy import BigInteger, Column, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add columns; of matches that are there nothing is known of them."""
    op.add_column("matches", Column("digest", Text, nullable=False, server_default=""))
    for name in ("answers", "defaults"):
        op.add_column("players", Column(name, BigInteger, nullable=False, server_default="0"))
