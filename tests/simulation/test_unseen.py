"""What a seat does not see, and the auditor has to allow for: and no more than that."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.app.limits import Limits
from referee.match.values import MS, Clock, Ending, Pace
from referee.rules.option_values import GrandOrder, SelfOvertake
from referee.rules.options import RuleOptions
from tests.simulation.audit.auditor import audit
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.transcript import (
    SECOND,
    Entry,
    In,
    Out,
    Transcript,
    World,
    WorldEvent,
)
from tests.simulation.lies_of_times import a_seat_hears_later
from tests.simulation.service.bots import Bot, Conduct, Outgoing
from tests.simulation.service.network import LinkEnd
from tests.simulation.service.plans import Outage
from tests.simulation.service.playing import transcripts_of
from tests.simulation.service.policy import Hand
from tests.simulation.service.tables import conduct, plan_of, played, settings_of
from tests.simulation.transcripts import Response, events, number_of

_START = 200 * MS  # of the match, after that of the simulation
_BASE = 250 * MS


def transcript_of(
    name: str, seats: Mapping[int, Mapping[str, object]], **more: object
) -> Transcript:
    plan = plan_of(changes=seats, name=name, first_match_ns=_START, **more)  # type: ignore[arg-type]
    return transcripts_of(played(plan))[0]


def updates(transcript: Transcript, seat: int) -> list[match_pb2.Update]:
    return [
        update
        for entry in transcript.entries
        if isinstance(entry, Out) and entry.seat == seat
        for update in Response.FromString(entry.frame).updates
    ]


def codes(transcript: Transcript) -> set[F]:
    return {finding.code for finding in audit(transcript)}


# --- a seat comes to find an ask whose time runs


class AtTheLast(Conduct):
    """Answers its call ask with a millisecond to spare, by the time that it was told."""

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """All of it but one millisecond."""
        return (ask.time_left_ms - 1) * MS if ask.HasField("call") else think


def came_late() -> Transcript:
    """Seat 0 comes in the middle of its call ask, which was put when the store had its facts."""
    settings = settings_of(Clock(base_ns=_BASE, bank_ns=0))
    late = {0: {"hello_ns": _START + 100 * MS, "conducts": (conduct(AtTheLast),)}}
    return transcript_of("late 4", late, settings=settings, store_latency_ns=5 * MS)


def answer_to_call(transcript: Transcript) -> In:
    return next(
        entry
        for entry in transcript.entries
        if isinstance(entry, In)
        and entry.seat == 0
        and referee_pb2.PlayRequest.FromString(entry.frame).answers
    )


def test_who_comes_late_has_the_time_that_it_was_told() -> None:
    transcript = came_late()
    assert answer_to_call(transcript).at > transcript.began + _BASE, "else nothing is tested"
    assert audit(transcript) == []


def test_and_not_2_ms_more_than_that() -> None:
    transcript = came_late()
    answer = answer_to_call(transcript)
    late = replace(answer, at=answer.at + 3 * MS)
    entries = tuple(late if entry is answer else entry for entry in transcript.entries)
    assert F.WRONGLY_ACCEPTED in codes(replace(transcript, entries=entries))


# --- a seat is asked that is not there


def absent() -> Transcript:
    """All wait for the Grand decision of seat 0, which never comes, to the end of its start."""
    rules = RuleOptions(rounds=1, grand_order=GrandOrder.BY_SEAT)
    settings = settings_of(Clock(base_ns=_BASE, bank_ns=3 * SECOND), rules=rules)
    limits = Limits(grace_ns=0)
    return transcript_of("absent", {0: {"hello_ns": None}}, settings=settings, limits=limits)


def test_the_time_of_a_seat_that_is_not_there_runs_unseen() -> None:
    transcript = absent()
    last = updates(transcript, 1)[-1].events[-1].match_ended
    assert last.ending == match_pb2.ENDING_NEVER_STARTED
    assert audit(transcript) == []


def test_and_no_longer_than_base_and_bank() -> None:
    transcript = absent()
    entries = tuple(
        replace(entry, at=entry.at + 4 * SECOND) if entry.at > transcript.began + _BASE else entry
        for entry in transcript.entries
    )
    assert F.HANG in codes(replace(transcript, entries=entries, record=None))


# --- an ask that is over before it goes out


class DeclinesAhead(Conduct):
    """Stands down in the frame of its first play or pass that others may bomb."""

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """Put the stand-down behind the answer."""
        if not ask.HasField("act") or ask.act.leading or hand.last_ask > ask.ask_id:
            return frames
        frame = referee_pb2.PlayRequest.FromString(frames[0][1])
        frame.stand_downs.add(match=hand.number, request_id=1)
        return [(0, frame.SerializeToString())]


def numbers(transcript: Transcript, seat: int) -> list[int]:
    return [ask.ask_id for update in updates(transcript, seat) for ask in update.asks]


def declined_ahead() -> tuple[Transcript, int]:
    """A match in pace fast, and a seat that holds a bomb and declines before it is asked."""
    everybody = {seat: {"conducts": (conduct(DeclinesAhead),)} for seat in range(4)}
    for seed in range(20):
        settings = settings_of(pace=Pace.FAST)
        transcript = transcript_of(f"ahead {seed}", everybody, settings=settings, deal_tries=200)
        for seat in range(4):
            known = numbers(transcript, seat)
            if known != list(range(1, len(known) + 1)):
                return transcript, seat
    raise AssertionError("nobody declined ahead in 20 matches")


def test_a_bomb_ask_that_a_stand_down_answered_in_its_pass_is_never_told() -> None:
    transcript, _ = declined_ahead()
    assert audit(transcript) == []


def test_without_the_stand_down_its_number_is_missing() -> None:
    transcript, seat = declined_ahead()
    entries = []
    for entry in transcript.entries:
        if entry.seat == seat and isinstance(entry, In):
            frame = referee_pb2.PlayRequest.FromString(entry.frame)
            del frame.stand_downs[:]
            entry = replace(entry, frame=frame.SerializeToString())
        entries.append(entry)
    assert F.ASK in codes(replace(transcript, entries=tuple(entries)))


# --- a call that is held when the store fails


class CallsFirst(Conduct):
    """Calls Tichu as soon as it is asked for the exchange."""

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Send the call by itself."""
        if ask.HasField("exchange"):
            frame = referee_pb2.PlayRequest()
            frame.calls.add(match=hand.number, request_id=7, call=match_pb2.CALL_KIND_TICHU)
            bot.transmit(frame.SerializeToString())


