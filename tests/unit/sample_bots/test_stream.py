"""The stream loop against a scripted referee: what leaves, what comes back, how it ends."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc
import grpc.aio
import pytest

from tests.unit.sample_bots.conftest import PATIENCE_S, ScriptedReferee
from tests.unit.sample_bots.frames import act_ask, seating, update
from tichu_bot import PASS, Act, Bot, ExitCode, Play, View, session
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot._gen.tichu.referee.v1 import referee_pb2 as pb
from tichu_bot.bots.random_play import RandomBot
from tichu_bot.outbox import Outbox
from tichu_bot.player import Player, SeatsPlayer, ThreadedPlayer
from tichu_bot.session import Session
from tichu_bot.settings import Settings

TLS = Path(__file__).parents[2] / "integration" / "tls"
CERTIFICATE, KEY = (TLS / "cert.pem").read_bytes(), (TLS / "key.pem").read_bytes()
# It signed nothing that a test serves.
OTHER_CA = (Path(__file__).parent / "other_ca.pem").read_bytes()
SINGLES = ("2j", "3s", "4p", "5r", "6j")


class First(Bot):
    """Plays the first of the list."""

    def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS


class Process:
    """A bot's session, run in the test's loop."""

    def __init__(self, address: str, make_player: Callable[[Outbox], Player], **extra: float):
        outbox = Outbox()
        settings = Settings(servers=(address,), token="secret")
        hello = pb.Hello(protocol_version=1, bot_name="tested")
        self.session = Session(settings, hello, make_player(outbox), outbox, **extra)
        self.task = asyncio.create_task(self.session.run())

    async def exit_code(self) -> ExitCode:
        return await asyncio.wait_for(self.task, PATIENCE_S)


Start = Callable[..., Process]


@pytest.fixture
async def start(referees: list[ScriptedReferee]) -> AsyncIterator[Start]:
    """Start bots; at the end all say Goodbye and are let go."""
    started: list[Process] = []

    def start_bot(address: str, make_bot: Callable[[], Bot] = First, **extra: float) -> Process:
        started.append(Process(address, lambda _: SeatsPlayer(make_bot), **extra))
        return started[-1]

    yield start_bot
    for process in started:
        process.session.stop()
    for referee in referees:
        referee.end_streams()
    for process in started:
        await process.exit_code()


async def test_hello_comes_first_and_the_token_travels_as_metadata(
    referee: ScriptedReferee, start: Start
) -> None:
    start(referee.address)
    stream = await referee.stream()
    hello = await stream.welcome()
    assert stream.metadata["authorization"] == "Bearer secret"
    assert (hello.protocol_version, hello.bot_name) == (1, "tested")
    assert not hello.HasField("session_token")


async def test_answers_to_one_frame_leave_as_one_frame(
    referee: ScriptedReferee, start: Start
) -> None:
    start(referee.address)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(*(seating(match) for match in (1, 2, 3)))
    await stream.update(*(update(match, act_ask(1, SINGLES)) for match in (1, 2, 3)))
    frame = await stream.frame()
    assert [(a.match, a.ask_id, a.act.index) for a in frame.answers] == [
        (1, 1, 0),
        (2, 1, 0),
        (3, 1, 0),
    ]


async def test_a_ping_is_answered_with_its_number(referee: ScriptedReferee, start: Start) -> None:
    start(referee.address)
    stream = await referee.stream()
    await stream.welcome()
    await stream.send(pb.PlayResponse(ping=pb.Ping(number=41)))
    assert (await stream.frame()).pong.number == 41


async def test_a_thinking_bot_in_a_thread_answers_pings(referee: ScriptedReferee) -> None:
    thought = threading.Event()

    class Slow(Bot):
        def act(self, view: View) -> Act | Play:
            thought.wait(PATIENCE_S)
            return view.plays[0]

    loop = asyncio.get_running_loop()

    def threaded(outbox: Outbox) -> Player:
        def post(part: pb.PlayRequest) -> None:
            loop.call_soon_threadsafe(outbox.merge, part)

        return ThreadedPlayer(SeatsPlayer(Slow), post)

    process = Process(referee.address, threaded)
    stream = await referee.stream()
    await stream.welcome()
    await stream.update(seating(), update(1, act_ask(1, SINGLES), act_ask(2, SINGLES)))
    await stream.send(pb.PlayResponse(ping=pb.Ping(number=7)))
    frame = await stream.frame()
    assert frame.pong.number == 7
    assert not frame.answers
    thought.set()
    assert [answer.ask_id for answer in (await stream.frame()).answers] == [1, 2]
    process.session.stop()
    stream.end()
    assert await process.exit_code() == ExitCode.DONE


async def test_an_ask_cancelled_while_it_waits_for_the_thread_is_skipped() -> None:
    thinking, thought = threading.Event(), threading.Event()
    sent: asyncio.Queue[pb.PlayRequest] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    class Slow(Bot):
        def act(self, view: View) -> Act | Play:
            thinking.set()
            thought.wait(PATIENCE_S)
            return view.plays[0]

    def post(part: pb.PlayRequest) -> None:
        loop.call_soon_threadsafe(sent.put_nowait, part)

    player = ThreadedPlayer(SeatsPlayer(Slow), post)
    unused = pb.PlayRequest()
    player.frame(pb.PlayResponse(updates=[seating(), update(1, act_ask(1, SINGLES))]), unused)
    player.frame(pb.PlayResponse(updates=[update(1, act_ask(2, SINGLES))]), unused)
    await asyncio.to_thread(thinking.wait, PATIENCE_S)
    bombed = match_pb.AskCancelled(ask_id=2, reason=match_pb.CANCEL_REASON_BOMBED)
    player.frame(pb.PlayResponse(updates=[match_pb.Update(match=1, cancelled=[bombed])]), unused)
    player.frame(pb.PlayResponse(updates=[update(1, act_ask(3, SINGLES))]), unused)
    thought.set()
    answered = [(await asyncio.wait_for(sent.get(), PATIENCE_S)).answers[0].ask_id for _ in "ab"]
    assert answered == [1, 3]


async def test_a_lost_link_is_taken_up_with_the_session_and_the_same_answer(
    referee: ScriptedReferee, start: Start
) -> None:
    start(referee.address, RandomBot)
    stream = await referee.stream()
    await stream.welcome(token="session-7")
    await stream.update(seating(), update(1, act_ask(1, SINGLES), act_ask(2, SINGLES)))
    first = [answer.act.index for answer in (await stream.frame()).answers]
    stream.end(grpc.StatusCode.UNAVAILABLE, "the link broke")

    again = await referee.stream()
    hello = await again.welcome(token="session-7", resumed=True)
    assert hello.session_token == "session-7"
    await again.update(seating(), update(1, act_ask(1, SINGLES), act_ask(2, SINGLES)))
    assert [answer.act.index for answer in (await again.frame()).answers] == first


async def test_a_session_that_was_not_resumed_forgets_its_matches(
    referee: ScriptedReferee, start: Start
) -> None:
    started: list[str] = []

    class Listening(First):
        def match_started(self, view: View) -> None:
            started.append(view.match_id)

    start(referee.address, Listening)
    for _ in range(2):
        stream = await referee.stream()
        await stream.welcome(resumed=False)
        await stream.update(seating(), update(1, act_ask(1, SINGLES)))
        await stream.frame()
        stream.end(grpc.StatusCode.UNAVAILABLE)
    assert started == ["match-1", "match-1"]


async def test_a_redirect_is_followed(referees: list[ScriptedReferee], start: Start) -> None:
    first, second = referees
    start(first.address)
    stream = await first.stream()
    await stream.frame()
    await stream.send(pb.PlayResponse(redirect=pb.Redirect(address=second.address)))
    assert not (await (await second.stream()).welcome()).HasField("session_token")


async def test_a_sixth_redirect_in_a_row_is_not_followed(
    referee: ScriptedReferee, start: Start
) -> None:
    process = start(referee.address)
    for _ in range(6):
        stream = await referee.stream()
        await stream.frame()
        await stream.send(pb.PlayResponse(redirect=pb.Redirect(address=referee.address)))
    assert await process.exit_code() == ExitCode.REFUSED


async def test_a_token_is_not_carried_by_a_redirect_off_the_machine_in_plain(
    referee: ScriptedReferee, start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    process = start(referee.address)
    stream = await referee.stream()
    await stream.frame()
    await stream.send(pb.PlayResponse(redirect=pb.Redirect(address="192.0.2.1:7643")))
    assert await process.exit_code() == ExitCode.SETTINGS
    told = capfd.readouterr().err
    assert "192.0.2.1:7643" in told
    assert "secret" not in told


async def test_moved_takes_the_session_along(referees: list[ScriptedReferee], start: Start) -> None:
    first, second = referees
    start(first.address)
    stream = await first.stream()
    await stream.welcome(token="session-3")
    await stream.send(pb.PlayResponse(moved=pb.Moved(address=second.address)))
    hello = await (await second.stream()).welcome(token="session-3", resumed=True)
    assert hello.session_token == "session-3"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (pb.CLOSING_CODE_DRAINING, ExitCode.DONE),
        (pb.CLOSING_CODE_SUPERSEDED, ExitCode.REFUSED),
        (pb.CLOSING_CODE_PROTOCOL, ExitCode.REFUSED),
    ],
)
async def test_a_referee_that_closes_for_good_gets_goodbye_and_a_half_close(
    referee: ScriptedReferee,
    start: Start,
    code: pb.ClosingCode.ValueType,
    expected: ExitCode,
) -> None:
    process = start(referee.address)
    stream = await referee.stream()
    await stream.welcome()
    await stream.send(pb.PlayResponse(closing=pb.Closing(code=code, text="over", retry=False)))
    assert (await stream.frame()).HasField("goodbye")
    assert await stream.read() is None
    stream.end()
    assert await process.exit_code() == expected


async def test_a_referee_that_closes_and_wants_us_back_is_dialled_again(
    referee: ScriptedReferee, start: Start
) -> None:
    start(referee.address)
    stream = await referee.stream()
    await stream.welcome(token="session-5")
    closing = pb.Closing(code=pb.CLOSING_CODE_DRAINING, retry=True)
    await stream.send(pb.PlayResponse(closing=closing))
    stream.end(grpc.StatusCode.UNAVAILABLE)
    hello = await (await referee.stream()).welcome(token="session-5")
    assert hello.session_token == "session-5"


async def test_a_stopped_process_says_goodbye(referee: ScriptedReferee, start: Start) -> None:
    process = start(referee.address)
    stream = await referee.stream()
    await stream.welcome()
    process.session.stop()
    assert (await stream.frame()).HasField("goodbye")
    assert await stream.read() is None
    stream.end()
    assert await process.exit_code() == ExitCode.DONE


@pytest.mark.parametrize(
    "status",
    [
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
    ],
)
async def test_a_refusal_of_the_whole_process_ends_it(
    referee: ScriptedReferee, start: Start, status: grpc.StatusCode
) -> None:
    process = start(referee.address)
    stream = await referee.stream()
    await stream.frame()
    stream.end(status, "no")
    assert await process.exit_code() == ExitCode.REFUSED


async def test_a_socket_that_vanished_ends_the_process(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "VANISHED_S", 0.1)
    assert await start(f"unix:{tmp_path}/nobody").exit_code() == ExitCode.GONE


async def test_a_referee_that_was_killed_is_dialled_again_for_as_long_as_it_waits_for_its_bots(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket may be missing meanwhile; that of a referee we never met may not for long."""
    monkeypatch.setattr(session, "VANISHED_S", 0.0)
    monkeypatch.setattr(session, "UNIX_PATIENCE_S", 0.0)
    monkeypatch.setattr(session, "LAST_BACKOFF_S", 0.2)
    address = f"unix:{tmp_path}/killed"
    first = ScriptedReferee(address)
    await first.start()
    process = start(address, RandomBot)
    stream = await first.stream()
    await stream.welcome(token="session-7")
    await stream.update(seating(), update(1, act_ask(1, SINGLES)))
    answered = (await stream.frame()).answers[0].act.index
    await first.stop()
    assert not (tmp_path / "killed").exists()
    done, _ = await asyncio.wait({process.task}, timeout=1.0)
    assert not done  # it dials on
    second = ScriptedReferee(address)
    await second.start()
    again = await second.stream()
    hello = await again.welcome(token="session-7", resumed=True)
    assert hello.session_token == "session-7"
    await again.update(seating(2), update(2, act_ask(1, SINGLES)))
    await again.frame()
    await again.update(seating(), update(1, act_ask(1, SINGLES)))  # mentioned late, and not lost
    assert (await again.frame()).answers[0].act.index == answered
    process.session.stop()
    assert (await again.frame()).HasField("goodbye")
    again.end()
    assert await process.exit_code() == ExitCode.DONE
    await second.stop()


