"""Random rounds through every door of the rules, with any options, state by state."""

import random
from collections.abc import Iterator

from referee.rules.cards import MAHJONG, Seat, card_numbers, pack
from referee.rules.option_values import ExchangeRechoose
from referee.rules.options import LATER_OPTIONS, OPTION_ROWS, RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round


def random_options(rng: random.Random) -> RuleOptions:
    """Any value of any option of this release, each with an even chance to be the default."""
    chosen: dict[str, object] = {}
    for row in OPTION_ROWS.values():
        if row.name not in (*LATER_OPTIONS, "target", "rounds") and rng.random() < 0.5:
            chosen[row.name] = rng.choice(row.values)
    if chosen.get("great_grand"):
        chosen.pop("grand_allowed", None)
    return RuleOptions(**chosen)  # type: ignore[arg-type]


def playing(rng: random.Random, options: RuleOptions) -> Iterator[Round]:
    """Play one round to its end, yielding it before every action and once it is over."""
    order = pack(options)
    rng.shuffle(order)
    round_ = Round.deal(order, dealer=Seat(rng.randrange(4)), options=options)
    while round_.phase is not Phase.ROUND_OVER:
        yield round_
        act(round_, rng)
    yield round_


def act(round_: Round, rng: random.Random) -> None:
    match round_.phase:
        case Phase.GREAT_GRAND | Phase.GRAND:
            _decide(round_, rng)
        case Phase.EXCHANGE:
            _exchange(round_, rng)
        case Phase.DRAGON:
            assert round_.turn is not None
            to = rng.choice(round_.dragon_recipients(round_.turn))
            assert round_.give_dragon(round_.turn, to) is None
        case Phase.PLAY | Phase.CLOSING:
            if rng.random() < 0.02:
                round_.call(Seat(rng.randrange(round_.n)), CallKind.TICHU)
            if not _bomb(round_, rng):
                _turn(round_, rng)
        case _:
            raise AssertionError(round_.phase)


def _decide(round_: Round, rng: random.Random) -> None:
    seat = rng.choice(round_.decisions_owed())
    great = round_.phase is Phase.GREAT_GRAND
    yes = CallKind.GREAT_GRAND if great else CallKind.GRAND
    no = CallKind.NO_GREAT_GRAND if great else CallKind.NO_GRAND
    if rng.random() < 0.1 and round_.call(seat, yes) is None:
        return
    assert round_.call(seat, no) is None


def _exchange(round_: Round, rng: random.Random) -> None:
    if rng.random() < 0.1:
        round_.call(Seat(rng.randrange(round_.n)), CallKind.TICHU)
    owing = [Seat(s) for s in range(round_.n) if round_.exchange_choices[s] is None]
    seat = rng.choice(owing)
    if round_.options.exchange_rechoose is ExchangeRechoose.UNTIL_ALL_GAVE and rng.random() < 0.2:
        seat = Seat(rng.randrange(round_.n))
    numbers = rng.sample(card_numbers(round_.hands[seat]), round_.n - 1)
    assert round_.exchange(seat, [1 << number for number in numbers]) is None


def _bomb(round_: Round, rng: random.Random) -> bool:
    for seat in round_.bomb_holders():
        if seat != round_.turn and rng.random() < 0.3:
            bomb = rng.choice(round_.legal_bombs(seat))
            assert round_.play(seat, bomb.cards) is None
            return True
    return False


def _turn(round_: Round, rng: random.Random) -> None:
    seat = round_.turn
    if seat is None:
        if round_.owner is not None and rng.random() < 0.5:
            plays = round_.legal_plays(round_.owner)  # more than bombs with self_overtake any
            if plays:
                chosen = rng.choice(plays)
                rank = chosen.phoenix_rank or None
                assert round_.play(round_.owner, chosen.cards, phoenix_rank=rank) is None
                return
        assert round_.collect() is None
        return
    plays = round_.legal_plays(seat)
    if round_.may_pass(seat) and rng.random() < 1 / (len(plays) + 1):
        assert round_.pass_turn(seat) is None
        return
    chosen = rng.choice(plays)
    wish = rng.randrange(2, 15) if chosen.cards & MAHJONG else None
    if round_.options.wish_optional and rng.random() < 0.2:
        wish = None
    rank = chosen.phoenix_rank or None
    assert round_.play(seat, chosen.cards, phoenix_rank=rank, wish=wish) is None
