"""What a cheat makes of hands that are not its own: it plays the round out with them."""

from collections.abc import Mapping, Sequence

from chaos.playout import SEATS, Hand, Playout, Position
from tichu_bot import PASS, Act, View
from tichu_bot.bots.choose import leads
from tichu_bot.bots.greedy_play import GreedyBot, wish_for
from tichu_bot.cards import DOG, DRAGON, MAH_JONG, PHOENIX, Kind, Play, points

PACK = (DOG, PHOENIX, DRAGON, MAH_JONG, *range(8, 60))
GUESSES = 8  # ways to deal the cards that are not seen: more tell more, and take longer
BETTER = 10  # points that a play must be better than greedy's: playouts are rough

Seen = Mapping[int, Sequence[int]]  # cards that are taken to be in other hands, by seat


class SeeingBot(GreedyBot):
    """Plays as greedy does; where it sees other hands, it plays out what else it could do."""

    from_cards = len(PACK)  # left in all hands, at most

    def seen(self, view: View) -> Seen:
        """Return what is seen now: nothing, unless a cheat says more. Empty plays as greedy."""
        return {}

    def act(self, view: View) -> Act:
        """Take greedy's play, unless another one is clearly better by what is seen."""
        plain = super().act(view)
        if len(view.teams) != SEATS or sum(view.counts) > self.from_cards:
            return plain
        seen = self.seen(view)
        if not seen:
            return plain
        play = best_play(view, plain.play, deals(view, seen))
        if play is plain.play:
            return plain
        return Act(play, wish_for(view) if MAH_JONG in play.cards else None) if play else PASS


def deals(view: View, seen: Seen) -> list[tuple[Hand, ...]]:
    """Return ways in which the cards may lie: what is seen, and the rest at random.

    Empty where the cards do not add up to one pack, as with two packs.
    """
    others = [seat for seat in range(SEATS) if seat != view.seat]
    unseen = set(PACK).difference(view.hand, view.played)
    if len(unseen) != sum(view.counts[seat] for seat in others):
        return []
    hands: list[Hand] = [view.hand] * SEATS
    for seat in others:
        known = [card for card in seen.get(seat, ()) if card in unseen][: view.counts[seat]]
        unseen.difference_update(known)
        hands[seat] = tuple(known)
    short = [seat for seat in others if len(hands[seat]) < view.counts[seat]]
    rest = sorted(unseen)
    return [_filled(view, hands, rest) for _ in range(GUESSES if len(short) > 1 else 1)]


def _filled(view: View, hands: Sequence[Hand], rest: list[int]) -> tuple[Hand, ...]:
    view.random.shuffle(rest)
    left = iter(rest)
    return tuple(
        tuple(sorted((*hand, *(next(left) for _ in range(view.counts[seat] - len(hand))))))
        for seat, hand in enumerate(hands)
    )


def best_play(view: View, plain: Play | None, dealt: Sequence[tuple[Hand, ...]]) -> Play | None:
    """Return the play of most points in the playouts; `plain` unless one is clearly better."""
    listed = leads(view) if view.leading else view.plays
    plays: list[Play | None] = [play for play in listed if play.kind != Kind.BOMB]
    plays += [None] * (view.may_pass and plain is not None)
    best, most = plain, _value(view, plain, dealt) + BETTER
    for play in plays:
        value = _value(view, play, dealt)
        if value > most:
            best, most = play, value
    return best


def _value(view: View, play: Play | None, dealt: Sequence[tuple[Hand, ...]]) -> float:
    if not dealt:
        return 0
    team = view.teams[view.seat]
    return sum(Playout(after(view, hands, play)).value(team) for hands in dealt) / len(dealt)


def after(view: View, dealt: tuple[Hand, ...], play: Play | None) -> Position:
    """Return the position after a play of the seat on turn, or its pass."""
    me, out, hands = view.seat, tuple(view.out), list(dealt)
    table, owner, trick, turn = view.table, view.owner, view.table_points, (me + 1) % SEATS
    if play is not None:
        hands[me] = tuple(card for card in hands[me] if card not in play.cards)
        out += () if hands[me] else (me,)
        owner, trick = me, trick + points(play.cards)
        if play.cards == (PHOENIX,) and table is not None:
            play = play._replace(rank_halves=table.rank_halves + 1)
        table = play
        if play.cards == (DOG,):
            table, turn = None, (me + 2) % SEATS
    return Position(
        hands=tuple(hands),
        won=tuple(view.won_points),
        out=out,
        table=table,
        owner=me if owner is None else owner,
        trick=trick,
        bets=frozenset(view.calls),
        turn=turn,
    )