async def test_the_parents_death_makes_a_bot_on_a_unix_socket_less_patient(
    tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the operating system does not end it with its referee, it ends by itself."""
    monkeypatch.setattr(session, "UNIX_PATIENCE_S", 0.1)
    address = f"unix:{tmp_path}/parent"
    referee = ScriptedReferee(address)
    await referee.start()
    process = start(address)
    await (await referee.stream()).welcome()
    monkeypatch.setattr(os, "getppid", lambda: 1)
    await referee.stop()
    assert await process.exit_code() == ExitCode.GONE


async def test_a_bot_may_be_started_before_its_referee(tmp_path: Path, start: Start) -> None:
    address = f"unix:{tmp_path}/late"
    start(address, patience_s=PATIENCE_S)
    late = ScriptedReferee(address)
    await late.start()
    await (await late.stream()).welcome()
    await late.stop()


async def test_the_next_server_of_the_list_is_tried(
    tmp_path: Path, referee: ScriptedReferee
) -> None:
    outbox = Outbox()
    settings = Settings(servers=(f"unix:{tmp_path}/nobody", referee.address))
    running = Session(settings, pb.Hello(), SeatsPlayer(First), outbox)
    task = asyncio.create_task(running.run())
    stream = await referee.stream()
    await stream.welcome()
    assert "authorization" not in stream.metadata
    running.stop()
    stream.end()
    assert await asyncio.wait_for(task, PATIENCE_S) == ExitCode.DONE


async def test_a_process_says_once_that_it_is_connected(
    referee: ScriptedReferee, start: Start, capfd: pytest.CaptureFixture[str]
) -> None:
    start(referee.address)
    stream = await referee.stream()
    await stream.welcome(token="session-7")
    stream.end(grpc.StatusCode.UNAVAILABLE, "the link broke")
    again = await referee.stream()
    await again.welcome(token="session-7", resumed=True)
    await again.send(pb.PlayResponse(ping=pb.Ping(number=1)))
    await again.frame()
    told = capfd.readouterr().err
    assert told.count(f"connected to {referee.address} as tested, waiting for a match") == 1
    assert "link lost status=UNAVAILABLE text=the link broke" in told


@pytest.mark.parametrize(
    ("serve_tls", "ca", "cure"),
    [
        (True, None, "set TICHU_CA_FILE"),
        (True, OTHER_CA, "did not sign"),
        (False, CERTIFICATE, "speaks no TLS"),
    ],
)
async def test_the_first_failure_comes_with_its_cause_and_a_hint(
    capfd: pytest.CaptureFixture[str], serve_tls: bool, ca: bytes | None, cure: str
) -> None:
    server = grpc.aio.server()
    if serve_tls:
        credentials = grpc.ssl_server_credentials([(KEY, CERTIFICATE)])
        port = server.add_secure_port("127.0.0.1:0", credentials)
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    settings = Settings(servers=(f"127.0.0.1:{port}",), ca=ca)
    outbox = Outbox()
    running = Session(settings, pb.Hello(), SeatsPlayer(First), outbox, patience_s=0.0)
    assert await asyncio.wait_for(running.run(), PATIENCE_S) == ExitCode.GONE
    await server.stop(0)
    told = capfd.readouterr().err
    assert f"127.0.0.1:{port} text=" in told
    assert cure in told


async def test_a_port_where_nobody_listens_is_told_once(
    capfd: pytest.CaptureFixture[str],
) -> None:
    settings = Settings(servers=("127.0.0.1:1",))
    running = Session(settings, pb.Hello(), SeatsPlayer(First), Outbox(), patience_s=0.4)
    assert await asyncio.wait_for(running.run(), PATIENCE_S) == ExitCode.GONE
    told = capfd.readouterr().err
    assert told.count("nobody listens there") == 1
