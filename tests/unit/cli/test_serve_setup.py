"""What `referee serve` comes to from file and flags, and what it refuses, with the place."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from referee.cli.main import main
from referee.cli.serve_setup import ServeArguments, ServePlan, plan_serve
from referee.match.values import MS, AskKind, Clock, Settings
from referee.rules.errors import ConfigError

Plan = Callable[..., ServePlan]


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Plan a server from the text of a file, "" for none, and from flags."""
    monkeypatch.chdir(tmp_path)

    def planned(text: str = "", **flags: object) -> ServePlan:
        file = Path("referee.toml")
        file.write_text(text)
        given = file if text else None
        return plan_serve(ServeArguments(config_file=given, **flags))  # type: ignore[arg-type]

    return planned


def clock_of(plan: ServePlan) -> Clock:
    assert plan.settings.clock is not None
    return plan.settings.clock


def test_nothing_set_is_the_defaults_of_a_match_and_of_the_service(plan: Plan) -> None:
    found, usual = plan(), Settings(rules=plan().settings.rules)
    for name in (
        *("max_resends", "max_strikes", "max_actions", "max_rounds"),
        *("wall_per_round_ns", "lag_limit_ns", "clock"),
    ):
        assert getattr(found.settings, name) == getattr(usual, name)
    assert (found.in_force.grace_ms, found.in_force.start_ms) == (10_000, 30_000)
    assert found.in_force.resume_grace_ms == 30_000
    assert (found.store, found.config.durability) == (Path("records/referee.db"), "process")


def test_the_store_lies_with_the_records_unless_it_is_named(plan: Plan) -> None:
    assert plan('record_dir = "kept"').store == Path("kept/referee.db")
    named = plan('record_dir = "kept"\nstore = "facts.db"\ndurability = "power"')
    assert (named.store, named.config.durability) == (Path("facts.db"), "power")
    flags = {"store": "other.db", "durability": "process"}
    flagged = plan('store = "facts.db"\ndurability = "power"', flags=flags)
    assert (flagged.store, flagged.config.durability) == (Path("other.db"), "process")


def test_how_long_matches_wait_after_a_restart_can_be_set(plan: Plan) -> None:
    text = "[faults]\nresume_grace_ms = 7\n"
    assert plan(text).in_force.resume_grace_ms == 7
    assert plan(text, faults=("resume_grace_ms=0",)).in_force.resume_grace_ms == 0


