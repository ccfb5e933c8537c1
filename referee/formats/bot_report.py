"""What the owner of a bot wants to know of its matches: points, bets, time, faults, void boards.

Points less luck are for looking at one's own bot: they have the same mean as points, and a smaller
spread. No table is made of them.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from referee.formats.counting import Counting, WhyNot
from referee.formats.summary import CallCount, FaultNote, MatchSummary, TimeBill
from referee.ladder.habits import Defaults
from referee.ladder.seats import hands_at, margin_of, seats_of, side_at
from referee.ladder.table import hundredths
from referee.ladder.values import TEAM, LegPlace
from referee.match.values import AskKind
from referee.rules.phases import MADE_CALLS


class Score(msgspec.Struct, frozen=True, kw_only=True):
    """What legs that count brought: own points less those of the opponents, and their luck.

    In Trichu the points of the two others are taken as their mean.

    `luck` is that of the finished rounds, from the side of this bot's team; None where it is not
    known: it was measured for the game of four.
    """

    legs: int = 0
    rounds: int = 0
    margin: float = 0
    luck: float | None = 0.0

    def more(self, rounds: int, margin: float, luck: float | None) -> "Score":
        """Return the score with one more leg."""
        return Score(
            legs=self.legs + 1,
            rounds=self.rounds + rounds,
            margin=self.margin + margin,
            luck=None if luck is None or self.luck is None else self.luck + luck,
        )

    @property
    def points(self) -> int | None:
        """Points a round, hundredths; None without a round."""
        return hundredths(self.margin / self.rounds) if self.rounds else None

    @property
    def less_luck(self) -> int | None:
        """Points a round less the luck of the deals, hundredths; None where that is not known."""
        if self.luck is None or not self.rounds:
            return None
        return hundredths((self.margin - self.luck) / self.rounds)


class NotedFault(msgspec.Struct, frozen=True, kw_only=True):
    """A fault, and the match in which it happened."""

    match_id: str
    place: LegPlace
    note: FaultNote


class VoidBoard(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt at a board with a leg that counts for nothing, and why that leg ended."""

    place: LegPlace
    match_id: str
    ending: str
    blame: str


class BotReport(msgspec.Struct, frozen=True, kw_only=True):
    """A bot in the matches of an event. Times are summed over all its seats, by kind of ask.

    `entries` are those that it plays in, by name; `seats` has a score for each seat number.
    `answers` are those that were not refused, declined bombs left out, and how many of them asked
    for the substitute action.
    `not_counted` is how many of its legs bring no points, by the reason; all else is of all legs.
    """

    bot: str
    event: str
    matches: int
    practice: int
    versions: tuple[str, ...]
    entries: tuple[tuple[str, Score], ...]
    seats: tuple[Score, ...]
    calls: tuple[CallCount, ...]
    times: tuple[TimeBill, ...]
    refused: int
    answers: Defaults
    faults: tuple[NotedFault, ...]
    not_counted: tuple[tuple[WhyNot, int], ...]
    void: tuple[VoidBoard, ...]


def report_on(bot: str, matches: Sequence[MatchSummary], counting: Counting) -> BotReport | None:
    """Return what a bot did in the matches of an event; None where it played in none of them.

    Only the legs that count bring points.
    """
    gathered = _Gathered(bot, counting)
    for match, place in in_order(matches):
        if _seats_of(bot, place):
            gathered.add(match, place)
    return gathered.report() if gathered.matches else None


def in_order(matches: Sequence[MatchSummary]) -> list[tuple[MatchSummary, LegPlace]]:
    """Return the matches of a ladder by their place, each once."""
    placed = {match.match_id: (match, match.place) for match in matches if match.place is not None}
    return sorted(placed.values(), key=lambda one: (one[1].key, one[0].match_id))


def bots_of(place: LegPlace) -> tuple[str, ...]:
    """Return the bots of a leg by seat; "" for the Tisch of Trichu, which no bot holds."""
    sides = len(place.sides)
    by_seat = {
        seat: player.bot
        for number, side in enumerate(place.sides)
        for seat, player in zip(
            seats_of(sides, number, players=len(side.players)), side.players, strict=True
        )
    }
    hands = hands_at(sides, players=len(place.sides[0].players))
    return tuple(by_seat.get(seat, "") for seat in range(hands))


def has_luck(place: LegPlace) -> bool:
    """True where the luck of a deal is known: in the game of four."""
    return all(len(side.players) == TEAM for side in place.sides)  # in Trichu each is alone


def _seats_of(bot: str, place: LegPlace) -> list[int]:
    return [seat for seat, name in enumerate(bots_of(place)) if name == bot]


