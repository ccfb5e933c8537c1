"""The steps of a position, and what a match would have told of them.

A bot that counts cards gets the events of the round so far, as on a stream that comes back.
"""

from collections.abc import Sequence

from referee.formats.vector_steps import (
    ActionStep,
    CallStep,
    CollectStep,
    DogStep,
    DragonStep,
    ExchangeStep,
    PassStep,
    PlayStep,
)
from referee.formats.vectors import apply_step
from referee.match.facts import (
    CallMade,
    DragonGiven,
    LeadHanded,
    Passed,
    TrickTaken,
    WentOut,
)
from referee.match.step import (
    BidsShown,
    CardsDealt,
    CardsExchanged,
    Event,
    HandShown,
    PlayedEvent,
    RoundStarted,
)
from referee.rules.cards import DOG, card_points, count
from referee.rules.errors import NotationError
from referee.rules.phases import BIDS, CallKind, Phase
from referee.rules.round import Round
from referee.rules.seat import Seat

_NO_COMMITMENT = bytes(32)  # nothing was shuffled


class Story:
    """A round that is played to a position, and its events up to there."""

    def __init__(self, start: Round) -> None:
        self.round = start
        self.events: list[Event] = []
        self._shown = [0] * start.n
        seats = start.seating
        self.events.append(
            RoundStarted(
                round=1,
                dealer=start.dealer,
                commitment=_NO_COMMITMENT,
                totals=start.scores_before,
                order=seats.order,
                teams=seats.teams,
                ranks=start.ranks,
                soloist=seats.soloist,
                tisch=seats.tisch,
            )
        )
        self._deal()
        if start.phase is Phase.PLAY:
            self._open_tisch()

    def play(self, steps: Sequence[ActionStep]) -> None:
        """Do the steps. Raises `NotationError` that names one which the rules refuse."""
        for number, step in enumerate(steps, start=1):
            before = self.round.copy()
            refusal = apply_step(self.round, step)
            if refusal is not None:
                raise NotationError(f"step {number} is refused: {refusal}")
            self._tell(step, before)
            self._deal()

    def _tell(self, step: ActionStep, before: Round) -> None:
        match step:
            case PlayStep():
                self._played(step, before)
            case PassStep():
                self.events.append(Passed(at=0, seat=step.seat))
            case CollectStep():
                if before.owner is not None:
                    points = card_points(before.trick)
                    self.events.append(TrickTaken(at=0, seat=before.owner, points=points))
            case DragonStep():
                points = card_points(before.trick)
                self.events.append(DragonGiven(at=0, seat=step.seat, to=step.to, points=points))
            case DogStep():
                self.events.append(LeadHanded(at=0, seat=step.seat, to=step.to))
            case CallStep():
                self._called(step, before)
            case ExchangeStep():
                self._exchanged()

    def _played(self, step: PlayStep, before: Round) -> None:
        now = self.round
        play = before.check_play(
            step.seat, step.cards, phoenix_rank=step.phoenix_rank, wish=step.wish
        )
        assert not isinstance(play, str), "the step was refused"
        left = count(now.hands[step.seat])
        self.events.append(
            PlayedEvent(seat=step.seat, play=play, wish=step.wish or 0, cards_left=left)
        )
        first = len(before.out)
        for place, seat in enumerate(now.out[first:], start=first + 1):
            self.events.append(WentOut(at=0, seat=seat, place=place))
        if step.cards == DOG and now.phase is Phase.PLAY and now.turn is not None:
            self.events.append(LeadHanded(at=0, seat=step.seat, to=now.turn))

    def _called(self, step: CallStep, before: Round) -> None:
        now = self.round
        if step.call not in BIDS:
            self.events.append(CallMade(at=0, seat=step.seat, call=step.call))
            return
        if None in [now.bids[seat] for seat in range(now.n) if now.seating.teams]:
            return
        bids = tuple(
            (Seat(seat), BIDS[bid]) for seat, bid in enumerate(now.bids) if bid is not None
        )
        self.events.append(BidsShown(bids=bids, teams=now.seating.teams))
        for seat, call in enumerate(now.calls):
            if call is CallKind.GRAND and before.calls[seat] is None:
                self.events.append(CallMade(at=0, seat=Seat(seat), call=call))

    def _exchanged(self) -> None:
        now = self.round
        if now.phase is Phase.EXCHANGE:
            return  # not before all have given (A7)
        gifts = tuple(
            (giver, slot.to, cards)
            for giver in map(Seat, range(now.n))
            for slot, cards in zip(
                now.exchange_slots(giver), now.exchange_choices[giver] or (), strict=True
            )
        )
        seats = now.seating
        self._shown = list(now.hands)
        self.events.append(CardsExchanged(gifts=gifts, soloist=seats.soloist, tisch=seats.tisch))
        self._open_tisch()

    def _open_tisch(self) -> None:
        tisch = self.round.seating.tisch
        if tisch is not None:
            self.events.append(HandShown(seat=tisch, cards=self.round.hands[tisch]))

    def _deal(self) -> None:
        """Show the cards that the phase deals, the Tisch's with the last of them (G3)."""
        now = self.round
        if now.stage is Phase.GREAT_GRAND or any(now.has_played):
            self._shown = list(now.hands) if any(now.has_played) else self._shown
            return
        first = now.stage is Phase.GRAND
        hands = list(now.dealt_hands)
        soloist, tisch = now.seating.soloist, now.seating.tisch
        if first and tisch is not None:
            hands[tisch] = 0
        new = tuple(hand & ~shown for hand, shown in zip(hands, self._shown, strict=True))
        self._shown = hands
        if any(new):
            self.events.append(
                CardsDealt(hands=new, complete=not first, soloist=soloist, tisch=tisch)
            )
