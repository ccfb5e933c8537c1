"""A ladder played by bot processes: its boards, its folder, and how a run goes on."""

import asyncio
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from referee.bootstrap import Isolation
from referee.bootstrap.ladder import (
    LadderPlan,
    LadderRun,
    Notice,
    NoticeKind,
    OutcomeKind,
    Progress,
    SchedulePlan,
    Verdict,
    check,
    rebuild,
)
from referee.cli.ladder_table import known, nothing_yet
from referee.clock import new_loop
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals, RulingKind, Unit
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions
from referee.store.journal import RulingJournal
from tests.integration.ladder_world import (
    EVENT,
    SETTINGS,
    cards,
    entry,
    leg_place,
    ours,
    plan,
    play,
    played,
    records,
    resolved,
    results,
    script,
    stored,
    two_house_bots,
)
from tests.integration.ladders import SMALL, Ladder, one_error

ROOT = Path(__file__).resolve().parents[2]


def test_a_board_is_one_deal_played_twice_by_isolated_processes(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 2, isolation=Isolation.ISOLATED)
    done = play(what)
    assert (done.outcome.why, done.outcome.boards) == (OutcomeKind.PLAYED, 2)
    first, second, third, fourth = records(what)
    assert cards(first) == cards(second) != cards(third) == cards(fourth)
    assert [player.name for player in first.header.players] == ["greedy", "random"] * 2
    assert [player.name for player in second.header.players] == ["random", "greedy"] * 2
    assert {record.header.isolation for record in records(what)} == {Isolation.ISOLATED}
    assert all(record.header.practice for record in records(what))
    assert {leg.match_id for leg in results(what)} == {r.header.match_id for r in records(what)}
    entries = {one.name: one for one in stored(what)[0]}
    assert entries["greedy"].house
    assert all(v.startswith("sha256:") for v in entries["greedy"].versions[0])


def test_what_lies_in_the_folder_is_the_operators_alone(tmp_path: Path) -> None:
    what = msgspec.structs.replace(two_house_bots(tmp_path, 1), seed=None)
    play(what)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in what.folder.iterdir()}
    assert stat.S_IMODE(what.folder.stat().st_mode) == 0o700
    assert modes["event.secret"] == modes["referee.db"] == 0o600
    assert stat.S_IMODE((tmp_path / "cup.db").stat().st_mode) == 0o600


def test_the_same_seed_deals_the_same_cards_and_bots_play_the_same(tmp_path: Path) -> None:
    one, other = two_house_bots(tmp_path / "a", 2), two_house_bots(tmp_path / "b", 2)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    play(one)
    play(msgspec.structs.replace(other, parallel=2, boards_an_entry=2))
    assert results(one) == results(other)


