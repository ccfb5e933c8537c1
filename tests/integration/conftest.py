"""What tests over sockets and processes share."""

from pathlib import Path

import pytest

from tests.integration.postgres import PostgresServer, postgres_server

__all__ = ["postgres_server"]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def ladder_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a database for ladders that nobody has opened yet."""
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        return server.url(server.new_database())
    return f"sqlite:///{tmp_path}/ladder.db"
