"""Lines of a Brettspielwelt log to rounds, one at a time: the reader never holds two.

A round runs from its heading to the next one, to `--END GAME--` or to the end of the file. What
cannot be read inside it is skipped and counted; the round's replay shows whether it mattered.
"""

import enum
import re
from collections.abc import Iterable, Iterator

from referee.formats.bsw.events import LoggedRound, Pass, Play
from referee.formats.bsw.lines import (
    is_given,
    is_pass,
    read_call,
    read_gift,
    read_given,
    read_hand,
    read_play,
    read_result,
    read_wish,
    seat_and_rest,
)
from referee.rules.cards import Seat

SEATS = 4  # the log format knows four places and no others
FIRST_CARDS = 8  # A3: what a Grand Tichu is decided with
ALL_CARDS = 14


class _Section(enum.IntEnum):
    """The parts of a round in their order; OUTSIDE is before, between and after games."""

    OUTSIDE = 0
    FIRST = 1
    DEALT = 2
    EXCHANGE = 3
    PLAY = 4


_HEADINGS = (
    (re.compile(r"-*\s*Gr\.\s*Tichukarten\s*-*"), _Section.FIRST),
    (re.compile(r"-*\s*Startkarten\s*-*"), _Section.DEALT),
    (re.compile(r"Schupfen:"), _Section.EXCHANGE),
    (re.compile(r"-*\s*Rundenverlauf\s*-*"), _Section.PLAY),
    (re.compile(r"-+\s*END GAME\s*-*"), _Section.OUTSIDE),
)
_BYTE_ORDER_MARK = "\ufeff"


def _heading(text: str) -> _Section | None:
    if text[:1] not in "-GSR":
        return None
    for pattern, section in _HEADINGS:
        if pattern.fullmatch(text):
            return section
    return None


class LogReader:
    """Reads one file. Use it once: `for logged in LogReader().rounds(lines)`, then the counts.

    Attributes:
        lines: how many lines were read so far.
        unread: how many of them held something that was not understood.
        first_unread: the number of the first such line, 0 if there is none.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.unread = 0
        self.first_unread = 0
        self._game = 1
        self._rounds = 0  # of this game, the running one included
        self._section = _Section.OUTSIDE
        self._begun = False  # a first heading was seen; before it a file may lack its head
        self._round: LoggedRound | None = None

    def rounds(self, lines: Iterable[str]) -> Iterator[LoggedRound]:
        """Yield every round of a file; `lines` carry their line ends, as a file gives them."""
        line = "\n"
        for line in lines:
            self.lines += 1
            text = line.strip().lstrip(_BYTE_ORDER_MARK)
            if not text:
                continue
            section = _heading(text)
            if section is None:
                self._read(text)
            elif (ended := self._enter(section)) is not None:
                yield ended
        if self._round is not None:
            if not line.endswith(("\n", "\r")):
                self._round.cut_line = self.lines
            yield self._round

    def _enter(self, section: _Section) -> LoggedRound | None:
        """Go on to a section; return the round which that ends, if any."""
        before, self._section = self._section, section
        if section is _Section.OUTSIDE:
            return self._end_game()
        if section is _Section.FIRST or (self._begun and self._opens_late(before, section)):
            return self._begin_round()
        if not self._begun:
            self._section = _Section.OUTSIDE
            self._count_unread()
        return None

    @staticmethod
    def _opens_late(before: _Section, section: _Section) -> bool:
        """True for a heading that cannot belong to the running round: its own first one is lost."""
        return before is _Section.OUTSIDE or section < before or before is _Section.PLAY

    def _end_game(self) -> LoggedRound | None:
        ended, self._round = self._round, None
        if self._rounds:
            self._game += 1
        self._rounds = 0
        return ended

    def _begin_round(self) -> LoggedRound | None:
        ended = self._round
        self._begun = True
        self._rounds += 1
        self._round = LoggedRound(game=self._game, number=self._rounds, line=self.lines)
        return ended

    def _count_unread(self) -> None:
        self.unread += 1
        self.first_unread = self.first_unread or self.lines

    def _read(self, text: str) -> None:
        logged = self._round
        if logged is None:
            self._count_unread()
            return
        seated = seat_and_rest(text)
        if seated is None:
            if not self._read_event(logged, text):
                self._count_unread()
            return
        seat, rest = seated
        if seat is None or not self._read_seat(logged, seat, rest):
            logged.unread_line = logged.unread_line or self.lines
            self._count_unread()

    def _read_event(self, logged: LoggedRound, text: str) -> bool:
        """Read a line that begins with its kind; False if it is none."""
        if (call := read_call(self.lines, text)) is not None:
            logged.add_call(call, early=self._section < _Section.EXCHANGE)
            return True
        event = (
            read_gift(self.lines, text)
            or read_wish(self.lines, text)
            or read_result(self.lines, text)
        )
        if event is not None:
            logged.add(event)
        return event is not None or text.startswith("BOMBE:")  # who holds one: information only

    def _read_seat(self, logged: LoggedRound, seat: Seat, rest: str) -> bool:
        """Read a line that begins with a seat; False if it does not fit the section."""
        if self._section is _Section.FIRST:
            return self._read_cards(logged, seat, rest, size=FIRST_CARDS)
        if self._section is _Section.DEALT:
            return self._read_cards(logged, seat, rest, size=ALL_CARDS)
        if self._section is _Section.EXCHANGE and is_given(rest):
            return self._read_exchange(logged, seat, rest)
        return self._read_move(logged, seat, rest)  # also where the heading of the play is lost

    def _read_cards(self, logged: LoggedRound, seat: Seat, rest: str, *, size: int) -> bool:
        hands = logged.first if size == FIRST_CARDS else logged.dealt
        if seat in hands:
            return False
        hands[seat] = read_hand(self.lines, rest, size=size)
        return True

    def _read_exchange(self, logged: LoggedRound, seat: Seat, rest: str) -> bool:
        others = [Seat((seat + step) % SEATS) for step in range(1, SEATS)]
        names = [logged.dealt[s].name if s in logged.dealt else "" for s in others]
        given = read_given(self.lines, rest, names=names)
        if given is None or seat in logged.given:
            return False
        logged.given[seat] = given
        return True

    def _read_move(self, logged: LoggedRound, seat: Seat, rest: str) -> bool:
        cards = read_play(rest)
        if cards is not None:
            logged.add(Play(line=self.lines, seat=seat, cards=cards))
        elif is_pass(rest):
            logged.add(Pass(line=self.lines, seat=seat))
        else:
            return False
        return True
