"""Events: numbered without gap, the same for everybody; and what they make of the match."""

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.position import Position
from tests.simulation.audit.record import AS_EVENT, Record, whole
from tests.simulation.audit.rulebook import ANSWERS, Rulebook, rulebook
from tests.simulation.audit.ruling import PRIVATE, Ruling
from tests.simulation.audit.seats import seats_of
from tests.simulation.audit.story import Story

UNRECORDED = ("cards_dealt", "hand_shown")  # events that are no facts of their own
_SAME = (
    "match_id",
    "names",
    "teams",
    "player_seats",
    "options",
    "pace",
    "window_ms",
    "base_ms",
    "objective",
)


def rules_of(story: Story) -> Rulebook:
    """The options that the seats were told."""
    told = next((seating for seating in story.seatings if seating is not None), None)
    options = {option.name: option.value for option in told.options} if told else {}
    return rulebook(options, seats=story.transcript.seats)


class History:
    """The events of a match as a whole, and the position after each of them."""

    def __init__(self, story: Story, record: Record | None, report: Report) -> None:
        self._story, self._report = story, report
        seating = next((seating for seating in story.seatings if seating is not None), None)
        self.seating = seating or match_pb2.Seating()
        self.rules = rules_of(story)
        self.window = self.seating.window_ms * 1_000_000
        self.fair = self.seating.pace == match_pb2.PACE_FAIR
        self.events: list[match_pb2.Event] = []  # number 1 first; one seat's where private
        self.kinds: list[str] = []
        self.first_told: list[int] = []  # by event: when the first seat was told
        self.happened: list[int] = []  # by event: when it happened, by the record if there is one
        self._check_seatings()
        self._check_numbers()
        for fault in story.faults:
            report.add(*fault)
        self.ruling = Ruling(self.rules, lambda code, text: report.add(code, self._now, text))
        self.after: list[Position] = [self.ruling.at.copy()]  # after n events
        if record is not None:
            self.ruling.dealt, self.ruling.gifts = record.deals, record.exchanges
        self._now = story.transcript.began
        self._follow()
        self.happened = self._times(record)

    def _times(self, record: Record | None) -> list[int]:
        """The instants of the record as far as it has the events that the seats saw."""
        times, last, lives = self.first_told[:], 0, self._story.lives
        facts = iter(zip(record.lines, record.public, strict=True) if record is not None else ())
        for n, kind in enumerate(self.kinds):
            if kind not in UNRECORDED:
                line, fact = next(facts, (0, None))
                if fact is None or (kind != "unknown" and AS_EVENT[str(fact["t"])] != kind):
                    break
                last = lives.clock(line, whole(fact, "at"))
            times[n] = last
        return times

    def place(self, known: int) -> int:
        """The last event up to `known` that moved the game: calls ride anywhere."""
        known = min(known, len(self.kinds))
        while known and not self.moves(known):
            known -= 1
        return known

    def moves(self, number: int) -> bool:
        """Whether an event moves the game: a call does not, what opponents say to one does."""
        if self.kinds[number - 1] != "call_made":
            return True
        return self.events[number - 1].call_made.call in ANSWERS

    def _check_seatings(self) -> None:
        story, say = self._story, self._report.add
        for seat, seating in enumerate(story.seatings):
            if seating is None:
                continue
            teams = seats_of(self.rules.variant, self.rules.seats, 0, ()).teams
            told = (tuple(seating.teams), tuple(seating.player_seats))
            if seating.seat != seat or told != (teams, self.rules.players):
                say(F.SEATING, story.transcript.began, f"seat {seat} was told {seating.seat}")
            for name in _SAME:
                if getattr(seating, name) != getattr(self.seating, name):
                    say(F.SEATING, story.transcript.began, f"seat {seat} was told another {name}")
        seeds = [seating.bot_seed for seating in story.seatings if seating and seating.bot_seed]
        if any(len(seed) != 32 for seed in seeds):
            say(F.SEATING, story.transcript.began, "a bot_seed is not 32 bytes")

    def _check_numbers(self) -> None:
        for at, seat, number, expected in self._story.gaps:
            text = f"seat {seat} got event {number}, not {expected}"
            self._report.add(F.EVENT_GAP, at, text)

    def _follow(self) -> None:
        logs = self._story.events
        last = max((number for log in logs for number in log), default=0)
        for number in range(1, last + 1):
            told = [log.get(number) for log in logs]
            present = [(seat, entry) for seat, entry in enumerate(told) if entry is not None]
            if not present:
                self._lost_to_all(number)
                continue
            event = present[0][1][0]
            self._now = min(entry[1] for _, entry in present)
            self._compare(number, present)
            kind = event.WhichOneof("event") or "unknown"
            self.events.append(event)
            self.kinds.append(kind)
            self.first_told.append(self._now)
            self.ruling.apply([entry and entry[0] for entry in told])
            self.after.append(self.ruling.at)
            self.ruling.at = self.ruling.at.copy()

    def _lost_to_all(self, number: int) -> None:
        """No seat ever had a link to be told this: leave a hole."""
        self.events.append(match_pb2.Event(number=number))
        self.kinds.append("unknown")
        self.first_told.append(self._now)
        self.after.append(self.ruling.at.copy())

    def _compare(
        self, number: int, present: list[tuple[int, tuple[match_pb2.Event, int, int]]]
    ) -> None:
        first = present[0][1][0]
        kind = first.WhichOneof("event")
        for seat, (event, at, _) in present[1:]:
            if event.WhichOneof("event") != kind or (kind not in PRIVATE and event != first):
                text = f"event {number} of seat {seat} is another than that of {present[0][0]}"
                self._report.add(F.EVENT_DIFFERS, at, text)
