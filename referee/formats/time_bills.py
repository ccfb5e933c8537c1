"""Where the time of a match went: by player and kind of ask, from the steps of its replay.

Asks are no facts; a replay gives them again, with the times that the facts name. When an answer
took effect follows from what came of it: a move for an act, a close for a bomb, the release of a
barrier for bets and the exchange.
"""

from collections.abc import Iterable, Iterator

from referee.formats.summary import TimeBill
from referee.match.facts import (
    Bidden,
    CallMade,
    DragonGiven,
    Exchanged,
    Fact,
    Faulted,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    Stalled,
    TimedOut,
    TrickTaken,
    WindowClosed,
)
from referee.match.step import Ask, Step
from referee.match.values import MS, AskKind, CancelReason
from referee.rules.phases import TICHU
from referee.rules.seat import Seat

_IN_TURN = (AskKind.ACT, AskKind.CHOOSE_SEAT)
_KINDS = tuple(AskKind)


class _Sum:
    """The bill of a seat's asks of one kind, in nanoseconds."""

    __slots__ = ("asks", "charged", "longest", "network", "referee", "thinking", "timed_out")

    def __init__(self) -> None:
        self.asks = self.timed_out = 0
        self.thinking = self.network = self.referee = self.charged = self.longest = 0

    def think(self, ns: int) -> None:
        """Add what one ask took."""
        self.thinking += ns
        self.longest = max(self.longest, ns)


class TimeBook:
    """Keeps the asks of a match and books their times when they are over."""

    def __init__(self) -> None:
        self._open: dict[tuple[Seat, int], Ask] = {}
        self._sums: dict[tuple[Seat, AskKind], _Sum] = {}
        self._cut: tuple[int, ...] = ()  # when the clocks began that the end of the match cut off

    def take(self, step: Step) -> None:
        """Book a step of the replay."""
        for fact in step.facts:
            self._see(fact)
        self._see_second_choice(step)
        self._see_called(step)
        for ask in step.asks:
            self._sum(ask).asks += 1
            if not step.over:
                self._open[ask.to, ask.id] = ask

    def bills(self) -> tuple[TimeBill, ...]:
        """Return the bills by player and kind, without kinds that one was never asked."""
        found = sorted(self._sums, key=lambda key: (key[0], _KINDS.index(key[1])))
        return tuple(_bill(seat, kind, self._sums[seat, kind]) for seat, kind in found)

    def _see(self, fact: Fact) -> None:
        match fact:
            case Played() | Passed() | TrickTaken() | DragonGiven() | LeadHanded():
                self._end(fact.at, _IN_TURN)
            case WindowClosed():
                self._close_window(fact)
            case CallMade():
                if fact.call is not TICHU:
                    self._end(fact.at, (AskKind.CALL,), hand=fact.seat)
            case Bidden():
                self._end(fact.at, (AskKind.CALL,))
            case Exchanged():
                self._end(fact.at, (AskKind.EXCHANGE,))
            case TimedOut():
                self._sum(self._open[fact.seat, fact.ask]).timed_out += 1
            case Stalled():
                for asked in fact.asks:  # nobody knows how much of this time the seat had
                    self._open.pop(asked, None)
            case Faulted():
                self._cut = fact.sent or self._cut
            case MatchEnded():
                self._end(fact.at, _KINDS)
            case _:
                pass

    def _see_second_choice(self, step: Step) -> None:
        """Seats that may choose their gifts again (A7): what they chose before is over."""
        again = any(ask.kind is AskKind.EXCHANGE for ask in step.asks)
        if again and not isinstance(step.facts[0], Stalled):
            self._end(step.facts[-1].at, (AskKind.EXCHANGE,))

    def _see_called(self, step: Step) -> None:
        """What a call made void is over (`refuse_call`)."""
        for gone in step.cancelled:
            if gone.reason is CancelReason.CALLED:
                ask = self._open.pop((gone.seat, gone.ask_id), None)
                if ask is not None:
                    self._book(ask, step.facts[-1].at)

    def _close_window(self, fact: WindowClosed) -> None:
        """Who said nothing in a window was given all of it."""
        for ask in self._taken((AskKind.BOMB,)):
            if ask.stamp < 0 and ask.choice is None and fact.opened >= 0:
                owed = self._sum(ask)
                owed.timed_out += 1
                owed.think(fact.at - fact.opened)
            self._book(ask, fact.at)

    def _end(self, at: int, kinds: Iterable[AskKind], *, hand: Seat | None = None) -> None:
        for ask in self._taken(kinds, hand):
            self._book(ask, at)

    def _taken(self, kinds: Iterable[AskKind], hand: Seat | None = None) -> Iterator[Ask]:
        """Let go of the open asks of some kinds, about one hand or all."""
        for key, ask in list(self._open.items()):
            if ask.kind in kinds and hand in (None, ask.seat):
                del self._open[key]
                yield ask

    def _book(self, ask: Ask, at: int) -> None:
        """Book an ask that is over at `at`; without an answer its time is only known by the cut."""
        book = self._sum(ask)
        if ask.stamp >= 0:
            whole = ask.stamp - ask.sent if 0 <= ask.sent < ask.stamp else 0
            lag = min(ask.lag, whole)
            book.network += lag
            book.referee += at - ask.stamp
            book.charged += max(0, ask.charged)
            book.think(whole - lag)
        elif self._cut and ask.base_ns is not None and ask.choice is None:
            since = self._cut[ask.seat]
            book.think(at - since if since >= 0 else 0)

    def _sum(self, ask: Ask) -> _Sum:
        return self._sums.setdefault((ask.to, ask.kind), _Sum())


def _bill(seat: Seat, kind: AskKind, book: _Sum) -> TimeBill:
    return TimeBill(
        seat=seat,
        kind=kind.value,
        asks=book.asks,
        thinking_ms=book.thinking // MS,
        network_ms=book.network // MS,
        referee_ms=book.referee // MS,
        charged_ms=book.charged // MS,
        longest_ms=book.longest // MS,
        timed_out=book.timed_out,
    )
