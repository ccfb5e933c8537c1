"""The final of a ladder: its leaders play on among themselves, until the first places are sure.

Boards of a final have numbers of their own, from `FIRST_BOARD` on, so that records alone say which
they are. Who is in the final follows from the boards of the ladder, rulings, and who sat at a board
of the final before; what is played next from those and the results: nothing else is remembered.
"""

import enum
from collections.abc import Mapping, Sequence, Set
from itertools import combinations

import msgspec

from referee.ladder.boards import Resolved
from referee.ladder.estimates import Estimates
from referee.ladder.plans import BoardPlan, Pair, Picks, Scene
from referee.ladder.points import fit_points
from referee.ladder.ranks import surely_better
from referee.ladder.rulings import Decided
from referee.ladder.stopping import are_separated, is_clear
from referee.ladder.uncertain import FIRST_BOARDS, Doubt
from referee.ladder.values import pairing_of

FIRST_BOARD = 1_000_000_001  # more than any ladder plays of one pairing


class FinalRule(msgspec.Struct, frozen=True, kw_only=True):
    """What a final is to decide, and how long it may take.

    The first `places` (1 or more) are to be told apart from those below. `entries`: so many are in
    the final; None: all that may yet be among the first places. At most `boards` of the final for
    each pair, at most `hours` of its play; None: not by this.
    """

    places: int = 1
    entries: int | None = None
    boards: int | None = None
    hours: float | None = None


class FinalState(enum.Enum):
    """How a final stands."""

    OPEN = "open"
    DECIDED = "decided"  # the first places are surely apart from all others of the final
    FEW = "few"  # no more of its entries play than there are places
    OWNER = "owner"  # all that play are of one owner, and never meet
    BOARDS = "boards"  # no pair that could decide it has boards left
    HOURS = "hours"


def is_final(board: int) -> bool:
    """Whether a board number is one of a final."""
    return board >= FIRST_BOARD


def without_final(resolved: Resolved) -> Resolved:
    """Return what counts of the ladder's own boards."""
    if not any(is_final(board) for _, board in resolved.histories):
        return resolved
    return msgspec.structs.replace(
        resolved,
        boards=tuple(one for one in resolved.boards if not is_final(one.board)),
        histories={key: one for key, one in resolved.histories.items() if not is_final(key[1])},
    )


def have_sat(resolved: Resolved) -> tuple[str, ...]:
    """Return who sat at a board of the final so far, by name, whatever became of it."""
    return tuple(
        sorted(
            {
                entry
                for (_, board), history in resolved.histories.items()
                if is_final(board)
                for entry in history.entries
            }
        )
    )


def leaders(
    rule: FinalRule, *, owners: Mapping[str, str], decided: Decided, resolved: Resolved
) -> tuple[str, ...]:
    """Return who plays in the final, by name: entries that play on, of those in `owners`.

    Whoever sat at a board of it stays in. `rule.entries` are the best by points, so many with those
    who sat in it and left. Else whoever is not surely out of the first places among those that
    play: surely out by the rank ranges of the table, and by the bound that holds however often one
    looks.
    """
    playing = tuple(sorted(entry for entry in owners if decided.plays(entry)))
    sat = have_sat(resolved)
    of_ladder = without_final(resolved)
    if rule.entries is None:
        chosen = _not_out(of_ladder, playing, rule.places)
    else:
        others = [entry for entry in _by_points(of_ladder, playing) if entry not in sat]
        chosen = others[: max(0, rule.entries - len(sat))]
    return tuple(entry for entry in playing if entry in sat or entry in chosen)


def _not_out(resolved: Resolved, playing: Sequence[str], places: int) -> list[str]:
    """Return all than which fewer than `places` entries are surely better, by either test."""
    fit = _fit_of(resolved, playing)
    if fit is None:
        return list(playing)
    sure, at = surely_better(fit), {entry: at for at, entry in enumerate(fit.entries)}

    def is_out(entry: str) -> bool:
        by_table = sum(sure[at[other]][at[entry]] for other in playing)
        clear = (is_clear(fit, at[other], at[entry]) for other in playing if other != entry)
        return by_table >= places and sum(clear) >= places

    return [entry for entry in playing if not is_out(entry)]


def _fit_of(resolved: Resolved, playing: Sequence[str]) -> Estimates | None:
    """Return the fit that all of these entries are in; None where not all can be compared."""
    fits = fit_points(resolved.boards)
    return next((found for found in fits if set(playing) <= set(found.entries)), None)


