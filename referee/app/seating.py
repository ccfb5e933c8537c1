"""Who may sit where: one process holds one seat of a match, and of a board (PROTOCOL 1).

A board is one deal played twice with the teams' seats swapped; its two matches are its legs. A
process in two seats of a match sees its partner's hand, one in both legs has seen all cards before.
"""

from collections.abc import Sequence

from referee.match.values import Player
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions, player_seats, seats
from referee.rules.seat import Seat

LEGS = 2
TISCH_NAME = "Tisch"  # of the hand that has no player of its own (G1)


def players_by_seat(rules: RuleOptions, names: Sequence[str]) -> tuple[Player, ...]:
    """Return a match's players by seat, of the names of those who sit, in the order of their seats.

    >>> from referee.rules.options import parse_options
    >>> rules = parse_options({"variant": "trichu"})
    >>> [player.name for player in players_by_seat(rules, ["ann", "bob", "cem"])]
    ['ann', 'bob', 'Tisch', 'cem']
    """
    seated = dict(zip(player_seats(rules), names, strict=True))
    return tuple([Player(name=seated.get(Seat(s), TISCH_NAME)) for s in range(seats(rules))])


class SeatingRules:
    """Says who may not be seated, and remembers who sat in the legs of each board.

    In memory only, on purpose: nothing that is kept or sent says that two matches are one board.
    After a kill nobody remembers: whoever plays boards voids those that were running, and plays
    them again with new cards.
    """

    def __init__(self, *, may_share: bool) -> None:
        """With `may_share`, which is isolation none, one process may sit anywhere."""
        self._may_share = may_share
        self._boards: dict[str, dict[str, frozenset[str]]] = {}  # instances, by match

    def check(
        self,
        match_id: str,
        instances: Sequence[str],
        *,
        seats: int,
        board: str | None = None,
        legs: int | None = LEGS,
    ) -> None:
        """Raise `ConfigError` for instances, by seat, that may not play this match.

        `legs` is how many its board has at most; None where a whole field meets the deal.
        """
        if len(instances) != seats:
            raise ConfigError(f"match {match_id}: {seats} seats, {len(instances)} instances")
        if not self._may_share:
            _check_one_seat(match_id, instances)
        if board is not None:
            self._check_leg(match_id, instances, board, legs)

    def seated(self, match_id: str, instances: Sequence[str], *, board: str | None) -> None:
        """Remember who plays a leg; a match without a board is nobody's leg."""
        if board is not None:
            self._boards.setdefault(board, {})[match_id] = frozenset(instances)

    def board_over(self, board: str) -> None:
        """Forget a board of which nothing will be played any more; harmless for an unknown one."""
        self._boards.pop(board, None)

    @property
    def boards(self) -> int:
        """How many boards are remembered."""
        return len(self._boards)

    def _check_leg(
        self, match_id: str, instances: Sequence[str], board: str, most: int | None
    ) -> None:
        legs = self._boards.get(board, {})
        if match_id in legs or (most is not None and len(legs) >= most):
            played = " and ".join(legs)
            raise ConfigError(
                f"match {match_id}: board {board} has {played} already; a board has {most} legs, "
                "play it again as another board"
            )
        for other, seated in legs.items():
            seat = next((at for at, one in enumerate(instances) if one in seated), None)
            if seat is not None and not self._may_share:
                raise ConfigError(
                    f"match {match_id}: instance {instances[seat]} of seat {seat} sits in {other} "
                    f"of the same board {board} and knows its cards; start one more process for "
                    "this leg, or allow it with isolation none"
                )


def _check_one_seat(match_id: str, instances: Sequence[str]) -> None:
    for seat, instance in enumerate(instances):
        first = instances.index(instance)
        if first < seat:
            raise ConfigError(
                f"match {match_id}: one instance in two seats would show partners each other's "
                f"hands ({instance} in {first} and {seat}); start one process a seat, or allow it "
                "with isolation none"
            )
