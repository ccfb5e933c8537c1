"""When match time stood still: blocks of the loop, pauses of the store, restarts of the referee."""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.simulation.audit.transcript import Transcript, World, WorldEvent

_FAR = 1 << 62
_HOLD = 10_000_000  # ns


@dataclass(frozen=True, slots=True)
class Block:
    """A time in which nothing went on, from `at` for `length` ns. `anew`: asks are put anew after
    it, whatever its length."""

    at: int
    length: int
    anew: bool = False
    dead: bool = False  # the referee was killed: what was open is open still after it

    @property
    def end(self) -> int:
        return self.at + self.length


@dataclass(slots=True)
class Pause:
    """A time in which the store refused facts. `order` and `back_order` are places of entries."""

    refused: int
    at: int  # when match time stopped
    order: int
    lines: int
    end: int
    back: World | None = None
    back_order: int = _FAR


@dataclass(slots=True)
class Restart:
    """A referee that was killed and, if there is one, the process after it."""

    killed: World
    order: int
    started: World | None = None
    started_order: int = _FAR
    resumed: World | None = None
    resumed_order: int = _FAR
    over: bool = False  # the match had ended before
    end: int = _FAR  # when the match went on or ended, or the next kill came
    next_order: int = _FAR  # of that end or kill

    @property
    def wait_order(self) -> int:
        """Up to which entry the match stands still."""
        return min(self.started_order if self.over else self.resumed_order, self.next_order)


@dataclass(frozen=True, slots=True)
class _Segment:
    """Facts from a line on are at `began` plus their match time, `low` or later; without `began`
    they are of the one instant `fixed`."""

    line: int
    low: int
    began: int | None
    fixed: int = 0


