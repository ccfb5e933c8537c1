"""Whole random rounds of every game: what must hold in each state, and when a round is over.

Everything is reckoned anew from the rules' words; of the referee only its state is read.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise

import msgspec
import pytest

from referee.rules.cards import DOG, DUPLICATE, RANK_MASKS, Seat, card_numbers, pack, rank_of
from referee.rules.combinations import Combination
from referee.rules.notation import format_cards, parse_cards
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, options_dict, parse_options, seats
from referee.rules.phases import CallKind, Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from tests.property.rules.oracle import DRAGON, Shape, open_plays
from tests.property.rules.playing import (
    exchange_choice,
    next_dealt,
    playing_on,
    random_options_of,
)
from tests.property.rules.reckoning import assert_over
from tests.property.rules.trick_flow import Flow, turn_order

SEATS_OF_GRAND_SEIGNEUR = (5, 6, 7, 9, 12)

MOST_STEPS = 3_000  # of a round; twelve players with two packs take some 600
LISTED = 0.04  # of the states: how often all plays of a hand are listed
JUDGED = 0.1  # of the states: how often small hands are judged by the second referee
SMALL = 7  # cards of a hand: it looks at all subsets
TRIED = 0.05  # of the states: how often something random is tried


class Game(msgspec.Struct, frozen=True, kw_only=True):
    """What is played, and how many rounds of it."""

    name: str
    variant: Variant
    rounds: int = 12
    seats: int | None = None
    fixed: tuple[tuple[str, object], ...] = ()
    any_options: bool = False

    def options(self, rng: random.Random) -> RuleOptions:
        """Return the options of one match."""
        fixed = {"variant": self.variant, "seats": self.seats, **dict(self.fixed)}
        if self.any_options:
            return random_options_of(self.variant, rng, seats=self.seats)
        return RuleOptions(**fixed)  # type: ignore[arg-type]


def _games() -> Iterator[Game]:
    for variant in (Variant.TICHU, Variant.TRICHU, Variant.TIENTSIN):
        yield Game(name=variant, variant=variant)
        yield Game(name=f"{variant}, any options", variant=variant, any_options=True, rounds=30)
    for house in ("chaos", "refuse_call", "great_grand"):
        for variant in (Variant.TICHU, Variant.TRICHU, Variant.TIENTSIN):
            if (house, variant) != ("chaos", Variant.TRICHU):
                fixed = ((house, True),)
                yield Game(name=f"{variant}, {house}", variant=variant, fixed=fixed, rounds=8)
    for n in SEATS_OF_GRAND_SEIGNEUR:
        seigneur = Variant.GRAND_SEIGNEUR
        yield Game(name=f"{n} seats", variant=seigneur, seats=n, rounds=5)
        yield Game(
            name=f"{n} seats, any options", variant=seigneur, seats=n, rounds=8, any_options=True
        )


@pytest.mark.parametrize("game", list(_games()), ids=lambda game: game.name)
def test_a_round_of_every_game_keeps_the_rules_from_deal_to_score(game: Game) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    ranks: tuple[Seat, ...] = ()
    for number in range(game.rounds):
        options = game.options(rng)
        story = f"seed {seed} round {number} {options_dict(options)}"
        round_ = next_dealt(rng, options, ranks)
        assert_dealt_as_told(round_, story)
        flow, before = Flow(round_), round_.copy()
        for step, at in enumerate(playing_on(rng, round_)):
            told = f"{story} step {step}"
            assert step < MOST_STEPS, told
            if step:
                assert flow.fault(before, at) is None, told
            before = at.copy()
            assert_cards_are_conserved(at, told)
            assert_somebody_can_act(at, told)
            if rng.random() < LISTED:
                assert_lists_agree(at, told)
            if not game.any_options and rng.random() < JUDGED:
                assert_as_the_oracle_says(at, told)
            if rng.random() < TRIED:
                assert_what_is_refused_changes_nothing(at, rng, told)
        assert_over(round_, story)
        if options.variant is Variant.GRAND_SEIGNEUR:
            ranks = round_.finishing_order


# The deal


def assert_dealt_as_told(round_: Round, story: str) -> None:
    order = turn_order(round_)
    sizes = [hand.bit_count() for hand in round_.hands]
    number, rest = divmod(len(pack(round_.options)), round_.n)
    assert sum(sizes) == len(pack(round_.options)), story
    start = order.index(round_.dealer) + (
        round_.options.tientsin_deal_start.value == "after_dealer"
    )
    for place, seat in enumerate(order[start:] + order[:start]):
        assert sizes[seat] == number + (place < rest), story


# Every state


def assert_cards_are_conserved(round_: Round, story: str) -> None:
    together = 0
    for cards in (*round_.hands, *round_.won, round_.trick):
        assert not together & cards, story
        together |= cards
    whole = sum(1 << number for number in pack(round_.options))
    assert together in (whole, whole & ~DOG), story  # the Dog, once played, is nobody's (C4)


def assert_somebody_can_act(round_: Round, story: str) -> None:
    """No state in which nobody may do anything, and no seat that is bound to what it cannot do."""
    turn, phase = round_.turn, round_.phase
    holders = {seat for seat, hand in enumerate(round_.hands) if hand}
    assert holders.isdisjoint(round_.out), story
    assert sorted((*holders, *round_.out)) == list(range(round_.n)), story
    if phase is Phase.PLAY:
        assert turn in holders, story
        assert turn is not None, story
        _assert_free_or_able(round_, turn, story)
    elif phase in (Phase.DRAGON, Phase.DOG):
        assert turn is not None, story
        gifts = round_.dragon_recipients if phase is Phase.DRAGON else round_.dog_recipients
        assert gifts(turn), story
        assert phase is Phase.DRAGON or len(gifts(turn)) > 1, story
        assert turn not in gifts(turn), story
    else:
        assert turn is None, story
    owed = phase in (Phase.GREAT_GRAND, Phase.GRAND, Phase.REFUSAL)
    assert bool(round_.decisions_owed()) == owed, story
    assert (round_.table is None) == (round_.trick == 0) == (round_.owner is None), story
    if phase is Phase.EXCHANGE:
        owing = [s for s in map(Seat, range(round_.n)) if round_.exchange_slots(s)]
        assert any(round_.exchange_choices[seat] is None for seat in owing), story


def _assert_free_or_able(round_: Round, turn: Seat, story: str) -> None:
    plays = round_.legal_plays(turn)
    assert plays or round_.may_pass(turn), story
    assert plays or round_.table is not None, story
    assert round_.may_pass(turn) <= (round_.table is not None), story
    if round_.table is not None and not round_.may_pass(turn):
        rank = RANK_MASKS[round_.wish]
        assert any(play.cards & rank for play in plays), story
    if turn == round_.seating.tisch and round_.table is not None:
        assert round_.may_pass(turn), story  # G7: she is never bound


def _ranks_of(play: Combination) -> object:
    """What is the same for all plays of one pattern; a bomb is its suits and ranks."""
    cards = sorted(number % 64 for number in card_numbers(play.cards))
    ranks = sorted(rank_of(number) for number in card_numbers(play.cards))
    apart = play.is_bomb or not any(ranks)  # bombs, and specials alone
    return (
        play.kind,
        apart,
        tuple(cards if apart else ranks),
        play.phoenix_rank,
        play.second_phoenix_rank,
    )


def assert_lists_agree(round_: Round, story: str) -> None:
    """The short list is part of the long one and leaves no pattern out, for every seat."""
    for seat in map(Seat, range(round_.n)):
        every = round_.every_play(seat)
        short = round_.legal_plays(seat)
        told = f"{story} seat {seat}"
        assert len(set(every)) == len(every), told
        assert len(set(short)) == len(short), told
        assert set(short) <= set(every), told
        assert {_ranks_of(play) for play in short} == {_ranks_of(play) for play in every}, told
        assert len({_ranks_of(play) for play in short}) == len(short), told
        for play in short:
            wish = 2 if play.cards & 1 << 4 and not round_.options.wish_optional else None
            rank = play.phoenix_rank or None
            judged = round_.check_play(seat, play.cards, phoenix_rank=rank, wish=wish)
            assert judged == play, told
        if round_.wish:
            assert_the_wish_binds_by_either_way(round_, seat, every, told)
        bombs = [play for play in short if play.is_bomb]
        if seat != round_.turn or round_.phase is not Phase.PLAY:
            assert round_.legal_bombs(seat) == bombs, told
        if round_.table is not None:
            # the wish can forbid a bomb without its rank, and the window asks for any
            assert round_.holds_legal_bomb(seat) >= bool(bombs), told


def assert_the_wish_binds_by_either_way(
    round_: Round, seat: Seat, every: list[Combination], story: str
) -> None:
    """What the wish takes out of the long list the validator refuses for the wish, and no more."""
    free = round_.copy()
    free.wish = 0
    for play in free.every_play(seat):
        if play not in every:
            judged = round_.check_play(seat, play.cards, phoenix_rank=play.phoenix_rank or None)
            assert judged is Refusal.MUST_FULFIL_WISH, story


def assert_as_the_oracle_says(round_: Round, story: str) -> None:
    """The plays of small hands are those that a second referee finds among all subsets."""
    if round_.phase not in (Phase.PLAY, Phase.CLOSING):
        return
    table = round_.table
    lies = None if table is None else _shape(table)
    for seat in map(Seat, range(round_.n)):
        if not 0 < round_.hands[seat].bit_count() <= SMALL:
            continue
        on_turn = round_.phase is Phase.PLAY and seat == round_.turn
        wish = 0 if seat == round_.seating.tisch else round_.wish
        hand = format_cards(round_.hands[seat]).split()
        expected = open_plays(hand, lies, wish, on_turn=on_turn)
        plays = {(play.cards, play.phoenix_rank) for play in round_.every_play(seat)}
        found = {(parse_cards(" ".join(cards)), rank) for cards, rank in expected}
        assert plays == found, f"{story} seat {seat}"


def _shape(table: Combination) -> Shape:
    kind = table.kind.name.lower().replace("_", " ")
    height = {32: DRAGON, 33: DRAGON + 0.5}.get(table.rank2, table.rank2 / 2)
    return kind, table.length, height


# What is refused


Attempt = Callable[[Round], Refusal | None]


def _attempts(round_: Round, rng: random.Random) -> Iterator[Attempt]:
    seat, other = (Seat(rng.randrange(round_.n)) for _ in range(2))
    whole = pack(round_.options)
    few = rng.sample(whole, rng.choice((1, 1, 2, 3, 4, 5)))
    held = card_numbers(round_.hands[seat])
    own = rng.sample(held, min(len(held), rng.choice((1, 1, 2, 3, 4, 5, 6))))
    rank, wish = rng.choice((None, rng.randrange(16))), rng.choice((None, rng.randrange(16)))
    for numbers in (few, own):
        cards = sum(1 << number for number in numbers)
        yield lambda it, cards=cards: it.play(seat, cards, phoenix_rank=rank, wish=wish)  # type: ignore[misc]
        yield lambda it, cards=cards: it.play(seat, cards | DUPLICATE)  # type: ignore[misc]
    yield lambda it: it.pass_turn(seat)
    yield lambda it: it.collect()
    yield lambda it: it.give_dragon(seat, other)
    yield lambda it: it.give_dog(seat, other)
    for call in CallKind:
        yield lambda it, call=call: it.call(seat, call)  # type: ignore[misc]
    yield lambda it: it.exchange(seat, [1 << number for number in few])
    yield lambda it: it.exchange(seat, [1 << number for number in own])
    yield lambda it: it.exchange(seat, ())


def assert_what_is_refused_changes_nothing(round_: Round, rng: random.Random, story: str) -> None:
    before = round_.state()
    for number, attempt in enumerate(_attempts(round_, rng)):
        twin = round_.copy()
        if attempt(twin) is not None:
            assert twin.state() == before, f"{story} attempt {number}"
        else:
            assert twin.state() != before, f"{story} attempt {number}"
            assert_cards_are_conserved(twin, f"{story} attempt {number}")
        assert round_.state() == before, f"{story} attempt {number} changed the original"


# What one round cannot show


def turns(round_: Round) -> Sequence[Seat]:
    """Lead and let every other seat pass: the order in which the turn goes round."""
    seen = []
    assert round_.turn is not None
    round_.play_checked(round_.turn, round_.legal_plays(round_.turn)[0])
    while round_.phase is Phase.PLAY and round_.turn is not None:
        seen.append(round_.turn)
        if round_.pass_turn(round_.turn) is not None:
            break
    return seen


@pytest.mark.parametrize("n", SEATS_OF_GRAND_SEIGNEUR)
def test_in_the_next_round_the_turn_follows_the_ranks(n: int) -> None:
    options = RuleOptions(variant=Variant.GRAND_SEIGNEUR, seats=n)
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    ranks = tuple(map(Seat, rng.sample(range(n), n)))
    round_ = next_dealt(rng, options, ranks)
    while round_.phase is Phase.EXCHANGE:
        _exchange_all(round_, rng)
    seen = turns(round_)
    following = dict(pairwise((*ranks, ranks[0])))
    assert all(following[one] == other for one, other in pairwise(seen)), f"seed {seed}"


def _exchange_all(round_: Round, rng: random.Random) -> None:
    for seat in map(Seat, range(round_.n)):
        if round_.exchange_slots(seat):
            assert round_.exchange(seat, exchange_choice(round_, seat, rng)) is None


@pytest.mark.parametrize("n", SEATS_OF_GRAND_SEIGNEUR)
@pytest.mark.parametrize("given_back", ["free", "worst"])
@pytest.mark.parametrize("order", ["dragon_phoenix_mahjong", "mahjong_last"])
def test_of_all_sets_only_the_best_are_taken(n: int, given_back: str, order: str) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    raw = {"variant": "grand_seigneur", "seats": n, "gs_return": given_back}
    options = parse_options({**raw, "gs_best_order": order})
    ranks = rng.sample(list(map(Seat, range(n))), n)
    round_ = next_dealt(rng, options, ranks)
    levels = 2 if n == 5 else 3
    for place in (*range(levels), *range(n - levels, n)):
        number = levels - place if place < levels else levels - (n - 1 - place)
        giver = ranks[place]
        best = sorted((worth(c, order) for c in card_numbers(round_.hands[giver])), reverse=True)
        if place < levels:
            best.reverse()
        for cards in combinations(card_numbers(round_.hands[giver]), number):
            mask = sum(1 << card for card in cards)
            given = sorted(worth(card, order) for card in cards)
            free = place < levels and given_back == "free"
            expected = None if free or given == sorted(best[:number]) else Refusal.BAD_EXCHANGE
            assert round_.check_exchange(giver, [mask]) is expected, f"seed {seed} {giver} {cards}"


def worth(number: int, order: str) -> int:
    """I3: Dragon, Phoenix, Mah Jong, A, K, ...; the packs make no difference."""
    mah_jong = 15 if order == "dragon_phoenix_mahjong" else 1
    return {2: 16, 3: 17, 4: mah_jong}.get(number % 64, number % 64 // 4)


def test_seats_of_every_game() -> None:
    for game in _games():
        options = game.options(random.Random(1))
        assert seats(options) == (game.seats or (6 if game.variant is Variant.TIENTSIN else 4))