class _Gathered:
    """Adds up the matches of a bot."""

    def __init__(self, bot: str, counting: Counting) -> None:
        self.bot = bot
        self.counting = counting
        self.not_counted: Counter[WhyNot] = Counter()
        self.event = ""
        self.matches = self.practice = self.refused = 0
        self.versions: dict[str, None] = {}
        self.entries: dict[str, Score] = {}
        self.seats: list[Score] = []
        self.answers = Defaults()
        self.calls: dict[str, tuple[int, int]] = {}
        self.times: dict[str, TimeBill] = {}
        self.faults: list[NotedFault] = []
        self.void: dict[tuple[str, str], VoidBoard] = {}

    def add(self, match: MatchSummary, place: LegPlace) -> None:
        seats = _seats_of(self.bot, place)
        self.seats = self.seats or [Score() for _ in bots_of(place)]
        self.event = place.event
        self.matches += 1
        self.practice += match.practice
        self.refused += sum(match.refused[seat] for seat in seats)
        self.answers = self.answers.more(
            sum(match.answers[seat] for seat in seats), sum(match.defaults[seat] for seat in seats)
        )
        for side in place.sides:
            for player in side.players:
                if player.bot == self.bot:
                    self.versions[player.version] = None
        for call in match.calls:
            if call.seat in seats:
                made, won = self.calls.get(call.call, (0, 0))
                self.calls[call.call] = made + call.made, won + call.won
        for bill in match.times:
            if bill.seat in seats:
                self.times[bill.kind] = _sum(self.times.get(bill.kind), bill)
        for note in match.faults:
            if note.seat in seats:
                self.faults.append(NotedFault(match_id=match.match_id, place=place, note=note))
        self._add_result(match, place, seats)

    def _add_result(self, match: MatchSummary, place: LegPlace, seats: Sequence[int]) -> None:
        leg = match.leg
        if leg is None:
            return
        counted = self.counting.counted.get(leg.match_id)
        other = self.counting.others.get(leg.match_id)
        if other is not None:
            self.not_counted[other.why] += 1
        if not leg.rated and counted is None:
            # of an entry that is out, or of a version that was replaced, nothing is played again
            if other is None or other.why is WhyNot.VOID:
                void = VoidBoard(
                    place=place, match_id=leg.match_id, ending=leg.ending, blame=leg.blame
                )
                self.void.setdefault((place.event, place.deal), void)
            return
        if counted is None:
            return
        # A leg that counts although it is not rated has the worst points, whatever was dealt.
        dealt = sum(one.luck for one in match.rounds) if leg.rated else 0.0
        sides = len(place.sides)
        for team in sorted({side for seat in seats if (side := side_at(sides, seat)) is not None}):
            margin = margin_of(counted.points, team)
            luck = (-dealt if team else dealt) if has_luck(place) else None
            entry = place.sides[team].entry
            self.entries[entry] = self.entries.get(entry, Score()).more(
                counted.rounds, margin, luck
            )
            for seat in seats:
                if side_at(sides, seat) == team:
                    self.seats[seat] = self.seats[seat].more(counted.rounds, margin, luck)

    def report(self) -> BotReport:
        return BotReport(
            bot=self.bot,
            event=self.event,
            matches=self.matches,
            practice=self.practice,
            versions=tuple(self.versions),
            entries=tuple(sorted(self.entries.items(), key=lambda one: one[0])),
            seats=tuple(self.seats),
            calls=tuple(
                CallCount(seat=-1, call=kind, made=self.calls[kind][0], won=self.calls[kind][1])
                for kind in MADE_CALLS
                if kind in self.calls
            ),
            times=tuple(self.times[kind] for kind in AskKind if kind in self.times),
            refused=self.refused,
            answers=self.answers,
            faults=tuple(self.faults),
            not_counted=tuple(
                (why, self.not_counted[why]) for why in WhyNot if self.not_counted[why]
            ),
            void=tuple(self.void.values()),
        )


def _sum(have: TimeBill | None, bill: TimeBill) -> TimeBill:
    """Add up bills of one kind; the seat is none."""
    if have is None:
        return msgspec.structs.replace(bill, seat=-1)
    return TimeBill(
        seat=-1,
        kind=bill.kind,
        asks=have.asks + bill.asks,
        thinking_ms=have.thinking_ms + bill.thinking_ms,
        network_ms=have.network_ms + bill.network_ms,
        referee_ms=have.referee_ms + bill.referee_ms,
        charged_ms=have.charged_ms + bill.charged_ms,
        longest_ms=max(have.longest_ms, bill.longest_ms),
        timed_out=have.timed_out + bill.timed_out,
    )
