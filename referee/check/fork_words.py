"""What the bots of a forked round say, in an order that no clock decides.

All who are asked think at the same time, and who is quicker differs from run to run. So what they
say is kept until all have answered. Then the answers are taken in the order of the asks, each after
what its player said before it; what stood beside it in its frame follows once all are taken.
"""

from collections.abc import Sequence
from typing import NamedTuple

from referee.match.step import Ask
from referee.match.values import AskKind
from referee.ports import AnswerIn, CallIn, Frame, ResignIn, StandDownIn
from referee.rules.seat import Seat

Word = AnswerIn | CallIn | StandDownIn | ResignIn


class _Said(NamedTuple):
    frame: int  # in which it came, counted over all players
    word: Word


class Words:
    """What was said of one match and not taken yet. `match` is its number in the sessions."""

    def __init__(self, match: int) -> None:
        self._match = match
        self._said: dict[Seat, list[_Said]] = {}
        self._frames = 0
        self._heard: dict[Seat, int] = {}  # the last frame of which an answer was taken

    def hear(self, seat: Seat, frame: Frame) -> None:
        """Keep what a frame of a player says of this match."""
        self._frames += 1
        words: tuple[Word, ...] = (*frame.answers, *frame.calls, *frame.stand_downs, *frame.resigns)
        said = self._said.setdefault(seat, [])
        said += [_Said(self._frames, word) for word in words if word.match == self._match]

    def missing(self, asks: Sequence[Ask]) -> list[Ask]:
        """Return the asks that nothing was said to, in their order."""
        return [ask for ask in asks if self._place(ask) is None]

    def up_to(self, ask: Ask, asks: Sequence[Ask]) -> list[Word]:
        """Take the answer to an ask and what came before it, answers to others of `asks` apart."""
        place = self._place(ask)
        if place is None:
            return []
        said = self._said[ask.to]
        others = {one.id for one in asks if one.to == ask.to} - {ask.id}
        before = said[:place]
        later = [one for one in before if _answers(one.word, others)]
        self._said[ask.to] = later + said[place + 1 :]
        self._heard[ask.to] = max(self._heard.get(ask.to, 0), said[place].frame)
        return [*(one.word for one in before if one not in later), said[place].word]

    def beside(self, asks: Sequence[Ask]) -> list[tuple[Seat, Word]]:
        """Take what stood in one frame with the answers to `asks`, and all of who had none to give.

        In the order of the seats.
        """
        owing = {ask.to for ask in asks}
        found: list[tuple[Seat, Word]] = []
        for seat, said in sorted(self._said.items()):
            last = self._heard.get(seat, 0) if seat in owing else self._frames
            found += [(seat, one.word) for one in said if one.frame <= last]
            self._said[seat] = [one for one in said if one.frame > last]
        return found

    def _place(self, ask: Ask) -> int | None:
        for place, one in enumerate(self._said.get(ask.to, ())):
            if _settles(one.word, ask):
                return place
        return None


def in_turn(asks: Sequence[Ask]) -> list[Ask]:
    """Return open asks by seat, from the seat on turn; its own comes before all asks for bombs.

    So a bomb of that seat competes with those of the others, whoever is quicker (D5).
    """
    turn = next((ask.seat for ask in asks if ask.kind is not AskKind.BOMB), Seat(0))
    return sorted(
        asks, key=lambda ask: (ask.kind is AskKind.BOMB, ask.seat < turn, ask.seat, ask.id)
    )


def _answers(word: Word, ask_ids: set[int]) -> bool:
    return isinstance(word, AnswerIn) and word.ask_id in ask_ids


def _settles(word: Word, ask: Ask) -> bool:
    match word:
        case AnswerIn():
            return word.ask_id == ask.id
        case StandDownIn():
            hand = ask.to if word.for_seat is None else word.for_seat
            return ask.kind is AskKind.BOMB and hand == ask.seat
        case ResignIn():
            return True
        case CallIn():
            return False