def test_a_file_sets_every_limit_and_every_time(plan: Plan) -> None:
    found = plan(
        "[faults]\nmax_resends = 1\nmax_strikes = 0\nmax_actions = 300\nmax_rounds = 7\n"
        "wall_per_round_ms = 5\nlag_limit_ms = 50\ngrace_ms = 0\nstart_ms = 700\n"
        "[match]\ncall_ms = 2001\nexchange_ms = 3000\nact_ms = 4000\nchoose_seat_ms = 5000\n"
        "lag_cap_ms = 6\nlag_quota_ms = 7\n"
    )
    settings, clock = found.settings, clock_of(found)
    assert (settings.max_resends, settings.max_strikes, settings.max_actions) == (1, 0, 300)
    assert settings.max_rounds == 7
    assert (settings.wall_per_round_ns, settings.lag_limit_ns) == (5 * MS, 50 * MS)
    assert (found.in_force.grace_ms, found.in_force.start_ms) == (0, 700)
    bases = [clock.base_of(kind) // MS for kind in AskKind if kind is not AskKind.BOMB]
    assert bases == [2001, 3000, 4000, 5000]
    assert (clock.lag_cap_ns, clock.lag_quota_ns) == (6 * MS, 7 * MS)


def test_a_flag_wins_over_the_same_key_of_the_file_and_leaves_the_others(plan: Plan) -> None:
    found = plan(
        "[faults]\nmax_resends = 1\nmax_strikes = 1\n"
        "[match]\nact_ms = 4000\nexchange_ms = 3000\nlag_quota_ms = 7\n",
        faults=("max_strikes=2",),
        bases=("act=9s",),
        lag="1ms+2ms",
    )
    clock = clock_of(found)
    assert (found.settings.max_resends, found.settings.max_strikes) == (1, 2)
    assert (clock.act_ns, clock.exchange_ns) == (9000 * MS, 3000 * MS)
    assert (clock.lag_cap_ns, clock.lag_quota_ns) == (1 * MS, 2 * MS)


@pytest.mark.parametrize("text", ["grace_ms = 4000", "[faults]\ngrace_ms = 4000"])
def test_the_grace_may_be_set_in_both_places_and_by_both_flags(plan: Plan, text: str) -> None:
    assert plan(text).in_force.grace_ms == 4000
    assert plan(text, faults=("grace_ms=0",)).in_force.grace_ms == 0
    assert plan(text, flags={"grace_ms": 5}).in_force.grace_ms == 5


def test_the_flag_of_no_clock_takes_away_what_the_file_adds_to_its_own(plan: Plan) -> None:
    text = "[match]\nact_ms = 4000\nlag_quota_ms = 7\n"
    assert plan(text, clock="none").settings.clock is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "grace_ms = 5\n\n[faults]\ngrace_ms = 6",
            "referee.toml:4: faults.grace_ms: grace_ms above the first section is the same "
            "setting; leave one of them out",
        ),
        (
            "[match]\nlag_quota_ms = 10\nlag_cap_ms = 0",
            "referee.toml:3: match.lag_cap_ms: with a cap of 0 no ask is credited, whatever the "
            "quota; raise the cap, or write lag_quota_ms = 0 for no credit",
        ),
        (
            "[match]\n\nact_ms = 1999",
            "referee.toml:3: match.act_ms: below the clock's base time of 2s; "
            "lengthen it or leave it out",
        ),
        (
            "[match]\nclock = 'none'\nlag_quota_ms = 5",
            "referee.toml:3: match.lag_quota_ms: with the clock at none there is no time to add "
            "to; leave it out, or set a clock",
        ),
        (
            "[match]\nclock = 'none'\ncall_ms = 5000",
            "referee.toml:3: match.call_ms: with the clock at none there is no time to add to; "
            "leave it out, or set a clock",
        ),
        (
            "[match]\nwindow_ms = 2000\nact_ms = 5000",
            "referee.toml:2: window: 2000 ms is not below the base time of 2000 ms; "
            "shorten the window or lengthen the base time",
        ),
    ],
)
def test_what_cannot_be_together_is_refused_at_its_line(
    plan: Plan, text: str, message: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        plan(text)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--grace 5", "--grace 5: in this release running matches end at a signal"),
        ("--grace 0.5", "write --grace 0, or leave it out"),
        ("--grace -1", "write --grace 0, or leave it out"),
        ("--store=", "store: no file is named; name one, or leave it out"),
        ("--fault resume_grace_ms=-1", "a whole number from 0 to 3600000"),
        ("--grace-ms 5 --fault grace_ms=6", "--grace-ms and --fault grace_ms are the same"),
        ("--fault max_strikes=-1", "write max_strikes=N, N a whole number from 0 to 1000000"),
        ("--fault max_strikes", "write max_strikes=N, N a whole number from 0 to 1000000"),
        ("--fault lag_limit_ms=49", "write a whole number from 50 to 86400000"),
        ("--fault max_strikes=1 --fault max_strikes=2", "max_strikes is given twice"),
        ("--fault frames_per_s=5", "write it into [limits] of a file"),
        ("--fault clock=5", "write --clock BASE+BANK"),
        ("--fault max_rounds=0", "write a whole number from 1 to 100000"),
        ("--fault max_rounds=2 --rounds 3", "max_rounds: 2 is less than the 3 rounds"),
        ("--base act=1s", "--base 'act=1s': below the clock's base time of 2s"),
        ("--clock none --lag none", "--lag 'none': with the clock at none"),
        ("--lag 5", "write CAP+QUOTA with units"),
    ],
)
def test_what_serve_cannot_do_is_one_line_and_exit_2(words: str, said: str) -> None:
    result = CliRunner().invoke(main, ["serve", *words.split()])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert len(result.stderr.splitlines()) == 1
    assert said in result.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--option rounds=none --rounds 3", "option rounds is given twice"),
        ("--option rounds=4 --option rounds=4", "option rounds is given twice"),
        ("--clock 1s+1s --clock 2s+2s", "--clock is given twice"),
        ("--lag none --lag 1s+1s", "--lag is given twice"),
        ("--lag 0s+10s", "--lag '0s+10s': with a cap of 0 no ask is credited"),
        ("--lag 500ms+99999999s", "--lag '500ms+99999999s': a time over 24 hours"),
        ("--grace-ms -1", "--grace-ms -1: write a whole number from 0 to 3600000"),
    ],
)
def test_contradictions_on_the_command_line_are_refused(words: str, said: str) -> None:
    result = CliRunner().invoke(main, ["serve", *words.split()])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {said}")
    assert len(result.stderr.splitlines()) == 1


def test_a_rule_of_the_file_and_a_flag_that_exclude_each_other_are_both_named(plan: Plan) -> None:
    with pytest.raises(ConfigError) as refused:
        plan("[options]\ngreat_grand = true\nrounds = 3", target=500)
    assert str(refused.value).startswith("referee.toml:3: options rounds and target: ")
    assert str(refused.value).endswith("(target by a flag)")
    assert plan("[options]\nrounds = 3", rounds=4).settings.rules.rounds == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("open_identity = false", "referee.toml:1: open_identity is false and no token is"),
        ("\n\nopen_identity = false\nissue = []", "referee.toml:3: open_identity is false"),
    ],
)
def test_a_server_that_nobody_can_enter_is_refused(
    text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("referee.toml").write_text(text)
    result = CliRunner().invoke(main, ["serve", "--config", "referee.toml"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"error: {said}")
    assert "--issue NAME" in result.stderr
    shown = CliRunner().invoke(main, ["rules", "show", "--config", "referee.toml"])
    assert shown.exit_code == 0  # it plays nothing, and flags may still issue tokens


def test_no_grace_after_a_signal_may_be_said(plan: Plan) -> None:
    assert plan(grace=0.0) == plan()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (
            {"clock": "900s+0s"},
            "clock: a base time of 900000 ms is as long as the first round may take, 600000 ms",
        ),
        (
            {"clock": "10s+0s", "bases": ("exchange=10m",)},
            "clock: a base time of 600000 ms is as long as the first round may take, 600000 ms",
        ),
        (
            {"clock": "10s+0s", "window_ms": 5_000},
            "window: 5000 ms some 150 times are more than the first round may take, 600000 ms",
        ),
    ],
)
def test_times_that_honest_bots_would_be_abandoned_for_are_refused(
    plan: Plan, flags: dict[str, object], said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        plan(**flags)
    assert str(refused.value).startswith(said)
    assert "--fault wall_per_round_ms=MS" in str(refused.value)
    plan(**flags, faults=("wall_per_round_ms=86400000",))
