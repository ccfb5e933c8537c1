"""A bot that does everything right but for the faults that its command line names.

It speaks over a bare stream, so that each fault is a line or two here. `python faulty_bot.py` with
no word is a good bot; the faults are those of `FAULTS`, each with what it is.
"""

import asyncio
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import grpc
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.integration.faulty_answers import FAULTS as ANSWER_FAULTS
from tests.integration.faulty_answers import Answers
from tests.integration.faulty_links import FAULTS as LINK_FAULTS

METHOD = "/tichu.referee.v1.RefereeService/Play"
FAULTS = {**LINK_FAULTS, **ANSWER_FAULTS}
MOST_REDIRECTS = 5
GIVE_UP_S = 30.0


class Dead(Exception):
    """The fault is to end here."""


def messages(message: Message) -> Iterator[Message]:
    yield message
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for one in value if field.is_repeated else [value]:
                yield from messages(one)


def is_unknown_event(message: Message) -> bool:
    return isinstance(message, match_pb2.Event) and message.WhichOneof("event") is None


class FaultyBot:
    """One process, over as many streams as it takes."""

    def __init__(self, faults: set[str]) -> None:
        self.faults = faults
        self.answers = Answers(faults)
        self.server = os.environ["TICHU_SERVER"]
        self.token = os.environ["TICHU_TOKEN"]
        self.session: str | None = "made-up" if "made-up-session" in faults else None
        self.stop = asyncio.Event()
        self.out: asyncio.Queue[referee_pb2.PlayRequest | None] = asyncio.Queue()
        self.last: list[referee_pb2.Answer] = []  # for the fault that sends them again
        self.seen: set[tuple[int, int]] = set()  # asks of this stream
        self.kept: list[object] = []
        self.streams = self.redirects = self.matches = self.rounds = 0
        self.welcomed = self.moved = False
        self.goal: str | None = None  # where Redirect or Moved leads
        self.code: int | None = None  # of the exit, once it is known

    def has(self, fault: str) -> bool:
        return fault in self.faults

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, self.stop.set)
        servers = self.server.split(",")
        address, last = servers[0], loop.time()
        while True:
            status = await self.stream(address)
            if self.stop.is_set():
                if self.has("hangs-in-match") and self.rounds == 0 and self.seen:
                    await asyncio.Event().wait()
                return 3 if self.has("exit-three") else 0
            if self.welcomed:
                last = loop.time()
            if self.code is not None and not self.has("always-retries"):
                await self.dial_more(address)
                return self.code
            if self.goal is not None or self.welcomed:
                await self.dawdle()
            if self.goal is not None:
                if self.has("slow-loop") and self.redirects > MOST_REDIRECTS:
                    await asyncio.sleep(3.0)
                address, self.goal = self.goal, None
                continue
            self.after_loss(status)
            if loop.time() - last > GIVE_UP_S:
                return 3
            if self.has("first-server") and not self.welcomed:
                raise Dead
            if not self.welcomed:
                servers.append(servers.pop(0))
                address = servers[0]
            await asyncio.sleep(0.1)

    async def dial_more(self, address: str) -> None:
        if self.has("dials-after-end"):
            for _ in range(3):
                await asyncio.wait({asyncio.create_task(self.stream(address))}, timeout=0.5)

    async def dawdle(self) -> None:
        if self.has("late-return"):
            await asyncio.wait({asyncio.create_task(self.stop.wait())}, timeout=12)

    def after_loss(self, status: grpc.StatusCode) -> None:
        final = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.FAILED_PRECONDITION)
        if status in final and not self.has("always-retries"):
            said = f"refused {self.token}" if self.has("prints-token-refused") else "refused"
            print(said, file=sys.stderr)
            raise Dead
        if self.has("no-reconnect") or (self.has("dies-before-welcome") and not self.welcomed):
            raise Dead
        if self.has("one-return") and self.streams > 1:
            raise Dead
        if self.has("lost-after-moved") and self.moved:
            raise Dead

    async def stream(self, address: str) -> grpc.StatusCode:
        """Run one stream to its end."""
        if self.has("no-ports") and not address.startswith("unix:"):
            raise Dead
        self.streams += 1
        self.welcomed, self.out, self.seen = False, asyncio.Queue(), set()
        self.answers.new_stream()
        size = 64 * 1024 if self.has("small-frames") else 4 * 1024 * 1024
        options = [("grpc.use_local_subchannel_pool", 1), ("grpc.max_receive_message_length", size)]
        unsaid = self.has("no-token") or (self.has("moved-without-token") and self.moved)
        metadata = () if unsaid else (("authorization", f"Bearer {self.token}"),)
        async with grpc.aio.insecure_channel(address, options=options) as channel:
            play: grpc.aio.StreamStreamMultiCallable[bytes, bytes] = channel.stream_stream(METHOD)
            call = play(metadata=metadata)
            if not self.has("no-hello"):
                self.out.put_nowait(referee_pb2.PlayRequest(hello=self.hello()))
            reader = asyncio.create_task(self.read(call))
            writer = asyncio.create_task(self.write(call))
            stopping = asyncio.create_task(self.stop.wait())
            await asyncio.wait((reader, stopping), return_when=asyncio.FIRST_COMPLETED)
            if not reader.done():
                await self.farewell(reader)
            stopping.cancel()
            call.cancel()
            writer.cancel()
            await asyncio.wait((reader, writer))
            reader.result()
            if self.has("leaks-files"):
                self.kept.append(os.open("/dev/null", os.O_RDONLY))
            return await call.code()

    def hello(self) -> referee_pb2.Hello:
        hello = referee_pb2.Hello(
            protocol_version=2 if self.has("version-2") else 1,
            bot_name="n" * 100 if self.has("long-name") else "faulty",
            max_matches=1000 if self.has("matches-1000") else 64,
        )
        if self.session is not None and not self.has("no-session-token"):
            hello.session_token = self.session
        return hello

    async def farewell(self, reader: "asyncio.Task[None]") -> None:
        if not self.has("no-goodbye"):
            goodbye = referee_pb2.Goodbye(text="told to end")
            self.out.put_nowait(referee_pb2.PlayRequest(goodbye=goodbye))
            self.out.put_nowait(None)
            await asyncio.wait((reader,))  # to the end of the stream, as a good bot may

    async def write(self, call: "grpc.aio.StreamStreamCall[bytes, bytes]") -> None:
        try:
            while (frame := await self.out.get()) is not None:
                await call.write(frame.SerializeToString())
            await call.done_writing()
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError, asyncio.CancelledError):
            return

    async def read(self, call: "grpc.aio.StreamStreamCall[bytes, bytes]") -> None:
        while True:
            try:
                data = await asyncio.wait_for(call.read(), 3 if self.has("exits-idle") else None)
            except TimeoutError:
                os._exit(0)
            except (grpc.aio.AioRpcError, asyncio.CancelledError):
                return
            if not isinstance(data, bytes):
                return
            frame = referee_pb2.PlayResponse.FromString(data)
            self.look(frame)
            if await self.take(frame):
                return

    def look(self, frame: referee_pb2.PlayResponse) -> None:
        """End at what the faults cannot bear."""
        if self.has("strict-frames") and not frame.ListFields():
            raise Dead
        for message in messages(frame):
            if self.has("strict-fields") and len(UnknownFieldSet(message)):
                raise Dead
            if self.has("strict-enums"):
                self.look_at_enums(message)
            if self.has("strict-events") and is_unknown_event(message):
                raise Dead

    def look_at_enums(self, message: Message) -> None:
        for field, value in message.ListFields():
            if field.enum_type is not None:
                known = field.enum_type.values_by_number
                if any(n not in known for n in (value if field.is_repeated else [value])):
                    raise Dead

    async def take(self, frame: referee_pb2.PlayResponse) -> bool:
        """Take a frame; True where the stream is to end."""
        if frame.HasField("welcome"):
            self.welcome(frame.welcome)
        odd = frame.ping.number % 2 == 1
        if (
            frame.HasField("ping")
            and not self.has("no-pong")
            and (odd or not self.has("some-pongs"))
        ):
            pong = referee_pb2.Pong(number=frame.ping.number)
            self.out.put_nowait(referee_pb2.PlayRequest(pong=pong))
        if frame.updates:
            await self.play(frame)
        if frame.HasField("closing"):
            return await self.close(frame.closing)
        if frame.HasField("redirect"):
            return self.redirect(frame.redirect.address)
        if frame.HasField("moved") and not self.has("no-moved"):
            self.goal, self.moved = frame.moved.address, True
            return True
        return self.has("leaves-idle") and not frame.updates

    def welcome(self, welcome: referee_pb2.Welcome) -> None:
        if self.streams > 1 and not welcome.resumed and self.has("only-resumed"):
            raise Dead
        self.welcomed, self.redirects = True, 0
        if self.session is None or not self.has("first-token"):
            self.session = welcome.session_token
        if self.has("prints"):
            print("welcome", flush=True)
        if self.has("prints-blanks"):
            print("\n" * 1000, flush=True)
        if self.has("logs-token"):
            self.log(self.token)
        if self.has("logs-session"):
            self.log(welcome.session_token)
        if self.has("prints-token"):
            print(f"token {self.token}", file=sys.stderr, flush=True)
        if self.has("resends") and self.last:
            self.out.put_nowait(referee_pb2.PlayRequest(answers=self.last))
        if self.has("leaks-threads"):
            threading.Thread(target=threading.Event().wait, daemon=True).start()
        if self.has("floods"):
            self.kept.append(asyncio.create_task(self.flood(10, 0.01)))
        if self.has("polls"):
            self.kept.append(asyncio.create_task(self.flood(1, 0.3)))

    def log(self, text: str) -> None:
        folder = Path(os.environ["TICHU_LOG_DIR"]) / "mine"
        folder.mkdir(exist_ok=True)
        (folder / "bot.log").write_text(f"welcome {text}\n")

    async def flood(self, frames: int, pause_s: float) -> None:
        while True:
            for _ in range(frames):
                self.out.put_nowait(referee_pb2.PlayRequest())
            await asyncio.sleep(pause_s)

    async def close(self, closing: referee_pb2.Closing) -> bool:
        if self.has("talks-after-closing"):
            answer = referee_pb2.Answer(match=1, ask_id=1)
            answer.default_action.SetInParent()
            for _ in range(5):
                self.out.put_nowait(referee_pb2.PlayRequest(answers=[answer]))
                await asyncio.sleep(0.1)
        if not closing.retry or self.has("no-closing-retry"):
            good = closing.code == referee_pb2.CLOSING_CODE_DRAINING and not closing.retry
            self.code = 0 if good else 4
        return True

    def redirect(self, address: str) -> bool:
        self.redirects += 1
        most = 2 if self.has("two-redirects") else MOST_REDIRECTS
        if self.has("prints-token-redirected"):
            print(f"to {address} with {self.token}", file=sys.stderr, flush=True)
        if self.has("no-redirect"):
            raise Dead
        if self.redirects > most and not (self.has("endless-redirects") or self.has("slow-loop")):
            raise Dead
        self.goal = address
        return True

    async def play(self, frame: referee_pb2.PlayResponse) -> None:
        """Answer what is asked, in one frame."""
        for update in frame.updates:
            self.news(update)
        reply = self.answers.to(frame)
        if self.has("slow") and any(answer.HasField("act") for answer in reply.answers):
            await asyncio.sleep(3.0)
        if self.has("slow-many"):
            await asyncio.sleep(0.06 * len(reply.answers))
        if self.has("thinks-in-reader") and reply.answers:
            time.sleep(1.5)  # noqa: ASYNC251, TID251 - the fault
        if reply.ByteSize():
            self.last = list(reply.answers)
            self.out.put_nowait(reply)
            if self.has("twice"):
                self.out.put_nowait(reply)

    def news(self, update: match_pb2.Update) -> None:
        if self.has("low-seats") and update.HasField("seating") and update.seating.seat >= 2:
            raise Dead
        if self.has("leaks-frames"):
            self.kept.append(update.SerializeToString())
        if self.has("dies-on-many") and len(update.events) > 500:
            raise Dead
        if self.has("dies-on-cancel") and update.cancelled:
            raise Dead
        stale = match_pb2.ACK_STATUS_STALE
        if self.has("dies-on-stale") and any(ack.status == stale for ack in update.acks):
            raise Dead
        if self.has("dies-on-refused") and update.refused:
            raise Dead
        for ask in update.asks:
            key = (update.match, ask.ask_id)
            if self.has("dies-on-repeat") and key in self.seen:
                raise Dead
            self.seen.add(key)
        for event in update.events:
            self.event(update.match, event)

    def event(self, match: int, event: match_pb2.Event) -> None:
        if event.HasField("round_ended"):
            self.rounds += 1
            if self.has("two-rounds") and self.rounds == 2:
                raise Dead
        if event.HasField("went_out") and self.has("sore-loser") and event.went_out.seat % 2:
            raise Dead
        if event.HasField("match_ended"):
            self.matches += 1
            completed = event.match_ended.ending == match_pb2.ENDING_COMPLETED
            if self.has("leaks"):
                self.kept.append(os.urandom(200_000))
            if self.has("one-match") or (self.has("only-completed") and not completed):
                raise Dead


async def main(faults: set[str]) -> int:
    unknown = faults - FAULTS.keys()
    assert not unknown, f"no such faults: {unknown}"
    try:
        return await FaultyBot(faults).run()
    except Dead:
        return 4


if __name__ == "__main__":
    sys.exit(asyncio.run(main(set(sys.argv[1:]))))
