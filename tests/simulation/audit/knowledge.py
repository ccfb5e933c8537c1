"""What each seat may know: its snapshots must say that, and no frame may hold more."""

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2
from tests.simulation.audit.cards import cards_in_text, cards_of, mask_of, points_of, text_of
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.hidden import cards_within
from tests.simulation.audit.position import Phase, Position
from tests.simulation.audit.seats import seats_of
from tests.simulation.audit.story import Sent, Story, Told


class Knowledge:
    """Follows what each seat has been told."""

    def __init__(self, story: Story, history: History, report: Report) -> None:
        self._story, self._history, self._report = story, history, report
        self._upto = [0] * len(story.hands)
        self._expected = [match_pb2.Snapshot() for _ in story.hands]
        self._seen = [0] * len(
            story.hands
        )  # cards that a seat has seen in this round, own ones included
        self.named = [0] * len(story.hands)  # cards that a seat named itself
        self.stood: dict[tuple[int, int], int] = {}  # round, hand: when it stood down
        self._own: list[tuple[int, ...]] = [(seat,) for seat in story.hands]  # hands it plays
        self._bids: list[list[match_pb2.Bid]] = [[] for _ in story.hands]  # that it was told
        self.maybe_stood: set[tuple[int, int]] = set()  # perhaps: the referee was killed over it

    def seen_after(self, told: Told) -> int:
        """Move a seat on to what it now knows; returns the cards that its frame may hold."""
        seat, allowed = told.seat, self._seen[told.seat]
        for number in range(self._upto[seat] + 1, told.known + 1):
            entry = self._story.events[seat].get(number)
            if entry is not None:
                self._learn(seat, entry[0])
                allowed |= self._seen[seat]
        self._upto[seat] = max(self._upto[seat], told.known)
        return allowed

    def _learn(self, seat: int, event: match_pb2.Event) -> None:
        kind, expected = event.WhichOneof("event"), self._expected[seat]
        if kind == "round_started":
            self._seen[seat] = 0
            del expected.events[:]
            self._own[seat] = self._hands_of(seat, event.round_started)
            self._bids[seat] = []
        elif kind == "cards_dealt":
            for gift in event.cards_dealt.hands:
                if gift.seat in self._own[seat]:
                    self._seen[seat] |= max(0, mask_of(gift.cards))
        elif kind == "bids_shown":
            self._bids[seat] = sorted(
                event.bids_shown.bids, key=lambda bid: (bid.seat - seat) % len(self._seen)
            )
        elif kind == "hand_shown":
            self._seen[seat] |= max(0, mask_of(event.hand_shown.cards))
        elif kind == "cards_exchanged":
            for hand in event.cards_exchanged.hands:
                if hand.seat in self._own[seat]:
                    for gift in hand.received:
                        self._seen[seat] |= max(0, mask_of(gift.cards))
        elif kind == "played":
            self._seen[seat] |= max(0, mask_of(event.played.play.cards))
        expected.events.append(event)

    def snapshot_fits(self, told: Told) -> bool:
        """Whether the snapshot of an update is all that the seat knows, and no more."""
        seat, expected = told.seat, self._expected[told.seat]
        history = self._history
        self._fill(expected, seat, history.after[min(told.known, len(history.kinds))], told.known)
        if told.update.snapshot == expected:
            return True
        if self._may_have_stood(told, expected):
            return told.update.snapshot == expected
        self._explain(told, expected)
        return False

    def _may_have_stood(self, told: Told, expected: match_pb2.Snapshot) -> bool:
        """Whether a stand-down that the referee was killed over turns out to have been kept."""
        found = False
        for hand in self._own[told.seat]:
            here = (expected.round, hand)
            if here in self.maybe_stood and hand in told.update.snapshot.stood_down:
                self.stood.setdefault(here, told.at)
                found = True
        del expected.stood_down[:]
        own = sorted(self._own[told.seat])
        expected.stood_down.extend(hand for hand in own if self._has_stood(hand, expected))
        return found

    def _has_stood(self, hand: int, expected: match_pb2.Snapshot) -> bool:
        return (expected.round, hand) in self.stood

    def _hands_of(self, seat: int, started: match_pb2.RoundStarted) -> tuple[int, ...]:
        """The hands that a player has in a round (G1)."""
        dealer = started.dealer
        return seats_of(self._history.rules.variant, len(self._seen), dealer, ()).hands_of(seat)

    def _explain(self, told: Told, expected: match_pb2.Snapshot) -> None:
        got = told.update.snapshot
        for field in match_pb2.Snapshot.DESCRIPTOR.fields:
            if getattr(got, field.name) != getattr(expected, field.name):
                values = (str(getattr(m, field.name)).replace("\n", " ") for m in (got, expected))
                text = f"seat {told.seat}, snapshot.{field.name}: {' / '.join(values)}"
                self._report.add(F.SNAPSHOT, told.at, text[:400])

    def _fill(self, out: match_pb2.Snapshot, seat: int, at: Position, known: int) -> None:
        out.round, out.dealer, out.last_event = at.round, at.dealer, known
        out.phase = match_pb2.Phase.ValueType(int(at.phase))
        for name in ("hands", "hand_counts", "trick", "calls", "out", "won_points", "totals"):
            out.ClearField(name)
        for name in ("turn_order", "teams", "ranks", "bids", "judged"):
            out.ClearField(name)  # type: ignore[arg-type]
        for name in ("table", "owner", "turn", "wish", "stood_down"):
            out.ClearField(name)  # type: ignore[arg-type]
        for hand in self._seen_hands(seat, at):
            out.hands.add(seat=hand, cards=_cards(at.hands[hand]))
        out.turn_order.extend(at.seats.order)
        out.teams.extend(at.seats.teams)
        out.ranks.extend(at.ranks)
        out.bids.extend(self._bids[seat])
        if at.judged is not None:
            out.judged = at.judged
        out.hand_counts.extend(at.counts)
        out.trick.extend(_cards(at.trick))
        out.out.extend(at.out)
        out.totals.extend(at.totals)
        out.won_points.extend(points_of(won) for won in at.won)
        for caller, call in sorted(at.bets.items()):
            out.calls.add(seat=caller, call=call)
        if at.table is not None and at.owner is not None:
            table, mask = at.table, at.table_mask
            out.table.cards.extend(_cards(mask))
            out.table.kind, out.table.rank_halves = table.kind, table.halves  # type: ignore[assignment]
            if table.phoenix:
                out.table.phoenix_rank = table.phoenix
            if table.second:
                out.table.second_phoenix_rank = table.second
            out.owner = at.owner
        if at.turn is not None:
            out.turn = at.turn
        if at.wish:
            out.wish = at.wish
        out.stood_down.extend(h for h in sorted(self._own[seat]) if (at.round, h) in self.stood)

    @staticmethod
    def _seen_hands(seat: int, at: Position) -> tuple[int, ...]:
        """The hands that a player sees: its own ones, and what lies open (G3, G5)."""
        stage = at.stage if at.phase is Phase.REFUSAL else at.phase
        if at.seats.tisch is None or stage in (Phase.GREAT_GRAND, Phase.GRAND):
            return (seat,)
        shows = seat == at.seats.soloist or stage is not Phase.EXCHANGE
        return (seat, at.seats.tisch) if shows else (seat,)

    def judge(self, told: Told) -> None:
        """Judge one update: its snapshot, and every card in it."""
        allowed, seat = self.seen_after(told), told.seat
        skip = ""
        if told.update.HasField("snapshot") and self.snapshot_fits(told):
            skip = "snapshot"
        for card in cards_within(told.update, skip=skip):
            if not allowed >> card & 1:
                text = f"seat {seat} is shown card {card} ({text_of(1 << card)})"
                self._report.add(F.HIDDEN_CARD, told.at, text)
        for refused in told.update.refused:
            self.judge_text(told.at, seat, refused.text + " " + refused.clause)

    def judge_text(self, at: int, seat: int, text: str) -> None:
        """A text names no card that the seat neither knows nor named itself."""
        leaked = cards_in_text(text) & ~self._seen[seat] & ~self.named[seat]
        if leaked:
            self._report.add(F.HIDDEN_CARD, at, f"seat {seat} reads of {text_of(leaked)}: {text}")

    def note(self, sent: Sent) -> None:
        """Cards that a bot names are no news to it."""
        for card in cards_within(sent.what):
            self.named[sent.seat] |= 1 << card


def _cards(mask: int) -> list[card_pb2.Card.ValueType]:
    return [card_pb2.Card.ValueType(card) for card in cards_of(mask)]
