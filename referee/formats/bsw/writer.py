"""A record as a Brettspielwelt log, round by round.

What the format cannot say is left out and told (`notes`), or the record is refused. Every round is
read back and judged before it is given out, so that no log says anything else than its record.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from referee.formats.bsw.lines import CARDS
from referee.formats.bsw.reader import LogReader
from referee.formats.bsw.replay import replay
from referee.formats.bsw.verdicts import Outcome, verdict_text
from referee.formats.option_text import option_texts
from referee.match.dealing import dealt_round
from referee.match.facts import (
    CallMade,
    Dealt,
    DragonGiven,
    Exchanged,
    Fact,
    MatchEnded,
    Passed,
    Played,
    RoundEnded,
    Strike,
    TrickTaken,
)
from referee.match.values import Ending, MatchConfig
from referee.rules.cards import PHOENIX, Seat, card_numbers, mask_of, rank_of
from referee.rules.combinations import Kind, readings
from referee.rules.option_values import Variant
from referee.rules.phases import CallKind
from referee.rules.round import Round

_TEXTS = {number: text for text, number in CARDS.items()}
_RANKS = {rank: str(rank) for rank in range(2, 11)} | {11: "B", 12: "D", 13: "K", 14: "A"}
_CALLS = {CallKind.TICHU: "Tichu", CallKind.GRAND: "Grosses Tichu"}
_SEATS = tuple(map(Seat, range(4)))
_PHOENIX_NUMBER = card_numbers(PHOENIX)[0]
_ODD = re.compile(r"[^\w.+#-]")  # a blank or colon in a name could be read as something else


_CURE = "--format decisions takes it"


class Unsayable(Exception):
    """The format has no words for this record; says what it is, and what to do."""


class LogWriter:
    """Writes one match. Raises `Unsayable` for one that is no game of the format.

    Attributes:
        notes: what was left out, once all is written.
        rounds: how many rounds were written.
    """

    def __init__(self, config: MatchConfig) -> None:
        rules = config.settings.rules
        if rules.variant is not Variant.TICHU:
            raise Unsayable(
                f"a log has four seats and plain Tichu, this is {rules.variant}; {_CURE}"
            )
        for name in ("great_grand", "chaos", "refuse_call"):
            if getattr(rules, name):
                raise Unsayable(f"a log has no line for what the option {name} brings; {_CURE}")
        self.notes: list[str] = []
        self.rounds = 0
        self._rules = rules
        names = [player.name for player in config.players]
        self._names = [_ODD.sub("_", name) for name in names]
        if self._names != names:
            self.notes.append("signs of names that would not be read back are written as _")
        if changed := option_texts(rules):
            said = " ".join(f"--option {name}={value}" for name, value in changed.items())
            self.notes.append(f"the options are left out; judge it with referee rules bsw {said}")
        self._round: _Written | None = None
        self._strikes = 0

    def lines(self, facts: Iterable[Fact]) -> Iterator[str]:
        """Yield the lines of the log without their ends, each round once it is over."""
        for fact in facts:
            match fact:
                case Dealt():
                    self._round = _Written(self._names, dealt_round(fact, self._rules), fact.round)
                case Strike():
                    self._strikes += 1
                case RoundEnded() if self._round is not None:
                    yield from self._ended(self._round, fact)
                    self._round = None
                case MatchEnded():
                    self._match_ended(fact)
                case _ if self._round is not None:
                    self._round.take(fact)
                case _:
                    pass
        if self._strikes:
            self.notes.append(f"strikes are left out: {self._strikes}")
        if not self.rounds:
            raise Unsayable(f"it has no finished round, and a log has no other; {_CURE}")
        yield "--END GAME--"

    def _ended(self, written: "_Written", ended: RoundEnded) -> Iterator[str]:
        points = " - ".join(map(str, ended.points))
        lines = [*written.lines(), f"Ergebnis: {points}"]
        logged = next(LogReader().rounds([line + "\n" for line in lines]))
        verdict = replay(logged, self._rules)
        if verdict.outcome is not Outcome.OK:
            said = verdict_text(verdict)
            raise Unsayable(f"round {ended.round} reads back as something else: {said}; {_CURE}")
        self.rounds += 1
        yield from lines

    def _match_ended(self, fact: MatchEnded) -> None:
        if fact.ending is Ending.COMPLETED:
            return
        self.notes.append(f"the ending is left out: {fact.ending}")
        if self._round is not None:
            self.notes.append(f"round {self._round.number} is left out: it was not finished")


class _Written:
    """The lines of one round, in the order of the format."""

    def __init__(self, names: Sequence[str], dealt: Round, number: int) -> None:
        self.number = number
        self._names = names
        self._left = [hand.bit_count() for hand in dealt.hands]
        self._first = [self._hand(seat, dealt.dealt_first[seat]) for seat in _SEATS]
        self._dealt = [self._hand(seat, dealt.hands[seat]) for seat in _SEATS]
        self._early: list[str] = []
        self._given: list[str] = []
        self._play: list[str] = []

    def lines(self) -> list[str]:
        """All that was taken so far."""
        return [
            "---------------Gr.Tichukarten------------------",
            *self._first,
            "---------------Startkarten------------------",
            *self._dealt,
            *self._early,
            "Schupfen:",
            *self._given,
            "---------------Rundenverlauf------------------",
            *self._play,
        ]

    def take(self, fact: Fact) -> None:
        """Write what a fact of the round says; those behind the scenes say nothing here."""
        match fact:
            case CallMade() if fact.call in _CALLS:
                lines = self._play if self._given else self._early
                lines.append(f"{_CALLS[fact.call]}: {self._who(fact.seat)}")
            case Exchanged():
                self._exchanged(fact)
            case Played():
                self._played(fact)
            case Passed():
                self._play.append(f"{self._who(fact.seat)} passt.")
            case TrickTaken() if self._left[fact.seat]:  # the click of an owner who is not out
                self._play.append(f"{self._who(fact.seat)} passt.")
            case DragonGiven():
                self._play.append(f"Drache an: {self._who(fact.to)}")
            case _:
                pass

    def _who(self, seat: Seat) -> str:
        return f"({seat}){self._names[seat]}"

    def _hand(self, seat: Seat, cards: int) -> str:
        return f"{self._who(seat)} {_texts(_descending(card_numbers(cards)))}"

    def _exchanged(self, fact: Exchanged) -> None:
        given = {(giver, to): cards for giver, to, cards in fact.gifts}
        for giver in _SEATS:
            others = [Seat((giver + step) % len(_SEATS)) for step in (1, 2, 3)]
            gifts = [f"{self._names[to]}: {_texts(given[giver, to])}- " for to in others]
            self._given.append(f"{self._who(giver)} gibt: {''.join(gifts)}")

    def _played(self, fact: Played) -> None:
        self._left[fact.seat] -= len(fact.cards)
        cards = _printed(fact.cards, fact.phoenix_rank)
        self._play.append(f"{self._who(fact.seat)}: {_texts(cards)}")
        if fact.wish:
            self._play.append(f"Wunsch:{_RANKS[fact.wish]}")


def _texts(cards: Iterable[int]) -> str:
    return "".join(f"{_TEXTS[card]} " for card in cards)


def _descending(cards: Iterable[int]) -> list[int]:
    return sorted(cards, key=rank_of, reverse=True)


def _printed(cards: Sequence[int], phoenix_rank: int) -> list[int]:
    """Return the cards of a play with the Phoenix where it says what it stands for (K)."""
    naturals = _descending(card for card in cards if card != _PHOENIX_NUMBER)
    if len(naturals) == len(cards):
        return naturals
    found = readings(mask_of(cards))
    at = 0
    if len(found) > 1:
        if found[0].kind is Kind.FULL_HOUSE:
            at = next(i for i, card in enumerate(naturals) if rank_of(card) == phoenix_rank)
        elif phoenix_rank == min(reading.phoenix_rank for reading in found):
            at = len(naturals)
    return [*naturals[:at], _PHOENIX_NUMBER, *naturals[at:]]
