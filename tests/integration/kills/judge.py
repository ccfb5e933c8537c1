"""Judges a campaign: what bots saw against what the records say, and each against the promises.

The records are read and verified as `referee record verify` does it.
"""

import signal
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from referee._gen.tichu.referee.v1 import match_pb2
from referee.formats.records import Record, RecordError, read_record
from referee.formats.verification import Verified, verify_record
from referee.match.facts import Answered, Faulted, MatchEnded, Resumed, StoodDown, Strike, TimedOut
from referee.match.replay import Difference, replay
from referee.match.values import MS, AckStatus, Blame, Ending
from referee.wire.codec import WireCodec
from tests.integration.kills.campaign import BANK_S, Life, Outcome
from tests.integration.kills.sightings import Finding, SeatSeen, Sightings
from tests.integration.kills.witness import What

_WAYS = (What.WITH_SESSION, What.WITH_BEARER)
_TAKEN = (AckStatus.RECEIVED, AckStatus.APPLIED)
_ACK_TAKEN = (match_pb2.ACK_STATUS_RECEIVED, match_pb2.ACK_STATUS_APPLIED)
_ACK_UNFIT = (match_pb2.ACK_STATUS_REFUSED, match_pb2.ACK_STATUS_UNSPECIFIED)


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, and how much there was to find it in."""

    findings: list[Finding]
    matches: int
    facts: int
    resumed: int  # facts that say that a match went on in another process
    most_resumed: int  # of one match
    events: int
    acks: int
    returns: Counter[str]  # Welcomes, by how the bot came

    @property
    def codes(self) -> set[str]:
        """The kinds of what was found."""
        return {finding.code for finding in self.findings}


def judge(outcome: Outcome) -> Verdict:
    """Return what is wrong with a campaign."""
    sightings = [Sightings(witness) for witness in outcome.witnesses]
    findings = [finding for one in sightings for finding in one.findings]
    records: dict[str, Record] = {}
    for path in sorted(outcome.records.glob("*.jsonl")):
        found = _read(path)
        if isinstance(found, Finding):
            findings.append(found)
        elif found.config.match_id in records:
            findings.append(Finding("two records", f"match {found.config.match_id}: {path.name}"))
        else:
            records[found.config.match_id] = found
    findings += _strays(outcome)
    for number, life in enumerate(outcome.lives, 1):
        if life.way is not None and life.status != -signal.SIGKILL:
            text = f"process {number} was to be killed, and ended with {life.status}"
            findings.append(Finding("ended itself", text))
    seats: defaultdict[str, list[SeatSeen]] = defaultdict(list)
    for one in sightings:
        for seat in one.seats.values():
            seats[seat.match_id].append(seat)
    if outcome.exit_status != 0:
        text = "the last process did not play its matches to the end and exit 0"
        findings.append(Finding("no end", f"{text}: {outcome.exit_status}"))
    parted = {one.name for one in sightings if one.parted}
    for match_id in sorted(records.keys() | seats.keys()):
        record = records.get(match_id)
        if record is None:
            findings.append(Finding("no record", f"match {match_id} was seen and has no record"))
            continue
        findings += judge_match(record, seats[match_id], outcome.lives)
        last = outcome.lives[-1].began
        for seat in seats[match_id]:
            if not seat.told_end and (seat.bot in parted or seat.last_seen < last):
                # who lost its last stream some other way lost what was on its way in it
                findings.append(Finding("end untold", f"{seat.where}: the end was never told"))
    resumed = [sum(isinstance(f, Resumed) for f in record.facts) for record in records.values()]
    return Verdict(
        findings=findings,
        matches=len(records),
        facts=sum(len(record.facts) for record in records.values()),
        resumed=sum(resumed),
        most_resumed=max(resumed, default=0),
        events=sum(len(seat.events) for found in seats.values() for seat in found),
        acks=sum(len(seat.acks) for found in seats.values() for seat in found),
        returns=Counter({what.value: sum(s.returns[what] for s in sightings) for what in _WAYS}),
    )


def _strays(outcome: Outcome) -> Iterator[Finding]:
    """Nothing lies about but records, and the store, which has nothing left in it."""
    for path in sorted(outcome.records.iterdir()):
        if path.suffix != ".jsonl" and not path.name.startswith("referee.db"):
            yield Finding("stray file", path.name)
    printed = Counter(line.split()[1] for line in outcome.printed if line.startswith("match "))
    for match_id, times in printed.items():
        if times > 1:
            yield Finding("printed twice", f"match {match_id}: {times} lines say its end")


def _read(path: Path) -> Record | Finding:
    try:
        record = read_record(path.read_bytes().splitlines(keepends=True))
    except RecordError as error:  # the chain of hashes is part of it
        return Finding("record unreadable", f"{path.name}: {error}")
    verdict = verify_record(record)
    if isinstance(verdict, Verified):
        return record
    return Finding("record untrue", f"{path.name}: line {verdict.line}: {verdict.why}")


def judge_match(
    record: Record, seats: Sequence[SeatSeen], lives: Sequence[Life]
) -> Iterator[Finding]:
    """Judge one match, whose record is true."""
    name = f"match {record.config.match_id}"
    yield from _facts(record, name)
    yield from _time(record, name, seats, lives)
    yield from _epochs(record, name, lives)
    told = _events(record)
    for seat in seats:
        yield from _seen(seat, told)
        yield from _answered(record, seat)
    for index, player in enumerate(record.config.players):
        if not any(seat.seat == index and seat.bot == player.name for seat in seats):
            yield Finding("never seated", f"{name} seat {index}: {player.name} was not told of it")


def _facts(record: Record, name: str) -> Iterator[Finding]:
    """Bots answer at once, and no process of theirs is to blame for anything."""
    once = Counter(
        (fact.seat, fact.ask)
        for fact in record.facts
        if isinstance(fact, Answered) and fact.status in _TAKEN
    )
    for (seat, ask), times in once.items():
        if times > 1:
            yield Finding(
                "taken twice", f"{name} seat {seat}: ask {ask} was answered {times} times"
            )
    for fact in record.facts:
        if isinstance(fact, Strike | Faulted | TimedOut):
            yield Finding("fault", f"{name}: {type(fact).__name__} {msgspec.to_builtins(fact)}")
        elif getattr(fact, "charged", 0):
            yield Finding("charged", f"{name}: {msgspec.to_builtins(fact)}")
    end = record.facts[-1]
    assert isinstance(end, MatchEnded)  # it verified
    if (end.ending, end.blame) != (Ending.COMPLETED, Blame.NONE):
        yield Finding("bad end", f"{name}: {end.ending.value}, blame {end.blame.value}")
    if set(end.banks) != {BANK_S * 1_000 * MS}:
        yield Finding("charged", f"{name}: the banks are {end.banks}")


def _time(
    record: Record, name: str, seats: Sequence[SeatSeen], lives: Sequence[Life]
) -> Iterator[Finding]:
    """A match is no older than the processes that ran it, from the one before it was seen."""
    if not seats:
        return
    began, ended = min(s.first_seen for s in seats), max(s.last_seen for s in seats)
    touching = [at for at, life in enumerate(lives) if life.ended >= began and life.began <= ended]
    ran = lives[max(0, touching[0] - 1) : touching[-1] + 1]
    most = sum(life.ended - life.began for life in ran)
    if record.facts[-1].at > most * 1e9:
        text = f"{record.facts[-1].at / 1e9:.3f} s old; its processes lived {most:.3f} s"
        yield Finding("too old", f"{name}: {text}")


def _epochs(record: Record, name: str, lives: Sequence[Life]) -> Iterator[Finding]:
    epochs = [fact.epoch for fact in record.facts if isinstance(fact, Resumed)]
    if epochs != sorted(set(epochs)):
        yield Finding("epoch", f"{name}: went on in the epochs {epochs}")
    if epochs and not 2 <= epochs[0] <= epochs[-1] <= len(lives):
        yield Finding("epoch", f"{name}: epochs {epochs} of {len(lives)} processes")


def _events(record: Record) -> list[dict[int, bytes]]:
    """By seat the events that the record's facts give, by number."""
    codec, count = WireCodec(), len(record.config.players)
    told: list[dict[int, bytes]] = [{} for _ in range(count)]
    number = 1
    for one in replay(record.config, record.facts):
        assert not isinstance(one, Difference)  # it verified
        events = codec.events(number, one.step.events, count) if one.step.events else []
        number += len(events)
        for event in events:
            for seat in range(count):
                own = event if isinstance(event, bytes) else event[seat]
                (parsed,) = match_pb2.Update.FromString(codec.event_part([own])).events
                told[seat][parsed.number] = parsed.SerializeToString(deterministic=True)
    return told