def _is_sure(fit: Estimates | None, one: str, other: str) -> bool:
    """Return whether it is sure which of two is better, however often one looks."""
    if fit is None:
        return False
    places = fit.entries.index(one), fit.entries.index(other)
    return is_clear(fit, *places) or is_clear(fit, places[1], places[0])


def _by_points(resolved: Resolved, playing: Sequence[str]) -> list[str]:
    """Return entries from the best on; those that cannot be compared come last."""
    points = {
        entry: float(fit.values[at])
        for fit in fit_points(resolved.boards)
        for at, entry in enumerate(fit.entries)
    }
    return sorted(playing, key=lambda entry: (entry not in points, -points.get(entry, 0), entry))


class Final:
    """A final as it stands: who is in it, what counts, and what runs."""

    def __init__(
        self,
        rule: FinalRule,
        players: Sequence[str],
        scene: Scene,
        *,
        hours: float = 0.0,
        undecided: Sequence[Pair] | None = None,
    ) -> None:
        """`players` as `leaders` says; `hours` are those that the final was played.

        `undecided` is what one of the same results and players said; None: to be worked out.
        """
        self._rule = rule
        self.players = tuple(players)
        self._scene = scene
        self._hours = hours
        self._undecided = undecided

    def state(self) -> FinalState:
        """Return how it stands; while boards run, as if they were not to come."""
        rule = self._rule
        if len(self.players) <= rule.places:
            # of others that play on all are surely out, unless a fixed number was let in
            has_others = len(self._scene.playing) > len(self.players)
            is_few = rule.entries is not None or not has_others
            return FinalState.FEW if is_few else FinalState.DECIDED
        if are_separated(self._scene.resolved, frozenset(self.players), top=rule.places):
            return FinalState.DECIDED
        if not self._pairs():
            return FinalState.OWNER
        if self.hours_are_over():
            return FinalState.HOURS
        return FinalState.OPEN if self.left() != 0 else FinalState.BOARDS

    def hours_are_over(self) -> bool:
        """Whether it was played for as long as it may be."""
        return self._rule.hours is not None and self._hours >= self._rule.hours

    def left(self) -> int | None:
        """Return how many boards it may yet order, running ones left out; None: no end."""
        pairs = self.undecided()
        if self._rule.boards is None:
            return None if pairs else 0
        return sum(max(0, self._rule.boards - self._played(pair)) for pair in pairs)

    def most_left(self) -> int | None:
        """Return the same of all pairs: no more, however their order changes; None: no end."""
        if self._rule.boards is None:
            return None
        return sum(max(0, self._rule.boards - self._played(pair)) for pair in self._pairs())

    def choose(self, picks: Picks) -> None:
        """Choose boards that are void so far, then of the pair whose order is least sure.

        Of all pairs those that keep it from being decided.
        """
        doubt = Doubt(self._scene)
        pairs = self.undecided()
        for plan in (plan for plan in self._scene.again(pairs) if is_final(plan.board)):
            if self._has_left(plan.tables[0], picks) and picks.offer(plan):
                doubt.expect(plan.tables[0])

        def turn(pair: Pair) -> tuple[bool, float, int, Pair]:
            pairing = pairing_of(*pair)
            have_met = self._scene.counted(pairing) + picks.of(pairing) >= FIRST_BOARDS
            sureness = doubt.sureness(pair) if have_met else 0.0
            return have_met, sureness, self._played(pair) + picks.of(pairing), pair

        while able := [one for one in pairs if picks.have_room(one) and self._has_left(one, picks)]:
            pair = min(able, key=turn)
            picks.take(self._fresh(pair, picks))
            doubt.expect(pair)

    def _pairs(self) -> list[Pair]:
        return [pair for pair in combinations(self.players, 2) if self._scene.may_meet(*pair)]

    def undecided(self) -> Sequence[Pair]:
        """Return the pairs that keep it from being decided: one is among the first places now, the
        other not, and their order is not sure. All pairs where two of those never meet.

        They follow from what counts, not from what runs, and take a fit of all boards.
        """
        if self._undecided is None:
            self._undecided = self._found_undecided()
        return self._undecided

    def _found_undecided(self) -> list[Pair]:
        doubt = Doubt(self._scene)
        order = sorted(self.players, key=lambda entry: (-doubt.value(entry), entry))
        fit = _fit_of(self._scene.resolved, self.players)
        first = set(order[: self._rule.places])
        across: list[Pair] = [
            pair
            for pair in combinations(self.players, 2)
            if len(first & set(pair)) == 1 and not _is_sure(fit, *pair)
        ]
        if all(self._scene.may_meet(*pair) for pair in across):
            return across
        return self._pairs()

    def _played(self, pair: Pair) -> int:
        """Return how many boards of the final of a pair are over or running."""
        scene, pairing = self._scene, pairing_of(*pair)
        boards = scene.over.get(pairing, set()) | scene.runs.get(pairing, set())
        return sum(is_final(board) for board in boards)

    def _has_left(self, pair: Pair, picks: Picks) -> bool:
        if self._rule.boards is None:
            return True
        return self._played(pair) + picks.of(pairing_of(*pair)) < self._rule.boards

    def _fresh(self, pair: Pair, picks: Picks) -> BoardPlan:
        numbers = range(FIRST_BOARD, 2 * FIRST_BOARD)
        return next(plan for plan in self._scene.due(pair, numbers) if plan not in picks.chosen)


