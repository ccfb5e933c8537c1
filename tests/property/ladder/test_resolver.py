"""What counts is the same whether results come one by one, among rulings, or all at once."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from referee.ladder.boards import Resolver, resolve
from referee.ladder.plans import BoardPlan
from referee.ladder.values import LegResult, Ruling, RulingKind
from tests.unit.ladder.legs import (
    board,
    deal,
    leg,
    match_id,
    owners_of,
    played,
    ruling,
    stopped,
    void,
)

OWNERS = owners_of("abcd") | {"d": "owner of c"}
PLANS = [
    *(board(pairing, number, attempt)
      for pairing in ("a~b", "a~c", "c~d")
      for number in (1, 2)
      for attempt in (1, 2, 3)),
    *(deal(number, ("a", "b"), ("c", "d")) for number in (1, 2)),
    *(deal(number, ("a", "d"), ("b", "c")) for number in (3, 4)),
]  # fmt: skip


def unknown(plan: BoardPlan) -> list[LegResult]:
    """All legs, the first of which nobody knows who ended."""
    missing = (plan.tables[0][0],)
    return [leg(plan, 1, blame="unknown", faulty=missing), *played(plan)[1:]]


def replaced(plan: BoardPlan) -> list[LegResult]:
    """All legs, played by other versions."""
    return [leg(plan, number, versions=("v2", "v2")) for number in (1, 2)]


OUTCOMES = st.sampled_from([played, void, stopped, unknown, replaced])
SUBJECTS = ["a", "b", "c", "a~b/1", "a~c/2/1", "field/1", "field/3/1"]
SUBJECTS += [match_id(plan, 2) for plan in PLANS]


@st.composite
def rulings(draw: st.DrawFn, number: int) -> Ruling:
    subject = draw(st.sampled_from(SUBJECTS))
    kind = draw(st.sampled_from(RulingKind)) if subject in OWNERS else RulingKind.ANNUL
    if kind is RulingKind.ANNUL:
        subject = draw(st.sampled_from(SUBJECTS[3:]))
    return ruling(kind, subject, number=number, version=draw(st.sampled_from(["v1", "v2"])))


@given(st.data(), st.integers(0, 2**32))
def test_a_resolver_says_what_resolve_says(data: st.DataObject, seed: int) -> None:
    results = [
        result
        for plan in data.draw(st.lists(st.sampled_from(PLANS), unique=True))
        for result in data.draw(OUTCOMES)(plan)
    ]
    Random(seed).shuffle(results)
    resolver, ruled = Resolver(OWNERS), list[Ruling]()
    for at, result in enumerate(results):
        if data.draw(st.integers(0, 5)) == 0:
            ruled.append(data.draw(rulings(len(ruled) + 1)))
            resolver.rule(ruled)
        resolver.add([result])
        if data.draw(st.booleans()):
            resolver.add(results[: at + 1])
            assert resolver.resolved() == resolve(results[: at + 1], ruled, owners=OWNERS)
    assert resolver.resolved() == resolve(results[::-1], ruled, owners=OWNERS)
