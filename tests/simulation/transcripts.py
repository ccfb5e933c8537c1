"""Good transcripts, and how to tell something else in one."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.values import MS, Clock, Pace
from tests.simulation.audit.transcript import SECOND, Entry, In, Out, Transcript
from tests.simulation.service.bots import Bot, Conduct
from tests.simulation.service.plans import Break, Outage, Return
from tests.simulation.service.playing import transcripts_of
from tests.simulation.service.policy import Hand
from tests.simulation.service.tables import conduct, kill, plan_of, played, settings_of

Response, Request = referee_pb2.PlayResponse, referee_pb2.PlayRequest
_SLOW = {seat: {"think_ns": (50 * MS, 200 * MS)} for seat in range(4)}
EditOut = Callable[[Out, referee_pb2.PlayResponse], None]


@cache
def good(pace: Pace = Pace.FAIR) -> Transcript:
    """One round between honest bots."""
    return transcripts_of(played(plan_of(settings_of(pace=pace), name="good")))[0]


@cache
def with_bombs() -> Transcript:
    """A match in pace fair in which a bomb is thrown out of turn."""
    for seed in range(60):
        plan = plan_of(settings_of(pace=Pace.FAIR), name=f"bombs {seed}")
        transcript = transcripts_of(played(plan))[0]
        if any(landed(transcript)):
            return transcript
    raise AssertionError("no bomb in 60 matches")


class AnswersNoCall(Conduct):
    """Lets the time of call asks and leads run out."""

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Never for these, as ever for others."""
        return None if ask.HasField("call") or ask.act.leading else think


@cache
def with_silence() -> Transcript:
    """A match in which seat 1 lets its time run out."""
    clock = Clock(base_ns=SECOND, bank_ns=2 * SECOND)
    settings = settings_of(clock, pace=Pace.FAST, max_strikes=2)
    plan = plan_of(settings, {1: {"conducts": (conduct(AnswersNoCall),)}}, name="silence")
    return transcripts_of(played(plan))[0]


@cache
def with_a_cut_link() -> Transcript:
    """A match that ends since the link of seat 2 broke."""
    plan = plan_of(settings_of(pace=Pace.FAST), name="cut", breaks=(Break(at=500 * MS, bot=2),))
    return transcripts_of(played(plan))[0]


@cache
def with_a_new_stream() -> Transcript:
    """A match in which the link of seat 1 breaks and its bot comes back with its session."""
    back = Break(at=700 * MS, bot=1, back_ns=200 * MS, returns=Return.SESSION)
    limits = Limits(ping_ns=SECOND, grace_ns=5 * SECOND)
    plan = plan_of(settings_of(), _SLOW, name="new stream", breaks=(back,), limits=limits)
    return transcripts_of(played(plan))[0]


@cache
def with_a_pause() -> Transcript:
    """A match in which the store refuses facts for two seconds."""
    away = Outage(at=700 * MS, length=2 * SECOND)
    plan = plan_of(settings_of(), _SLOW, name="pause", outages=(away,))
    return transcripts_of(played(plan))[0]


@cache
def with_a_restart() -> Transcript:
    """A match whose referee is killed and started again."""
    plan = plan_of(settings_of(), _SLOW, name="restart", kills=(kill(1_000 * MS),))
    return transcripts_of(played(plan))[0]


def fast() -> Transcript:
    return good(Pace.FAST)


def edited(transcript: Transcript, edit: EditOut) -> Transcript:
    """The transcript with every frame of the referee as `edit` leaves it."""
    entries: list[Entry] = []
    for entry in transcript.entries:
        if isinstance(entry, Out):
            frame = Response.FromString(entry.frame)
            edit(entry, frame)
            entry = replace(entry, frame=frame.SerializeToString())
        entries.append(entry)
    return replace(transcript, entries=tuple(entries))


def events(frame: referee_pb2.PlayResponse, kind: str) -> list[match_pb2.Event]:
    return [e for u in frame.updates for e in u.events if e.WhichOneof("event") == kind]


def number_of(transcript: Transcript, kind: str, which: int = 0) -> int:
    """The number of an event of a kind, by its place among them."""
    numbers = set()
    for entry in transcript.entries:
        if isinstance(entry, Out):
            numbers |= {e.number for e in events(Response.FromString(entry.frame), kind)}
    return sorted(numbers)[which]


