"""What a ladder's folder keeps: its secret, its terms, and how long it was played."""

import stat
from pathlib import Path

import msgspec
import pytest

from referee.app.seeds import secret_of
from referee.bootstrap.ladder_folder import TEMP_PREFIX, LadderFolder, identity_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.config.ladder_sections import LadderFile, LadderMatchSection
from referee.config.ladder_terms import written_terms
from referee.config.sections import FaultsSection
from referee.ladder.movements import Entry
from referee.match.values import MS, Clock, Pace
from referee.ports.ladder import StoredEntry
from referee.rules.errors import ConfigError
from referee.rules.options import OPTION_ROWS, RuleOptions
from tests.unit.bootstrap.ladders import HERE, ladder

WRITTEN = """name = "cup"
[match]
clock = "2s+60s"
act_ms = 9000
window_ms = 50
[faults]
max_strikes = 1
[options]
grand_allowed = false
"""


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


@pytest.mark.parametrize("sign", ["terms.json", "the database", "records/0.jsonl"])
def test_a_secret_that_is_lost_is_not_drawn_again(tmp_path: Path, sign: str) -> None:
    folder = LadderFolder(plan(tmp_path))
    drawn = folder.secret()
    folder.check_terms(drawn)
    folder.records.mkdir()
    (folder.path / "records" / "0.jsonl").touch()
    kept = (folder.path / "event.secret").read_bytes()
    (folder.path / "event.secret").unlink()
    for other in {"terms.json", "records/0.jsonl"} - {sign}:
        (folder.path / other).unlink()
    again = LadderFolder(plan(tmp_path))
    if sign == "the database":
        again.has_begun()
    with pytest.raises(ConfigError, match=r"event\.secret: the event secret is gone, .*bring the"):
        again.secret()
    assert not (folder.path / "event.secret").exists()
    (folder.path / "event.secret").write_bytes(kept)
    assert LadderFolder(plan(tmp_path)).secret() == drawn


def test_a_ruling_before_the_first_run_is_no_beginning(tmp_path: Path) -> None:
    LadderFolder(plan(tmp_path)).identity()
    assert len(LadderFolder(plan(tmp_path)).secret()) == 32


def test_a_seed_that_is_left_out_is_said_to_have_changed(tmp_path: Path) -> None:
    seeded = LadderFolder(plan(tmp_path, seed="x"))
    seeded.check_terms(seeded.secret())
    now = LadderFolder(plan(tmp_path))
    with pytest.raises(ConfigError, match=r"^seed or public_salt: changed"):
        now.check_terms(now.secret())


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
    with pytest.raises(ConfigError, match=r'^name: changed .* \("cup" before, "league" now\)'):
        LadderFolder(plan(tmp_path, event="league")).check_terms(bytes(32))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"clock": Clock(base_ns=3_000 * MS)},
            'cup.toml:3: match.clock: changed since this ladder began ("2s+60s" before, "3s+60s" '
            'now); its boards would not compare. Write clock = "2s+60s" in [match], or begin',
        ),
        (
            {"window_ns": 50 * MS},
            "cup.toml:5: match.window_ms: changed since this ladder began (1000 before, 50 now)",
        ),
        (
            {"clock": Clock(act_ns=9_000 * MS)},
            "cup.toml:4: match.act_ms: changed since this ladder began (left out before, 9000 now)",
        ),
        ({"pace": Pace.FAIR}, 'cup.toml: match.pace: changed since this ladder began ("fast" '),
        ({"max_strikes": 1}, "cup.toml:7: faults.max_strikes: changed since this ladder began (10"),
        (
            {"wall_per_round_ns": 1_000 * MS},
            "cup.toml: faults.wall_per_round_ms: changed since this ladder began (600000 before",
        ),
        (
            {"clock": Clock(base_ns=500 * MS), "window_ns": 250 * MS},  # the window follows it
            "cup.toml:3: match.clock: changed",
        ),
        (
            {"rules": RuleOptions(rounds=1, grand_allowed=False)},
            "cup.toml:9: options.grand_allowed: changed since this ladder began (true",
        ),
    ],
)
def test_what_was_changed_is_named_as_the_file_has_it(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(WRITTEN)
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))
    began = plan(tmp_path, file=file)
    now = msgspec.structs.replace(
        began, settings=msgspec.structs.replace(began.settings, **changes)
    )
    with pytest.raises(ConfigError) as refused:
        LadderFolder(now).check_terms(bytes(32))
    assert str(refused.value).replace(f"{tmp_path}/", "").startswith(said)


