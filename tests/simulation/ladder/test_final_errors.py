"""How often a ladder and its final together name first places that are not the first."""

from collections.abc import Iterator, Mapping

import numpy as np
import pytest

from referee.ladder.boards import BoardHistory, Fate, RatedBoard, Resolved
from referee.ladder.final import Final, FinalRule, FinalState, leaders
from referee.ladder.plans import Picks, Scene
from referee.ladder.points import fit_points
from referee.ladder.rulings import Decided
from referee.ladder.stopping import are_separated
from tests.unit.ladder.rated import boards_of, everyone, rated_board, resolved

LADDERS = 100
FEWER = 40  # of those that play many boards
MOST_WRONG = 5  # in 100
BOARDS = 24  # a pairing of the ladder, and at most of each pair in the final
AT_ONCE = 4
SEED = 20_260


class Played:
    """A ladder at random that is played, looked at all the time, and then its final."""

    def __init__(self, strengths: Mapping[str, float], rule: FinalRule, seed: int) -> None:
        self.owners = {name: name for name in strengths}
        self.strengths = strengths
        self.rule = rule
        self.rng = np.random.default_rng(seed)
        self.boards: list[RatedBoard] = []
        self.histories: dict[tuple[str, int], BoardHistory] = {}

    def said(self) -> frozenset[str] | None:
        """Return whom it says to be in the first places; None where it never does."""
        return next(self._ladder(), None) or self._final()

    def _ladder(self) -> Iterator[frozenset[str]]:
        count = everyone(self.strengths, BOARDS)
        played = sorted(
            boards_of(self.strengths, count, self.rng, sigma=113.0), key=lambda one: one.board
        )
        self.boards = played
        for looked in range(6, len(played) + 1, 3):
            if are_separated(
                resolved(played[:looked]), frozenset(self.owners), top=self.rule.places
            ):
                yield self._first(played[:looked])

    def _final(self) -> frozenset[str] | None:
        players = leaders(
            self.rule, owners=self.owners, decided=Decided(), resolved=resolved(self.boards)
        )
        while True:
            now = Resolved(boards=tuple(self.boards), histories=self.histories)
            scene = Scene(owners=self.owners, decided=Decided(), resolved=now, running=())
            final = Final(self.rule, players, scene)
            state = final.state()
            if state is not FinalState.OPEN:
                decided = state in (FinalState.DECIDED, FinalState.FEW)
                return self._first(self.boards) if decided else None
            picks = Picks(scene, wanted=AT_ONCE, at_once=AT_ONCE)
            final.choose(picks)
            for plan in picks.chosen:
                first, second = sorted(plan.entries)
                mean = self.strengths[first] - self.strengths[second]
                margins = np.rint(mean + 113.0 * self.rng.standard_normal(2)).astype(int)
                self.boards.append(
                    rated_board(
                        first, second, plan.board, margins=(int(margins[0]), int(margins[1]))
                    )
                )
                self.histories[plan.pairing, plan.board] = BoardHistory(
                    pairing=plan.pairing,
                    board=plan.board,
                    attempts=1,
                    fate=Fate.RATED,
                    entries=(first, second),
                )

    def _first(self, boards: list[RatedBoard]) -> frozenset[str]:
        """Return the best by the boards, as the table has them."""
        (fit,) = fit_points(boards)
        order = sorted(zip(-fit.values, fit.entries, strict=True))
        return frozenset(name for _, name in order[: self.rule.places])


def told(
    strengths: Mapping[str, float], rule: FinalRule, ladders: int = LADDERS
) -> list[frozenset[str] | None]:
    print(f"seeds {SEED} to {SEED + ladders - 1}")
    return [Played(strengths, rule, SEED + at).said() for at in range(ladders)]


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("strengths", "rule"),
    [
        (dict.fromkeys("ab", 0.0), FinalRule(boards=BOARDS)),
        (dict.fromkeys("abc", 0.0), FinalRule(boards=BOARDS)),
        ({"a": 0.0, "b": 0.0, "c": -60.0, "d": -60.0}, FinalRule(boards=BOARDS)),
        (
            {"a": 60.0, "b": 0.0, "c": 0.0, "d": -60.0},
            FinalRule(places=2, entries=3, boards=BOARDS),
        ),
    ],
)
def test_ladder_and_final_together_are_wrong_in_at_most_5_percent(
    strengths: Mapping[str, float], rule: FinalRule
) -> None:
    """Who is in a first place shares it with an equal: whoever is said to be sure is wrong."""
    wrong = sum(one is not None for one in told(strengths, rule))
    print(f"{wrong} of {LADDERS} wrong")
    assert wrong <= MOST_WRONG, f"{wrong} of {LADDERS} ladders"


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_final_decides_what_the_ladder_left_open_and_is_right() -> None:
    """b is 25 points behind: too near for most ladders, far enough for a final of 100 boards."""
    strengths = {"a": 25.0, "b": 0.0, "c": -60.0}
    found = told(strengths, FinalRule(boards=100), FEWER)
    ladder_alone = told(strengths, FinalRule(boards=1), FEWER)
    right, before = (one.count(frozenset("a")) for one in (found, ladder_alone))
    print(f"right in {right}, without the final in {before} of {FEWER}")
    assert [one for one in found if one not in (None, frozenset("a"))] == []
    assert right >= FEWER // 2
    assert before <= FEWER // 4
