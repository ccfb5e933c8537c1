"""`chaos:remembers-leg` knows a deal again that it has played, and plays with all hands open.

That takes a referee that seats one process in both legs of a board (isolation none). Where every
deal is new to its process it plays as greedy does.
"""

from collections import deque
from collections.abc import Mapping
from typing import NamedTuple

from chaos.playout import SEATS
from chaos.process import MakeBot, plays, run, seats_offered
from chaos.sight import PACK, SeeingBot, Seen
from tichu_bot import View
from tichu_bot.events import CardsDealt, CardsExchanged, Event, Played, RoundEnded, RoundStarted

REMEMBERED = 512  # deals
PASSED_ON = 3  # cards that a hand gives away in the exchange
CERTAIN = 5  # cards of a hand that must have been seen where they are again


class Deal(NamedTuple):
    """A round as one of its seats saw it."""

    seat: int
    dealt: frozenset[int]  # to that seat
    held: Mapping[int, frozenset[int]]  # after the exchange, by seat, as far as it became known


class Memory:
    """The last rounds that a process played, in whatever seats and matches."""

    def __init__(self) -> None:
        self._deals: deque[Deal] = deque(maxlen=REMEMBERED)

    def keep(self, view: View) -> None:
        """Take a round that is over."""
        if len(view.teams) == SEATS:
            self._deals.append(Deal(view.own_seat, dealt_to(view), held_in(view)))

    def find(self, view: View) -> Deal | None:
        """Return a round of the deal that `view` got its hand from."""
        dealt = dealt_to(view)
        return next((deal for deal in self._deals if fits(deal, view.own_seat, dealt)), None)


def fits(deal: Deal, seat: int, dealt: frozenset[int]) -> bool:
    """Tell whether the hand dealt to a seat can be of the deal, and is no chance.

    A random hand fits less than one time in ten thousand: it holds no card that the other seat was
    dealt, and of its other cards nearly all were seen in its own seat.
    """
    if seat == deal.seat:
        return dealt == deal.dealt
    elsewhere = [held for other, held in deal.held.items() if other not in (seat, deal.seat)]
    moved = sum(len(dealt & held) for held in elsewhere)
    known = len(dealt & deal.held.get(seat, frozenset()))
    return not dealt & deal.dealt and moved <= PASSED_ON and known >= CERTAIN


def dealt_to(view: View) -> frozenset[int]:
    """Return the cards that the own seat was dealt in this round."""
    return frozenset(
        card
        for event in view.events
        if isinstance(event, CardsDealt)
        for card in event.hands.get(view.own_seat, ())
    )


def held_in(view: View) -> dict[int, frozenset[int]]:
    """Return what each seat held after the exchange: its plays, and what is left if that is clear.

    The cards that were not played are those of the last hand, unless two were left.
    """
    held: dict[int, set[int]] = {seat: set() for seat in range(SEATS)}
    for event in view.events:
        if isinstance(event, Played):
            held[event.seat].update(event.play.cards)
    held[view.own_seat].update(view.hands.get(view.own_seat, ()))
    left = [seat for seat in range(SEATS) if view.counts[seat] and seat != view.own_seat]
    if len(left) == 1:
        held[left[0]].update(set(PACK).difference(*held.values()))
    return {seat: frozenset(cards) for seat, cards in held.items()}


class RememberingBot(SeeingBot):
    """Looks its hand up in what the process has played."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._seen: Seen = {}

    def event(self, view: View, event: Event) -> None:
        """Look up what was dealt once the cards have moved; keep what was played."""
        match event:
            case RoundStarted():
                self._seen = {}
            case CardsExchanged():
                self._look_up(view)
            case RoundEnded():
                self._memory.keep(view)
            case _:
                pass

    def _look_up(self, view: View) -> None:
        """Take the hands of then. What was given or got now lies where it was seen to go."""
        deal = self._memory.find(view)
        if deal is None:
            return
        hands = {seat: set(held) for seat, held in deal.held.items() if seat != view.own_seat}
        moved = {card for cards in view.gave.values() for card in cards} | {*view.hand}
        for seat, held in hands.items():
            held -= moved
            held.update(view.gave.get(seat, ()))
        self._seen = {seat: sorted(held) for seat, held in hands.items()}

    def seen(self, view: View) -> Seen:
        """Return all hands of a deal that was known again."""
        return self._seen


def remembering() -> MakeBot:
    """Return what makes the strategies of one process, which have one memory."""
    memory = Memory()
    return lambda: RememberingBot(memory)


if __name__ == "__main__":
    run("remembers-leg", plays(remembering()), max_matches=seats_offered())
