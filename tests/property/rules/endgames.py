"""Small endgames, and all that can still happen in them, through the doors of the rules alone."""

import random

from referee.rules.cards import (
    DOG,
    DRAGON,
    MAHJONG,
    ONE_PACK,
    PHOENIX,
    RANK_MASKS,
    SUITS,
    card_numbers,
)
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.position import Position
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.seat import Seat
from tests.property.rules.playing import act

_SPECIAL = (DOG, PHOENIX, DRAGON, MAHJONG)


def small_endgame(rng: random.Random, options: RuleOptions) -> Round:
    """Deal one to three cards to each seat that is not out yet, and play a few random actions.

    One of the seats may hold a bomb beside its cards.
    """
    cards = [1 << number for number in card_numbers(_few_ranks(rng))]
    rng.shuffle(cards)
    for card in (PHOENIX, DRAGON):
        if rng.random() < 0.6:
            cards.remove(card)
            cards.insert(0, card)
    out, bomb = _out(rng), _bomb(rng, sum(cards))
    cards = [card for card in cards if not card & bomb]
    holders = [seat for seat in map(Seat, range(4)) if seat not in out]
    most = 1 if bomb else rng.randint(1, 3)
    hands = [0] * 4
    for seat in holders:
        hands[seat] = sum(cards.pop(0) for _ in range(rng.randint(1, most)))
    hands[rng.choice(holders)] |= bomb
    won = [0] * 4
    for card in cards:
        won[rng.randrange(4)] |= card
    position = Round.from_position(
        Position(
            hands=tuple(hands),
            won=tuple(won),
            out=out,
            lead=rng.choice(holders),
            calls=_calls(rng, options),
            played=tuple(Seat(s) for s in range(4) if s in out or rng.random() < 0.8),
            wish=rng.choice([0, 0, rng.randrange(2, 15)]),
            options=options,
        )
    )
    return _after_some_actions(position, rng)


def _bomb(rng: random.Random, cards: int) -> int:
    """Return four of a rank, five of a suit in a row, or mostly nothing."""
    kind = rng.random()
    if kind < 0.2:
        return rng.choice([mask for mask in RANK_MASKS[2:] if mask & cards])
    if kind < 0.25:
        suit, lowest = rng.choice(SUITS), rng.randrange(2, 11)
        return suit & sum(RANK_MASKS[lowest : lowest + 5])
    return 0


def _few_ranks(rng: random.Random) -> int:
    cards = sum(_SPECIAL)
    for rank in rng.sample(range(2, 15), rng.randint(3, 7)):
        cards |= RANK_MASKS[rank] & ONE_PACK
    return cards


def _out(rng: random.Random) -> tuple[Seat, ...]:
    first, step = rng.randrange(4), rng.choice((1, 3))  # the second to go out is an opponent
    return (Seat(first), Seat((first + step) % 4))[: rng.choice((0, 0, 1, 1, 2))]


def _calls(rng: random.Random, options: RuleOptions) -> tuple[tuple[Seat, CallKind], ...]:
    kinds = [CallKind.TICHU] + [CallKind.GRAND] * options.grand_allowed
    calls = [(Seat(seat), rng.choice(kinds)) for seat in range(4) if rng.random() < 0.2]
    return tuple(calls if options.both_partners_may_call else calls[:1])


def _after_some_actions(position: Round, rng: random.Random) -> Round:
    for _ in range(rng.randrange(5)):
        later = position.copy()
        act(later, rng)
        if later.phase is Phase.ROUND_OVER:
            break
        position = later
    return position


class TooManyPositions(Exception):
    """The endgame is not small."""


def extremes(position: Round, *, most: int) -> tuple[int, int]:
    """Return the least and the greatest of team 0's points minus team 1's over all that can follow.

    Raises `TooManyPositions` where more than `most` positions can.
    """
    return _extremes(position, {}, most)


def _extremes(
    position: Round, known: dict[tuple[object, ...], tuple[int, int]], most: int
) -> tuple[int, int]:
    state = position.state()
    if state not in known:
        if len(known) > most:
            raise TooManyPositions
        if position.phase is Phase.ROUND_OVER:
            score = position.round_score
            known[state] = (score[0] - score[1],) * 2
        else:
            found = [_extremes(later, known, most) for later in _all_next(position)]
            known[state] = (min(low for low, _ in found), max(high for _, high in found))
    return known[state]


def _all_next(position: Round) -> list[Round]:
    """Every position after one action of any seat; a refused one leaves none."""
    following = []

    def tried(done: Round, refusal: Refusal | None) -> None:
        if refusal is None:
            following.append(done)

    for seat in map(Seat, range(4)):
        tried(later := position.copy(), later.call(seat, CallKind.TICHU))
        tried(later := position.copy(), later.pass_turn(seat))
        for to in map(Seat, range(4)):
            tried(later := position.copy(), later.give_dragon(seat, to))
        for play in position.every_play(seat) if position.hands[seat] else ():
            rank = play.phoenix_rank or None
            for wish in (None, *range(2, 15)) if play.cards & MAHJONG else (None,):
                later = position.copy()
                tried(later, later.play(seat, play.cards, phoenix_rank=rank, wish=wish))
    tried(later := position.copy(), later.collect())
    return following