def test_a_match_to_a_target_has_two_legs_of_one_chain_of_deals(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(SETTINGS, rules=RuleOptions(target=200))
    what = msgspec.structs.replace(two_house_bots(tmp_path, 1), settings=settings, unit=Unit.MATCH)
    assert play(what).outcome.boards == 1
    first, second = records(what)
    assert cards(first) == cards(second)


def test_in_a_field_every_entry_meets_a_deal_once(tmp_path: Path) -> None:
    bots = [ours("random", called=f"r{number}") for number in range(4)]
    what = plan(tmp_path, [entry(bot) for bot in bots], boards=4, deals=Deals.FIELD)
    assert play(what).outcome.why is OutcomeKind.PLAYED
    deals: dict[int, list[str]] = {}
    for leg in results(what):
        deals.setdefault(leg.place.board, []).extend(side.entry for side in leg.place.sides)
    assert deals
    assert all(sorted(met) == ["r0", "r1", "r2", "r3"] for met in deals.values())
    by_deal = {(leg_place(record).board, cards(record)) for record in records(what)}
    assert len(by_deal) == len(deals)


def test_with_isolation_none_a_bot_is_one_process(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    assert play(what).outcome.boards == 1
    logs = list((what.folder / "logs").rglob("*.err"))
    assert sorted(path.stem for path in logs) == ["greedy", "random"]
    assert {record.header.isolation for record in records(what)} == {Isolation.NONE}


def test_isolated_a_bot_is_four_processes_whose_folders_tell_nothing(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1, isolation=Isolation.ISOLATED)
    play(what)
    logs = [path.parent.name for path in (what.folder / "logs").rglob("greedy.err")]
    assert len(set(logs)) == 4
    assert all(len(name) == 8 and int(name, 16) >= 0 for name in logs)


@pytest.mark.parametrize(("isolation", "processes"), [(Isolation.ISOLATED, 8), (Isolation.NONE, 4)])
def test_a_process_gets_no_more_matches_than_its_hello_takes(
    tmp_path: Path, isolation: Isolation, processes: int
) -> None:
    text = "from tichu_bot import run\nfrom tichu_bot.bots.random_play import RandomBot\n"
    bot = script(tmp_path / "mine.py", f"{text}run(RandomBot, max_matches=1)\n")
    what = plan(
        tmp_path,
        [entry(bot), entry(ours("random")), entry(ours("random", called="other"))],
        boards=2,
        parallel=2,
        boards_an_entry=2,
        isolation=isolation,
    )
    assert play(what).outcome.boards == 6
    logs = list((what.folder / "logs" / "mine").iterdir())
    # two seats of a leg at least (isolated: of each); more where boards overlapped
    assert processes // 2 <= len(logs) <= processes


# --- going on


def test_a_run_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    more = msgspec.structs.replace(
        what, schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=2)
    )
    again = play(more)
    assert (again.outcome.played, again.outcome.boards) == (1, 2)
    assert play(more).outcome.played == 0


def test_an_order_to_stop_voids_what_runs_and_leaves_nothing_behind(tmp_path: Path) -> None:
    def stop(run: LadderRun, news: Progress | Notice) -> None:
        if isinstance(news, Progress) and news.done >= 2:
            run.stop()

    what = two_house_bots(tmp_path, 200)
    done = play(what, stop)
    assert done.outcome.why is OutcomeKind.STOPPED
    legs = results(what)
    assert len(legs) == len(records(what))
    kept = len(resolved(what).boards)
    assert kept >= 2
    enough = msgspec.structs.replace(
        what, schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=kept + 1)
    )
    assert play(enough).outcome.boards == kept + 1
    assert not (what.folder / "socket").exists()


@pytest.mark.slow
def test_an_order_to_stop_is_heeded_though_no_record_can_be_written(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 20)
    kept, away = what.folder / "records", what.folder / "away"

    def lose(run: LadderRun, news: Progress | Notice) -> None:
        if isinstance(news, Progress) and news.done == 1 and not away.exists():
            kept.rename(away)
            asyncio.get_running_loop().call_later(0.3, run.stop)

    done = play(what, lose)
    assert done.outcome.why is OutcomeKind.STOPPED
    assert any("the next run makes up for it" in one for one in done.notices(NoticeKind.INFO))
    away.rename(kept)
    again = play(what)
    assert again.outcome.boards == 20
    assert len(results(what)) == len(records(what))


