"""The final of a season: who is in it, what is played next in it, and whether it is over."""

from collections.abc import Mapping, Sequence

from referee.ladder.boards import RatedBoard, Resolved
from referee.ladder.final import (
    Final,
    FinalRule,
    FinalState,
    boards_over,
    boards_words,
    have_sat,
    hours_over,
    hours_words,
    is_final,
    leaders,
    without_final,
)
from referee.ladder.plans import BoardPlan, Pair, Picks, Scene
from referee.ladder.rulings import Decided

_HOUR_S = 3600
_UNDECIDED = "and the first places are not surely apart"

_Key = tuple[tuple[RatedBoard, ...], Decided, tuple[str, ...]]


class SeasonFinal:
    """A final over what counts now. Fits of all boards are made when something is new, no more."""

    def __init__(self, rule: FinalRule, owners: Mapping[str, str]) -> None:
        self.rule = rule
        self._owners = owners
        self._players: tuple[str, ...] = ()
        self._key: _Key | None = None
        self._looked: tuple[int, Decided] | None = None  # boards and rulings at the last look
        self._apart = False  # as it was seen then
        self._undecided: tuple[Resolved, Decided, Sequence[Pair]] | None = None

    def players(self, resolved: Resolved, decided: Decided) -> tuple[str, ...]:
        """Return who plays in it."""
        key = without_final(resolved).boards, decided, have_sat(resolved)
        if key != self._key:
            self._key = key
            self._players = leaders(
                self.rule, owners=self._owners, decided=decided, resolved=resolved
            )
        return self._players

    def next_boards(
        self,
        resolved: Resolved,
        decided: Decided,
        running: Sequence[BoardPlan],
        *,
        wanted: int,
        at_once: int,
    ) -> tuple[BoardPlan, ...]:
        """Return boards of it to start now."""
        final, scene = self._now(resolved, decided, running)
        picks = Picks(scene, wanted=wanted, at_once=at_once)
        final.choose(picks)
        return tuple(picks.chosen)

    def left(
        self, resolved: Resolved, decided: Decided, running: Sequence[BoardPlan]
    ) -> int | None:
        """Return how many boards may yet be played, running ones included; None: no end."""
        left = self._now(resolved, decided, running)[0].left()
        return None if left is None else left + len(running)

    def most_left(self, resolved: Resolved, decided: Decided) -> int | None:
        """Return no fewer boards, however the order of its players changes; None: no end."""
        return self._now(resolved, decided, ())[0].most_left()

    def is_apart(self, resolved: Resolved, decided: Decided, running: Sequence[BoardPlan]) -> bool:
        """Return whether its first places are surely apart, as it was seen at the last look.

        It is looked after every hundredth part more boards, a ruling, and when nothing runs: what
        the table says is said of all boards.
        """
        boards, at = len(resolved.boards), self._looked
        is_new = at is None or at[1] != decided
        if at is None or is_new or not running or boards - at[0] >= max(1, at[0] // 100):
            self._looked = boards, decided
            state = self._now(resolved, decided, running)[0].state()
            self._apart = state is FinalState.DECIDED
        return self._apart

    def hours_are_over(self, played_s: float) -> bool:
        """Return whether it was played for as long as it may be."""
        return self.rule.hours is not None and played_s >= self.rule.hours * _HOUR_S

    def words(self, resolved: Resolved, decided: Decided, played_s: float) -> str:
        """Return why it is over."""
        return f"the final is over: {self.why_over(resolved, decided, played_s) or 'it goes on'}"

    def why_over(self, resolved: Resolved, decided: Decided, played_s: float) -> str:
        """Return why it is over where nothing of it runs; "" where it goes on."""
        match self._now(resolved, decided, (), played_s)[0].state():
            case FinalState.DECIDED:
                return "the first places are surely apart"
            case FinalState.FEW:
                return "no more of its entries play on than there are places"
            case FinalState.OWNER:
                return f"its entries are of one owner and do not meet, {_UNDECIDED}"
            case FinalState.BOARDS:
                return f"{boards_over(self.rule)}, {_UNDECIDED}"
            case FinalState.HOURS:
                return f"{hours_over(self.rule)}, {_UNDECIDED}"
            case FinalState.OPEN:
                return ""

    def begins(self, resolved: Resolved, decided: Decided) -> str:
        """Return what it is to decide, by whom, and for how long at most."""
        players = ", ".join(self.players(resolved, decided))
        limits = [boards_words(self.rule)] if self.rule.boards is not None else []
        limits += [hours_words(self.rule)] if self.rule.hours is not None else []
        places = "the first place" if self.rule.places == 1 else f"{self.rule.places} first places"
        return f"the final of {players} for {places} is on; at most {', '.join(limits)}"

    def _now(
        self,
        resolved: Resolved,
        decided: Decided,
        running: Sequence[BoardPlan],
        played_s: float = 0.0,
    ) -> tuple[Final, Scene]:
        scene = Scene(owners=self._owners, decided=decided, resolved=resolved, running=running)
        players = self.players(resolved, decided)
        known = self._undecided
        if known is None or known[0] is not resolved or known[1] != decided:
            pairs = Final(self.rule, players, scene).undecided()
            self._undecided = known = resolved, decided, pairs
        hours = played_s / _HOUR_S
        return Final(self.rule, players, scene, hours=hours, undecided=known[2]), scene


def final_boards(resolved: Resolved) -> int:
    """Return how many boards of a final count."""
    return sum(is_final(board.board) for board in resolved.boards)
