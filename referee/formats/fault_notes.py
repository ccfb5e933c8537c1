"""Who failed in a match, at what and why, from the steps of its replay."""

from referee.formats.summary import FaultNote
from referee.match.facts import Dealt, Faulted, MatchEnded, Strike
from referee.match.step import Ask, Step
from referee.match.values import MS, Blame
from referee.rules.seat import Seat

_THEIRS = (Blame.BOT, Blame.UNKNOWN)  # a bot failed, or nobody knows why it did not come back


def failed_seats(ended: MatchEnded) -> tuple[Seat, ...]:
    """Return the seats that ended the match by their fault, or are not known not to have."""
    if ended.blame not in _THEIRS or ended.seat is None:
        return ()
    return ended.failed or (ended.seat,)


class FaultBook:
    """Notes the faults of a match in the order in which they happened."""

    def __init__(self) -> None:
        self._notes: list[FaultNote] = []
        self._kinds: dict[tuple[Seat, int], str] = {}
        self._last: dict[Seat, int] = {}  # the number of the last ask that a seat got
        self._round = 0

    def take(self, step: Step) -> None:
        """Note what a step of the replay tells."""
        struck: dict[Seat, int] = {}
        endings: dict[Seat, str] = {}
        for fact in step.facts:
            match fact:
                case Dealt():
                    self._round = fact.round
                case Strike():
                    struck[fact.seat] = fact.ask
                    self._note(fact.seat, fact.at, fact.ask, fact.why)
                case Faulted():
                    if fact.seat is not None:
                        endings[fact.seat] = fact.ending.value
                case MatchEnded():
                    for seat in failed_seats(fact):
                        ask = struck.get(seat, self._last.get(seat, 0))
                        why = endings.get(seat, fact.ending.value)
                        self._note(seat, fact.at, ask, why, ended=True)
                case _:
                    pass
        for asked in step.asks:
            self._asked(asked)

    def notes(self) -> tuple[FaultNote, ...]:
        """Return what was noted so far."""
        return tuple(self._notes)

    def _asked(self, ask: Ask) -> None:
        self._kinds[ask.to, ask.id] = ask.kind.value
        self._last[ask.to] = ask.id

    def _note(self, seat: Seat, at: int, ask: int, why: str, *, ended: bool = False) -> None:
        self._notes.append(
            FaultNote(
                seat=seat,
                round=self._round,
                at_ms=at // MS,
                ask=ask,
                kind=self._kinds.get((seat, ask), ""),
                why=why,
                ended_match=ended,
            )
        )
