"""How the bots of a match behaved: what was answered for them, and why."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from referee.formats.tally import SeatStrike
from referee.match.facts import Answered, Strike, decode_fact
from referee.match.inputs import DefaultDecision
from referee.match.values import AckStatus

# Of a long match only these lines are worth reading. In a string of JSON a quote is escaped, so
# neither can stand inside what a bot wrote.
_TELLING = (b'"t":"answered"', b'"t":"strike"')


class Conduct(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat did out of the ordinary, counted over its whole match."""

    defaults: int = 0  # asks for which the bot itself asked for the substitute action
    refused: int = 0  # answers that were refused
    strikes: tuple[str, ...] = ()  # why, in order

    @property
    def is_ordinary(self) -> bool:
        """True when there is nothing to tell."""
        return not (self.defaults or self.refused or self.strikes)


def read_conduct(lines: Iterable[bytes], *, seats: int) -> tuple[Conduct, ...]:
    """Return the conduct of each seat from a record's lines, up to one that was cut off."""
    defaults, refused = [0] * seats, [0] * seats
    strikes: list[list[str]] = [[] for _ in range(seats)]
    for line in lines:
        if not any(mark in line for mark in _TELLING):
            continue
        try:
            fact = decode_fact(line)
        except msgspec.DecodeError:
            break
        if isinstance(fact, Answered):
            is_refused = fact.status is AckStatus.REFUSED
            refused[fact.seat] += is_refused
            defaults[fact.seat] += isinstance(fact.decision, DefaultDecision) and not is_refused
        elif isinstance(fact, Strike):
            strikes[fact.seat].append(fact.why)
    return tuple(
        Conduct(defaults=defaults[seat], refused=refused[seat], strikes=tuple(strikes[seat]))
        for seat in range(seats)
    )


def grouped(reasons: Iterable[str]) -> str:
    """Return reasons with their numbers, the most frequent first.

    >>> grouped(["late", "MALFORMED", "late"])
    'late x2, MALFORMED'
    """
    return ", ".join(
        why if count == 1 else f"{why} x{count}" for why, count in Counter(reasons).most_common()
    )


def grouped_strikes(strikes: Iterable[SeatStrike]) -> dict[int, str]:
    """Return the reasons of each seat that has any, as `grouped` writes them."""
    reasons: dict[int, list[str]] = {}
    for strike in strikes:
        reasons.setdefault(strike.seat, []).append(strike.why)
    return {seat: grouped(whys) for seat, whys in reasons.items()}
