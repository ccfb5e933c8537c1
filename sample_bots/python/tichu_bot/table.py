"""What a seat can know of the round, kept from what it saw happen."""

from collections.abc import Iterable
from typing import NamedTuple

from tichu_bot import cards
from tichu_bot.cards import Play
from tichu_bot.events import (
    CardsDealt,
    CardsExchanged,
    DragonGiven,
    Event,
    HandShown,
    LeadHanded,
    Passed,
    Played,
    RoundEnded,
    RoundStarted,
    TrickTaken,
    WentOut,
)
from tichu_bot.view import GRAND_SEIGNEUR, View


class PassedOn(NamedTuple):
    """A seat passed on a play."""

    seat: int
    play: Play
    owner: int  # whose play it was


class Trick(NamedTuple):
    """A trick that somebody took: the plays in their order, each with its seat."""

    plays: tuple[tuple[int, Play], ...]
    winner: int  # who owned the last play
    taker: int  # who has the cards; another than the winner where a Dragon gave it away
    points: int


class Table:
    """What is known of the running round: cards, points, tricks, passes.

    It reads `view.events` and nothing else that changes, so it can be built at any moment, in any
    game. Make one in a method, `Table(view)`, or keep one and `update` it: it reads what is new.
    """

    def __init__(self, view: View | None = None) -> None:
        """With a view: read all that happened in its round."""
        self._round = 0
        self._begin((), ())
        if view is not None:
            self.update(view)

    def _begin(self, order: tuple[int, ...], teams: tuple[int, ...]) -> None:
        seats = len(order)
        self._last = 0  # number of the last event read
        self._teams = teams
        self.order = order  # seats in turn order
        self.deck: frozenset[int] = frozenset()  # the cards of the game
        self.gone: list[int] = []  # every card played, in order
        self.known: dict[int, set[int]] = {}  # cards that surely are in a hand, by seat
        self.open_hands: set[int] = set()  # seats whose whole hand is known
        self.counts = [0] * seats  # cards in each hand
        self.taken = [0] * seats  # card points that each seat took
        self.plays: list[tuple[int, Play]] = []  # of the running trick, in order
        self.tricks: list[Trick] = []  # that were taken
        self.passes: list[PassedOn] = []  # of the round, in order
        self.out: list[int] = []  # seats without cards, in the order of going out
        self.gave: dict[int, tuple[int, ...]] = {}  # own cards that went to others, by recipient

    def update(self, view: View) -> "Table":
        """Read what happened since the last call; a new round begins anew. Returns itself."""
        if not view.events:
            return self
        if view.round != self._round:
            self._round = view.round
            self._begin(view.turn_order, view.teams)
        self.deck = _deck(view)
        new = [event for event in view.events if event.number > self._last]
        for event in new:
            self._last = event.number
            self._take(event, view.own_seat)
        return self

    @property
    def unseen(self) -> set[int]:
        """Cards that were not played and lie in no hand that is known."""
        seen = set(self.gone).union(*self.known.values())
        return set(self.deck - seen)

    def may_hold(self, seat: int) -> set[int]:
        """Cards that the seat may hold: those known of it, and unless its hand is open the unseen.

        Nothing of a seat that is out. It judges no pass: who passed may have kept what would beat.
        """
        known = set(self.known.get(seat, ()))
        if seat in self.open_hands or len(known) >= self.counts[seat]:
            return known
        return known | self.unseen

    def team_points(self, seat: int) -> int:
        """Card points that the seat's team took so far; without teams those of the seat."""
        return sum(self.taken[other] for other in self._team(seat))

    def passed_on(self, seat: int) -> list[Play]:
        """Plays that the seat passed on, in order."""
        return [passed.play for passed in self.passes if passed.seat == seat]

    @property
    def points_left(self) -> int:
        """Card points that nobody took yet: on the table, and in hands."""
        return 100 - sum(self.taken)

    def _team(self, seat: int) -> Iterable[int]:
        if not self._teams:
            return (seat,)
        return (other for other in self.order if self._teams[other] == self._teams[seat])

    def _take(self, event: Event, own: int) -> None:
        match event:
            case RoundStarted(turn_order=order, teams=teams):
                deck, last = self.deck, self._last
                self._begin(order or self.order, teams)
                self.deck, self._last = deck, last
            case CardsDealt(hands=hands, counts=counts):
                self.counts = [a + b for a, b in zip(self.counts, counts, strict=True)]
                for seat, dealt in hands.items():
                    self.known.setdefault(seat, set()).update(dealt)
                    self.open_hands.add(seat)
            case HandShown(seat=seat, cards=shown):
                self.known[seat] = set(shown)
                self.open_hands.add(seat)
            case CardsExchanged():
                self._exchange(event, own)
            case Played():
                self._play(event)
            case Passed(seat=seat) if self.plays:
                owner, play = self.plays[-1]
                self.passes.append(PassedOn(seat, play, owner))
            case TrickTaken() | DragonGiven():
                self._trick(event)
            case LeadHanded():
                self.plays = []
            case WentOut(seat=seat):
                self.out.append(seat)
            case RoundEnded():
                self._end()
            case _:
                pass

    def _exchange(self, event: CardsExchanged, own: int) -> None:
        """Cards of own hands move; what went to others is known to be there until played."""
        for hand in event.hands:
            for to_seat, given in hand.gave.items():
                self.known[hand.seat].difference_update(given)
                self.known.setdefault(to_seat, set()).update(given)
            for from_seat, got in hand.received.items():
                self.known.setdefault(from_seat, set()).difference_update(got)
                self.known[hand.seat].update(got)
            if hand.seat == own:
                self.gave = dict(hand.gave)
        for hand in event.hands:
            self.counts[hand.seat] = len(self.known[hand.seat])

    def _play(self, event: Played) -> None:
        self.gone += event.play.cards
        self.known.setdefault(event.seat, set()).difference_update(event.play.cards)
        self.counts[event.seat] = event.cards_left
        self.plays.append((event.seat, event.play))

    def _trick(self, event: TrickTaken | DragonGiven) -> None:
        """Close a trick; one won with the Dragon waits for who is given it."""
        if not self.plays:
            return
        winner, top = self.plays[-1]
        taker = event.to_seat if isinstance(event, DragonGiven) else event.seat
        if isinstance(event, TrickTaken) and self._waits(top):
            return
        self.taken[taker] += event.points
        self.tricks.append(Trick(tuple(self.plays), winner, taker, event.points))
        self.plays = []

    def _end(self) -> None:
        """The last trick is its owner's, unless a Dragon there was given away before (F1)."""
        if self.plays and not cards.is_card(self.plays[-1][1], cards.DOG):
            winner = self.plays[-1][0]
            points = _points(self.plays)
            self.taken[winner] += points
            self.tricks.append(Trick(tuple(self.plays), winner, winner, points))
        self.plays = []

    def _waits(self, top: Play) -> bool:
        """Tell whether a trick is the Dragon's, which lies until it is given away (C5)."""
        return bool(self._teams) and cards.is_card(top, cards.DRAGON)


def _points(plays: Iterable[tuple[int, Play]]) -> int:
    """Card points of plays; the second pack counts nothing, as Grand Seigneur knows no points."""
    played = (card for _, play in plays for card in play.cards)
    return cards.points(card for card in played if card < cards.SECOND_PACK)


def _deck(view: View) -> frozenset[int]:
    """Return the cards of the game: in Grand Seigneur no Dog, and one Mah Jong (I1)."""
    suited = range(8, 60)
    first = {cards.PHOENIX, cards.DRAGON, cards.MAH_JONG, *suited}
    if view.options.get("variant") != GRAND_SEIGNEUR:
        return frozenset({*first, cards.DOG})
    if view.packs == 1:
        return frozenset(first)
    second = (card + cards.SECOND_PACK for card in (cards.PHOENIX, cards.DRAGON, *suited))
    return frozenset({*first, *second})
