"""What to answer. Pure: a view goes in, an answer comes out; no gRPC, no memory, clock or chance.

The rules in plain words stand in ../README.md; the other languages have the same ones in the same
order, and all give the same answer to the same view. Cards are numbers, as in `tichu_bot.cards`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from tichu_bot.cards import rank

SECOND_PACK = 64
DOG, PHOENIX, DRAGON, MAH_JONG = 1, 2, 3, 4
LOWEST, ACE = 2, 14  # ranks

STRONG_BET = 12  # from which on a Grand is called on the first cards
STRONG_TICHU = 11  # and a Tichu with a whole hand
RICH_TRICK = 20  # points that are worth a bomb
POOR_TRICK = 10  # fewer are not worth a dear card
DEAR = 28  # half ranks: an ace, and all that is higher
LOW_TABLE = 16  # half ranks: on more a partner's play stays
CHEAP = 22  # half ranks: the most that goes on a partner's play


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """A play as an ask lists it."""

    cards: tuple[int, ...]
    kind: str  # single pair triple full_house straight stairs bomb
    rank_halves: int  # height in half ranks


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What one recipient is owed in the exchange."""

    to_seat: int
    count: int
    forced: bool = False  # best or worst cards, which the referee's substitute action knows


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the hand that decides knows. What an ask does not say is empty."""

    ask: str  # act bomb call exchange choose_seat, else unknown
    seat: int
    partners: tuple[int, ...] = ()  # in turn order after the seat, out or not
    opponents: tuple[int, ...] = ()
    hand: tuple[int, ...] = ()  # ascending
    counts: tuple[int, ...] = ()  # cards of each hand, by seat
    plays: tuple[Play, ...] = ()
    may_pass: bool = False
    leading: bool = False  # also while the trick that was won may still be bombed
    may_call_tichu: bool = False
    table: Play | None = None
    owner: int | None = None  # of the play on the table
    trick_points: int = 0
    calls: Mapping[int, str] = field(default_factory=dict)  # bets by seat
    called: bool = False  # this hand has bet
    choices: tuple[str, ...] = ()
    slots: tuple[Slot, ...] = ()
    seats: tuple[int, ...] = ()
    why: str = ""  # dragon or dog


# One of the first seven is set; wish and tichu go with an index.
Answer = TypedDict(
    "Answer",
    {
        "index": int,  # place in the list of plays
        "pass": bool,
        "decline": bool,  # no bomb
        "choice": str,  # one of the choices
        "gifts": tuple[tuple[int, ...], ...],  # cards for each slot, in the order of the slots
        "seat": int,
        "default": bool,  # the referee's substitute action
        "wish": int,  # rank 2 to 14
        "tichu": bool,
    },
    total=False,
)
PASS: Answer = {"pass": True}
DECLINE: Answer = {"decline": True}
DEFAULT: Answer = {"default": True}


def decide(view: View) -> Answer:
    """Answer any view; one of a kind that is not known gets the substitute action."""
    match view.ask:
        case "call":
            return decide_call(view)
        case "exchange":
            return decide_exchange(view)
        case "choose_seat":
            return decide_seat(view)
        case "bomb":
            return decide_bomb(view)
        case "act":
            return decide_act(view)
        case _:
            return DEFAULT


# Calls


def decide_call(view: View) -> Answer:
    """Let calls of others stand, and bet on a strong hand."""
    if "accept" in view.choices:
        return {"choice": "accept"}
    strong = high_cards(view.hand) >= STRONG_BET
    if "grand" in view.choices:
        return {"choice": "grand" if strong else "no_grand"}
    if "bid_3" in view.choices:
        return {"choice": "bid_3" if strong else "bid_0"}
    if "great_grand" in view.choices:
        return {"choice": "no_great_grand"}
    return DEFAULT


def high_cards(hand: Sequence[int]) -> int:
    """Return 4 for each Dragon and Phoenix and 2 for each ace."""
    great = sum(card % SECOND_PACK in (DRAGON, PHOENIX) for card in hand)
    aces = sum(rank(card) == ACE for card in hand)
    return 4 * great + 2 * aces


# Exchange


def decide_exchange(view: View) -> Answer:
    """Give partners the best ranked cards, everybody else the lowest."""
    owed = sum(slot.count for slot in view.slots)
    if any(slot.forced for slot in view.slots) or owed > len(view.hand):
        return DEFAULT
    rest = sorted(view.hand, key=lambda card: (worth(card), card))
    gifts = []
    for slot in view.slots:
        to_partner = slot.to_seat in view.partners
        gifts.append(tuple(sorted(take(rest, best=to_partner) for _ in range(slot.count))))
    return {"gifts": tuple(gifts)}


def take(rest: list[int], *, best: bool) -> int:
    """Take the best card that is no special one, or the lowest card, out of a sorted hand."""
    ranked = [place for place, card in enumerate(rest) if worth(card) <= ACE]
    return rest.pop(ranked[-1] if best and ranked else 0)


def worth(card: int) -> int:
    """Return how good a card is: Dog, 2 to ace, Mah Jong, Phoenix, Dragon."""
    special = {DOG: 0, MAH_JONG: 15, PHOENIX: 16, DRAGON: 17}
    return special.get(card % SECOND_PACK, rank(card))


# Who gets the Dragon's trick, or the lead


def decide_seat(view: View) -> Answer:
    """Name the seat with the most cards, of equal ones the first."""
    if not view.seats:
        return DEFAULT
    return {"seat": max(view.seats, key=lambda seat: view.counts[seat])}


# Bombs


def decide_bomb(view: View) -> Answer:
    """Throw the first bomb out of turn where that is worth it."""
    bomb = first_bomb(view)
    if bomb is None or not worth_a_bomb(view, view.plays[bomb]):
        return DECLINE
    return {"index": bomb}


def first_bomb(view: View) -> int | None:
    """Return the place of the first bomb listed."""
    return next((place for place, play in enumerate(view.plays) if play.kind == "bomb"), None)


def worth_a_bomb(view: View, bomb: Play) -> bool:
    """Tell whether it empties the hand, or takes something from an opponent."""
    if empties(view, bomb):
        return True
    owner = view.owner
    if owner is None or owner not in view.opponents:
        return False
    left = view.counts[owner]
    return view.trick_points >= RICH_TRICK or left <= 2 or (owner in view.calls and left <= 6)


def empties(view: View, play: Play) -> bool:
    """Tell whether no card is left after the play."""
    return len(play.cards) == len(view.hand)


# A turn


def decide_act(view: View) -> Answer:
    """Play or pass."""
    if not view.plays:
        return PASS if view.may_pass else DEFAULT
    place = last_play(view)
    if place is None:
        place = lead(view) if view.leading else follow(view)
    return PASS if place is None else with_play(view, place)


def last_play(view: View) -> int | None:
    """Return the first play that empties the hand, a bomb only if nothing else does."""
    last = [place for place, play in enumerate(view.plays) if empties(view, play)]
    return min(last, key=lambda place: view.plays[place].kind == "bomb", default=None)


def lead(view: View) -> int:
    """Return the place of the Dog, if a partner can use the lead, else of the cheapest play."""
    if not view.called and any(view.counts[partner] for partner in view.partners):
        for place, play in enumerate(view.plays):
            if is_alone(play, DOG):
                return place
    places = no_bombs(view) or range(len(view.plays))
    return min(places, key=lambda place: cost_to_lead(view, view.plays[place]))


def cost_to_lead(view: View, play: Play) -> int:
    """Return what it costs to lead the play: low and many cards cost least."""
    cost = play.rank_halves - 6 * (len(play.cards) - 1) + 5 * left_of(view, play)
    if len(play.cards) > 1:
        return cost + (24 if holds(play.cards, PHOENIX) else 0)
    if is_alone(play, PHOENIX, DRAGON, DOG):
        cost += 40
    if any(view.counts[opponent] == 1 for opponent in view.opponents):
        cost += 60 - 2 * play.rank_halves  # whoever has one card waits for a low single
    return cost


def follow(view: View) -> int | None:
    """Return the place of what goes on the table; None: pass."""
    bomb = first_bomb(view)
    bombs = bomb is not None and worth_a_bomb(view, view.plays[bomb])
    places = no_bombs(view)
    if not places:
        return bomb if bombs or not view.may_pass else None
    place = min(places, key=lambda place: cost_to_follow(view, view.plays[place]))
    best = view.plays[place]
    if view.may_pass and (leaves_to_partner(view, best) or saves(view, best)):
        return None
    if view.may_pass and bombs and best.rank_halves < DEAR:
        return bomb
    return place


def cost_to_follow(view: View, play: Play) -> int:
    """Return what it costs to play on the table: low cards that leave nothing torn cost least."""
    joker = len(play.cards) > 1 and holds(play.cards, PHOENIX)
    return play.rank_halves + 5 * left_of(view, play) + (20 if joker else 0)


def leaves_to_partner(view: View, best: Play) -> bool:
    """Tell whether a partner's play stays: only a cheap one goes on a low one."""
    if view.owner not in view.partners or view.table is None:
        return False
    cheap = best.rank_halves <= CHEAP and not is_alone(best, PHOENIX, DRAGON)
    return view.table.rank_halves > LOW_TABLE or not cheap or is_danger(view)


