"""No fault pays: whatever a leg scores that a bot's fault ended, going on would not be worse."""

import random
from collections.abc import Iterator

import msgspec
import pytest

from referee.rules.cards import MAHJONG, Seat, pack
from referee.rules.options import RuleOptions, options_dict, team_of
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round
from referee.rules.worst import worst_result, worst_round
from tests.property.rules.endgames import TooManyPositions, extremes, small_endgame
from tests.property.rules.playing import act, random_options


def margin(points: tuple[int, ...], team: int) -> int:
    return points[team] - points[1 - team]


# Continuations


def harm(position: Round, rng: random.Random, team: int) -> None:
    """Act so that `team` comes off badly: it bets and holds back, its opponents hurry out."""
    match position.phase:
        case Phase.GREAT_GRAND | Phase.GRAND:
            _bet(position, rng, team)
        case Phase.DRAGON:
            _give(position)
        case Phase.PLAY if position.turn is not None:
            _take_turn(position, rng, team)
        case _:
            act(position, rng)


def _bet(position: Round, rng: random.Random, team: int) -> None:
    seat = rng.choice(position.decisions_owed())
    great = position.phase is Phase.GREAT_GRAND
    call = CallKind.GREAT_GRAND if great else CallKind.GRAND
    decline = CallKind.NO_GREAT_GRAND if great else CallKind.NO_GRAND
    if not _bets(position, seat, team) or position.call(seat, call) is not None:
        assert position.call(seat, decline) is None


def _bets(position: Round, seat: Seat, team: int) -> bool:
    """The team bets to lose, one of its opponents to win."""
    return team_of(position.options, seat) == team or seat == _first(team)


def _first(team: int) -> Seat:
    return Seat(1 - team)


def _give(position: Round) -> None:
    giver = position.turn
    assert giver is not None
    to = position.dragon_recipients(giver)
    holders = [seat for seat in to if position.hands[seat]]
    assert position.give_dragon(giver, (holders or to)[0]) is None


def _take_turn(position: Round, rng: random.Random, team: int) -> None:
    seat = position.turn
    assert seat is not None
    if _bets(position, seat, team):
        position.call(seat, CallKind.TICHU)
    gives_way = seat != _first(team) and bool(position.hands[_first(team)])
    holds_back = team_of(position.options, seat) == team or gives_way
    plays = position.legal_plays(seat)
    if position.may_pass(seat) and (holds_back or not plays):
        assert position.pass_turn(seat) is None
        return
    play = plays[0] if holds_back or position.table is not None else plays[-1]
    wish = rng.randrange(2, 15) if play.cards & MAHJONG else None
    rank = play.phoenix_rank or None
    assert position.play(seat, play.cards, phoenix_rank=rank, wish=wish) is None


def played(rng: random.Random, options: RuleOptions, team: int) -> Iterator[Round]:
    """Play a round at random up to some action, then against a team; yield it before each."""
    order = pack(options)
    rng.shuffle(order)
    position = Round.deal(order, dealer=Seat(rng.randrange(4)), options=options)
    at_random = rng.choice((0, rng.randrange(20), rng.randrange(120), 1000))
    while position.phase is not Phase.ROUND_OVER:
        yield position
        if at_random > 0:
            act(position, rng)
        else:
            harm(position, rng, team)
        at_random -= 1
    yield position


@pytest.mark.parametrize("most", [1_500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_no_continuation_of_a_round_is_worse_than_the_worst(most: int) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    checked = reached = 0
    while checked < most:
        options, team = random_options(rng), rng.randrange(2)
        worst = [(margin(worst_round(p, team), team), p.phase) for p in played(rng, options, team)]
        end = worst.pop()[0]
        story = f"seed {seed} after {checked} positions, team {team}, {options_dict(options)}"
        for place, (bound, phase) in enumerate(worst):
            assert bound <= end, f"{story}, action {place} in phase {phase}"
        bounds = [bound for bound, _ in worst]
        checked += len(worst)
        reached += bounds.count(end)
    # half of 8,195 positions on 80 such rounds: from them the worst did come about
    assert reached > checked // 10, f"seed {seed}: {reached} of {checked}"


@pytest.mark.parametrize("most", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_in_small_endgames_the_worst_is_nearly_always_the_truth(most: int) -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    explored = exact = 0
    while explored < most:
        position = small_endgame(rng, random_options(rng))
        story = f"seed {seed} endgame {explored}: {position.state()}"
        try:
            low, high = extremes(position, most=1_500)
        except TooManyPositions:
            continue
        explored += 1
        for team, truth in ((0, low), (1, -high)):
            bound = margin(worst_round(position, team), team)
            assert bound <= truth, f"{story} team {team}: {truth} is worse than {bound}"
            exact += bound == truth
    # 95 of 100 in 1,336 endgames, 306 of them with bombs
    assert exact > 0.8 * 2 * explored, f"seed {seed}: {exact} of {2 * explored}"


def test_no_continuation_of_a_leg_of_some_rounds_is_worse() -> None:
    seed = random.randrange(1 << 32)
    rng = random.Random(seed)
    for number in range(12):
        rounds, team = rng.randint(1, 3), rng.randrange(2)
        options = msgspec.structs.replace(random_options(rng), rounds=rounds)
        totals, bounds = (0, 0), []
        for done in range(rounds):
            between = worst_result(None, team, totals=totals, rounds_played=done, options=options)
            bounds.append(between)
            for place, position in enumerate(played(rng, options, team)):
                if place % 10 == 0 or position.phase is Phase.ROUND_OVER:
                    bounds.append(
                        worst_result(
                            position, team, totals=totals, rounds_played=done, options=options
                        )
                    )
            totals = (totals[0] + position.round_score[0], totals[1] + position.round_score[1])
        story = f"seed {seed} leg {number} team {team} {options_dict(options)}: {totals}"
        assert bounds[-1] == totals, story
        for bound in bounds:
            assert margin(bound, team) <= margin(totals, team), f"{story}: {bound}"
