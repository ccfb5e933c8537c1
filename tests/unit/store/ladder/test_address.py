"""Which database a URL names, and that nothing of a password is shown."""

from pathlib import Path

import pytest

from referee.rules.errors import ConfigError
from referee.store.ladder.address import PostgresServer, SqliteFile, database_of, sqlite_url

SECRET = "Zx9hidden"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("sqlite:///ladder.db", "ladder.db"),
        ("sqlite:////srv/a b/ladder.db", "/srv/a b/ladder.db"),
        ("sqlite:///100%25?x#y.db", "100%25?x#y.db"),  # a name is taken as it is
    ],
)
def test_a_file_is_named_after_three_slashes(url: str, path: str) -> None:
    database = database_of(url)
    assert database == SqliteFile(path=Path(path))
    assert sqlite_url(Path(path)) == url


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://judge:{SECRET}@db/x", "postgresql://judge@db/x"),
        (f"postgres://judge:{SECRET}@db:5433/x", "postgresql://judge@db:5433/x"),
        (f"postgresql://judge:{SECRET}@[::1]:5433/x", "postgresql://judge@[::1]:5433/x"),
        (f"postgresql://judge:{SECRET}@[::1]/x", "postgresql://judge@[::1]/x"),
        (f"postgresql://judge:{SECRET}@a:1,b:2/x", "postgresql://judge@a:1,b:2/x"),
        (f"postgresql://judge:a%40{SECRET}@db/x", "postgresql://judge@db/x"),
        (
            f"postgresql://judge@db/x?password={SECRET}&sslmode=require",
            "postgresql://judge@db/x?sslmode=require",
        ),
        (
            f"postgresql:///x?host=/run&user=judge&password={SECRET}",
            "postgresql:///x?host=/run&user=judge",
        ),
        (f"postgresql:///x?port=5433&sslp%61ssword={SECRET}", "postgresql:///x?port=5433"),
        (f"postgresql://db/x?password=a&{SECRET}&b={SECRET}&port=1", "postgresql://db/x?port=1"),
        (f"postgresql://db/x?PassWord={SECRET}", "postgresql://db/x"),
        ("postgresql://db/x?search_path=fun&sslmode", "postgresql://db/x?search_path=fun"),
        (f"postgresql://:{SECRET}@db/x", "postgresql://db/x"),
        ("postgresql://db/x", "postgresql://db/x"),
        ("postgresql:///x", "postgresql:///x"),
    ],
)
def test_a_server_is_shown_without_its_password(url: str, shown: str) -> None:
    database = database_of(url)
    assert isinstance(database, PostgresServer)
    assert database.shown == shown
    assert database.dsn.partition("://")[2] == url.partition("://")[2]
    assert SECRET not in repr(database)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://judge:a@{SECRET}@db/x",
        f"postgresql://judge:a/{SECRET}@db/x",
        f"postgresql://judge:a?{SECRET}@db/x",
        f"postgresql://judge:a#{SECRET}@db/x",
        f"postgresql://judge:{SECRET}",  # no host: it looks like a port
        f"postgresql://judge:{SECRET}/x",
        f"postgresql://judge:{SECRET}#@db/x",
        f"postgresql://judge:[{SECRET}@db/x",
        f"postgresql://db:5432{SECRET}/x",
        f"mysql://judge:{SECRET}@db/x",
        f"judge:{SECRET}@db",
        f"postgresql:judge:{SECRET}@db/x",
        SECRET,
    ],
)
def test_what_cannot_be_read_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        database_of(url)
    assert SECRET not in str(caught.value)
    assert str(caught.value).startswith("database: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:", "sqlite://x.db"])
def test_a_ladder_in_no_file_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="its database is a file; write sqlite:///FILE"):
        database_of(url)


@pytest.mark.parametrize("url", ["", "ladder.db", "/srv/ladder.db", "sqlite:ladder.db"])
def test_a_name_of_a_file_is_no_url(url: str) -> None:
    with pytest.raises(ConfigError, match=r"this is no URL; write sqlite:///FILE"):
        database_of(url)


def test_a_name_that_moves_the_cursor_is_shown_escaped() -> None:
    assert database_of("sqlite:///a\x1b[2J.db").shown == r"a\x1b[2J.db"
    assert "\x1b" not in database_of("postgresql://a\x1b2J@db\x1b2J/x?host=\x1b2J").shown


def test_a_url_is_a_word_of_a_command_line_with_its_parameters() -> None:
    database = database_of(f"postgresql://judge:{SECRET}@db:5433/x?sslmode=require&user=a%20b")
    assert database.word == "'postgresql://judge@db:5433/x?sslmode=require&user=a%20b'"