class GivesLate(Conduct):
    """Takes half a second for the exchange."""

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Half a second."""
        return 500 * MS if ask.HasField("exchange") else think


def test_a_held_call_comes_to_nothing_when_the_store_fails_at_the_barrier() -> None:
    seats = {2: {"conducts": (conduct(CallsFirst),)}, 3: {"conducts": (conduct(GivesLate),)}}
    away = Outage(at=_START + 400 * MS, length=90_000 * MS)  # longer than a store may be away
    transcript = transcript_of("held", seats, settings=settings_of(), outages=(away,))
    told = updates(transcript, 2)
    assert told[-1].events[-1].match_ended.ending == match_pb2.Ending.Value(
        f"ENDING_{Ending.STORE_FAILED.name}"
    )
    found = [ack.status for update in told for ack in update.acks if ack.request_id == 7]
    assert found == [match_pb2.ACK_STATUS_RECEIVED, match_pb2.ACK_STATUS_STALE]
    assert audit(transcript) == []


# --- a frame that waits for its pace while the loop is blocked


def heard_late_beside_a_block(length: int) -> Transcript:
    """A seat hears of a pass 40 ms after the others; the loop is blocked from then on."""
    transcript = a_seat_hears_later()
    number = number_of(transcript, "passed", 2)
    entries: list[Entry] = []
    for entry in transcript.entries:
        entries.append(entry)
        if isinstance(entry, Out):
            told = events(Response.FromString(entry.frame), "passed")
            if any(event.number == number for event in told) and entry.seat == 0:
                entries.append(World(entry.at, WorldEvent.STALL, length=length))
    return replace(transcript, entries=tuple(entries))


def test_a_block_may_come_between_two_seats_that_are_told_the_same() -> None:
    assert F.TOLD_APART not in codes(heard_late_beside_a_block(30 * MS))


def test_and_they_are_told_no_further_apart_than_it_lasted() -> None:
    assert F.TOLD_APART in codes(heard_late_beside_a_block(10 * MS))


# --- a bank that a late seat was not told, and a match that its refusals end


class ThreeTimesWrong(Conduct):
    """Answers every ask 100 ms after its base time with a choice that is none, three times."""

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """Base time and 100 ms."""
        return _BASE + 100 * MS

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """All three at once."""
        frame = referee_pb2.PlayRequest()
        for _ in range(3):
            answer = frame.answers.add(match=hand.number, ask_id=ask.ask_id)
            answer.act.index = 99
        return [(0, frame.SerializeToString())]


def test_an_ask_that_refusals_closed_is_not_late_when_the_match_ends_by_them() -> None:
    settings = settings_of(Clock(base_ns=_BASE, bank_ns=3 * SECOND), max_strikes=1)
    wrong = {0: {"hello_ns": _START + 100 * MS, "conducts": (conduct(ThreeTimesWrong),)}}
    transcript = transcript_of("wrong", wrong, settings=settings)
    ended = updates(transcript, 1)[-1].events[-1].match_ended
    assert (ended.ending, ended.seat) == (match_pb2.ENDING_FORFEIT_ILLEGAL, 0)
    assert audit(transcript) == []


# --- answers whose acknowledgement nobody was there to get


class BombsTooLateAndLeaves(Conduct):
    """Throws a bomb 30 ms after the close of its window, with a Goodbye behind it."""

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """The window and 30 ms where there is a bomb."""
        return (ask.time_left_ms + 30) * MS if ask.bomb.plays else think

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """The bomb and the Goodbye, at once."""
        if not ask.bomb.plays:
            return frames
        bomb, goodbye = referee_pb2.PlayRequest(), referee_pb2.PlayRequest()
        bomb.answers.add(match=hand.number, ask_id=ask.ask_id).bomb.index = 0
        goodbye.goodbye.SetInParent()
        return [(0, bomb.SerializeToString()), (0, goodbye.SerializeToString())]


def test_a_bomb_that_was_late_is_no_attempt_though_nobody_heard_so() -> None:
    everybody = {seat: {"conducts": (conduct(BombsTooLateAndLeaves),)} for seat in range(4)}
    settings = settings_of(pace=Pace.FAIR)
    transcript = transcript_of("leaves", everybody, settings=settings, deal_tries=200)
    told = [event for seat in range(4) for u in updates(transcript, seat) for event in u.events]
    ends = [event.match_ended.ending for event in told if event.HasField("match_ended")]
    assert match_pb2.ENDING_RESIGNED in ends, "else nothing is tested"
    assert audit(transcript) == []


class AnswersWhatWasBefore(Conduct):
    """Answers the ask before the first that it gets."""

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Answer the number before."""
        if bot.asks_seen == 1:
            frame = referee_pb2.PlayRequest()
            answer = frame.answers.add(match=hand.number, ask_id=ask.ask_id - 1)
            answer.default_action.SetInParent()
            bot.transmit(frame.SerializeToString())


