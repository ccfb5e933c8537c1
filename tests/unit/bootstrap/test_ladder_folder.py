"""What a ladder's folder keeps: its secret, its terms, and how long it was played."""

import stat
from pathlib import Path

import msgspec
import pytest

from referee.app.seeds import secret_of
from referee.bootstrap.ladder_folder import TEMP_PREFIX, LadderFolder, identity_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.ports.ladder import StoredEntry
from referee.rules.errors import ConfigError
from tests.unit.bootstrap.ladders import HERE, ladder


def plan(folder: Path, **changes: object) -> LadderPlan:
    return msgspec.structs.replace(ladder((HERE, HERE)), folder=folder / "cup.ladder", **changes)


def secret(folder: Path, **changes: object) -> bytes:
    return LadderFolder(plan(folder, **changes)).secret()


def test_a_secret_is_drawn_once_and_is_the_operators_alone(tmp_path: Path) -> None:
    first = secret(tmp_path)
    assert secret(tmp_path) == first
    assert len(first) == 32
    path = tmp_path / "cup.ladder" / "event.secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert bytes.fromhex(path.read_text().strip()) == first
    assert secret(tmp_path / "elsewhere") != first
    assert [one.name for one in path.parent.iterdir()] == ["event.secret"]


def test_a_public_text_changes_all_cards_and_hides_the_secret_that_was_drawn(
    tmp_path: Path,
) -> None:
    plain = secret(tmp_path)
    salted = {secret(tmp_path, public_salt=text) for text in ("a", "b")}
    assert len({plain, *salted}) == 3
    assert secret(tmp_path) == plain


def test_a_chosen_seed_is_the_secret_and_leaves_no_file(tmp_path: Path) -> None:
    assert secret(tmp_path, seed="x") == secret_of("x")
    assert not (tmp_path / "cup.ladder" / "event.secret").exists()


@pytest.mark.parametrize("text", ["", "cafe", "z" * 64, "a" * 63 + "\n\n"])
def test_a_secret_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    secret(tmp_path)
    (tmp_path / "cup.ladder" / "event.secret").write_text(text)
    with pytest.raises(ConfigError, match=r"event\.secret: not 64 hex digits"):
        secret(tmp_path)


def test_an_identity_is_drawn_once_and_tells_folders_apart(tmp_path: Path) -> None:
    folder = LadderFolder(plan(tmp_path))
    assert identity_of(folder.path) is identity_of(tmp_path / "never") is None
    first = folder.identity()
    assert LadderFolder(plan(tmp_path)).identity() == first == identity_of(folder.path)
    assert LadderFolder(plan(tmp_path / "elsewhere")).identity() != first
    for text in ("", "cafe", "z" * 32):
        (folder.path / "identity").write_text(text)
        with pytest.raises(ConfigError, match=r"identity: not 32 hex digits"):
            identity_of(folder.path)


def test_entries_are_kept_and_what_is_none_is_refused_by_its_name(tmp_path: Path) -> None:
    folder = LadderFolder(plan(tmp_path))
    assert folder.entries() == ()
    one = StoredEntry(
        event="cup", name="zoe", owner="z", bots=("a", "b"), house=True, versions=(("1", "2"),)
    )
    folder.keep_entries([one])
    folder.keep_entries([one, one])
    assert LadderFolder(plan(tmp_path)).entries() == (one, one)
    for text in ("", "{}", "[1]", "\xff"):
        (folder.path / "entries.json").write_text(text, encoding="latin-1")
        with pytest.raises(ConfigError, match=r"entries\.json: .*bring the file back"):
            folder.entries()


def test_terms_name_what_was_changed_and_not_the_secret(tmp_path: Path) -> None:
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))
    LadderFolder(plan(tmp_path, parallel=4)).check_terms(bytes(32))
    with pytest.raises(ConfigError, match=r"^seed or public_salt: changed") as refused:
        LadderFolder(plan(tmp_path)).check_terms(bytes([1] * 32))
    assert "before" not in str(refused.value)
    with pytest.raises(ConfigError, match=r'^name: changed .* ."?cup before, league now'):
        LadderFolder(plan(tmp_path, event="league")).check_terms(bytes(32))


def test_an_option_that_a_later_release_adds_is_no_change(tmp_path: Path) -> None:
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))
    path = tmp_path / "cup.ladder" / "terms.json"
    terms = msgspec.json.decode(path.read_bytes())
    del terms["options.rounds"]
    path.write_bytes(msgspec.json.encode(terms))
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"name": 1}', "\xff"])
def test_terms_that_are_none_are_refused_by_their_name(tmp_path: Path, text: str) -> None:
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))
    (tmp_path / "cup.ladder" / "terms.json").write_text(text, encoding="latin-1")
    with pytest.raises(ConfigError, match=r"terms\.json: .*bring the file back"):
        LadderFolder(plan(tmp_path)).check_terms(bytes(32))


def test_playing_time_is_kept_and_its_loss_is_no_error(tmp_path: Path) -> None:
    folder = LadderFolder(plan(tmp_path))
    assert folder.played_ns() == 0
    folder.keep_played(7)
    folder.keep_played(123)
    assert LadderFolder(plan(tmp_path)).played_ns() == 123
    (folder.path / "played").write_text("soon")
    assert folder.played_ns() == 0


def test_the_socket_folder_of_a_killed_run_is_removed_and_no_other(tmp_path: Path) -> None:
    folder = LadderFolder(plan(tmp_path))
    killed, ours = tmp_path / f"{TEMP_PREFIX}a", tmp_path / f"{TEMP_PREFIX}b"
    other = tmp_path / "precious"
    for one in (killed, ours, other):
        one.mkdir()
    folder.note_socket(killed)
    folder.note_socket(ours)
    assert not killed.exists()
    (folder.path / "socket").write_text(str(other))
    folder.note_socket(ours)
    assert other.exists()
    folder.forget_socket()
    assert not (folder.path / "socket").exists()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "cup.ladder").touch()
    with pytest.raises(ConfigError, match=r"cup\.ladder: "):
        LadderFolder(plan(tmp_path))
