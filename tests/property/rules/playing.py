"""Random rounds through every door of the rules, in every game, with any options, step by step."""

import random
from collections.abc import Callable, Iterator, Sequence

from referee.rules.cards import MAHJONG, Seat, card_numbers, pack
from referee.rules.errors import ConfigError
from referee.rules.exchanges import Forced
from referee.rules.option_values import ExchangeRechoose, GsBestOrder, Variant
from referee.rules.options import OPTION_ROWS, RuleOptions, seats
from referee.rules.phases import BIDS, CallKind, Phase
from referee.rules.round import Round
from referee.rules.seating import TRICHU_PLAYERS, order_of_ranks

_GAMES = ("trichu_", "tientsin_", "gs_")
_NOT_OF_A_ROUND = ("variant", "seats", "target", "rounds", "gs_goal")
_ROWS = tuple(name for name in OPTION_ROWS if name not in _NOT_OF_A_ROUND)
# Rows of the game of four that leave its calls and phases as they are
ROWS_OF_FOUR = tuple(
    name for name in _ROWS if name not in ("chaos", "refuse_call") and not name.startswith(_GAMES)
)


def random_options(rng: random.Random) -> RuleOptions:
    """Any value of any option of the game of four, each with an even chance to be the default."""
    return random_options_of(Variant.TICHU, rng, names=ROWS_OF_FOUR)


def random_options_of(
    variant: Variant,
    rng: random.Random,
    *,
    seats: int | None = None,
    names: Sequence[str] = _ROWS,
) -> RuleOptions:
    """Any options of a game that make sense: a row that does not fit the others is left out.

    `seats` are those of Grand Seigneur, None = any number.
    """
    chosen: dict[str, object] = {"variant": variant}
    if variant is Variant.GRAND_SEIGNEUR:
        chosen["seats"] = seats or rng.randint(5, 12)
    for name in rng.sample(names, len(names)):
        if rng.random() < 0.5:
            more = chosen | {name: rng.choice(OPTION_ROWS[name].values)}
            try:
                RuleOptions(**more)  # type: ignore[arg-type]
            except ConfigError:
                continue
            chosen = more
    return RuleOptions(**chosen)  # type: ignore[arg-type]


def dealt(rng: random.Random, options: RuleOptions) -> Round:
    """Any round of any match by these options, as it begins."""
    if options.variant is not Variant.GRAND_SEIGNEUR or rng.random() < 0.3:
        return next_dealt(rng, options)
    ranks = rng.sample(list(map(Seat, range(seats(options)))), seats(options))
    return next_dealt(rng, options, ranks)


def next_dealt(rng: random.Random, options: RuleOptions, ranks: Sequence[Seat] = ()) -> Round:
    """The round that follows on these ranks, dealt by their last; without any by any seat."""
    order = pack(options)
    rng.shuffle(order)
    if ranks:
        turns = order_of_ranks(ranks, options)
        return Round.deal(order, dealer=ranks[-1], options=options, turn_order=turns, ranks=ranks)
    dealers = TRICHU_PLAYERS if options.variant is Variant.TRICHU else range(seats(options))
    return Round.deal(order, dealer=Seat(rng.choice(dealers)), options=options)


def playing(rng: random.Random, options: RuleOptions) -> Iterator[Round]:
    """Play one round to its end, yielding it before every action and once it is over."""
    return playing_on(rng, dealt(rng, options))


def playing_on(rng: random.Random, round_: Round) -> Iterator[Round]:
    """Play a round from where it stands, as `playing` does."""
    while round_.phase is not Phase.ROUND_OVER:
        yield round_
        act(round_, rng)
    yield round_


def act(round_: Round, rng: random.Random) -> None:
    match round_.phase:
        case Phase.GREAT_GRAND | Phase.GRAND:
            _decide(round_, rng)
        case Phase.REFUSAL:
            _answer(round_, rng)
        case Phase.EXCHANGE:
            _exchange(round_, rng)
        case Phase.DRAGON:
            assert round_.turn is not None
            to = rng.choice(round_.dragon_recipients(round_.turn))
            assert round_.give_dragon(round_.turn, to) is None
        case Phase.DOG:
            assert round_.turn is not None
            to = rng.choice(round_.dog_recipients(round_.turn))
            assert round_.give_dog(round_.turn, to) is None
        case Phase.PLAY | Phase.CLOSING:
            if rng.random() < 0.02 and _calls_tichu(round_, rng):
                return
            if not _bomb(round_, rng):
                _turn(round_, rng)
        case _:
            raise AssertionError(round_.phase)


def _calls_tichu(round_: Round, rng: random.Random) -> bool:
    """Let somebody try to call; True when the call was made."""
    return round_.call(Seat(rng.randrange(round_.n)), CallKind.TICHU) is None


def _decide(round_: Round, rng: random.Random) -> None:
    seat = rng.choice(round_.decisions_owed())
    if round_.phase is Phase.GRAND and round_.options.chaos:
        assert round_.call(seat, rng.choice(BIDS)) is None
        return
    great = round_.phase is Phase.GREAT_GRAND
    yes = CallKind.GREAT_GRAND if great else CallKind.GRAND
    no = CallKind.NO_GREAT_GRAND if great else CallKind.NO_GRAND
    if rng.random() < 0.1 and round_.call(seat, yes) is None:
        return
    assert round_.call(seat, no) is None


def _answer(round_: Round, rng: random.Random) -> None:
    """Answer the call that is judged, unless somebody calls meanwhile."""
    if rng.random() < 0.2 and _calls_tichu(round_, rng):
        return
    seat = rng.choice(round_.decisions_owed())
    answer = CallKind.REFUSE if rng.random() < 0.4 else CallKind.ACCEPT
    assert round_.call(seat, answer) is None


def _exchange(round_: Round, rng: random.Random) -> None:
    if rng.random() < 0.1 and _calls_tichu(round_, rng):
        return
    givers = [Seat(s) for s in range(round_.n) if round_.exchange_slots(Seat(s))]
    seat = rng.choice([s for s in givers if round_.exchange_choices[s] is None])
    if round_.options.exchange_rechoose is ExchangeRechoose.UNTIL_ALL_GAVE and rng.random() < 0.2:
        seat = rng.choice(givers)
    assert round_.exchange(seat, exchange_choice(round_, seat, rng)) is None


def exchange_choice(round_: Round, seat: Seat, rng: random.Random) -> list[int]:
    """What a seat may give, one mask a slot: any cards, or any of the best or the worst (I3)."""
    left = card_numbers(round_.hands[seat])
    choice = []
    for slot in round_.exchange_slots(seat):
        rng.shuffle(left)
        if slot.forced is not Forced.FREE:
            left.sort(key=_ladder(round_.options), reverse=slot.forced is Forced.BEST)
        choice.append(sum(1 << number for number in left[: slot.count]))
        del left[: slot.count]
    return choice


def _ladder(options: RuleOptions) -> Callable[[int], int]:
    """Where a card stands in the exchange, lowest first; equal cards of both packs alike (I3)."""
    dog, phoenix, dragon, mah_jong = 1, 2, 3, 4
    ranked = list(range(8, 60, 4))  # the first of each rank
    if options.gs_best_order is GsBestOrder.MAHJONG_LAST:
        ladder = [dog, mah_jong, *ranked, phoenix, dragon]
    else:
        ladder = [dog, *ranked, mah_jong, phoenix, dragon]

    def place(number: int) -> int:
        card = number % 64
        return ladder.index(card if card < 8 else card // 4 * 4)

    return place


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