def final_note(
    rule: FinalRule | None,
    *,
    owners: Mapping[str, str],
    decided: Decided,
    resolved: Resolved,
    hours: float = 0.0,
) -> str:
    """Return what stands under the table of a final: who was in it, boards, how it ended.

    "" where no board of one was played. `rule` None: the ladder's file has no final any more.
    """
    sat = have_sat(resolved)
    if not sat:
        return ""
    boards = sum(is_final(board.board) for board in resolved.boards)
    played = f"{boards} board{'' if boards == 1 else 's'}"
    if rule is None:
        return f"Final of {_listed(sat)}: {played}."
    thawed = msgspec.structs.replace(decided, frozen=False)  # a freeze takes nobody out of it
    players = leaders(rule, owners=owners, decided=thawed, resolved=resolved)
    scene = Scene(owners=owners, decided=thawed, resolved=resolved, running=())
    final = Final(rule, players, scene, hours=hours)
    # some sat and left, and some that are in had no board that could decide it
    said = f"Final of {_listed(sorted({*sat, *players}))}: {played}"
    if decided.frozen and final.state() is FinalState.OPEN:
        return f"{said}; undecided when a ruling froze it."
    return f"{said}; {_how(final, rule, resolved, set(scene.playing))}."


def _how(final: Final, rule: FinalRule, resolved: Resolved, playing: Set[str]) -> str:
    match final.state():
        case FinalState.DECIDED:
            order = _by_points(resolved, final.players)[: rule.places]
            places = "the first place" if rule.places == 1 else f"the first {rule.places} places"
            verb = "holds" if rule.places == 1 else "hold"
            # who left is in the table as long as its boards count, and may stand above them there
            rated = {entry for board in resolved.boards for entry in (board.first, board.second)}
            among = "" if rated <= playing else " of those that play on"
            return f"{_listed(order)} surely {verb} {places}{among}"
        case FinalState.FEW:
            return "ended, since no more of its entries play on than there are places"
        case FinalState.OWNER:
            return "undecided, since its entries that play on are of one owner and do not meet"
        case FinalState.BOARDS:
            return f"undecided after {boards_words(rule)}"
        case FinalState.HOURS:
            return f"undecided after {hours_words(rule)}"
        case FinalState.OPEN:
            return "undecided so far"


def boards_words(rule: FinalRule) -> str:
    """Return how many boards a pair may play in a final, in words."""
    if rule.boards is None:
        return "all boards that may be played"
    return f"{rule.boards} board{'' if rule.boards == 1 else 's'} a pair"


def boards_over(rule: FinalRule) -> str:
    """Return that these boards are played, in words."""
    return f"{boards_words(rule)} {'is' if rule.boards == 1 else 'are'} played"


def hours_over(rule: FinalRule) -> str:
    """Return that these hours are over, in words."""
    return f"{hours_words(rule)} {'is' if rule.hours == 1 else 'are'} over"


def hours_words(rule: FinalRule) -> str:
    """Return how long a final may be played, in words."""
    return "1 hour" if rule.hours == 1 else f"{rule.hours or 0:g} hours"


def _listed(names: Sequence[str]) -> str:
    """Return names as people say them.

    >>> _listed(["a"]), _listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
