"""What the legs that count say of their entries beyond points: versions, answers by default."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from referee.ladder.outcomes import Resolved
from referee.ladder.rulings import version_of
from referee.ladder.values import LegResult

# More than one answer in twenty that a bot left to the substitute action is told under the table.
# A strategy that fails looks like that: its library then asks for the default. A bot that does so
# now and then by choice stays below.
MANY_DEFAULTS = 20


class Defaults(msgspec.Struct, frozen=True, kw_only=True):
    """Answers of an entry, and how many of them asked for the substitute action."""

    answers: int = 0
    defaults: int = 0

    @property
    def are_many(self) -> bool:
        """Whether they are more than one in `MANY_DEFAULTS`."""
        return self.defaults * MANY_DEFAULTS > self.answers

    def more(self, answers: int, defaults: int) -> "Defaults":
        """Return the sum with those of one more leg."""
        return Defaults(answers=self.answers + answers, defaults=self.defaults + defaults)


def counted_legs(resolved: Resolved) -> Iterator[LegResult]:
    """Yield all legs that count."""
    yield from {leg.match_id: leg for board in resolved.boards for leg in board.legs}.values()
    for table in resolved.field_legs:
        yield table.leg


def versions_by_entry(legs: Iterable[LegResult]) -> Mapping[str, Mapping[str, int]]:
    """Return in how many legs each entry played with each version, in the order of their boards.

    The version of a pair is that of both bots, as rulings name it.
    """
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for leg in sorted(legs, key=lambda one: (one.place.board, one.place.key)):
        for side in leg.place.sides:
            found[side.entry][version_of(side)] += 1
    return found


def defaults_by_entry(legs: Iterable[LegResult]) -> Mapping[str, Defaults]:
    """Return the answers of each entry."""
    found: dict[str, Defaults] = {}
    for leg in legs:
        for team, side in enumerate(leg.place.sides):
            entry = side.entry
            before = found.get(entry, Defaults())
            found[entry] = before.more(leg.answers[team], leg.defaults[team])
    return found