def test_results_that_the_database_lacks_come_from_records(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 2)
    play(what)
    before = stored(what)
    for name in ("cup.db", "cup.db-wal", "cup.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    done = play(what)
    assert done.outcome.played == 0
    assert done.notices(NoticeKind.STARTED) == ["4 results taken up from records of an earlier run"]
    assert stored(what) == before


def test_a_rebuilt_database_says_the_same(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 2)
    play(what)
    RulingJournal(what.folder / "rulings.jsonl", EVENT).append(RulingKind.FREEZE, "", "over")
    play(what)
    before = stored(what)
    assert asyncio.run(rebuild(what)) == 4
    assert stored(what) == before
    (tmp_path / "cup.db").unlink()
    assert asyncio.run(rebuild(what)) == 4
    assert stored(what) == before


def test_entries_that_left_or_never_played_are_there_after_the_database_is_lost(
    tmp_path: Path,
) -> None:
    bots = ["greedy", "random"]
    what = plan(tmp_path, [entry(ours(name)) for name in bots], boards=1)
    play(what)
    RulingJournal(what.folder / "rulings.jsonl", EVENT).append(RulingKind.FREEZE, "", "over")
    late = entry(ours("random", called="late"), owner="lazy")
    play(msgspec.structs.replace(what, entries=(what.entries[1], late)))  # greedy left
    what = msgspec.structs.replace(what, entries=(what.entries[1],))  # so did late
    before = stored(what)
    assert [(one.name, one.house) for one in before[0]] == [
        ("greedy", True),
        ("late", True),
        ("random", True),
    ]
    for _ in range(2):
        (tmp_path / "cup.db").unlink()
        assert asyncio.run(rebuild(what)) == 2
        assert stored(what) == before
    (tmp_path / "cup.db").unlink()
    play(msgspec.structs.replace(what, entries=(what.entries[0], late)))
    assert stored(what) == before


@pytest.mark.slow
def test_a_killed_run_goes_on_and_counts_no_board_twice(tmp_path: Path) -> None:
    boards = 12
    command = [sys.executable, "-m", "tests.integration.ladder_world", str(tmp_path), str(boards)]
    what = two_house_bots(tmp_path, boards, isolation=Isolation.ISOLATED)
    for number in (1, 6, 14):  # records, when it is killed
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and number_of_records(what) < number:
                with pytest.raises(subprocess.TimeoutExpired):
                    process.wait(0.01)
            process.kill()
    assert play(what).outcome.boards == boards
    legs, kept = results(what), records(what)
    assert {leg.place.key for leg in legs} == {leg_place(record).key for record in kept}
    assert len(resolved(what).boards) == boards
    whole = two_house_bots(tmp_path / "whole", boards, isolation=Isolation.ISOLATED)
    (tmp_path / "whole").mkdir()
    play(whole)
    seeds = {leg_place(record).key: cards(record) for record in records(whole)}
    for record in kept:
        key = leg_place(record).key
        assert cards(record) in ("", seeds.get(key, cards(record))), key


def number_of_records(what: LadderPlan) -> int:
    return len(list((what.folder / "records").glob("*.jsonl")))


# --- what is refused


def test_a_second_run_at_once_is_refused_and_says_who_plays(tmp_path: Path) -> None:
    async def twice() -> str:
        what = two_house_bots(tmp_path, 50)
        began = asyncio.Event()
        first: list[LadderRun] = []

        def hear(run: LadderRun, news: Progress | Notice) -> None:
            first[:] = [run]
            if isinstance(news, Progress) and news.done:
                began.set()

        task = asyncio.create_task(played(what, hear))
        await asyncio.wait({task, asyncio.create_task(began.wait())}, return_when="FIRST_COMPLETED")
        with pytest.raises(ConfigError) as refused:
            await played(what)
        with pytest.raises(ConfigError) as rebuilt:
            await rebuild(what)
        first[0].stop()
        assert (await task).outcome.why is OutcomeKind.STOPPED
        assert str(rebuilt.value) == str(refused.value)
        return str(refused.value)

    with asyncio.Runner(loop_factory=new_loop) as runner:
        line = runner.run(twice())
        assert "in use by pid" in line
        assert line.endswith("; another run of it goes on: wait for its end, or stop it")


def test_what_would_not_compare_with_older_boards_is_refused(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    pace = msgspec.structs.replace(SETTINGS, window_ns=SETTINGS.window_ns + 1_000_000)
    rules = msgspec.structs.replace(SETTINGS, rules=RuleOptions(rounds=2))
    for name, changes in (
        ("seed or public_salt", {"seed": "y"}),
        ("unit", {"unit": Unit.MATCH}),
        ("match.window_ms", {"settings": pace}),
        ("options.rounds", {"settings": rules}),
    ):
        with pytest.raises(ConfigError, match=f"^{name}: changed since this ladder began"):
            play(msgspec.structs.replace(what, **changes))
    assert len(results(what)) == 2


def test_another_ladder_of_the_same_name_in_the_database_is_refused(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    before = stored(what)
    other = msgspec.structs.replace(what, folder=tmp_path / "other.ladder", seed="y")
    with pytest.raises(ConfigError, match=r"^cup: database .*another ladder .* another `name`"):
        play(other)
    assert not list(other.folder.iterdir())  # so that another name can be given
    with pytest.raises(ConfigError, match="has another ladder of this name"):
        asyncio.run(known(other))
    (other.folder / "records").mkdir()
    with pytest.raises(ConfigError, match="has another ladder of this name"):
        asyncio.run(rebuild(other))
    assert stored(what) == before
    play(msgspec.structs.replace(other, event="cup 2"))
    assert asyncio.run(rebuild(what)) == 2
    assert stored(what) == before


def test_a_ruling_on_another_ladder_of_the_same_name_is_refused(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    (tmp_path / "b").mkdir()
    other = Ladder(tmp_path / "b", SMALL.replace('name = "small"', f'name = "{EVENT}"'))
    ruled = other.say("freeze", "--reason", "over", "--database", what.database)
    assert "has another ladder of this name" in one_error(ruled)
    assert [path.name for path in other.folder.iterdir()] == [other.file.name]
    other.kept.mkdir()
    for command in ("show", "run"):
        done = other.say(command, "--database", what.database)
        assert "has another ladder of this name" in one_error(done)


def test_another_version_of_a_bot_needs_a_ruling(tmp_path: Path) -> None:
    text = "from tichu_bot import run\nfrom tichu_bot.bots.random_play import RandomBot\n"
    bot = script(tmp_path / "mine.py", f"{text}run(RandomBot)\n")
    what = plan(tmp_path, [entry(bot), entry(ours("greedy"))], boards=1)
    play(what)
    script(tmp_path / "mine.py", f"{text}# better\nrun(RandomBot)\n")
    with pytest.raises(ConfigError, match=r"^entry mine: its boards were played with version sha"):
        play(what)


@pytest.mark.parametrize("byte", [200, -2])
def test_a_changed_record_is_refused_by_its_name_and_line(tmp_path: Path, byte: int) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    before = stored(what)
    path = sorted((what.folder / "records").glob("*.jsonl"))[0]
    data = bytearray(path.read_bytes())
    data[byte] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(ConfigError, match=rf"{path.name}: line \d+: "):
        asyncio.run(rebuild(what))
    assert stored(what) == before
    (tmp_path / "cup.db").unlink()
    with pytest.raises(ConfigError, match=rf"{path.name}: line \d+: "):
        play(what)


def test_what_is_no_file_among_records_is_refused_by_its_name(tmp_path: Path) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    before = stored(what)
    os.mkfifo(what.folder / "records" / "0pipe.jsonl")  # the first that is read
    with pytest.raises(ConfigError, match=r"0pipe\.jsonl: it is no file"):
        asyncio.run(rebuild(what))
    with pytest.raises(ConfigError, match=r"0pipe\.jsonl: it is no file"):
        play(what)
    now = asyncio.run(known(what))
    assert now is not None
    assert now.practice
    assert stored(what) == before


def test_records_that_the_database_lacks_are_no_ladder_that_was_never_played(
    tmp_path: Path,
) -> None:
    what = two_house_bots(tmp_path, 1)
    assert "nothing was played yet" in nothing_yet(what)
    play(what)
    (tmp_path / "cup.db").unlink()
    assert asyncio.run(known(what)) is None
    assert "referee ladder rebuild cup.toml" in nothing_yet(what)


CLOCK = msgspec.structs.replace(SETTINGS, window_ns=SETTINGS.window_ns + 1_000_000)
RULES = msgspec.structs.replace(SETTINGS, rules=RuleOptions(rounds=2))


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("seed or public_salt", {"seed": "y"}),
        ("match.window_ms", {"settings": CLOCK}),
        ("options.rounds", {"settings": RULES}),
        ("unit", {"unit": Unit.MATCH}),
        ("practice", {"seed": None}),
    ],
)
def test_a_record_of_another_ladder_is_refused_by_its_file_and_key(
    tmp_path: Path, key: str, changes: dict[str, object]
) -> None:
    what = two_house_bots(tmp_path, 1)
    play(what)
    before = stored(what)
    (tmp_path / "b").mkdir()
    other = msgspec.structs.replace(two_house_bots(tmp_path / "b", 1), **changes)
    play(other)
    path = sorted((other.folder / "records").glob("*.jsonl"))[0]
    copied = what.folder / "records" / f"0{path.name}"
    shutil.copy(path, copied)
    for attempt in (lambda: asyncio.run(rebuild(what)), lambda: play(what)):
        with pytest.raises(ConfigError, match=rf"{copied.name}: {key}: .*take the record out"):
            attempt()
        assert stored(what) == before


def test_records_alone_are_enough_to_rebuild_from(tmp_path: Path) -> None:
    what = msgspec.structs.replace(two_house_bots(tmp_path, 1), seed=None)
    play(what)
    before = stored(what)
    (tmp_path / "cup.db").unlink()
    for path in what.folder.iterdir():
        if path.is_file():
            path.unlink()
    assert asyncio.run(rebuild(what)) == 2
    assert stored(what) == before
    assert not (what.folder / "event.secret").exists()


def test_a_check_plays_a_board_of_each_and_leaves_nothing(tmp_path: Path) -> None:
    broken = script(tmp_path / "broken.py", "raise SystemExit('no model file')\n")
    what = plan(tmp_path, [entry(ours("random")), entry(broken)], start_ms=60_000)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        good, bad = runner.run(check(what, ours("greedy"), lambda news: None))
    assert (good.entry, good.verdict, good.lines) == ("random", Verdict.OK, ())
    assert good.versions[0].startswith("sha256:")
    assert bad.verdict is Verdict.FAILED
    assert any("no model file" in line for line in bad.lines)
    shutil.rmtree(Path(bad.lines[-1].removeprefix("its logs are in ")).parent)
    assert not what.folder.exists()
