"""What a round is worth, and when a match is over (RULES F)."""

from collections.abc import Iterator
from dataclasses import dataclass

from referee._gen.tichu.referee.v1 import match_pb2
from tests.simulation.audit import rulebook as r
from tests.simulation.audit.cards import DRAGON, PACK, points_of
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.position import UNKNOWN, Position
from tests.simulation.audit.rulebook import Rulebook


def final_trick(at: Position, rules: Rulebook) -> None:
    """The last trick is its owner's; under the Dragon it had to be given in (b) (F1)."""
    if at.owner is None or not at.trick:
        return
    at.won[at.owner] |= at.trick
    at.gift_due = (
        at.table_mask == 1 << DRAGON and not at.double and rules.on("dragon_last_trick_gift")
    )
    at.table, at.table_mask, at.owner, at.trick = None, 0, None, 0


@dataclass(frozen=True, slots=True)
class Score:
    """A round's score by team. `cards` is None after a double victory or with unknown cards."""

    points: list[int]
    cards: list[int] | None
    calls: dict[int, tuple[int, bool, int]]  # seat: call, won, points
    double: bool
    gift_missing: bool

    @classmethod
    def of(cls, at: Position, rules: Rulebook) -> "Score":
        points, cards = [0, 0], None
        if at.double:
            points[at.out[0] % 2] = int(rules.options["double_victory_points"])
        else:
            cards = _card_points(at)
            points = cards[:]
        calls = _calls(at, rules)
        for seat, (_, _, value) in calls.items():
            points[seat % 2] += value
        return cls(points, cards, calls, at.double, at.gift_due)

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
        if list(ended.points) != self.points:
            yield F.SCORE, f"points {list(ended.points)}, not {self.points}"


def _card_points(at: Position) -> list[int]:
    """Tricks by team; the last one's hand to the others, his tricks to the first out (F2)."""
    won = at.won[:]
    last = next(iter(at.active), None)
    if last is not None and at.out:
        won[at.out[0]] |= won[last]
        if last != at.out[0]:
            won[last] = 0
        hand = at.hands[last]
        rest = PACK & ~(won[0] | won[1] | won[2] | won[3]) if hand == UNKNOWN else hand
        won[(last + 1) % 4] |= rest
    return [points_of(won[0] | won[2]), points_of(won[1] | won[3])]


def _calls(at: Position, rules: Rulebook) -> dict[int, tuple[int, bool, int]]:
    first = at.out[0] if at.out else None
    calls = {}
    for seat, call in at.bets.items():
        value = r.VALUE_OF_BET[call]
        won = seat == first
        forgiven = (
            rules.says("both_call_scoring", "bsw")
            and call == r.GRAND
            and first == (seat + 2) % 4
            and first in at.bets
        )
        calls[seat] = (call, won, value if won else 0 if forgiven else -value)
    return calls


def winner_after(at: Position, rules: Rulebook) -> tuple[bool, int | None]:
    """Whether the match is over after this round, and the winning team (F4)."""
    high = max(at.totals)
    leaders = [team for team in (0, 1) if at.totals[team] == high]
    winner = leaders[0] if len(leaders) == 1 else None
    if rules.rounds is not None:
        return at.rounds_played >= rules.rounds, winner
    if high < rules.target:
        return False, None
    return winner is not None or rules.says("tie_at_target", "draw"), winner
