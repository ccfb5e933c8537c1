"""Strategies that decide later, or for all tables at once, against a scripted referee."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TypedDict

import grpc
import pytest

from tests.unit.sample_bots.conftest import PATIENCE_S, ScriptedReferee
from tests.unit.sample_bots.frames import act_ask, bomb_ask, dealt, played, seating, update
from tichu_bot import DEFAULT, PASS, Act, AsyncBot, Bot, Decision, ExitCode, ManyBot, Play, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bot import Strategy
from tichu_bot.events import Event, MatchEnded
from tichu_bot.outbox import Outbox
from tichu_bot.playing import player_of
from tichu_bot.session import Session
from tichu_bot.settings import Settings
from tichu_bot.way import Way

SINGLES = ("2j", "3s", "4p", "5r", "6j")
WITH_BOMB = "Mj 2j 2s 2p 2r 6j 7s 8p 9r Tj Qs Kp Ar Dr"
BOMB = "2j 2s 2p 2r"
Start = Callable[[Callable[[], Strategy]], None]


@pytest.fixture
async def start(referees: Sequence[ScriptedReferee]) -> AsyncIterator[Start]:
    """Start bots that dial the first referee; at the end all say Goodbye."""
    started: list[tuple[Session, asyncio.Task[ExitCode]]] = []

    def start_bot(make_bot: Callable[[], Strategy]) -> None:
        outbox = Outbox()
        player = player_of(Way.of(make_bot), outbox)
        settings = Settings(servers=(referees[0].address,))
        session = Session(settings, pb.Hello(), player, outbox)
        started.append((session, asyncio.create_task(session.run())))

    yield start_bot
    for session, _ in started:
        session.stop()
    for referee in referees:
        referee.end_streams()
    for _, task in started:
        assert await asyncio.wait_for(task, PATIENCE_S) == ExitCode.DONE


def indices(frame: pb.PlayRequest) -> list[tuple[int, int, int]]:
    assert all(answer.act.HasField("index") for answer in frame.answers), frame
    return [(answer.match, answer.ask_id, answer.act.index) for answer in frame.answers]


# --- async


class Later(AsyncBot):
    """Answers when the test lets it; `heard` is what its view showed then."""

    def __init__(self) -> None:
        self.thinking = asyncio.Event()
        self.go_on = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.heard: list[int] = []

    async def act(self, view: View) -> Act | Play:
        self.thinking.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        self.heard.append(len(view.events))
        return view.plays[-1]


async def test_coroutines_that_need_not_wait_answer_a_frame_in_one_frame(
    referee: ScriptedReferee, start: Start
) -> None:
    class Last(AsyncBot):
        async def act(self, view: View) -> Act | Play:
            return view.plays[-1]

    start(Last)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(*(seating(match) for match in (1, 2, 3)))
    await stream.update(*(update(match, act_ask(1, SINGLES)) for match in (1, 2, 3)))
    assert indices(await stream.frame()) == [(1, 1, 4), (2, 1, 4), (3, 1, 4)]


async def test_a_ping_is_answered_while_a_coroutine_waits_and_its_view_stays_as_it_was(
    referee: ScriptedReferee, start: Start
) -> None:
    bot = Later()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    await bot.thinking.wait()
    await stream.update(match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    await stream.send(pb.PlayResponse(ping=pb.Ping(number=7)))
    frame = await stream.frame()
    while not frame.HasField("pong"):
        frame = await stream.frame()  # it stands down meanwhile
    assert (frame.pong.number, len(frame.answers)) == (7, 0)
    bot.go_on.set()
    assert indices(await stream.frame()) == [(1, 1, 4)]
    assert bot.heard == [0]


async def test_an_ask_that_is_taken_back_cancels_its_coroutine(
    referee: ScriptedReferee, start: Start
) -> None:
    bot = Later()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    await bot.thinking.wait()
    gone = match_pb.AskCancelled(ask_id=1, reason=match_pb.CANCEL_REASON_BOMBED)
    await stream.update(match_pb.Update(match=1, cancelled=[gone]))
    await bot.cancelled.wait()
    bot.go_on.set()
    await stream.update(update(1, act_ask(2, SINGLES)))
    assert indices(await stream.frame()) == [(1, 2, 4)]


async def test_what_was_thought_over_a_lost_link_is_answered_once_on_the_new_one(
    referee: ScriptedReferee, start: Start
) -> None:
    bot = Later()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome(token="session-1")
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    await bot.thinking.wait()
    stream.end(grpc.StatusCode.UNAVAILABLE, "the link broke")
    again = await referee.stream()
    await again.welcome(token="session-1", resumed=True)
    await again.update(seating(), update(1, act_ask(1, SINGLES)))
    await again.send(pb.PlayResponse(ping=pb.Ping(number=1)))
    assert (await again.frame()).HasField("pong")  # so the ask was read, and is thought about
    bot.go_on.set()
    assert indices(await again.frame()) == [(1, 1, 4)]
    assert bot.heard == [0]


async def test_a_match_that_a_new_session_does_not_know_is_thought_about_no_more(
    referee: ScriptedReferee, start: Start
) -> None:
    made: asyncio.Queue[Later] = asyncio.Queue()

    def make() -> Later:
        bot = Later()
        made.put_nowait(bot)
        return bot

    start(make)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    first = await made.get()
    await first.thinking.wait()
    stream.end(grpc.StatusCode.UNAVAILABLE, "the link broke")
    again = await referee.stream()
    await again.welcome(token="session-2", resumed=False)
    await first.cancelled.wait()
    await again.update(seating(), update(1, act_ask(1, SINGLES)))
    second = await made.get()
    await second.thinking.wait()
    second.go_on.set()
    assert indices(await again.frame()) == [(1, 1, 4)]


async def test_a_coroutine_that_raises_or_answers_nonsense_costs_its_own_ask(
    referee: ScriptedReferee, start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    class Bad(AsyncBot):
        async def act(self, view: View) -> Act | Play:
            if len(view.plays) == 1:
                raise RuntimeError("no idea")
            if len(view.plays) == 4:
                raise asyncio.CancelledError  # of a task of its own, say
            return view.plays[0] if len(view.plays) == 2 else "nonsense"  # type: ignore[return-value]

    start(Bad)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(*(seating(match) for match in (1, 2, 3, 4)))
    await stream.update(*(update(match, act_ask(1, SINGLES[:match])) for match in (1, 2, 3, 4)))
    answers = (await stream.frame()).answers
    assert [answer.HasField("act") for answer in answers] == [False, True, False, False]
    assert [answer.HasField("default_action") for answer in answers] == [True, False, True, True]
    told = capfd.readouterr().err
    assert "no idea" in told
    assert "nonsense" in told


# --- all tables at once


class Counting(ManyBot):
    """Keeps how many it was asked at once, and what it heard."""

    def __init__(self) -> None:
        self.calls: list[int] = []
        self.heard: list[str] = []

    def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
        self.calls.append(len(asks))
        return [ask.plays[int(ask.match_id[6:]) % len(ask.plays)] for ask in asks]

    def match_started(self, view: View) -> None:
        self.heard.append(f"{view.match_id} started")

    def match_over(self, view: View, result: MatchEnded) -> None:
        self.heard.append(f"{view.match_id} over")


async def test_512_tables_of_a_frame_are_one_call_and_each_gets_its_own_answer(
    referee: ScriptedReferee, start: Start
) -> None:
    bot = Counting()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome()
    matches = range(1, 513)
    await stream.update(*(seating(match) for match in matches))
    await stream.update(*(update(match, act_ask(1, SINGLES)) for match in matches))
    answered: list[tuple[int, int, int]] = []
    while len(answered) < 512:
        answered += indices(await stream.frame())
    assert answered == [(match, 1, match % 5) for match in matches]
    assert bot.calls == [512]
    ended = match_pb.Event(number=1, match_ended=match_pb.MatchEnded())
    await stream.update(match_pb.Update(match=7, events=[ended]))
    await stream.update(update(8, act_ask(2, SINGLES)))  # answered by the same thread, later
    assert indices(await stream.frame()) == [(8, 2, 3)]
    assert bot.heard[-1] == "match-7 over"
    assert len(bot.heard) == 513


async def test_one_bad_answer_or_exception_spoils_its_own_ask_alone(
    referee: ScriptedReferee, start: Start
) -> None:
    class Bad(Counting):
        def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
            if any(ask.match_id == "match-3" for ask in asks):
                raise RuntimeError("not this table")
            return [
                [] if ask.match_id == "match-5" else decided
                for ask, decided in zip(asks, super().act_many(asks), strict=True)
            ]

    start(Bad)
    stream = await referee.stream()
    await stream.welcome()
    matches = range(1, 9)
    await stream.update(*(seating(match) for match in matches))
    await stream.update(*(update(match, act_ask(1, SINGLES)) for match in matches))
    answers: list[pb.Answer] = []
    while len(answers) < 8:
        answers += (await stream.frame()).answers
    for answer in answers:
        if answer.match in (3, 5):
            assert answer.HasField("default_action")
        else:
            assert answer.act.index == answer.match % 5


async def test_too_few_answers_are_no_answers(referee: ScriptedReferee, start: Start) -> None:
    class Short(ManyBot):
        def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
            return []

    start(Short)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    assert (await stream.frame()).answers[0].HasField("default_action")


async def test_what_is_not_overridden_is_decided_one_by_one(
    referee: ScriptedReferee, start: Start
) -> None:
    class Mixed(ManyBot):
        def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
            return [PASS if ask.ask == "act" else self.decide(ask) for ask in asks]

    start(Mixed)
    stream = await referee.stream()
    await stream.welcome()
    grand = match_pb.CallAsk(choices=[match_pb.CALL_KIND_GRAND, match_pb.CALL_KIND_NO_GRAND])
    call = match_pb.Ask(ask_id=1, call=grand)
    await stream.update(seating(), update(1, call))
    assert (await stream.frame()).answers[0].call.choice == match_pb.CALL_KIND_NO_GRAND


# --- slow


class SlowBot(Bot):
    slow = True

    def act(self, view: View) -> Act | Play:
        return view.plays[-1]

    def bomb(self, view: View) -> Play | None:
        raise AssertionError("woken in a window")


class SlowAsync(AsyncBot):
    slow = True

    async def act(self, view: View) -> Act | Play:
        return view.plays[-1]

    async def bomb(self, view: View) -> Play | None:
        raise AssertionError("woken in a window")


class SlowMany(ManyBot):
    slow = True

    def act_many(self, asks: Sequence[View]) -> Sequence[Decision]:
        assert [ask.ask for ask in asks] == ["act"], "woken in a window"
        return [ask.plays[-1] for ask in asks]


@pytest.mark.parametrize("make_bot", [SlowBot, SlowAsync, SlowMany])
async def test_a_slow_bot_stands_down_and_bombs_in_its_own_turn(
    referee: ScriptedReferee, start: Start, make_bot: Callable[[], Strategy]
) -> None:
    start(make_bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    frame = await stream.frame()
    assert [request.for_seat for request in frame.stand_downs] == [0]
    await stream.update(update(1, bomb_ask(1, [BOMB])))  # sent before the referee read that
    assert (await stream.frame()).answers[0].bomb.HasField("decline")
    await stream.update(update(1, act_ask(2, ["3s", BOMB], may_pass=True)))
    assert indices(await stream.frame()) == [(1, 2, 1)]


class QuickMany(SlowMany):
    quick_bomb = True

    def bomb(self, view: View) -> Play | None:
        return view.plays[0]


class QuickAsync(SlowAsync):
    quick_bomb = True

    async def bomb(self, view: View) -> Play | None:
        return view.plays[0]


@pytest.mark.parametrize("make_bot", [QuickMany, QuickAsync])
async def test_a_slow_bot_with_a_quick_bomb_throws_it(
    referee: ScriptedReferee, start: Start, make_bot: Callable[[], Strategy]
) -> None:
    start(make_bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    await stream.update(update(1, bomb_ask(1, [BOMB])))
    frame = await stream.frame()
    assert not frame.stand_downs
    assert frame.answers[0].bomb.index == 0


async def test_a_bomb_that_is_thought_about_beyond_its_window_is_dropped(
    referee: ScriptedReferee, start: Start
) -> None:
    class Slept(Later):
        async def bomb(self, view: View) -> Play | None:
            await self.act(view)
            return view.plays[0]

    bot = Slept()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    await stream.update(update(1, bomb_ask(1, [BOMB])))
    await bot.thinking.wait()
    event = played(1, "Kj", 13)
    event.number = 4
    await stream.update(match_pb.Update(match=1, events=[event]))
    await bot.cancelled.wait()


# --- what cannot be


class How(TypedDict, total=False):
    threaded: bool
    processes: int
    max_matches: int


class NoCoroutine(AsyncBot):
    def act(self, view: View) -> Act | Play:  # type: ignore[override]
        return PASS


class Coroutine(Bot):
    async def act(self, view: View) -> Act | Play:  # type: ignore[override]
        return PASS


@pytest.mark.parametrize(
    ("make_bot", "how", "cure"),
    [
        (Coroutine, {}, "derive Coroutine from AsyncBot"),
        (NoCoroutine, {}, "write async def"),
        (Later, {"threaded": True}, "has its own way to think"),
        (SlowMany, {"processes": 2}, "has its own way to think"),
        (SlowBot, {"threaded": True, "processes": 2}, "not in both"),
        (SlowBot, {"processes": -1}, "0 or more"),
        (SlowBot, {"max_matches": 513}, "1 to 512"),
        (SlowBot, {"max_matches": 0}, "1 to 512"),
        (object, {}, "is no Bot"),
    ],
)
def test_what_cannot_be_run_says_why(make_bot: Callable[[], Strategy], how: How, cure: str) -> None:
    with pytest.raises((TypeError, ValueError), match=cure):
        Way.of(make_bot, **how)


def test_default_leaves_any_ask_to_the_referee() -> None:
    from tichu_bot.answers import write

    for ask in (act_ask(1, SINGLES), bomb_ask(1, [BOMB])):
        answer = pb.Answer()
        write(answer, ask, DEFAULT)
        assert answer.HasField("default_action")


class Hearing(Later):
    def event(self, view: View, event: Event) -> None:
        self.heard.append(event.number)


async def test_a_deferred_strategy_hears_every_event(
    referee: ScriptedReferee, start: Start
) -> None:
    bot = Hearing()
    start(lambda: bot)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), match_pb.Update(match=1, events=dealt(WITH_BOMB)))
    await stream.update(update(1, act_ask(1, SINGLES)))
    await bot.thinking.wait()
    assert bot.heard == [1, 2, 3]
