"""How a match ended, and whether that follows from what happened to its seats (PROTOCOL, Faults)"""

from collections.abc import Iterator
from itertools import pairwise

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.asked import HOLD
from tests.simulation.audit.awards import Awards
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.link import Link
from tests.simulation.audit.lives import Restart
from tests.simulation.audit.story import Story, Told
from tests.simulation.audit.strikes import Strikes
from tests.simulation.audit.transcript import SECOND, World, WorldEvent

_BY_CLOSING = {
    referee_pb2.CLOSING_CODE_FLOODING: match_pb2.ENDING_FLOODED,
    referee_pb2.CLOSING_CODE_SLOW_READER: match_pb2.ENDING_SLOW_READER,
}
_OURS = (match_pb2.ENDING_REFEREE_FAILED, match_pb2.ENDING_STORE_FAILED)
_NEVER = 1 << 62
TOGETHER = SECOND  # links of two owners lost within this are the network's fault
READ_AFTER = SECOND // 20  # what waited through a block is read within this
EXIT_LIMIT = 2 * SECOND  # a process that exited ends its match within this


class Endings:
    """Judges the end of a match."""

    def __init__(self, story: Story, history: History, desk: Desk, report: Report) -> None:
        self._story, self._history, self._desk, self._report = story, history, desk, report
        self._limits = story.transcript.limits
        self.strikes = Strikes(story, desk)
        self._awards = Awards(history, report)
        ends = [n for n, kind in enumerate(history.kinds) if kind == "match_ended"]
        self.at = history.first_told[ends[0]] if ends else None
        self._ended = history.events[ends[0]].match_ended if ends else None
        if len(ends) > 1 or (ends and ends[0] != len(history.kinds) - 1):
            self._say(
                F.TWO_RESULTS, story.end, f"{len(history.kinds) - ends[0]} events from the end"
            )

    def _say(self, code: F, at: int, text: str) -> None:
        self._report.add(code, at, text)

    def judge(self, *, recorded: bool) -> None:
        """Judge the end. `recorded`: the record has a result, whoever was there to be told."""
        if self._ended is None or self.at is None:
            kept = recorded or bool(self._story.lives.failures)  # a store that never comes back
            if not kept or any(self._is_there(link) for _, link in self._players()):
                self._say(F.NO_RESULT, self._story.end, "no seat was told of an end")
            return
        self._after_end()
        over = min(self.at, self._story.over)  # it may have been told after a restart only
        self._ending(self._ended, over)
        self._all_heard(self.at)
        for due, text in self._due():
            if over > due:
                self._say(F.ENDING, due, f"{text}, and the match goes on")

    def _after_end(self) -> None:
        over: dict[int, int] = {}  # by seat: the process that told it
        for told in self._story.told():
            ends = any(event.HasField("match_ended") for event in told.update.events)
            again = ends and told.first and told.process > over.get(told.seat, told.process)
            if told.seat in over and not again and not _only_acks(told):
                self._say(F.AFTER_END, told.at, f"seat {told.seat} is told more after the end")
            if ends:
                over[told.seat] = told.process
                if told.update.asks and not _all_closed(told):
                    self._say(F.AFTER_END, told.at, f"seat {told.seat} is asked at the end")

    def _is_there(self, link: Link) -> bool:
        """Whether a seat has a stream at last, and never was without one for too long."""
        grace, over = self._limits.grace, self._story.over
        if self._unanswered_restart(over) is not None and link.ups[-1] >= over:
            return False
        return link.up and all(high is not None and high - low < grace for low, high in link.losses)

    def _players(self) -> Iterator[tuple[int, Link]]:
        """The seats that have a link, with it."""
        for seat in self._story.seats:
            yield seat, self._story.links[seat]

    def _all_heard(self, at: int) -> None:
        """Everybody who is there when a match ends, or back soon after, hears of it."""
        last, grace = len(self._history.kinds), self._limits.resume_grace
        failed = {self._ended.seat, *self._ended.failed_seats} if self._ended else set()
        again = [r.started.at for r in self._story.lives.restarts if r.over and r.started]
        for seat, link in self._players():
            if last in self._story.events[seat] or not link.up or seat in failed:
                continue
            since, busy = link.ups[-1], self._desk.timing.stalled(link.ups[-1], self._story.end)
            soon = since < at or any(low <= since <= low + grace - HOLD for low in again)
            if soon and max(since, at) + HOLD + busy < self._story.end:
                self._say(F.NO_RESULT, since, f"seat {seat} is not told of the end")

    # -- ending, seat and blame ---------------------------------------------------------------

    def _ending(self, ended: match_pb2.MatchEnded, at: int) -> None:
        name = match_pb2.Ending.Name(ended.ending)
        seat = ended.seat if ended.HasField("seat") else None
        why = self._unfounded(ended.ending, seat, at)
        if why:
            self._say(F.ENDING, at, f"{name} of seat {seat}: {why}")
        blames = self._blames(ended.ending, seat, self._history.happened[-1])
        if ended.blame not in blames:
            text = f"{name} of seat {seat}: {match_pb2.Blame.Name(ended.blame)}, not {blames}"
            self._say(F.BLAME, at, text)
        if ended.ending != match_pb2.ENDING_COMPLETED:
            self._awards.judge(ended, at, name)

    def judge_untold(self, ending: int, blame: int, seat: int | None, at: int) -> None:
        """Judge the blame of an end that only the record tells."""
        blames = self._blames(ending, seat, at)
        if blame not in blames:
            self._say(F.BLAME, at, f"record: {blame} for ending {ending}, not {blames}")

    def _unfounded(self, ending: int, seat: int | None, at: int) -> str:
        """Why the ending does not follow; nothing if it does."""
        if ending == match_pb2.ENDING_COMPLETED:
            return "a seat is named" if seat is not None else ""
        if ending == match_pb2.ENDING_CANCELLED:
            return "" if self._happened(WorldEvent.CANCELLED, at) else "nobody ordered it"
        if ending == match_pb2.ENDING_STORE_FAILED:
            failed = any(when <= at + HOLD for when in self._story.lives.failures)
            return "" if failed else "the store did not fail"
        if ending == match_pb2.ENDING_REFEREE_FAILED:
            return "the referee failed by itself"
        if ending == match_pb2.ENDING_ABANDONED:
            return self._no_cap(seat, at)
        if seat is None:
            return "no seat is named"
        return self._not_of_seat(ending, seat, at)

    def _not_of_seat(self, ending: int, seat: int, at: int) -> str:
        link = self._story.links[seat]
        if ending in (match_pb2.ENDING_FORFEIT_ILLEGAL, match_pb2.ENDING_FORFEIT_TIME):
            return self._no_forfeit(ending, seat, at)
        if ending == match_pb2.ENDING_RESIGNED:
            times = list(self._resigned(seat))
            return "" if times and min(times) <= at else "it did not give up"
        if ending == match_pb2.ENDING_CRASHED:
            return "" if self._happened(WorldEvent.EXITED, at, seat) else "its process lives"
        if ending == match_pb2.ENDING_NEVER_STARTED:
            began = self._story.transcript.began
            up = any(high is not None and began < high <= at for _, high in link.downs)
            return "it said Hello" if up or link.was_up(began) else ""
        if ending == match_pb2.ENDING_DISCONNECTED:
            restart = self._unanswered_restart(at)
            if restart is not None:
                return self._not_missed(seat, at, restart)
            grace = self._limits.grace
            gone = [
                low
                for low, high in link.losses
                if low <= at
                and (high is None or high >= at or (high >= at - HOLD and high - low >= grace))
            ]
            if not gone:
                return "it has a stream"
            early = gone[0] + grace - at
            return f"{early} ns before the grace is over" if early > 0 else ""
        codes = [code for closed, code in link.closings if closed <= at + HOLD]
        fits = any(_BY_CLOSING.get(code) == ending for code in codes)  # type: ignore[call-overload]
        return "" if fits else f"its stream closed with {codes}"

    def _unanswered_restart(self, at: int) -> Restart | None:
        """The restart after which a match that ended then had not gone on."""
        restarts = [r for r in self._story.lives.restarts if not r.over and r.killed.at <= at]
        return restarts[-1] if restarts and restarts[-1].resumed is None else None

    def _not_missed(self, seat: int, at: int, restart: Restart) -> str:
        """Why a seat is none that did not come back in time after a restart; nothing if it is."""
        links, due = self._story.links, self._limits.resume_grace
        due += restart.started.at if restart.started is not None else at
        missing = {s for s in self._story.seats if not links[s].was_up(due - 1)}
        named = {seat, *getattr(self._ended, "failed_seats", ())} if self._ended else missing
        if at < due - HOLD:
            return f"{due - at} ns before the grace of a restart is over"
        return "" if named == missing else f"of seats {named}, {missing} are not back"

    def _no_forfeit(self, ending: int, seat: int, at: int) -> str:
        strikes = [late for when, late in self.strikes.by_seat[seat] if when <= at + HOLD]
        unsure = seat in self.strikes.unsure  # whether it failed once more, in the last step
        if len(strikes) + unsure <= self._limits.max_strikes:
            hidden = self._story.links[seat].was_away(self._story.transcript.began)
            return "" if hidden else f"{len(strikes)} strikes"
        late = ending == match_pb2.ENDING_FORFEIT_TIME
        return "" if unsure or strikes[-1] == late else "its last strike was of the other kind"

    def _no_cap(self, seat: int | None, at: int) -> str:
        limits, here = self._limits, self._history.after[-1]
        banks = len(self._story.hands) * self._history.seating.bank_ms * 1_000_000
        wall = 4 * banks + limits.wall_per_round * max(1, here.round)
        if here.actions >= limits.max_actions or here.rounds_played >= limits.max_rounds:
            return "a seat is named" if seat is not None else ""
        if not self._desk.timing.clocked:
            return "no cap was reached"
        lasted = self._story.lives.match_time(at)
        return "" if lasted >= wall else f"{wall - lasted} ns before the cap"

    def _happened(self, what: WorldEvent, at: int, seat: int | None = None) -> bool:
        return any(w.what is what and w.at <= at and w.seat == seat for w in self._story.world)

    def _resigned(self, seat: int) -> Iterator[int]:
        for request in self._desk.requests[seat]:
            if isinstance(request.sent.what, referee_pb2.Resign):
                yield request.sent.at
        goodbye = self._story.links[seat].goodbye
        if goodbye is not None and goodbye >= self._story.transcript.began:
            yield goodbye

    def _blames(self, ending: int, seat: int | None, at: int) -> set[int]:
        if ending in _OURS:
            return {match_pb2.BLAME_REFEREE}
        if seat is None:
            return {match_pb2.BLAME_UNSPECIFIED}
        if ending != match_pb2.ENDING_DISCONNECTED:
            return {match_pb2.BLAME_BOT}
        if self._unanswered_restart(at) is not None:
            return {match_pb2.BLAME_UNKNOWN}
        link = self._story.links[seat]
        gone = next((low for low, _ in reversed(link.losses) if low <= at), 0)
        lost = [w.at for w in self._lost(seat) if w.at == gone]
        if not lost:  # it was sent away
            return {match_pb2.BLAME_BOT}
        return self._blame_for_loss(seat, lost[-1], at)

    def _lost(self, seat: int) -> list[World]:
        return [w for w in self._story.world if w.what is WorldEvent.LOST and w.seat == seat]

    def _blame_for_loss(self, seat: int, lost: int, at: int) -> set[int]:
        owners, limit = self._story.transcript.owners, self._limits.loop_limit
        blames = set()
        for other in self._story.seats:
            near = any(abs(w.at - lost) <= TOGETHER and w.at <= at for w in self._lost(other))
            if owners[other] != owners[seat] and near:
                blames.add(match_pb2.BLAME_NETWORK)
        left = {
            w.owner for w in self._story.world if w.what is WorldEvent.EXITED and w.seat is None
        }
        for w in self._story.world:
            far = w.what is WorldEvent.LOST and w.seat is None and w.owner != owners[seat]
            if far and abs(w.at - lost) <= TOGETHER and w.at <= at:
                blames.add(match_pb2.BLAME_NETWORK)
                if w.owner in left:  # whose process ended is no witness
                    blames.add(match_pb2.BLAME_BOT)
            long = w.what is WorldEvent.STALL and w.length > limit
            if long and w.at <= lost <= w.at + w.length + READ_AFTER:
                blames.add(match_pb2.BLAME_REFEREE)
                if lost > w.at + w.length:  # it waited through the block, or came just after
                    blames.add(match_pb2.BLAME_BOT)
        return {int(blame) for blame in blames} or {match_pb2.BLAME_BOT}

    # -- what has to have consequences --------------------------------------------------------

    def _due(self) -> Iterator[tuple[int, str]]:
        """Instants by which the match must be over, and why."""
        stalls, began = self._desk.timing.stalled(0, _NEVER) + HOLD, self._story.transcript.began
        for seat in self._story.seats:
            link = self._story.links[seat]
            for at in self._resigned(seat):
                yield at + stalls, f"seat {seat} gave up"
            for low, high in link.losses:
                gone = high is None or high - low > self._limits.grace + stalls
                if low >= began and gone:  # one that never was there is waited for by its clock
                    yield low + self._limits.grace + stalls, f"seat {seat} is gone"
            for at, code in link.closings:
                if code in _BY_CLOSING:
                    yield at + stalls, f"the stream of seat {seat} was closed"
            strikes = self.strikes.by_seat[seat]
            if len(strikes) > self._limits.max_strikes:
                at = strikes[self._limits.max_strikes][0]
                yield at + stalls + self._history.window, f"seat {seat} has too many strikes"
        for world in self._story.world:
            if world.what is WorldEvent.EXITED and world.seat is not None:
                yield (
                    max(world.at, began) + EXIT_LIMIT + stalls,
                    f"the process of seat {world.seat} ended",
                )
            elif world.what is WorldEvent.CANCELLED:
                yield world.at + stalls, "it was cancelled"
        yield from self._due_after_restarts()
        for failed in self._story.lives.failures:
            yield failed + HOLD + self._desk.timing.stalled(failed, failed), "the store was away"

    def _due_after_restarts(self) -> Iterator[tuple[int, str]]:
        kills = [restart.killed.at for restart in self._story.lives.restarts]
        for restart in self._story.lives.restarts:
            if restart.started is None or restart.resumed is not None or restart.over:
                continue
            due = restart.started.at + self._limits.resume_grace
            kills += [pause.refused for pause in self._story.lives.pauses]
            if not any(restart.started.at <= kill <= due + HOLD for kill in kills):
                blocked = sum(b.length for b in self._story.lives.stalls if b.at <= due <= b.end)
                yield due + HOLD + blocked, "seats are not back after a restart"

    # -- nothing hangs ------------------------------------------------------------------------

    def judge_strikes(self, recorded: list[int]) -> None:
        """The strikes that the record counts for each seat are those that its frames show."""
        began = self._story.transcript.began
        for seat in self._story.seats:
            strikes = self.strikes.by_seat[seat]
            link = self._story.links[seat]
            seen = not (link.was_away(began) or link.lazy or seat in self.strikes.unsure)
            if seen and len(strikes) != recorded[seat]:
                text = f"seat {seat} has {recorded[seat]} strikes, its frames show {strikes}"
                self._say(F.STRIKES, self._story.end, text)

    def judge_pauses(self) -> None:
        """Between two things that happen lies no more than the longest that is waited for."""
        if not self._desk.timing.clocked:
            return
        timing = self._desk.timing
        longest = max(timing.longest, self._limits.grace)
        end = self.at if self.at is not None else self._story.over
        began = self._story.transcript.began
        moments = sorted({began, end, *(at for at in self._progress() if at > began)})
        for before, after in pairwise(moments):
            if after > end:
                break
            slack = HOLD + timing.stalled(before, after) + 2 * self._history.window
            away = not all(link.was_up(before) for _, link in self._players())
            waited = max(longest, timing.longest_unseen) if away else longest
            if after - before > waited + slack:
                self._say(F.HANG, before, f"nothing happens for {after - before} ns")

    def _progress(self) -> Iterator[int]:
        """When anything happened that is more than a probe of a link."""
        yield from self._history.happened
        for item in self._story.items:
            update = item.update if isinstance(item, Told) else None
            if update is None or update.asks or update.cancelled or update.acks:
                yield item.at
        for world in self._story.world:
            yield world.at


def _only_acks(told: Told) -> bool:
    update = told.update
    return not (update.events or update.asks or update.HasField("seating"))


def _all_closed(told: Told) -> bool:
    """Whether asks that went out with the end were cancelled in the same update."""
    closed = {cancelled.ask_id for cancelled in told.update.cancelled}
    return all(ask.ask_id in closed for ask in told.update.asks)
