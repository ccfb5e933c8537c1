"""Bots that dial in to a ladder: known by tokens, waited for, and back after a lost link."""

import asyncio
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from referee.bootstrap import Isolation
from referee.bootstrap.ladder import (
    BotPlan,
    LadderPlan,
    LadderRun,
    Notice,
    NoticeKind,
    OutcomeKind,
    Progress,
)
from referee.clock import new_loop
from referee.ladder.boards import resolve
from referee.ladder.standings import standings
from referee.ladder.values import RulingKind
from referee.match.values import Ending
from referee.ports.ladder import BotToken
from referee.rules.errors import ConfigError
from referee.store.journal import RulingJournal
from referee.store.ladder.schema import open_ladder_store
from tests.integration.ladder_world import (
    EVENT,
    LIMIT_S,
    Played,
    dialled,
    entry,
    plan,
    played,
    records,
    results,
    stored,
)
from tests.integration.serving import Bot

ROOT = Path(__file__).resolve().parents[2]


async def make_tokens(what: LadderPlan, count: int, *, bot: str = "away") -> list[str]:
    """What `referee token create` does."""
    texts = [f"token {number} of {bot}" for number in range(1, count + 1)]
    tokens = [
        BotToken(
            bot=bot,
            number=number,
            token_hash=hashlib.sha256(text.encode()).digest(),
            created="2024-01-01T00:00:00Z",
        )
        for number, text in enumerate(texts, 1)
    ]
    async with await open_ladder_store(what.database) as store:
        await store.add_tokens(tokens)
    return texts


class Dialler:
    """A process of a bot, which dials when it is told to, and again where its link is lost."""

    def __init__(self, address: str, token: str) -> None:
        self.version = "7"
        self.asked: Callable[[], None] | None = None  # of the first ask, which has no answer then
        self._address = address
        self._token = token
        self._bot: Bot | None = None
        self._wanted = asyncio.Event()
        self._task = asyncio.create_task(self._dial())

    def dial(self) -> None:
        self._wanted.set()

    async def _dial(self) -> None:
        while await self._wanted.wait():
            self._wanted.clear()
            async with Bot(self._address, self._token) as bot:
                await bot.hello(bot_version=self.version)
                self._bot = bot
                try:
                    while asked := self.asked:
                        frame = await bot.read()
                        if frame is None:
                            break
                        if any(update.asks for update in frame.updates):
                            asked()
                    while await bot.play_along() is not None:
                        pass
                except asyncio.CancelledError:
                    if not bot.call.cancelled():
                        raise

    def lose(self) -> None:
        """The link breaks, and the bot comes back."""
        if self._bot is not None:
            self.dial()
            self._bot.call.cancel()

    def cut(self) -> None:
        """The link breaks, and the bot does not come back by itself."""
        self.asked = None
        if self._bot is not None:
            self._bot.call.cancel()

    async def end(self) -> None:
        self._task.cancel()
        (fault,) = await asyncio.gather(self._task, return_exceptions=True)
        assert isinstance(fault, asyncio.CancelledError), fault


class Diallers:
    """All processes of the bot; they dial whenever the ladder waits for them."""

    def __init__(self, what: LadderPlan, tokens: list[str]) -> None:
        self.all = [Dialler(what.listen[0], token) for token in tokens]

    def hear(self, run: LadderRun, news: Progress | Notice) -> None:
        if isinstance(news, Notice) and news.kind is NoticeKind.WAITING:
            self.dial()

    def dial(self) -> None:
        for one in self.all:
            one.dial()

    def cut(self) -> None:
        for one in self.all:
            one.cut()

    async def end(self) -> None:
        for one in self.all:
            await one.end()


def test_bots_with_tokens_are_waited_for_and_play(tmp_path: Path) -> None:
    async def go() -> Played:
        tokens = await make_tokens(what, 6)  # two more than it needs
        diallers = Diallers(what, tokens[:4])
        try:
            return await played(what, diallers.hear)
        finally:
            await diallers.end()

    what = dialled(tmp_path, 2)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        done = runner.run(go())
    assert done.outcome.boards == 2
    assert done.notices(NoticeKind.WAITING) == ["waiting for away (4 of 4 processes)"]
    assert {record.header.isolation for record in records(what)} == {Isolation.DECLARED}
    sides = [side for leg in results(what) for side in leg.place.sides if side.entry == "away"]
    assert {player.version for side in sides for player in side.players} == {"hello:7"}


def test_a_link_that_was_lost_costs_nothing_and_the_next_run_knows_them(tmp_path: Path) -> None:
    async def go() -> tuple[Played, Played]:
        tokens = await make_tokens(what, 4)
        diallers = Diallers(what, tokens)

        def cut(run: LadderRun, news: Progress | Notice) -> None:
            diallers.hear(run, news)
            if isinstance(news, Progress) and news.done in (1, 3):
                for one in diallers.all:
                    one.lose()
            if isinstance(news, Progress) and news.done == 4:
                run.stop()

        try:
            return await played(what, cut), await played(what, diallers.hear)
        finally:
            await diallers.end()

    what = dialled(tmp_path, 6)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        first, second = runner.run(go())
    assert first.outcome.why is OutcomeKind.STOPPED
    assert (second.outcome.why, second.outcome.boards) == (OutcomeKind.PLAYED, 6)
    assert {leg.ending for leg in results(what)} <= {Ending.COMPLETED, Ending.CANCELLED}


