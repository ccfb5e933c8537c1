"""Run by Alembic: brings the connection that it is given to a schema, in the caller's transaction.

There is no alembic.ini: `referee db upgrade` calls this.
"""

from alembic import context
from sqlalchemy import Connection

from referee.store.ladder.schema import VERSION_TABLE
from referee.store.ladder.tables import METADATA

connection = context.config.attributes["connection"]
assert isinstance(connection, Connection)
context.configure(
    connection=connection,
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    transactional_ddl=True,  # SQLite too: the transaction was begun by us
    render_as_batch=True,  # SQLite changes a table by making it anew
)
with context.begin_transaction():
    context.run_migrations()