def test_a_number_that_was_used_up_before_a_seat_came_is_too_late() -> None:
    settings = settings_of(Clock(base_ns=_BASE, bank_ns=0))
    late = {0: {"hello_ns": _START + 300 * MS, "conducts": (conduct(AnswersWhatWasBefore),)}}
    transcript = transcript_of("before", late, settings=settings)
    found = [ack for update in updates(transcript, 0) for ack in update.acks if ack.ask_id == 1]
    assert [ack.status for ack in found] == [match_pb2.ACK_STATUS_TOO_LATE]
    assert audit(transcript) == []


# --- a lead that is substituted when its seat is gone


class GoesAfterAPass(Conduct):
    """Keeps silent about the trick that it owns, and is gone once it is asked to lead."""

    def __init__(self) -> None:
        self._silent = 0

    def asked(self, bot: Bot, hand: Hand, ask: match_pb2.Ask) -> None:
        """Cut the link at the lead after the silence."""
        if self._silent and ask.act.leading:
            bot.lose(LinkEnd.CUT)

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """For ever where a pass lets it have the trick."""
        if ask.HasField("act") and ask.act.may_pass and not ask.provisional:
            self._silent += 1
            return None
        return think


def test_the_lead_of_a_seat_that_is_gone_is_not_what_it_said_to_its_own_trick() -> None:
    everybody = {seat: {"conducts": (conduct(GoesAfterAPass),)} for seat in range(4)}
    rules = RuleOptions(rounds=1, self_overtake=SelfOvertake.ANY, bomb_after_all_pass=False)
    settings = settings_of(Clock(base_ns=_BASE, bank_ns=0), rules=rules, pace=Pace.FAIR)
    transcript = transcript_of("gone", everybody, settings=settings)
    led = [
        after
        for before, after in pairwise(event for u in updates(transcript, 1) for event in u.events)
        if before.HasField("trick_taken") and after.HasField("played")
    ]
    assert led, "else nothing is tested"
    assert audit(transcript) == []
