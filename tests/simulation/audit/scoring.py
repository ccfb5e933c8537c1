"""What a round is worth, and when a match is over (RULES F, G8, G9, H7, H8, I4)."""

from collections.abc import Iterator
from dataclasses import dataclass

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.cards import PACK, is_dragon, points_of
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.position import UNKNOWN, Position
from tests.simulation.audit.rulebook import Rulebook
from tests.simulation.audit.seats import TISCH


def final_trick(at: Position, rules: Rulebook) -> None:
    """The last trick is its owner's; under the Dragon it had to be given in (b) (F1)."""
    if at.owner is None or not at.trick:
        return
    at.won[at.owner] |= at.trick
    owed = rules.has_teams and not at.double and rules.on("dragon_last_trick_gift")
    at.gift_due = owed and is_dragon(at.table_mask)
    at.table, at.table_mask, at.owner, at.trick = None, 0, None, 0


@dataclass(frozen=True, slots=True)
class Score:
    """A round's score by column. `cards` is None where no cards count, or with unknown ones."""

    points: list[int]
    cards: list[int] | None
    calls: dict[int, tuple[int, bool, int]]  # seat: call, won, points
    double: bool
    gift_missing: bool
    total: int | None = None  # all card points, where all count and are known

    @classmethod
    def of(cls, at: Position, rules: Rulebook) -> "Score":
        if not rules.has_teams:
            return cls([], None, {}, False, False)
        if at.refused is not None:
            return cls(_columns(_of_refused(at), at, rules), None, {}, False, False)
        points, cards = [0, 0], None
        if at.double:
            points[at.seats.teams[at.out[0]]] = rules.victory
        else:
            cards = _card_points(at, rules)
            points = cards[:]
        calls = _calls(at, rules)
        for seat, (_, _, value) in calls.items():
            points[at.seats.teams[seat]] += value
        shown = None if cards is None else _columns(cards, at, rules)
        known = cards is not None and UNKNOWN not in at.hands
        total = sum(cards or ()) if known and not rules.on("trichu_last_burns_points") else None
        return cls(_columns(points, at, rules), shown, calls, at.double, at.gift_due, total)

    def differences(self, ended: match_pb2.RoundEnded, at: Position) -> Iterator[tuple[F, str]]:
        """What the event says otherwise."""
        if self.gift_missing:
            yield F.TRICK, "the round ends before the Dragon's trick is given away"
        if ended.round != at.round:
            yield F.ROUND_END, f"round {ended.round} ends in round {at.round}"
        told = {c.seat: (c.call, c.won, c.points) for c in ended.calls}
        if told != self.calls or len(told) != len(ended.calls):
            yield F.SCORE, f"calls {told}, not {self.calls}"
        if ended.double_victory != self.double:
            yield F.SCORE, f"double victory {ended.double_victory}"
        if list(ended.card_points) != (self.cards or []):
            yield F.SCORE, f"card points {list(ended.card_points)}, not {self.cards}"
        if self.total is not None and self.total != 100:
            yield F.SCORE, f"the card points are {self.total} in all"
        if list(ended.points) != self.points:
            yield F.SCORE, f"points {list(ended.points)}, not {self.points}"


def _columns(by_team: list[int], at: Position, rules: Rulebook) -> list[int]:
    """Points by score column: in Trichu each seat has those of its team (G8)."""
    return by_team if rules.columns == 2 else [by_team[team] for team in at.seats.teams]


def _of_refused(at: Position) -> list[int]:
    """The opponents of a refused caller lose what the call is worth, and nothing else counts."""
    points, caller = [0, 0], at.refused
    if caller is not None:
        points[1 - at.seats.teams[caller]] = -r.VALUE_OF_BET[at.bets[caller]]
    return points


def _card_points(at: Position, rules: Rulebook) -> list[int]:
    """Tricks by team; what the last ones have goes elsewhere (F2, G8, H8)."""
    teams, left = at.seats.teams, at.active
    points, six = [0, 0], len(teams) == 6
    burnt = rules.on("trichu_last_burns_points")
    for seat, won in enumerate(at.won):
        team = teams[seat]
        if seat in left:
            if burnt:
                continue
            team = 1 - team if six else teams[at.out[0]] if at.out else team
        elif six and len(left) == 1 and seat == at.out[-1]:
            team = teams[at.out[0]]
        points[team] += points_of(won)
    unseen = PACK
    for mask in (*at.won, *(hand for hand in at.hands if hand != UNKNOWN)):
        unseen &= ~mask
    for seat in left if not burnt else ():
        hand = at.hands[seat]
        points[1 - teams[seat]] += points_of(unseen if hand == UNKNOWN else hand)
    return points


def _calls(at: Position, rules: Rulebook) -> dict[int, tuple[int, bool, int]]:
    first = at.out[0] if at.out else None
    calls = {}
    for seat, call in at.bets.items():
        value = r.VALUE_OF_BET[call]
        won = seat == first
        forgiven = (
            rules.says("both_call_scoring", "bsw")
            and call == r.GRAND
            and first in at.seats.partners[seat]
            and first in at.bets
        )
        calls[seat] = (call, won, value if won else 0 if forgiven else -value)
    return calls


def winner_after(at: Position, rules: Rulebook) -> tuple[bool, int | None]:
    """Whether the match is over after this round, and the winning column (F4, G9, I4)."""
    over = rules.rounds is not None and at.rounds_played >= rules.rounds
    if rules.says("gs_goal", "first_again"):
        over = bool(at.ranks_before) and at.ranks_before[0] == at.last_ranks[0]
    if not rules.has_teams:
        return over, None
    rivals = {c: t for c, t in enumerate(at.totals) if rules.columns == 2 or c != TISCH}
    high = max(rivals.values())
    leaders = [column for column, total in rivals.items() if total == high]
    winner = leaders[0] if len(leaders) == 1 else None
    if rules.rounds is not None:
        return over, winner
    if high < rules.target:
        return False, None
    return winner is not None or rules.says("tie_at_target", "draw"), winner