class Lives:
    """The course of clock time and of match time."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._facts = [json.loads(line) for line in transcript.record or ()]
        self._facts = [fact for fact in self._facts if fact.get("t", "chain") != "chain"]
        self.pauses: list[Pause] = []
        self.restarts: list[Restart] = []
        self.stored: list[tuple[int, int]] = []  # place of an entry, facts that are kept from there
        self._end = max((entry.at for entry in transcript.entries), default=transcript.began)
        stalls = []
        for order, entry in enumerate(transcript.entries):
            if isinstance(entry, World):
                self._note(order, entry)
                if entry.what is WorldEvent.STALL:
                    stalls.append(Block(entry.at, entry.length))
        for restart in self.restarts:
            restart.end = self._end_of(restart)
        self.failures = [  # when the store was given up
            w.at
            for w in transcript.entries
            if isinstance(w, World) and w.what is WorldEvent.STORE_FAILED
        ]
        away = transcript.limits.store_away
        self.failures += [p.end for p in self.pauses if p.back is None and p.end >= p.at + away]
        self._segments = self._segment()
        for pause in self.pauses:
            pause.at = self._frozen(pause)
        self.stalls: Sequence[Block] = stalls
        self.blocks = sorted([*stalls, *self._stood_still()], key=lambda block: block.at)

    def _note(self, order: int, entry: World) -> None:
        pause = self.pauses[-1] if self.pauses else None
        restart = self.restarts[-1] if self.restarts else None
        if entry.what is WorldEvent.STORED:
            self.stored.append((order, entry.lines))
        elif entry.what is WorldEvent.STORE_AWAY:
            end = entry.at + self._transcript.limits.store_away
            self.pauses.append(Pause(entry.at, entry.at, order, entry.lines, min(end, self._end)))
        elif entry.what is WorldEvent.STORE_BACK and pause is not None and pause.back is None:
            self.stored.append((order, entry.lines))
            if entry.at <= pause.end:
                pause.back, pause.back_order, pause.end = entry, order, entry.at
        elif entry.what is WorldEvent.KILLED:
            if pause is not None and pause.back is None:
                pause.end = min(pause.end, entry.at)
            if restart is not None and restart.end == _FAR:
                restart.end, restart.next_order = entry.at, order
            over = any(f["t"] == "match_ended" for f in self._facts[: entry.lines])
            self.restarts.append(Restart(entry, order, over=over))
        elif entry.what is WorldEvent.RESTARTED and restart is not None:
            restart.started, restart.started_order = entry, order
        elif entry.what is WorldEvent.ENDED and restart is not None and restart.end == _FAR:
            restart.end, restart.next_order = entry.at, order  # it ended while it waited
        elif entry.what is WorldEvent.RESUMED and restart is not None:
            restart.resumed, restart.resumed_order = entry, order
            restart.end = entry.at

    def _end_of(self, restart: Restart) -> int:
        if restart.started is None:
            return min(restart.end, self._end)
        grace = 0 if restart.over else self._transcript.limits.resume_grace
        return min(restart.end, restart.started.at + grace, self._end)

    def _stood_still(self) -> Iterator[Block]:
        for pause in self.pauses:
            yield Block(pause.at, max(0, pause.end - pause.at), anew=pause.back is not None)
        for restart in self.restarts:
            yield Block(restart.killed.at, restart.end - restart.killed.at, dead=True)

    def _segment(self) -> list[_Segment]:
        moves: list[tuple[int, int, int, int, tuple[int, int] | None]] = []
        for p in self.pauses:
            on = None if p.back is None else (self._stopped(p, p.back), p.back.began)
            moves.append((p.order, p.lines, p.at, p.end, on))
        for r in self.restarts:
            on = None if r.resumed is None else (r.resumed.at - r.resumed.began, r.resumed.began)
            moves.append((r.order, r.killed.lines, r.killed.at, r.end, on))
        found = [_Segment(0, 0, self._transcript.began)]
        for _, line, stood, end, goes_on in sorted(moves, key=lambda move: move[0]):
            last = found[-1]
            if goes_on is not None:
                found.append(_Segment(line, *goes_on))
            else:
                low = last.low if last.began is None else stood - last.began
                found.append(_Segment(line, low, None, end - _HOLD))
        return found

    def _frozen(self, pause: Pause) -> int:
        """The instant at which match time stopped: that at which it went on, by the old count."""
        if pause.back is None:
            return pause.at
        here = next(i for i, s in enumerate(self._segments) if s.began == pause.back.began)
        before, stopped = self._segments[max(0, here - 1)].began, self._stopped(pause, pause.back)
        pause.end = max(pause.end, pause.back.began + stopped)
        return pause.at if before is None else before + stopped

    def _stopped(self, pause: Pause, back: World) -> int:
        """The match time of a pause: that of its fact, or of when it was over."""
        low, high = pause.lines, back.at - back.began
        for fact in self._facts[low:]:
            if fact["at"] > high + _HOLD:
                break
            if fact["t"] == "stalled" and fact["at"] > high - _HOLD:
                return int(fact["at"])
        return high

    def clock(self, line: int, at: int) -> int:
        """The instant of a fact: its place in the record, and its match time."""
        segment = next(s for s in reversed(self._segments) if s.line <= line)
        return segment.fixed if segment.began is None else segment.began + at

    def instants(self, at: int) -> set[int]:
        """What instants a match time may have been."""
        found, until = set(), _FAR
        for segment in reversed(self._segments):
            if segment.began is not None and segment.low <= at <= until:
                found.add(segment.began + at)
            until = segment.low
        return found

    def match_time(self, clock: int) -> int:
        """How long the match had gone on by an instant, but for the time in which it stood still.

        Blocks of the loop are no such time.
        """
        still = 0
        for block in self._stood_still():
            still += max(0, min(clock, block.end) - block.at)
        return clock - self._transcript.began - still

    def told_by(self, at: int) -> int:
        """By when something that happened is told, if the loop goes on from block to block."""
        due = at + _HOLD
        for block in self.blocks:
            if block.at <= due and block.end >= at:
                due = max(due, block.end + _HOLD)
        return due

    def paused_at(self, order: int) -> Pause | None:
        """The pause in which an entry stands."""
        for pause in self.pauses:
            if pause.order < order < pause.back_order:
                kill = next((r.order for r in self.restarts if r.order > pause.order), _FAR)
                return pause if order < kill else None
        return None

    def waits_at(self, order: int) -> bool:
        """Whether the match waits for its seats after a restart."""
        return any(r.started_order < order < r.wait_order for r in self.restarts)

    def process_at(self, order: int) -> int:
        """Which process of the referee it was, from 0, counted by kills."""
        return sum(restart.order < order for restart in self.restarts)

    def life_at(self, order: int) -> int:
        """How often the match had gone on after a restart."""
        return sum(restart.resumed_order < order for restart in self.restarts)

    def life_of(self, line: int) -> int:
        """How often the match had gone on after a restart when a fact was kept."""
        resumed = (restart for restart in self.restarts if restart.resumed is not None)
        return sum(restart.killed.lines <= line for restart in resumed)

    def kept_at(self, order: int) -> int | None:
        """How many facts were kept before an entry; None where nobody wrote that down."""
        if not self.stored:
            return None
        before = bisect_right(self.stored, order, key=_place)
        return self.stored[before - 1][1] if before else 0


def _place(stored: tuple[int, int]) -> int:
    return stored[0]