def test_a_public_text_that_was_added_is_named_at_its_own_line(tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text('name = "cup"\nseed = "x"\npublic_salt = "3"\n')
    for seed in ("x", None):
        began = plan(tmp_path / str(seed), file=file, seed=seed)
        LadderFolder(began).check_terms(LadderFolder(began).secret())
        now = LadderFolder(msgspec.structs.replace(began, public_salt="3"))
        with pytest.raises(ConfigError, match=r"cup\.toml:3: public_salt: added since .*Leave pub"):
            now.check_terms(now.secret())


MOVEMENT = {"entrants": '"single"', "entry": "a, b", "same_deals": "true"}
CUP = """name = "cup"
entrants = "pair"
same_deals = false
[[entry]]
name = "b"
[[entry]]
name = "a"
"""


@pytest.mark.parametrize(
    ("changes", "entries", "said"),
    [
        ({"entrants": '"pair"'}, "ab", 'cup.toml:2: entrants: changed since this tournament began '
         '("single" before, "pair" now); its tables would not compare. Write entrants = "single"'),
        ({"same_deals": "false"}, "ab", "cup.toml:3: same_deals: changed"),
        ({"entry": "b, a"}, "ba", "cup.toml:5: entry.name: changed since this tournament began "
         "(entrant 1 was a before, and is b now)"),
        ({"entry": "a"}, "a", "cup.toml:4: entry: changed since this tournament began (b is miss"),
        ({"entry": "a, b, c"}, "abc", "cup.toml: entry.name: changed since this tournament began "
         "(c is new); its tables would not compare. Take c out, or begin another"),
    ],
)  # fmt: skip
def test_what_makes_the_movement_of_a_tournament_stays(
    tmp_path: Path, changes: dict[str, str], entries: str, said: str
) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP)
    began = plan(tmp_path, file=file, tournament=Entry.SINGLE, movement=MOVEMENT)
    LadderFolder(began).check_terms(bytes(32))
    one = began.entries[0]
    now = msgspec.structs.replace(
        began,
        movement={**MOVEMENT, **changes},
        entries=tuple(msgspec.structs.replace(one, name=name) for name in entries),
    )
    folder = LadderFolder(now)
    for refuses in (folder.check_known_terms, lambda: folder.check_terms(bytes(32))):
        with pytest.raises(ConfigError) as refused:
            refuses()
        assert str(refused.value).replace(f"{tmp_path}/", "").startswith(said)


def test_every_term_is_a_key_that_a_file_may_have(tmp_path: Path) -> None:
    LadderFolder(plan(tmp_path)).check_terms(bytes(32))
    terms = msgspec.json.decode((tmp_path / "cup.ladder" / "terms.json").read_bytes())
    clock = msgspec.json.decode(terms["match.clock"])
    known = {
        *LadderFile.__struct_fields__,
        *(f"match.{name}" for name in LadderMatchSection.__struct_fields__),
        *(f"faults.{name}" for name in FaultsSection.__struct_fields__),
        *(f"options.{name}" for name in OPTION_ROWS),
    }
    written = written_terms(terms)
    assert {*written} - known == {"seed or public_salt", "practice"}
    assert len(written) == len(terms) - 1 + len(clock) - 1  # base and bank are one


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
