"""What `referee ladder run --dry-run` says of a ladder's final."""

import math
from itertools import combinations

from referee.app.season_final import SeasonFinal
from referee.app.season_state import SeasonState
from referee.bootstrap.ladder import LadderFolder
from referee.bootstrap.ladder_plan import FINAL_PLAYED, PLAYED, LadderPlan
from referee.cli.ladder_progress import duration_words
from referee.ladder.final import FinalRule, boards_over, have_sat, hours_over

_NS_A_SECOND = 1_000_000_000
_MINUTE_S = 60.0
_HOUR_S = 3600.0
_FEW = "no more of its entries play on than there are places"


def final_words(plan: LadderPlan, final: SeasonFinal, state: SeasonState, rate: float) -> str:
    """Return who plays in a final, until when, and how much it may take; or why it is over.

    Once the ladder itself is over that is what a run would do now, before it the most that may be.
    `state` was asked whether it is enough; `rate` is boards a minute.
    """
    rule, final_s = final.rule, seconds_of(plan, FINAL_PLAYED)
    resolved, decided = state.resolved, state.decided
    sat, is_on = bool(have_sat(resolved)), state.in_final(())
    playing = {entry.name: entry.owner for entry in plan.entries if decided.plays(entry.name)}
    over = final.why_over(resolved, decided, final_s) if is_on else ""
    if over or len(playing) <= rule.places:
        return f"{'over' if sat else 'none'}: {over or _FEW}"
    if is_on:
        who, boards = ", ".join(final.players(resolved, decided)), final.left(resolved, decided, ())
        more = f"{boards} more as it stands"
    elif sat:
        who, boards = (
            ", ".join(final.players(resolved, decided)),
            final.most_left(resolved, decided),
        )
        more = f"at most {boards} more"
    else:
        most = len(playing) if rule.entries is None else min(len(playing), rule.entries)
        who, boards = f"up to {most} entries", _most_boards(rule, playing, most)
        more = f"at most {boards}"
    said, times_s = f"{who}, until {places_words(rule.places)}", []
    if boards is not None:
        times_s.append(boards / rate * _MINUTE_S)
        said += f" or {boards_over(rule)} ({more})"
    if rule.hours is not None:
        times_s.append(max(0.0, rule.hours * _HOUR_S - final_s))
        said += f" or {hours_over(rule)}"
    most_words = "" if is_on and boards is not None else " at most"
    return f"{said}; {duration_words(min(times_s))}{most_words}"


def seconds_of(plan: LadderPlan, name: str) -> float:
    """Return how long was played: in all for `PLAYED`, of the final for `FINAL_PLAYED`."""
    if not (plan.folder / name).exists():
        return 0.0
    folder = LadderFolder(plan)
    return (folder.played_ns() if name == PLAYED else folder.final_ns()) / _NS_A_SECOND


def _most_boards(rule: FinalRule, owners: dict[str, str], most: int) -> int | None:
    """Return how many boards `most` of these entries play; those of one owner never meet."""
    if rule.boards is None:
        return None
    pairs = sum(owners[one] != owners[other] for one, other in combinations(owners, 2))
    return rule.boards * min(math.comb(most, 2), pairs)


def places_words(places: int) -> str:
    """Return that so many first places are told apart, in words."""
    if places == 1:
        return "the first place is surely apart"
    return f"{places} first places are surely apart"
