"""What counts of an event: rated boards, tables of a field, and what became of every board."""

import enum

import msgspec

from referee.ladder.values import LegResult


class Fate(enum.StrEnum):
    """What became of a board, over all attempts that were begun."""

    RATED = "rated"  # one attempt is valid
    OPEN = "open"  # void or annulled so far: to be played again, as the next attempt
    CLOSED = "closed"  # not played again: replaced, disqualified, one owner, or a deal of a field
    GIVEN_UP = "given_up"  # void too often (`MOST_VOID`)


class RatedBoard(msgspec.Struct, frozen=True, kw_only=True):
    """The valid attempt of a board of two entries, `first` the one whose name sorts first.

    `margin` is points of `first` minus points of `second` over its legs, `rounds` (2 or more) of
    all legs together. `legs` by number. A board of three entries, of Trichu, is one of each two of
    them; they have its legs, pairing, number and attempt in common.
    """

    pairing: str
    board: int
    attempt: int
    first: str
    second: str
    margin: int
    rounds: int
    legs: tuple[LegResult, ...]

    @property
    def difference(self) -> float:
        """Points a round of `first` over `second`."""
        return self.margin / self.rounds


class FieldLeg(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a deal that a field met: `first` had seats 0 and 2, `second` seats 1 and 3.

    `board` is the number of the deal. `margin` is points of `first` minus points of `second`.
    """

    board: int
    attempt: int
    table: int
    first: str
    second: str
    margin: int
    rounds: int
    leg: LegResult

    @property
    def difference(self) -> float:
        """Points a round of `first` over `second`; the luck of the deal is in it."""
        return self.margin / self.rounds


class BoardHistory(msgspec.Struct, frozen=True, kw_only=True):
    """A board number of a pairing: how many attempts were begun, and what became of it.

    `attempts` is the highest number of an attempt; `entries` are all who sat at it, by name.
    """

    pairing: str
    board: int
    attempts: int
    fate: Fate
    entries: tuple[str, ...]


class Resolved(msgspec.Struct, frozen=True, kw_only=True):
    """What counts of an event. Everything in the order of its keys, whatever order it came in.

    `field_legs` are the tables that count of deals that a field met. `void` is the number of
    attempts (in a field: of tables) that counted for nothing by no ruling, by entry; `unknown` the
    number of legs that nobody knows who ended, by the entry that was missing. `charged` are the
    entries whose unknown legs count against them. `failed` is the number of attempts (in a field:
    of tables) that were void although nobody stopped them, by pairing of the two who sat there.
    `annulled` is the highest attempt at a board that rulings name: also of one whose records are
    lost, since bots have seen its cards.
    """

    boards: tuple[RatedBoard, ...] = ()
    field_legs: tuple[FieldLeg, ...] = ()
    histories: dict[tuple[str, int], BoardHistory] = {}
    void: dict[str, int] = {}
    unknown: dict[str, int] = {}
    charged: tuple[str, ...] = ()
    failed: dict[str, int] = {}
    annulled: dict[tuple[str, int], int] = {}

    @property
    def rated_boards(self) -> int:
        """How many boards count; one of three entries is one board."""
        return len({(board.pairing, board.board) for board in self.boards})

    def next_attempt(self, pairing: str, board: int) -> int:
        """Return the number of the attempt that comes next at a board, from 1."""
        history = self.histories.get((pairing, board))
        begun = 0 if history is None else history.attempts
        return max(begun, self.annulled.get((pairing, board), 0)) + 1
