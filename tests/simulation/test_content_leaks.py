"""A seat cannot tell two deals apart that differ only in cards it cannot know (PROTOCOL 4).

Both deals run through the whole service above the socket, in virtual time. The other seats do the
same public acts at the same instants, and whatever else they like; the watched seat does what its
own stream and its own dice say. Its stream is the same frame by frame and instant by instant, up to
the act that only one of the deals allows; in pace `fast` everything that is said is the same.
"""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as run_settings
from hypothesis import strategies as st

from referee.match.values import Pace
from tests.simulation.audit.cards import mask_of
from tests.simulation.audit.combos import bombs_in
from tests.simulation.leaks import planted
from tests.simulation.leaks.deals import Difference, twins
from tests.simulation.leaks.runs import Case, Run, compare, draw_case, run_pair

SEEDS = st.integers(0, 2**32 - 1)
_ENOUGH = 80  # pairs in which a planted leak must show


def found_in(seed: str, pace: Pace, difference: Difference | None = None) -> list[str]:
    """What a seat can tell in the pair of this seed, with how to repeat it."""
    case = draw_case(seed, pace, difference)
    found = compare(case, *run_pair(case))
    return [f"draw_case({seed!r}, {pace}, {difference}): {one}" for one in found]


@run_settings(max_examples=30)
@given(seed=SEEDS)
def test_in_fair_the_stream_of_a_seat_is_the_same_to_the_byte_and_the_nanosecond(seed: int) -> None:
    assert found_in(f"fair {seed}", Pace.FAIR) == []


@run_settings(max_examples=40)
@given(seed=SEEDS)
def test_in_fast_all_that_a_seat_is_told_is_the_same(seed: int) -> None:
    assert found_in(f"fast {seed}", Pace.FAST) == []


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("difference", Difference)
def test_every_kind_of_difference_stays_hidden(difference: Difference, pace: Pace) -> None:
    for number in range(3):
        assert found_in(f"kind {number}", pace, difference) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
@pytest.mark.parametrize("pace", Pace)
def test_many_pairs(pace: Pace, part: int) -> None:
    for number in range(part * 90, part * 90 + 90):
        assert found_in(f"many {number}", pace) == []


# --- that the pairs are worth comparing


def pairs(
    count: int, pace: Pace, difference: Difference | None = None
) -> list[tuple[Case, Run, Run]]:
    cases = [draw_case(f"worth {number}", pace, difference) for number in range(count)]
    return [(case, *run_pair(case)) for case in cases]


_DONE = (
    *("bomb in one world", "throws", "void", "cancelled", "refused", "away", "asked again"),
    *("wish is open", "parts over a wish", "silence", "default", "thrice wrong"),
    *("asked to bomb", "asked to choose_seat", "asked to exchange", "asked to call"),
)


@pytest.mark.parametrize("pace", Pace)
def test_the_pairs_hold_all_that_might_tell_them_apart(pace: Pace) -> None:
    done: Counter[str] = Counter()
    acts = []
    for _, one, other in pairs(30, pace):
        done += one.deeds + other.deeds
        acts.append(min(one.parted, other.parted, one.acts))
    assert [what for what in _DONE if done[what] == 0] == []
    assert sum(acts) / len(acts) > 60, "most of a round is compared"


def test_what_parts_two_deals_is_told_to_the_watched_seat_then() -> None:
    """The instant at which the difference is public is not too early: the streams differ then."""
    differ = 0
    for case, one, other in pairs(20, Pace.FAIR, Difference.RANK):
        if one.parted_at == other.parted_at and not case.hello.event_delivery:
            at = one.parted_at
            told = [[f for f in run.frames if f[0] == at] for run in (one, other)]
            differ += bool(told[0] and told[1] and told[0] != told[1])
    assert differ > 5


@pytest.mark.parametrize("difference", [Difference.ORDER, Difference.GIVER])
def test_what_no_act_shows_stays_hidden_over_the_whole_match(difference: Difference) -> None:
    for case, one, other in pairs(10, Pace.FAIR, difference):
        assert one.ended is not None, case.seed
        assert one.ended == other.ended, case.seed
        assert one.frames == other.frames, case.seed


def test_a_bomb_is_in_one_deal_and_not_in_the_other() -> None:

    moved = 0
    for number in range(40):
        pair = twins(random.Random(number), 0, Difference.BOMB)
        assert pair.one[0] == pair.other[0]
        hands = zip(pair.one[1:], pair.other[1:], strict=True)
        moved += any(
            len(bombs_in(mask_of(mine))) != len(bombs_in(mask_of(yours))) for mine, yours in hands
        )
    assert moved > 25


# --- planted leaks


def shows(plant: planted.Plant, pace: Pace) -> bool:
    """Whether a planted leak is found in one of the pairs."""
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        return any(found_in(f"planted {number}", pace) for number in range(_ENOUGH))


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("name", planted.SAID)
def test_a_planted_leak_in_what_is_said_is_found(name: str, pace: Pace) -> None:
    assert shows(planted.SAID[name], pace), name


@pytest.mark.parametrize("name", planted.IN_FAIR)
def test_a_planted_leak_of_pace_fair_is_found(name: str) -> None:
    assert shows(planted.IN_FAIR[name], Pace.FAIR), name
