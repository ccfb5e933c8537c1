"""The record against what the seats saw: facts in order, and every nanosecond charged."""

from collections import Counter
from itertools import pairwise
from typing import cast

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.events import UNRECORDED, History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.record import AS_EVENT, Fact, Record, whole
from tests.simulation.audit.seats import TISCH
from tests.simulation.audit.story import Story

TIMED_OUT = match_pb2.CANCEL_REASON_TIMED_OUT
_SETTLED = {"answered", "timed_out", "released"}


class Ledger:
    """Judges a record."""

    def __init__(
        self, story: Story, history: History, desk: Desk, record: Record, report: Report
    ) -> None:
        self._story, self._history, self._desk = story, history, desk
        self._record, self._report = record, report
        self._began = story.transcript.began
        self._charged: Counter[tuple[int, int]] = Counter()
        self.banks = [history.seating.bank_ms * 1_000_000 for _ in story.hands]
        self._unsure: set[int] = set()  # hands of which some charge may be another's

    def judge(self) -> None:
        """Judge the whole record."""
        self._order()
        self._events()
        for line, fact in enumerate(self._record.facts):
            if fact["t"] in _SETTLED:
                self._settled(line, fact)
        self._by_ask()
        self._sums()

    @property
    def strikes(self) -> list[int]:
        """How many strikes the record counts for each seat."""
        seats = [whole(fact, "seat") for fact in self._record.facts if fact["t"] == "strike"]
        return [seats.count(seat) for seat in self._story.hands]

    @property
    def has_result(self) -> bool:
        return any(fact["t"] == "match_ended" for fact in self._record.facts)

    def _say(self, code: F, fact: Fact, text: str) -> None:
        at = max(self._story.lives.instants(whole(fact, "at")), default=self._began)
        self._report.add(code, at, f"record: {text}")

    def _order(self) -> None:
        facts = self._record.facts
        for before, fact in pairwise(facts):
            if whole(fact, "at") < whole(before, "at"):
                self._say(F.RECORD, fact, f"{fact['t']} runs back")
        ends = [fact for fact in facts if fact["t"] == "match_ended"]
        if len(ends) > 1 or (ends and facts[-1] is not ends[0]):
            self._say(F.TWO_RESULTS, facts[-1], f"{len(ends)} results, the last fact is none")

    def _events(self) -> None:
        """The public facts are the events, one for one."""
        facts = self._record.public
        numbers = [n for n, kind in enumerate(self._history.kinds) if kind not in UNRECORDED]
        deals = iter(self._record.commitments)
        for fact, line, n in zip(facts, self._record.lines, numbers, strict=False):
            kind, event = self._history.kinds[n], self._history.events[n]
            if kind == "unknown":
                next(deals, None) if fact["t"] == "dealt" else None
                continue
            if AS_EVENT[str(fact["t"])] != kind:
                self._say(F.RECORD, fact, f"{fact['t']} where the seats saw {kind}")
                return
            if kind == "round_started" and next(deals) != event.round_started.commitment:
                self._say(F.DEAL, fact, "the commitment does not fit the seed")
            self._same(fact, line, kind, event, n)
        if len(facts) < len(numbers) and not self._story.lives.failures:
            self._say(F.RECORD, facts[-1], f"{len(numbers) - len(facts)} events are no facts")

    def _same(self, fact: Fact, line: int, kind: str, event: match_pb2.Event, n: int) -> None:
        if self._history.first_told[n] < self._story.lives.clock(line, whole(fact, "at")):
            self._say(F.RECORD, fact, f"{kind} was told before it happened")
        body = getattr(event, kind)
        if "seat" in fact and kind != "match_ended" and fact["seat"] != body.seat:
            self._say(F.RECORD, fact, f"{kind} of seat {fact['seat']}, told of {body.seat}")
        if kind == "played" and list(body.play.cards) != fact["cards"]:
            self._say(F.RECORD, fact, f"played {fact['cards']}, told {list(body.play.cards)}")

    def _settled(self, line: int, fact: Fact) -> None:
        """Compare the times of a fact with those of the seat's ask."""
        seat, charged = whole(fact, "seat"), whole(fact, "charged")
        known = self._desk.asked[seat].get(whole(fact, "ask"))
        self.banks[seat if known is None else known.hand] -= charged
        if known is None and charged and len(self._story.hands) > len(self._story.seats):
            self._unsure |= {seat, TISCH}  # it may have been for either hand
        self._charged[seat, whole(fact, "ask")] += charged
        if charged < 0:
            self._say(F.CHARGES, fact, f"{charged} ns charged")
        limits = self._story.transcript.limits
        if not 0 <= whole(fact, "lag") <= max(limits.lag_cap, 0):
            self._say(F.LAG, fact, f"a lag of {whole(fact, 'lag')} ns")
        asked = self._desk.asked[seat].get(whole(fact, "ask"))
        if asked is None or not asked.exact or asked.life != self._story.lives.life_of(line):
            return
        sent = whole(fact, "sent", -1)
        instants = self._story.lives.instants(sent)
        if sent >= 0 and asked.kind != "bomb" and asked.sent not in instants:
            text = f"{asked.name} sent at {sent}, it left at {asked.sent - self._began}"
            self._say(F.RECORD, fact, text)
        if fact["t"] == "answered":
            self._answered(line, fact)

    def _by_ask(self) -> None:
        """What each ask cost is what its stamps say."""
        for (seat, ask), charged in self._charged.items():
            asked = self._desk.asked[seat].get(ask)
            if asked is None or not asked.exact or asked.presumed:
                continue
            sure = self._desk.timing.quotas[seat].sure
            applied = asked.followed or asked.kind in ("call", "exchange")
            if asked.cancelled is None and (asked.accepted is None or not applied):
                continue  # what became of it was never told
            if sure and asked.charged != charged and asked.cancelled != TIMED_OUT:
                text = f"record: {asked.name} cost {charged} ns, not {asked.charged}"
                self._report.add(F.CHARGES, asked.sent, text)

    def _answered(self, line: int, fact: Fact) -> None:
        seat, ask = whole(fact, "seat"), whole(fact, "ask")
        at = self._story.lives.clock(line, whole(fact, "at"))
        # A stamp from before a block is moved up to the last thing that had happened by then; a
        # pass that goes on through a second block keeps its stamp.
        blocked = self._desk.timing.stalled(at, at)
        if not any(
            at - blocked <= item.at <= at + blocked or item.moved == at
            for item in self._desk.answers.get((seat, ask), ())
        ):
            self._say(F.RECORD, fact, f"seat {seat} sent no answer to ask {ask} at that stamp")

    def _sums(self) -> None:
        """What was charged is what left the banks, to the nanosecond."""
        end = self._record.facts[-1]
        if end["t"] != "match_ended" or not self._desk.timing.clocked:
            return
        banks = cast(list[int], end.get("banks", []))
        pairs = zip(banks, self.banks, strict=True)
        if any(a != b for hand, (a, b) in enumerate(pairs) if hand not in self._unsure):
            self._say(F.CHARGES, end, f"banks {banks}, the charges leave {self.banks}")
        for seat, bank in enumerate(self._desk.timing.banks):
            who = self._story.seats if seat not in self._story.seats else [seat]
            asks_seen = not any(self._story.links[one].was_away(self._began) for one in who)
            if asks_seen and not bank.low - 1 <= banks[seat] <= bank.high + 1:
                text = f"seat {seat} has {banks[seat]} ns left, by its answers {bank.low}"
                self._say(F.CHARGES, end, text)
