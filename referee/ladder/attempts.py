"""Attempts at boards, as their results tell, and which of them rulings took out."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from referee.ladder.rulings import AnnulledBoard, AnnulledMatch
from referee.ladder.seats import TRIO, turned
from referee.ladder.values import FIELD, TEAMS, Deals, LegKey, LegResult, pairing_of
from referee.match.values import Blame
from referee.rules.errors import ConfigError

FIELD_TABLES = 2  # a deal with fewer rated tables compares nobody

# Legs that nobody knows who ended count against the entry that was missing above both of these
# (PROTOCOL 5); by chance alone one in a few legs says little.
UNKNOWN_SHARE = 0.01
UNKNOWN_LEGS = 3


class Attempt:
    """The legs of one attempt at a board, by number; in a field its tables."""

    def __init__(self, legs: Sequence[LegResult]) -> None:
        place = legs[0].place
        self.pairing, self.board, self.attempt = place.pairing, place.board, place.attempt
        self.is_field = self.pairing == FIELD
        self.legs = legs
        self.size = len(place.sides)  # legs of a board: everybody sits on each side once

    def holds(self, named: AnnulledBoard) -> bool:
        """Whether a ruling on a board is about this attempt, or may be."""
        if (self.pairing, self.board) != (named.pairing, named.board):
            return False
        return named.attempt in (0, self.attempt)

    def is_rated(self) -> bool:
        """Whether it counts by its results alone, no ruling considered."""
        rated = sum(leg.rated for leg in self.legs)
        return rated >= FIELD_TABLES if self.is_field else rated == self.size

    def is_hit(self, struck: set[str]) -> bool:
        """Whether nothing of it counts any more: without one leg a board is none."""
        gone = [leg.match_id in struck for leg in self.legs]
        return all(gone) if self.is_field else any(gone)


def attempts_of(legs: Sequence[LegResult]) -> tuple[Attempt, ...]:
    """Return the attempts at one board, by number, from all its legs in any order."""
    ordered = sorted(legs, key=lambda leg: (leg.place.attempt, leg.place.leg))
    return tuple(
        Attempt(list(group)) for _, group in groupby(ordered, key=lambda leg: leg.place.attempt)
    )


def twice(one: LegResult, other: LegResult) -> ConfigError:
    """Say that two matches claim to be one leg."""
    return ConfigError(
        f"matches {one.match_id} and {other.match_id} are both {_words(one.place.key)}:"
        " take one of their records out"
    )


def check_result(result: LegResult) -> None:
    """Refuse a result that no ladder can have written, with ConfigError."""
    place = result.place
    entries = tuple(side.entry for side in place.sides)
    sides = len(entries)
    sound = len(set(entries)) == sides and min(place.board, place.attempt, place.leg) >= 1
    if place.deals is Deals.FIELD:
        sound = sound and place.pairing == FIELD and sides == TEAMS
    else:
        sound = sound and place.leg <= sides and place.pairing == pairing_of(*entries)
        sound = (
            sound
            and sides in (TEAMS, TRIO)
            and turned(entries, board=place.board, leg=place.leg) == entries
        )
        sound = sound and len(result.points) == sides
    if not sound or result.rounds < 1:
        raise ConfigError(
            f"match {result.match_id} cannot be {_words(place.key)} of"
            f" {' and '.join(entries)}: take its record out"
        )


def _words(key: LegKey) -> str:
    return f"leg {key.leg} of {key.pairing} board {key.board} attempt {key.attempt}"


def struck_by(
    attempts: Sequence[Attempt], annulled: Sequence[AnnulledBoard | AnnulledMatch]
) -> frozenset[str]:
    """Return the ids of matches of one board that rulings took out.

    With a leg of a board go its other legs; a table of a field goes alone. A ruling on a board
    that does not name the attempt is about the one that counted then: the lowest that is rated
    and that no earlier ruling took out.
    """
    struck: set[str] = set()
    for named in annulled:
        if isinstance(named, AnnulledMatch):
            struck |= _with_match(attempts, named.match_id)
            continue
        about = [attempt for attempt in attempts if attempt.holds(named)]
        if named.attempt == 0:
            about = [one for one in about if one.is_rated() and not one.is_hit(struck)][:1]
        struck |= {leg.match_id for attempt in about for leg in attempt.legs}
    return frozenset(struck)


def _with_match(attempts: Sequence[Attempt], match_id: str) -> set[str]:
    for attempt in attempts:
        ids = {leg.match_id for leg in attempt.legs}
        if match_id in ids:
            return {match_id} if attempt.is_field else ids
    return set()


def charged_by(legs: Mapping[str, int], unknown: Mapping[str, int]) -> frozenset[str]:
    """Return the entries whose unknown legs count against them, from how many each played."""
    return frozenset(
        entry
        for entry, count in unknown.items()
        if count >= UNKNOWN_LEGS and count > UNKNOWN_SHARE * legs[entry]
    )


def is_unknown(leg: LegResult) -> bool:
    """Whether nobody knows who ended the leg."""
    return not leg.rated and leg.blame == Blame.UNKNOWN
