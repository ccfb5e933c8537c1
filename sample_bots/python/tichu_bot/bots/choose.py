"""Which play: every candidate is weighed by what it saves and its chance to win the trick."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tichu_bot.bots.judge import Unseen, fewest_cards, opponent_called, partner_called
from tichu_bot.bots.plan import plan
from tichu_bot.cards import ACE, DOG, DRAGON, PHOENIX, Kind, Play, is_card, rank
from tichu_bot.view import View

# Weights are in groups of cards, the unit of a plan's cost. In 60 matches against these values
# values a fifth to a half off lost up to 9 points a round, or made no measurable difference.
PLAY_THRESHOLD = 0.6  # what a play must weigh to be better than a pass
PARTNER_THRESHOLD = 0.9  # the same on a partner's play
LEAD_VALUE = 0.4  # of winning a trick, beside what lies in it
POINTS_FOR_A_LEAD = 25.0  # card points worth as much as one group
BOMB_POINTS = 20  # a trick worth a bomb
SMALL_HAND = 8  # cards from which on every legal lead is looked at
SURE = 0.9  # chance to win that a run to the end may count on


class Candidate(NamedTuple):
    """A legal play, the cost of the hand that is left, and the chance to win the trick."""

    play: Play
    left: float
    groups_left: int
    chance: float


def weigh(view: View, plays: Iterable[Play]) -> Iterator[Candidate]:
    """Yield what each play would leave."""
    unseen = Unseen(view)
    for play in plays:
        rest = plan(tuple(card for card in view.hand if card not in play.cards))
        yield Candidate(play, rest.cost, len(rest.groups), unseen.chance_to_win(play))


def choose_lead(view: View, *, called: bool) -> Play:
    """Choose what to lead."""
    candidates = list(weigh(view, leads(view)))
    cost = plan(view.hand).cost
    run = run_out(view, candidates)
    if run is not None:
        return run

    def weight(candidate: Candidate) -> float:
        gain = cost - candidate.left
        return gain + 0.04 * len(candidate.play.cards) + lead_bonus(view, candidate, called=called)

    return max(candidates, key=weight).play


def run_out(view: View, candidates: list[Candidate]) -> Play | None:
    """Return a winning play when all groups but the last win, or the play that ends the hand."""
    last = [c.play for c in candidates if not c.groups_left]
    if last:
        return last[0]
    sure = [c for c in candidates if c.chance >= SURE and c.play.kind != Kind.BOMB]
    sure = sure or [c for c in candidates if c.chance >= SURE]
    if not sure:
        return None
    losers = sum(group.cost > 0.3 for group in plan(view.hand).groups)
    return min(sure, key=lambda c: c.left).play if losers <= 1 else None


def leads(view: View) -> list[Play]:
    """Return the plan's groups that may be led; every legal play where the hand is small."""
    legal = list(view.plays)
    if len(view.hand) <= SMALL_HAND:
        return legal
    groups = {pattern(group.kind, group.cards): group.cards for group in plan(view.hand).groups}
    found = [
        play._replace(cards=groups[key])  # other suits than the list shows are as legal
        for play in legal
        if (key := pattern(play.kind, play.cards)) in groups
    ]
    return found or legal


def pattern(kind: Kind, cards: tuple[int, ...]) -> tuple[int, ...]:
    """Return what all suits of a play have in common; a bomb is its own pattern."""
    if kind == Kind.BOMB:
        return cards
    return (kind, *(rank(card) or -card for card in cards))


def lead_bonus(view: View, candidate: Candidate, *, called: bool) -> float:
    """Weigh who gets the lead next."""
    play = candidate.play
    if play.cards == (DOG,):
        return dog_bonus(view, called=called)
    bonus = LEAD_VALUE * candidate.chance * (2 if called else 1)
    small = fewest_cards(view)
    if len(play.cards) >= small and candidate.chance < SURE and small <= 2:
        bonus -= 1.0  # the opponent could go out on it
    if play.kind == Kind.BOMB:
        bonus -= 1.0
    if is_card(play, DRAGON) or is_card(play, PHOENIX) or rank(play.cards[-1]) == ACE:
        bonus -= 0.5  # what wins a trick waits until one must be won
    if play.kind == Kind.SINGLE and any(view.counts[seat] == 1 for seat in view.partners):
        bonus += 0.5 - 0.05 * rank(play.cards[0])
    return bonus


def dog_bonus(view: View, *, called: bool) -> float:
    """The Dog helps a partner; who bet himself keeps it for the end."""
    if not any(view.counts[seat] for seat in view.partners):
        return -0.5
    if called:
        return -1.5
    return 2.0 if partner_called(view) else 0.3


def choose_follow(view: View, *, called: bool) -> Play | None:
    """Choose what to lay on the table; None is a pass."""
    plays = [play for play in view.plays if play.kind != Kind.BOMB]
    bombs = [play for play in view.plays if play.kind == Kind.BOMB]
    best = best_follow(view, plays, called=called)
    if best is not None and (best[1] or not view.may_pass):
        return best[0].play
    if bombs and (not view.may_pass or is_worth_a_bomb(view, bombs[0])):
        return bombs[0]
    return None


def best_follow(view: View, plays: list[Play], *, called: bool) -> tuple[Candidate, bool] | None:
    """Return the play of most weight, and whether it is better than a pass."""
    if not plays:
        return None
    candidates = list(weigh(view, plays))
    cost = plan(view.hand).cost
    value = lead_value(view, called=called)

    def weight(candidate: Candidate) -> float:
        return cost - candidate.left + value * candidate.chance

    best = max(candidates, key=weight)
    for candidate in candidates:
        if not candidate.groups_left:
            return candidate, True
    if view.owner in view.partners and not called:
        return best, weight(best) >= PARTNER_THRESHOLD and not spares_partner(view, best)
    return best, weight(best) >= PLAY_THRESHOLD


def spares_partner(view: View, candidate: Candidate) -> bool:
    """Tell whether the partner's play should stand: it is high, or his bet, or ours is dear."""
    table = view.table
    if table is None or partner_called(view):
        return True
    height = table.rank_halves // 2
    dear = rank(candidate.play.cards[-1]) in (0, ACE)
    return dear or height >= 11 or table.kind not in (Kind.SINGLE, Kind.PAIR)


def lead_value(view: View, *, called: bool) -> float:
    """Return what winning this trick is worth, in groups."""
    if view.owner in view.partners and not called:
        return 0.0
    value = LEAD_VALUE + max(view.table_points, 0) / POINTS_FOR_A_LEAD
    if called:
        value += 0.3
    if opponent_called(view):
        value += 0.4
    if fewest_cards(view) <= 3:
        value += 0.4
    if len(plan(view.hand).groups) <= 3:
        value += 0.3
    return value


def is_worth_a_bomb(view: View, bomb: Play) -> bool:
    """Tell whether to bomb the trick: an opponent's, and rich, dangerous, or the way out."""
    if view.owner is None or view.owner in view.partners:
        return False
    rest = plan(tuple(card for card in view.hand if card not in bomb.cards))
    if len(rest.groups) <= 1:
        return True
    owner_left = view.counts[view.owner]
    danger = view.owner in view.calls and owner_left <= 6
    return view.table_points >= BOMB_POINTS or danger or owner_left <= 2