def event_lie(
    transcript: Transcript,
    kind: str,
    change: Callable[[match_pb2.Event], None],
    *,
    which: int = 0,
    seats: tuple[int, ...] = (0, 1, 2, 3),
) -> Transcript:
    """The transcript with one event told otherwise to these seats."""
    number = number_of(transcript, kind, which)

    def edit(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        for event in events(frame, kind):
            if event.number == number and entry.seat in seats:
                change(event)

    return edited(transcript, edit)


def first(
    transcript: Transcript, change: Callable[[Out, match_pb2.Update], bool], *, skip: int = 0
) -> Transcript:
    """The transcript with the first update changed that `change` takes; it says whether it did."""
    left = skip

    def edit(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        nonlocal left
        for update in frame.updates:
            if left >= 0 and change(entry, update):
                left -= 1

    return edited(transcript, edit)


def ask_lie(
    transcript: Transcript,
    kind: str,
    change: Callable[[match_pb2.Ask], None],
    wanted: Callable[[match_pb2.Ask], bool] = lambda ask: True,
) -> Transcript:
    """The transcript with the first ask of a kind changed that is as wanted."""

    def take(entry: Out, update: match_pb2.Update) -> bool:
        for ask in update.asks:
            if ask.WhichOneof("kind") == kind and wanted(ask):
                change(ask)
                return True
        return False

    return first(transcript, take)


def ack_lie(
    transcript: Transcript,
    status: match_pb2.AckStatus.ValueType,
    change: Callable[[match_pb2.Update, match_pb2.Acknowledgement], None],
    *,
    kind: str = "act",
) -> Transcript:
    """The transcript with the first acknowledgement of a status and kind of ask changed."""
    acts = {
        (entry.seat, ask.ask_id)
        for entry in transcript.entries
        if isinstance(entry, Out)
        for update in Response.FromString(entry.frame).updates
        for ask in update.asks
        if ask.WhichOneof("kind") == kind
    }

    def take(entry: Out, update: match_pb2.Update) -> bool:
        for ack in update.acks:
            if ack.status == status and (entry.seat, ack.ask_id) in acts:
                change(update, ack)
                return True
        return False

    return first(transcript, take)


def answer_lie(transcript: Transcript, change: Callable[[referee_pb2.Answer], bool]) -> Transcript:
    """The transcript as if the first answer that `change` takes had been another."""
    entries, done = [], False
    for entry in transcript.entries:
        if isinstance(entry, In) and not done:
            frame = Request.FromString(entry.frame)
            done = any([change(answer) for answer in frame.answers][:1])
            entry = replace(entry, frame=frame.SerializeToString())
        entries.append(entry)
    assert done
    return replace(transcript, entries=tuple(entries))


def record_lie(
    transcript: Transcript, kind: str, change: Callable[[dict[str, object]], None]
) -> Transcript:
    """The transcript with the first fact of a kind changed."""
    lines, done = [], False
    for line in transcript.record or ():
        fact = json.loads(line)
        if fact.get("t") == kind and not done:
            change(fact)
            done = True
        lines.append(json.dumps(fact).encode())
    assert done
    return replace(transcript, record=tuple(lines))


def landed(transcript: Transcript) -> list[int]:
    """Numbers of the bombs that were thrown as answers to bomb asks."""
    threw = set()
    for entry in transcript.entries:
        if isinstance(entry, In):
            for answer in Request.FromString(entry.frame).answers:
                if answer.bomb.WhichOneof("choice") in ("index", "play"):
                    threw.add(entry.seat)
        elif isinstance(entry, Out):
            for event in events(Response.FromString(entry.frame), "played"):
                body = event.played
                if body.play.kind == match_pb2.PLAY_KIND_BOMB and body.seat in threw:
                    return [event.number]
    return []


def without(transcript: Transcript, what: Callable[[match_pb2.Update], None]) -> Transcript:
    """The transcript with something taken out of every update."""

    def edit(entry: Out, frame: referee_pb2.PlayResponse) -> None:
        for update in frame.updates:
            what(update)

    return edited(transcript, edit)
