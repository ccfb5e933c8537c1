"""Asks and snapshots: to the right seat, about the right position, and no card too many."""

from collections.abc import Mapping, Sequence

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit.cards import is_dragon, mask_of, text_of
from tests.simulation.audit.combos import BOMB, Reading, can_follow, folded
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.gifts import Forced
from tests.simulation.audit.patterns import by_rank, patterns
from tests.simulation.audit.position import UNKNOWN, Phase, Position
from tests.simulation.audit.ruling import told_reading
from tests.simulation.audit.story import Story, Told

_DRAGON = match_pb2.CHOOSE_SEAT_REASON_DRAGON
AT_ONCE = 10_000_000  # ns: what is asked later than this after its event is asked again or late


def window_opens(at: Position, history: History) -> bool:
    """Whether a bomb window opens in this position (PROTOCOL: The bomb window)."""
    if at.table is None or at.over or at.match_over or at.out_due is not None:
        return False
    if at.phase in (Phase.DRAGON, Phase.REFUSAL):
        return False
    if at.phase is Phase.CLOSING and not history.rules.on("bomb_after_all_pass"):
        return False
    return any(count >= 4 for seat, count in enumerate(at.counts) if seat != at.turn)


class Asks:
    """Judges each ask of each seat against the position that the seat was told."""

    def __init__(self, story: Story, history: History, report: Report) -> None:
        self._story, self._history, self._report = story, history, report
        self._put: list[set[int]] = [set() for _ in story.hands]  # by player
        self._now = 0
        self._held: set[tuple[int, int]] = (
            set()
        )  # round, player: a call of its waits for the exchange
        self.bombs: dict[tuple[int, int], Told] = {}  # place, hand: the frame with the bomb ask
        began = story.transcript.began
        self._blocks = story.lives.blocks
        self._anew = [False] * len(story.hands)
        self._away = [link.was_away(began) for link in story.links]
        self._asked_at = [began] * len(story.hands)  # when each seat was last told of an ask
        self.stood: Mapping[tuple[int, int], int] = {}  # round, hand: when it stood down

    def judge(self, told: Told) -> None:
        """Judge the asks of one update."""
        self._now = told.at
        place = self._history.place(told.known)
        at = self._history.after[min(told.known, len(self._history.kinds))]
        received = (a for a in told.update.acks if a.status == match_pb2.ACK_STATUS_RECEIVED)
        if any(ack.HasField("request_id") for ack in received):
            self._held.add((at.round, told.seat))
        for ask in told.update.asks:
            if ask.for_seat not in at.seats.hands_of(told.seat):
                self._say(F.ASK, f"seat {told.seat} is asked for seat {ask.for_seat}")
            if ask.ask_id in self._put[told.seat]:
                continue
            last = max(self._put[told.seat], default=0)
            skipped = ask.ask_id > last + 1 and not self._away[told.seat]
            skipped = skipped and not self._declined_before(ask.ask_id - last - 1, told.seat)
            if ask.ask_id <= last or skipped:
                self._say(F.ASK, f"ask {ask.ask_id} of seat {told.seat} is out of number")
            self._put[told.seat].add(ask.ask_id)
            self._judge(told, ask, place, at)
        if told.update.asks:
            self._asked_at[told.seat] = told.at

    def _declined_before(self, skipped: int, seat: int) -> bool:
        """Whether the seat may have declined what it was not told of, all asks that were skipped.

        In pace fast a bomb ask is over with the answer; a stand-down that is read in the same pass
        is one, and the ask never goes out.
        """
        since = self._asked_at[seat]
        stood = sum(
            at >= since
            for (round_, one), at in self.stood.items()
            if self._plays(seat, round_, one)
        )
        return not self._history.fair and skipped <= stood

    def _plays(self, seat: int, number: int, hand: int) -> bool:
        """Whether a player plays a hand in a round."""
        if hand == seat:
            return True
        ahead = (at for at in self._history.after if at.round == number)
        at = next(ahead, None)
        return at is not None and hand in at.seats.hands_of(seat)

    def _say(self, code: F, text: str) -> None:
        self._report.add(code, self._now, text)

    def _judge(self, told: Told, ask: match_pb2.Ask, place: int, at: Position) -> None:
        kind, seat = ask.WhichOneof("kind"), ask.for_seat
        what = f"{kind} ask {ask.ask_id} of seat {told.seat}"
        if seat not in at.seats.hands_of(told.seat):
            return
        if kind in ("act", "bomb", "choose_seat"):
            self._in_step(told, place, what)
        if kind == "bomb":
            self.bombs.setdefault((place, seat), told)
            self._bomb(seat, ask.bomb, at, what)
            return
        prompt = place and told.at < self._history.happened[place - 1] + AT_ONCE
        if prompt and ask.provisional != window_opens(at, self._history):
            self._say(F.PROVISIONAL, f"{what}: {ask.provisional} in {at.phase.name}")
        if kind == "call":
            self._call(seat, ask.call, at, what)
        elif kind == "exchange":
            self._exchange(told.seat, ask, at, what)
        elif kind == "act":
            self._act(seat, ask.act, at, what)
        elif kind == "choose_seat":
            self._choose(seat, ask.choose_seat, at, what)
        else:
            self._say(F.ASK, f"{what} is of no kind")

    def _in_step(self, told: Told, place: int, what: str) -> None:
        """An ask goes out with the event that leads to it, and at no other time."""
        happened = self._history.happened[place - 1] if place else told.at
        late = told.at - happened - 2 * AT_ONCE
        blocked = sum(b.length for b in self._blocks if happened <= b.end <= told.at + 1)
        if late > blocked and told.since <= happened and not self._asked_anew(told):
            self._say(F.ASK, f"{what} comes {late} ns after the event before it")

    def _asked_anew(self, told: Told) -> bool:
        """Whether the referee has cancelled an ask of the seat by its own fault up to now."""
        self._anew[told.seat] |= any(
            cancelled.reason == match_pb2.CANCEL_REASON_REFEREE
            for cancelled in told.update.cancelled
        )
        return self._anew[told.seat] or any(self._anew)

    def _call(self, seat: int, ask: match_pb2.CallAsk, at: Position, what: str) -> None:
        ruling = self._history.ruling
        if seat not in ruling.owed(at):
            self._say(F.ASK, f"{what} in phase {at.phase.name}")
            return
        if set(ask.choices) != ruling.choices(seat, at):
            self._say(F.ASK, f"{what}: choices {list(ask.choices)}")
        judged = ask.of_seat if ask.HasField("of_seat") else None
        if judged != at.judged:
            self._say(F.ASK, f"{what}: of seat {judged}, not {at.judged}")

    def _exchange(self, player: int, ask: match_pb2.Ask, at: Position, what: str) -> None:
        seat, exchange = ask.for_seat, ask.exchange
        if at.phase is not Phase.EXCHANGE:
            self._say(F.ASK, f"{what} in phase {at.phase.name}")
        told = [(s.to_seat, s.count, s.forced_best, s.forced_worst) for s in exchange.slots]
        ruling = self._history.ruling
        due = [
            (slot.to, slot.count, slot.forced is Forced.BEST, slot.forced is Forced.WORST)
            for slot in ruling.slots(seat, at)
        ]
        if told != due or not due:
            self._say(F.ASK, f"{what}: slots {told}, not {due}")
        held = (at.round, player) in self._held
        may_call = ruling.may_call(seat, at) and not held
        unsure = held and player == at.seats.soloist  # it may have called for its other hand
        if exchange.may_call_tichu != may_call and not unsure:
            self._say(F.ASK, f"{what}: may_call_tichu {exchange.may_call_tichu}")

    def _choose(self, seat: int, ask: match_pb2.ChooseSeatAsk, at: Position, what: str) -> None:
        if at.phase is Phase.DOG:
            seats, why = self._history.ruling.heirs(seat, at), match_pb2.CHOOSE_SEAT_REASON_DOG
            due = at.lead_due == seat
        else:
            seats, why = self._history.ruling.gift_seats(seat, at), _DRAGON
            due = at.phase is Phase.CLOSING or at.over or at.gift_due
            due = due and is_dragon(at.table_mask) and at.owner == seat
            due = due and self._history.rules.has_teams
        if not due:
            self._say(F.ASK, f"{what} in phase {at.phase.name}, owner {at.owner}")
        if sorted(ask.seats) != sorted(seats) or ask.why != why:
            self._say(F.ASK, f"{what}: seats {list(ask.seats)}")

    def _act(self, seat: int, ask: match_pb2.ActAsk, at: Position, what: str) -> None:
        if at.over or at.phase not in (Phase.PLAY, Phase.CLOSING):
            self._say(F.ASK, f"{what} in phase {at.phase.name}")
            return
        closing = at.phase is Phase.CLOSING
        overtakes = closing and self._overtakes(at)
        turn = at.owner if overtakes else at.leader if closing else at.turn
        dragon = closing and not overtakes and is_dragon(at.table_mask)
        dragon = dragon and self._history.rules.has_teams
        if (turn is not None and turn != seat) or dragon:
            self._say(F.ASK, f"{what}: seat {turn} is on turn, table {text_of(at.table_mask)}")
            return
        table, hand = None if closing and not overtakes else at.table, at.hands[seat]
        rules, ruling, wish = self._history.rules, self._history.ruling, at.wish
        bound = not closing or not overtakes
        bound = bound and hand != UNKNOWN and ruling.binds(hand, table, ruling.wish_for(seat, at))
        told = (ask.leading, ask.may_pass, ask.wish if ask.HasField("wish") else 0)
        if told != (table is None, table is not None and not bound, wish):
            self._say(F.ASK, f"{what}: leading, may_pass, wish are {told}")
        may_call = self._history.ruling.may_call(seat, at)
        if ask.may_call_tichu != may_call:
            self._say(F.ASK, f"{what}: may_call_tichu {ask.may_call_tichu}")
        if ask.wish_required and rules.on("wish_optional"):
            self._say(F.ASK, f"{what}: a wish is required")
        if hand == UNKNOWN:
            return
        if self._blind(at.seats.player(seat)):
            return
        free = seat == at.seats.tisch
        self._listed(hand, table, ask, (wish if bound else 0, 0 if free else ask.wish), what)

    def _overtakes(self, at: Position) -> bool:
        """Whether the owner is asked for more when all others have passed (C3)."""
        any_play = self._history.rules.says("self_overtake", "any")
        if not any_play or at.owner is None or at.table is None or not at.counts[at.owner]:
            return False
        hand = at.hands[at.owner]
        if self._history.fair or hand == UNKNOWN:
            return True
        two = self._history.rules.two_phoenixes  # for bombs he has his bomb ask
        return can_follow(hand, at.table, bombs=False, two_phoenixes=two)

    def _listed(
        self,
        hand: int,
        table: Reading | None,
        ask: match_pb2.ActAsk,
        wishes: tuple[int, int],
        what: str,
    ) -> None:
        """`wishes`: the one that binds, and the one that its bombs out of turn have to heed."""
        wish, heeded = wishes
        rules = self._history.rules
        highest = rules.says("phoenix_choice", "highest")
        shown = self._shown(hand, table, ask.plays, what)
        exempt = rules.options["wish_bomb_exempt"]
        free = exempt == "also_lead" or (exempt == "interrupt" and table is not None)
        legal, _ = patterns(hand, table, highest=highest, two_phoenixes=rules.two_phoenixes)
        bombs = self._history.ruling.bombs(hand, table, heeded)
        if wish:
            legal = frozenset(p for p in legal if p[1] >> 4 * wish & 15)
            bombs = frozenset(b for b in bombs if free or by_rank(b) >> 4 * wish & 15)
        if shown != (legal, bombs):
            missing, extra = legal - shown[0], shown[0] - legal
            more = [text_of(bomb) for bomb in shown[1] ^ bombs]
            self._say(F.LISTED_PLAYS, f"{what}: missing {missing}, too many {extra}, bombs {more}")

    def _shown(
        self,
        hand: int,
        table: Reading | None,
        plays: Sequence[match_pb2.Play],
        what: str,
    ) -> tuple[frozenset[tuple[int, int, int, int]], frozenset[int]]:
        """The patterns and bombs of a list; says what is wrong with its plays and their order."""
        found, bombs, before = [], [], (0, -1)
        for play in plays:
            mask, told = mask_of(play.cards), told_reading(play)
            rank = told.phoenix + 16 * told.second
            if mask & ~hand:
                self._say(F.LISTED_PLAYS, f"{what}: {list(play.cards)} is not in the hand")
            if told not in self._history.ruling.readings_of(mask, table):
                self._say(F.LISTED_PLAYS, f"{what}: {text_of(mask)} is not {tuple(told)}")
            if (told.size, told.halves) < before:
                self._say(F.LISTED_PLAYS, f"{what}: {text_of(mask)} out of order")
            before = (told.size, told.halves)
            if told.kind == BOMB:
                bombs.append(folded(mask))
            else:
                found.append((told.kind, by_rank(mask), rank, told.halves))
        if len(set(found)) != len(found) or len(set(bombs)) != len(bombs):
            self._say(F.LISTED_PLAYS, f"{what}: a pattern is listed twice")
        return frozenset(found), frozenset(bombs)

    def _bomb(self, seat: int, ask: match_pb2.BombAsk, at: Position, what: str) -> None:
        hand = at.hands[seat]
        if at.table is None or at.counts[seat] < 4 or seat == at.turn:
            self._say(F.BOMB_ASKS, f"{what} in phase {at.phase.name}, turn {at.turn}")
            return
        if hand == UNKNOWN or not window_opens(at, self._history):
            return
        if self._blind(at.seats.player(seat)):
            return
        ruling = self._history.ruling
        legal = ruling.bombs(hand, at.table, ruling.wish_for(seat, at))
        if frozenset(folded(mask_of(play.cards)) for play in ask.plays) != legal:
            self._say(F.LISTED_PLAYS, f"{what}: bombs {[list(play.cards) for play in ask.plays]}")

    def _blind(self, seat: int) -> bool:
        """Whether the bot wants no lists."""
        hello = self._story.links[seat].hello
        return hello is not None and hello.without_legal_plays

    # -- who was asked --------------------------------------------------------------------------

    def judge_windows(self, stood: Mapping[tuple[int, int], int]) -> None:
        """Every window asked the seats that it has to ask. `stood`: when a seat stood down."""
        history = self._history
        for place in range(1, len(history.kinds) + 1):
            at = history.after[place]
            if history.place(place) != place or not window_opens(at, history):
                continue
            self._now = history.happened[place - 1]
            if self._ended_at_once(place):
                continue
            for seat in self._story.hands:
                self._judge_asked(place, seat, at, stood.get((at.round, seat)))

    def _ended_at_once(self, place: int) -> bool:
        kinds = self._history.kinds
        return place < len(kinds) and kinds[place] == "match_ended"

    def _judge_asked(self, place: int, seat: int, at: Position, stood: int | None) -> None:
        asked = (place, seat) in self.bombs
        due = at.counts[seat] >= 4 and seat != at.turn
        if due and not self._history.fair:
            hand = at.hands[seat]
            if hand == UNKNOWN or at.table is None:
                return
            due = bool(patterns(hand, at.table)[1])
        if stood is not None:
            if stood < self._now and asked:
                self._say(F.BOMB_ASKS, f"seat {seat} is asked after event {place}; it stood down")
            return
        until, link = self._story.lives.told_by(self._now), self._story.links[at.seats.player(seat)]
        if due and not asked and not link.was_there(self._now - AT_ONCE, until):
            return
        if due != asked:
            verb = "is" if asked else "is not"
            self._say(F.BOMB_ASKS, f"seat {seat} {verb} asked for a bomb after event {place}")
