"""What a ladder is made of: entries, legs and what they brought, rulings."""

import enum

import msgspec

TEAMS = 2
TEAM = 2  # bots of an entry in the game of four
FIELD = "field"  # the pairing of deals that a whole field meets once
PAIR_MARK = "~"  # between the two entries of a pairing; no name has it


class Unit(enum.StrEnum):
    """What one leg is. Values are written in ladder files and records."""

    BOARD = "board"  # one round
    MATCH = "match"  # rounds to the target, both legs from one chain of deals


class Deals(enum.StrEnum):
    """Who meets a deal. Values are written in ladder files and records."""

    BOARD = "board"  # two entries, twice: the second time with the teams' seats exchanged
    FIELD = "field"  # every entry once, against one of the others


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """One of the bots of an entry: its name, and the version that played.

    `version` is the identity of what played: `sha256:...` over its artefact, `image:...`, or
    `hello:...` where the bot said it itself, unproved.
    """

    bot: str
    version: str


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """An entry in a leg: who it is, who runs it, and its bots by place: two, in Tientsin three."""

    entry: str
    owner: str
    players: tuple[Player, ...]


class LegPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Which part of a ladder a match is. Stands in the header of its record.

    `board` and `attempt` count from 1 in their pairing. `leg` is 1 or 2, in Trichu up to 3; in a
    field it is the number of the table. `sides` are two teams, or the three players of Trichu:
    `referee.ladder.seats` says who sits where.
    """

    event: str
    pairing: str
    board: int
    attempt: int
    leg: int
    unit: Unit
    deals: Deals
    sides: tuple[Side, ...]

    @property
    def key(self) -> "LegKey":
        """Return what a result is filed under."""
        return LegKey(
            event=self.event,
            pairing=self.pairing,
            board=self.board,
            attempt=self.attempt,
            leg=self.leg,
        )

    @property
    def deal(self) -> str:
        """Return what all legs of a deal have in common: `PAIRING|BOARD|ATTEMPT`."""
        return f"{self.pairing}|{self.board}|{self.attempt}"


class LegKey(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """What the result of a leg is filed under; the fields as in `LegPlace`. Ordered so."""

    event: str
    pairing: str
    board: int
    attempt: int
    leg: int


class LegResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a leg brought. `points` by side, in one match of `rounds` rounds (1 or more).

    `points` are those that count: of a match that one team's bots ended the worst that it could
    still get. `rated` is False where the referee, the network or both teams ended it, or nobody
    knows who (`blame`); its points are then of no account. `faulty` are the entries whose bots
    were at fault, or, with blame unknown, did not come back. `answers` are those that the bots of
    each side gave, declined bombs left out, and `defaults` how many of them asked for the
    substitute action.
    """

    place: LegPlace
    match_id: str
    points: tuple[int, ...]
    rounds: int
    ending: str
    blame: str
    rated: bool
    faulty: tuple[str, ...] = ()
    answers: tuple[int, ...] = (0, 0)
    defaults: tuple[int, ...] = (0, 0)


class RulingKind(enum.StrEnum):
    """What was ruled. Values are written in the journal of rulings."""

    ANNUL = "annul"  # a match or board does not count; the board is played again
    DISQUALIFY = "disqualify"  # an entry and all its boards count no more
    WITHDRAW = "withdraw"  # an entry plays no more; its boards count
    REPLACE = "replace"  # an entry plays on with another version; older boards count no more
    FREEZE = "freeze"  # nothing is played any more; rulings on what was played still count
    QUARANTINE = "quarantine"  # by the ladder itself, after failed matches in a row: plays no more


class Ruling(msgspec.Struct, frozen=True, kw_only=True):
    """A decision about a ladder, with its reason. `number` counts from 1 in the event.

    `subject` is an entry, a match id, or `PAIRING/BOARD`; "" for the whole ladder. `at` is wall
    time as text (UTC, ISO 8601, seconds): a label only. `version` is what an entry plays on with
    after `REPLACE`.
    """

    number: int
    event: str
    kind: RulingKind
    subject: str
    reason: str
    at: str
    version: str = ""


def pairing_of(*entries: str) -> str:
    """Return the name of a pairing of entries, whoever is named first: two, in Trichu three.

    >>> pairing_of("zoe", "adam")
    'adam~zoe'
    """
    return PAIR_MARK.join(sorted(entries))
