"""The play of a logged round, move by move.

What the log leaves open is settled here: the click that collects a trick looks like a pass, a wish
and a late-logged call belong to the play before them, the Phoenix means what its place says.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from referee.formats.bsw.acts import Act, CallAct, CollectAct, DragonAct, PassAct, PlayAct
from referee.formats.bsw.deal import KINDS, make_call
from referee.formats.bsw.events import Called, Event, Gift, LoggedCall, Pass, Play, Result, Wish
from referee.formats.bsw.verdicts import Fault
from referee.rules.cards import MAHJONG, PHOENIX, Seat, card_numbers, mask_of, rank_of
from referee.rules.combinations import Combination, Kind, readings
from referee.rules.notation import format_cards
from referee.rules.option_values import PhoenixChoice
from referee.rules.phases import Phase
from referee.rules.refusals import CLAUSE, Refusal
from referee.rules.round import Round

_PHOENIX_NUMBER = card_numbers(PHOENIX)[0]


def printed_phoenix(cards: Sequence[int]) -> int | None:
    """Return the rank the Phoenix stands for by its place in the printed list; None = no choice.

    A straight with the Phoenix free to stand at either end: last in the list it is low, else on
    top. Two pairs: it joins the pair of the card printed after it, or before it if it is last.
    """
    found = readings(mask_of(cards))
    if len(found) < 2:
        return None
    at = cards.index(_PHOENIX_NUMBER)
    last = at == len(cards) - 1
    if found[0].kind is Kind.FULL_HOUSE:
        return rank_of(cards[at - 1] if last else cards[at + 1])
    ranks = [reading.phoenix_rank for reading in found]
    return min(ranks) if last else max(ranks)


class PlayThrough:
    """One replay of a round's events on a round at its first lead, which it changes.

    An open point: the owner of a closed trick is out, so nobody's click tells whether the next
    leader's bomb falls on that trick or leads the next one. On the server it leads; `on_trick`
    says for the first open points in order whether to take it as the former.

    Attributes:
        open_points: the lines of the open points met.
        scores: the points by team at the logged result, None if the log does not come so far.
        acts: what happened, up to the first fault.
    """

    def __init__(
        self, round_: Round, events: Sequence[Event], *, on_trick: Sequence[bool] = ()
    ) -> None:
        self.open_points: list[int] = []
        self.scores: tuple[int, int] | None = None
        self.acts: list[Act] = []
        self._round = round_
        self._events = events
        self._on_trick = on_trick
        self._attached: set[int] = set()  # places of events made with the play before them

    def run(self) -> Fault | None:
        """Replay up to the first fault, or to a result that differs from ours."""
        for at, event in enumerate(self._events):
            fault = None if at in self._attached else self._apply(at, event)
            if fault is not None:
                return fault
            if isinstance(event, Result) and event.scores != self.scores:
                return None
        return None

    def _apply(self, at: int, event: Event) -> Fault | None:
        match event:
            case Play():
                return self._play(at, event)
            case Pass():
                return self._pass(event)
            case Wish():
                return self._stray_wish(event)
            case Called():
                return self._call(event)
            case Gift():
                return self._give(event)
            case Result():
                return self._end(event)
            case _:
                assert_never(event)

    @property
    def _over(self) -> bool:
        return self._round.phase is Phase.ROUND_OVER

    def _call(self, event: Called) -> Fault | None:
        standing = self._round.calls[event.seat]
        fault = make_call(self._round, event)
        if fault is None and self._round.calls[event.seat] is not standing:
            self.acts.append(CallAct(line=event.line, seat=event.seat, call=KINDS[event.call]))
        return fault

    def _collect(self, line: int) -> None:
        self._round.collect()
        self.acts.append(CollectAct(line=line))

    def _play(self, at: int, play: Play) -> Fault | None:
        self._collect_for_absent_owner(play)
        fault = self._call_logged_late(at, play)
        if fault is not None:
            return fault
        cards = mask_of(play.cards)
        wish = self._wish_after(at) if cards & MAHJONG else None
        phase, was_owner = self._round.phase, self._round.owner == play.seat
        act = PlayAct(
            line=play.line,
            seat=play.seat,
            cards=tuple(sorted(play.cards)),
            phoenix_rank=self._phoenix_rank(play.cards),
            wish=None if wish is None else wish.rank,
        )
        refusal = self._round.play(play.seat, cards, phoenix_rank=act.phoenix_rank, wish=act.wish)
        if refusal is None:
            self.acts.append(act)
            return None
        shown = " ".join(format_cards(1 << card) for card in play.cards)
        named = wish if refusal is Refusal.BAD_WISH else None
        return Fault(
            line=play.line if named is None else named.line,
            clause=_play_clause(refusal, phase, was_owner=was_owner),
            text=f"seat {play.seat} plays {shown}: {refusal}",
            cut_short=named is not None or self._begins_a_play(play.seat, cards),
        )

    def _begins_a_play(self, seat: Seat, cards: int) -> bool:
        """True when these cards and others of the hand would be a legal play."""
        return any(play.cards & cards == cards for play in self._round.every_play(seat))

    def _phoenix_rank(self, cards: Sequence[int]) -> int | None:
        by_place = self._round.options.phoenix_choice is PhoenixChoice.PLAYER
        return printed_phoenix(cards) if by_place else None

    def _following(self, at: int) -> Iterator[tuple[int, Wish | Called]]:
        """Yield what is logged between a play and the next move."""
        for place in range(at + 1, len(self._events)):
            event = self._events[place]
            if not isinstance(event, Wish | Called):
                return
            yield place, event

    def _wish_after(self, at: int) -> Wish | None:
        for place, event in self._following(at):
            if isinstance(event, Wish):
                self._attached.add(place)
                return event
        return None

    def _call_logged_late(self, at: int, play: Play) -> Fault | None:
        """Call Tichu before the caller's first play if it is logged directly after it (a race)."""
        if self._round.has_played[play.seat]:
            return None
        for place, event in self._following(at):
            if not isinstance(event, Called) or event.call is not LoggedCall.TICHU:
                continue
            if event.seat == play.seat:
                self._attached.add(place)
                return self._call(event)
        return None

    def _collect_for_absent_owner(self, play: Play) -> None:
        """Collect a closed trick whose owner is out, unless this play is a bomb on it."""
        if not self._owner_is_out():
            return
        leader, owes_gift = self._round.collect_leader()
        bomb = self._round.check_play(play.seat, mask_of(play.cards))
        if isinstance(bomb, Combination):
            if owes_gift or play.seat != leader:
                return  # no lead: the gift would be logged before it, and the lead is another's
            point = len(self.open_points)
            self.open_points.append(play.line)
            if point < len(self._on_trick) and self._on_trick[point]:
                return
        self._collect(play.line)

    def _owner_is_out(self) -> bool:
        owner = self._round.owner
        closing = self._round.phase is Phase.CLOSING
        return closing and owner is not None and not self._round.hands[owner]

    def _pass(self, event: Pass) -> Fault | None:
        if self._over:
            return None  # clicks after the end mean nothing
        if self._round.phase is Phase.CLOSING and event.seat == self._round.owner:
            self._collect(event.line)
            return None
        if self._owner_is_out():
            self._collect(event.line)
        phase = self._round.phase
        refusal = self._round.pass_turn(event.seat)
        if refusal is None:
            self.acts.append(PassAct(line=event.line, seat=event.seat))
            return None
        clause = _phase_clause(phase) if refusal is Refusal.WRONG_PHASE else CLAUSE[refusal]
        return Fault(line=event.line, clause=clause, text=f"seat {event.seat} passes: {refusal}")

    def _stray_wish(self, event: Wish) -> Fault | None:
        if self._over:
            return None
        text = f"a wish without a play of the Mah Jong: {Refusal.WISH_WITHOUT_MAH_JONG}"
        return Fault(line=event.line, clause="E1", text=text)

    def _give(self, event: Gift) -> Fault | None:
        if self._owner_is_out():
            self._collect(event.line)
        turn = self._round.turn if self._round.phase is Phase.DRAGON else self._round.owner
        giver = Seat(0) if turn is None else turn
        clause = "F1" if self._over else "C5"
        refusal = self._round.give_dragon(giver, event.to)
        if refusal is None:
            self.acts.append(DragonAct(line=event.line, seat=giver, to=event.to))
            return None
        text = f"the Dragon's trick goes to seat {event.to}: {refusal}"
        return Fault(line=event.line, clause=clause, text=text)

    def _end(self, event: Result) -> Fault | None:
        if self._over:
            first, second = self._round.round_score
            self.scores = (first, second)
            return None
        if self._round.phase is Phase.DRAGON:
            text = "the result stands before the Dragon's trick is given away"
            return Fault(line=event.line, clause="C5", text=text)
        text = "the result stands before the round is over"
        return Fault(line=event.line, clause="F1", text=text)


def _phase_clause(phase: Phase) -> str:
    """Return the clause that a play or pass in a phase without plays breaks."""
    if phase is Phase.ROUND_OVER:
        return "F1"
    return "C5" if phase is Phase.DRAGON else "C2"


def _play_clause(refusal: Refusal, phase: Phase, *, was_owner: bool) -> str:
    if refusal is Refusal.WRONG_PHASE:
        return _phase_clause(phase)
    if refusal is Refusal.NOT_YOUR_TURN and phase is Phase.CLOSING:
        return "C3" if was_owner else "C2"
    return CLAUSE[refusal]