def saves(view: View, best: Play) -> bool:
    """Tell whether the best play is too dear for this trick, and waits."""
    dear = best.rank_halves >= DEAR or holds(best.cards, PHOENIX)
    waits = view.trick_points < POOR_TRICK and len(view.hand) > 6
    return dear and waits and not view.called and not is_danger(view)


def is_danger(view: View) -> bool:
    """Tell whether some opponent has only one or two cards."""
    return any(view.counts[opponent] in (1, 2) for opponent in view.opponents)


def with_play(view: View, place: int) -> Answer:
    """Return the answer that plays, with the wish and the Tichu that go with it."""
    answer: Answer = {"index": place}
    if holds(view.plays[place].cards, MAH_JONG):
        answer["wish"] = rank_to_wish_for(view.hand)
    if calls_tichu(view):
        answer["tichu"] = True
    return answer


def rank_to_wish_for(hand: Sequence[int]) -> int:
    """Return the highest rank of which the hand has no card: somebody else must play it."""
    held = set(map(rank, hand))
    return next((wish for wish in range(ACE, LOWEST - 1, -1) if wish not in held), LOWEST)


def calls_tichu(view: View) -> bool:
    """Tell whether the hand is strong enough for a Tichu that nobody else of the team called."""
    if not view.may_call_tichu or view.called:
        return False
    if any(partner in view.calls for partner in view.partners):
        return False
    return strength(view.hand) >= STRONG_TICHU