def test_a_board_that_two_owners_lost_their_links_in_is_void_and_nobodys_fault(
    tmp_path: Path,
) -> None:
    async def go() -> Played:
        tokens = [await make_tokens(what, 4, bot=bot) for bot in ("away", "other")]
        diallers = Diallers(what, [token for bot in tokens for token in bot])
        for one in diallers.all:
            one.asked = diallers.cut

        def hear(run: LadderRun, news: Progress | Notice) -> None:
            diallers.hear(run, news)
            if isinstance(news, Notice) and news.kind is NoticeKind.VOID:
                diallers.dial()

        try:
            return await played(what, hear)
        finally:
            await diallers.end()

    bots = [BotPlan(name=name, argv=None) for name in ("away", "other")]
    listen = (f"unix:{tmp_path / 'd.sock'}",)
    what = plan(tmp_path, [entry(bot) for bot in bots], boards=2, listen=listen, grace_ms=500)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        done = runner.run(go())
    (void,) = done.notices(NoticeKind.VOID)
    assert "away~other/1 attempt 1 is void: " in void
    assert "blame network" in void
    assert (done.outcome.boards, done.outcome.void, done.outcome.quarantined) == (2, 1, ())
    entries, legs = stored(what)
    counts = resolve(legs, (), owners={})
    assert [(one.board, one.attempt) for one in counts.boards] == [(1, 2), (2, 1)]
    assert counts.void == {"away": 1, "other": 1}
    rows = standings(counts, entries, (), unit=what.unit).rows
    assert [(row.void, row.faults) for row in rows] == [(1, 0), (1, 0)]


def test_a_bot_that_says_another_version_in_the_middle_is_told_under_the_table(
    tmp_path: Path,
) -> None:
    async def go() -> None:
        diallers = Diallers(what, await make_tokens(what, 4))

        def change(run: LadderRun, news: Progress | Notice) -> None:
            diallers.hear(run, news)
            if isinstance(news, Progress) and news.done == 2:
                run.stop()

        try:
            await played(what, change)
            for one in diallers.all:
                one.version = "8"
            await played(what, diallers.hear)
        finally:
            await diallers.end()

    what = dialled(tmp_path, 4)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(go())
    entries, legs = stored(what)
    found = standings(resolve(legs, (), owners={}), entries, (), unit=what.unit)
    (note,) = [note for note in found.notes if "changed its version" in note]
    assert note.startswith("away changed its version: its legs are of hello:7 (4), hello:8 (4). ")


def test_a_replaced_bot_that_still_says_its_old_version_does_not_play(tmp_path: Path) -> None:
    async def go() -> Played:
        diallers = Diallers(what, await make_tokens(what, 4))
        try:
            return await played(what, diallers.hear)
        finally:
            await diallers.end()

    what = dialled(tmp_path, 3)
    journal = RulingJournal(what.folder / "rulings.jsonl", EVENT)
    journal.append(RulingKind.REPLACE, "away", "a fix", version="hello:8")
    with asyncio.Runner(loop_factory=new_loop) as runner:
        done = runner.run(go())
    assert done.outcome.quarantined == ("away",)
    told = done.notices(NoticeKind.FAULT)
    assert any("it says version hello:7, and was replaced by hello:8" in one for one in told)


@pytest.mark.slow
def test_after_a_kill_of_the_run_they_come_back_with_their_tokens(tmp_path: Path) -> None:
    boards = 8

    async def run_until(diallers: Diallers, done: int) -> None:
        """Run the ladder in a process, and kill it once so many boards are done."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.integration.ladder_world"),
            *(tmp_path, str(boards), "dialled"),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        while line := await asyncio.wait_for(process.stdout.readline(), LIMIT_S):
            news = msgspec.json.decode(line)
            if news.get("kind") == NoticeKind.WAITING:
                diallers.dial()
            if news.get("done", 0) >= done:
                process.kill()
                break
        await process.wait()

    async def go() -> Played:
        diallers = Diallers(what, await make_tokens(what, 4))
        try:
            for done in (2, 5):
                await run_until(diallers, done)
            return await played(what, diallers.hear)
        finally:
            await diallers.end()

    what = dialled(tmp_path, boards)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        over = runner.run(go())
    assert (over.outcome.why, over.outcome.boards) == (OutcomeKind.PLAYED, boards)
    assert {leg.ending for leg in results(what)} <= {Ending.COMPLETED, Ending.CANCELLED}


@pytest.mark.slow
def test_who_does_not_come_is_at_fault_and_ends_it_for_itself(tmp_path: Path) -> None:
    async def go() -> Played:
        await make_tokens(what, 4)
        return await played(what)

    what = dialled(tmp_path, 3, wait_s=0.1, start_ms=9_000)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        done = runner.run(go())
    assert done.outcome.quarantined == ("away",)
    assert "not there after 0.1 s: away (4 of 4 processes)" in done.notices(NoticeKind.WAITING)


@pytest.mark.parametrize("made", [0, 3])
def test_too_few_tokens_are_refused_with_the_command(tmp_path: Path, made: int) -> None:
    async def go() -> None:
        await make_tokens(what, made)
        await played(what)

    what = dialled(tmp_path, 2)
    cure = f"referee token create away --instances {4 - made}"
    with (
        pytest.raises(ConfigError, match=cure),
        asyncio.Runner(loop_factory=new_loop) as runner,
    ):
        runner.run(go())
