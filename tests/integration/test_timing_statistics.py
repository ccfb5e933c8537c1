"""What judges the times of a measurement, by hand; and that its deals differ in a bomb alone."""

import random

import pytest

from referee.rules.options import RuleOptions
from referee.rules.round import Round
from referee.rules.seat import Seat
from tests.integration.timing.deals import SEATS, Role, bombs, pairs, role_at
from tests.integration.timing.decoder import Turn, capacity, information, read
from tests.integration.timing.plan import Channel, Manner, Plan
from tests.integration.timing.statistics import LEVEL, LIMIT, Comparison, Sample, distance

BLOCKS, VALUES = 40, 25


def sample(drawing: random.Random, side: int, *, shift: float = 0, weather: float = 0) -> Sample:
    """Values with a spread of 1 around a shift; each block of them has a weather of its own."""
    found = {}
    for number in range(BLOCKS):
        middle = shift + drawing.gauss(0, weather)
        values = [drawing.gauss(middle, 1) for _ in range(VALUES)]
        found[number % 10, 2 * number + side] = values
    return found


def test_the_distance_is_the_largest_difference_of_the_distribution_functions() -> None:
    assert distance([1, 2], [3, 4]) == 1
    assert distance([1, 2, 3, 4], [1, 2, 3, 4]) == 0
    assert distance([1, 1, 1, 2], [1, 2, 2, 2]) == 0.5


def test_a_shift_is_over_the_limit_and_chance_does_not_explain_it() -> None:
    drawing = random.Random(1)
    finding = Comparison(sample(drawing, 0, shift=0.4), sample(drawing, 1)).finding()
    assert finding.over
    assert finding.distance == pytest.approx(0.16, abs=0.05)  # 2 Phi(0.2) - 1
    assert finding.sizes == (BLOCKS * VALUES,) * 2


def test_what_only_one_side_ever_shows_tells_all() -> None:
    shown = sample(random.Random(4), 0)
    for comparison in (Comparison(shown, {}), Comparison({}, shown)):
        finding = comparison.finding()
        assert finding.over
        assert finding.distance == 1
    assert not Comparison({}, {}).finding().over


def test_the_weather_of_whole_blocks_is_chance() -> None:
    drawing = random.Random(2)
    findings = [
        Comparison(sample(drawing, 0, weather=2), sample(drawing, 1, weather=2)).finding()
        for _ in range(20)
    ]
    assert sum(one.distance >= LIMIT for one in findings) > 10, "too little weather to matter"
    assert sum(one.p < LEVEL for one in findings) <= 1


def test_the_smallest_shift_is_seen_and_half_of_it_is_not() -> None:
    drawing = random.Random(3)
    one, other = sample(drawing, 0), sample(drawing, 1)
    least = Comparison(one, other).smallest_shift(least=1e-3, most=10)
    assert 0.1 < least < 0.5
    assert Comparison(_shifted(one, least * 2), other).finding().over


def _shifted(values: Sample, shift: float) -> Sample:
    return {block: [value + shift for value in row] for block, row in values.items()}


# --- the decoder


def turns(drawing: random.Random, size: int, gap: float) -> list[tuple[Turn, bool]]:
    """Two quantities: the second is higher by `gap` where the bit is 1."""
    bits = [drawing.random() < 0.5 for _ in range(size)]
    return [((drawing.gauss(0, 1), drawing.gauss(gap * bit, 1)), bit) for bit in bits]


def test_the_decoder_reads_a_bit_that_a_time_shows() -> None:
    drawing = random.Random(4)
    reading = read(turns(drawing, 500, 4), turns(drawing, 500, 4))
    assert reading.accuracy > 0.95
    assert reading.above_chance
    assert reading.information > 0.7 > reading.bound


def test_the_decoder_reads_two_sided_lateness_that_no_threshold_shows() -> None:
    drawing = random.Random(5)

    def drawn() -> list[tuple[Turn, bool]]:
        bits = [drawing.random() < 0.5 for _ in range(500)]
        return [((drawing.choice((-3, 3)) * bit + drawing.gauss(0, 0.5),), bit) for bit in bits]

    assert read(drawn(), drawn()).accuracy > 0.95


def test_the_decoder_reads_nothing_where_nothing_was_sent() -> None:
    drawing = random.Random(6)
    readings = [read(turns(drawing, 300, 0), turns(drawing, 300, 0)) for _ in range(20)]
    assert not any(reading.above_chance for reading in readings)
    assert max(reading.most for reading in readings) < 0.1


def test_information_by_hand() -> None:
    assert information([True, False] * 4, [True, False] * 4) == pytest.approx(1)
    assert information([True, True, False, False], [True, False, True, False]) == 0
    assert capacity(0.5) == 0
    assert capacity(0.9) == pytest.approx(0.531, abs=0.001)


# --- the deals


def dealt(number: int, match: int, dealer: int, *, holds: bool) -> list[set[int]]:
    """The hands by role after the exchange, as the rules deal and exchange them."""
    pair = pairs()[number]
    order = pair.order(match, dealer, holds=holds)
    round_ = Round.deal(order, dealer=Seat(dealer), options=RuleOptions())
    hands = [set[int]() for _ in Role]
    for seat, hand in enumerate(round_.hands):
        hands[role_at(seat, match)] = {card for card in range(64) if hand >> card & 1}
    for role, given in enumerate(pair.gifts):
        for step, card in enumerate(given, start=1):
            hands[role].remove(card)
            hands[(role + step) % SEATS].add(card)
    return hands


@pytest.mark.parametrize("number", range(len(pairs())))
def test_the_deals_of_a_pair_differ_in_a_bomb_of_one_seat_and_a_card_that_another_keeps(
    number: int,
) -> None:
    pair = pairs()[number]
    for match, dealer in ((0, 0), (1, 0), (2, 3), (31, 2)):
        held, bare = (dealt(number, match, dealer, holds=holds) for holds in (True, False))
        assert bombs(map(tuple, held)) == [Role.HOLDER]
        assert bombs(map(tuple, bare)) == []
        assert held[Role.LEADER] == bare[Role.LEADER]
        assert held[Role.OBSERVER] == bare[Role.OBSERVER]
        led = {card for lead in pair.leads[1] for card in lead}
        assert [len(hands[Role.IDLER] - led) for hands in (held, bare)] == [1, 1]


def test_every_kind_has_its_share_of_the_rounds_of_a_number() -> None:
    plan = Plan(windows=1, manners=tuple(Manner))
    arms = [plan.arm(match, 3) for match in range(plan.matches)]
    assert {arms.count(arm) for arm in plan.arms()} == {4}
    assert arms != [plan.arm(match, 4) for match in range(plan.matches)]
    sending = Plan(windows=1, channels=(Channel.DELAY, Channel.BANK))
    assert not any(sending.holds(match, 1) for match in range(sending.matches))