def _seen(seat: SeatSeen, told: Sequence[dict[int, bytes]]) -> Iterator[Finding]:
    mine = told[seat.seat]
    for number, data in seat.events.items():
        if mine.get(number) != data:
            yield Finding("event unknown", f"{seat.where}: event {number} is not in the record")


def _answered(record: Record, seat: SeatSeen) -> Iterator[Finding]:
    """What was acknowledged is a fact, and what is a fact was said."""
    facts: defaultdict[int, list[Answered]] = defaultdict(list)
    stood_down = 0
    for fact in record.facts:
        if isinstance(fact, Answered) and fact.seat == seat.seat:
            facts[fact.ask].append(fact)
        elif isinstance(fact, StoodDown) and fact.seat == seat.seat:
            stood_down += fact.status in _TAKEN
    requests = set()
    for ack in seat.acks:
        if ack.status in _ACK_UNFIT:
            yield Finding("refused", f"{seat.where}: ask {ack.ask_id} got status {ack.status}")
        if ack.charged_ms:
            yield Finding("charged", f"{seat.where}: ask {ack.ask_id}: {ack.charged_ms} ms")
        if ack.status in _ACK_TAKEN and ack.HasField("request_id"):
            requests.add(ack.request_id)
        elif ack.status in _ACK_TAKEN and not _has_taken(facts[ack.ask_id]):
            yield Finding("answer lost", f"{seat.where}: the answer to ask {ack.ask_id}")
    if len(requests) > stood_down:
        text = f"stood down {len(requests)} times, {stood_down} are facts"
        yield Finding("answer lost", f"{seat.where}: {text}")
    for ask, taken in facts.items():
        for fact in taken:
            if fact.decision not in seat.said[ask]:
                yield Finding("invented", f"{seat.where}: ask {ask}: {fact.decision}")


def _has_taken(facts: Sequence[Answered]) -> bool:
    return any(fact.status in _TAKEN for fact in facts)