def strength(hand: Sequence[int]) -> int:
    """Count high cards and bombs, and the low cards that are alone of their rank against them."""
    ranks = [rank(card) for card in hand]
    fours = sum(ranks.count(each) >= 4 for each in range(LOWEST, ACE + 1))
    lonely = sum(ranks.count(each) == 1 for each in range(LOWEST, 10))
    return high_cards(hand) + 4 * fours - lonely


# Plays


def no_bombs(view: View) -> list[int]:
    """Return the places of the plays that are no bombs."""
    return [place for place, play in enumerate(view.plays) if play.kind != "bomb"]


def left_of(view: View, play: Play) -> int:
    """Return how many cards stay in the hand of the ranks that the play takes from."""
    ranks = {rank(card) for card in play.cards} & set(range(LOWEST, ACE + 1))
    held = sum(rank(card) in ranks for card in view.hand)
    return held - sum(rank(card) in ranks for card in play.cards)


def is_alone(play: Play, *specials: int) -> bool:
    """Tell whether the play is one of these special cards alone."""
    return len(play.cards) == 1 and play.cards[0] % SECOND_PACK in specials


def holds(cards: Iterable[int], special: int) -> bool:
    """Tell whether the special card of either pack is among the cards."""
    return any(card % SECOND_PACK == special for card in cards)
