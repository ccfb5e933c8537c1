"""A record as text for people: what everybody saw, what one seat saw, or everything.

    1.204  0 greedy     plays 7j 7s
    ^ seconds of match time since its begin

A view shows hands and private decisions of its seats only; the rest it takes from public facts.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import assert_never

import msgspec

from referee.formats.decisions import card_texts, describe, is_taken
from referee.formats.imported import origin_lines
from referee.formats.option_text import option_texts
from referee.formats.printable import printable
from referee.formats.records import Record
from referee.formats.tally import is_bomb
from referee.match.dealing import dealt_round
from referee.match.facts import (
    Answered,
    Bidden,
    CallAsked,
    CallMade,
    Dealt,
    DragonGiven,
    Exchanged,
    Fact,
    Faulted,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    Released,
    Resumed,
    RoundEnded,
    Stalled,
    StoodDown,
    Strike,
    TimedOut,
    TrickTaken,
    WentOut,
    WindowClosed,
)
from referee.match.inputs import ExchangeDecision
from referee.match.values import MS, AskKind, Clock, Ending, MatchConfig
from referee.rules.cards import DOG, mask_of
from referee.rules.notation import format_cards, format_rank
from referee.rules.option_values import Variant
from referee.rules.options import has_fixed_teams, team_of
from referee.rules.phases import BIDS, CallKind
from referee.rules.seat import Seat
from referee.rules.seating import Seating, seating

_CALL_WORDS = {
    CallKind.TICHU: "calls TICHU",
    CallKind.GRAND: "calls GRAND TICHU",
    CallKind.NO_GRAND: "no Grand",
    CallKind.GREAT_GRAND: "calls GREAT GRAND TICHU",
    CallKind.NO_GREAT_GRAND: "no Great Grand",
    CallKind.ACCEPT: "lets the call stand",
    CallKind.REFUSE: "refuses the call",
    **{bid: f"bids {number}" for number, bid in enumerate(BIDS)},
}
_VICTORIES = {Variant.TICHU: "double", Variant.TRICHU: "double", Variant.TIENTSIN: "triple"}
_FIRST_SAYINGS = frozenset(_CALL_WORDS) - {
    CallKind.TICHU
}  # said before all cards are dealt, or not


class View(msgspec.Struct, frozen=True, kw_only=True):
    """Whose eyes: hands and answers of `seats`; `everything` adds what only the referee knew."""

    seats: tuple[Seat, ...] = ()
    everything: bool = False


PUBLIC = View()


def seat_view(seat: Seat) -> View:
    """Return the view of one seat."""
    return View(seats=(seat,))


def full_view(config: MatchConfig) -> View:
    """Return the view that shows all that is recorded."""
    return View(seats=tuple(map(Seat, range(len(config.players)))), everything=True)


def playthrough(record: Record, view: View, *, round_number: int | None = None) -> Iterator[str]:
    """Yield the lines of a record, or of one of its rounds (from 1; nothing for one it has not)."""
    teller = _Teller(record.config, view)
    yield from teller.head()
    yield from origin_lines(record.header, everything=view.everything)
    shown = 0
    for fact in record.facts:
        if isinstance(fact, Dealt):
            shown = fact.round
        wanted = round_number is None or shown == round_number
        for line in teller.tell(fact):
            if wanted:
                yield line


class _Teller:
    """Follows the hands through the facts and puts each fact into words."""

    def __init__(self, config: MatchConfig, view: View) -> None:
        self._config = config
        self._view = view
        self._names = [printable(player.name) for player in config.players]
        self._width = max(map(len, self._names))
        self._hands = [0] * len(self._names)
        self._seating: Seating = seating(config.settings.rules)
        self._whole_shown = True
        self._exchanged_all = False
        self._trick = 0
        self._on_table = False
        self._decisions = 0  # taken so far: `record export --at N` counts so

    # --- the lines around the facts

    def head(self) -> Iterator[str]:
        """The first lines: who plays what."""
        settings = self._config.settings
        clock = settings.clock
        options = option_texts(settings.rules)
        limits = _clock_words(clock) if clock else "none"
        yield f"match {printable(self._config.match_id)}"
        for seat, name in enumerate(self._names):
            yield f"  seat {seat}  {name}"
        yield f"  clock {limits}, pace {settings.pace}, window {settings.window_ns // MS} ms"
        changed = " ".join(f"{name}={value}" for name, value in options.items())
        yield f"  options {changed or 'all default'}"

    def _line(self, fact: Fact, seat: Seat, words: str) -> str:
        return f"{fact.at / (1000 * MS):9.3f}  {self._who(seat)}  {words}"

    def _who(self, seat: Seat) -> str:
        return f"{seat} {self._names[seat]:{self._width}}"

    def _hand_lines(self, title: str, hands: Sequence[int]) -> Iterator[str]:
        for seat in self._seen_hands():
            if hands[seat]:
                yield f"{title:>9}  {self._who(seat)}  {format_cards(hands[seat])}"

    def _seen_hands(self) -> tuple[Seat, ...]:
        """The hands that the view shows: the Tisch's too where it is seen (G3, G5)."""
        tisch, own = self._seating.tisch, self._view.seats
        if tisch is None or tisch in own:
            return own
        both_held = self._whole_shown and self._seating.soloist in own
        return (*own, tisch) if both_held or self._exchanged_all else own

    def _whole_hands(self, fact: Fact) -> Iterator[str]:
        """The whole hands, once the decisions on the first cards are made (A3)."""
        decides_first = isinstance(fact, CallMade) and fact.call in _FIRST_SAYINGS
        gives = isinstance(fact, Answered) and isinstance(fact.decision, ExchangeDecision)
        told = gives or (isinstance(fact, Exchanged | Played | CallMade) and not decides_first)
        if told and not self._whole_shown:
            self._whole_shown = True
            yield from self._hand_lines("hand", self._hands)

    def _trick_lines(self) -> Iterator[str]:
        if not self._on_table:
            self._on_table = True
            self._trick += 1
            yield f"  trick {self._trick}"
            yield from self._hand_lines("holds", self._hands)

    # --- facts

    def tell(self, fact: Fact) -> Iterator[str]:
        """Yield the lines of one fact."""
        yield from self._whole_hands(fact)
        self._decisions += is_taken(fact)
        match fact:
            case Dealt():
                yield from self._dealt(fact)
            case Exchanged():
                yield from self._exchanged(fact)
            case Played():
                yield from self._played(fact)
            case RoundEnded():
                yield from self._round_ended(fact)
            case MatchEnded():
                yield self._match_ended(fact)
            case Bidden():
                yield from self._bidden(fact)
            case CallMade() | Passed() | TrickTaken() | DragonGiven() | LeadHanded() | WentOut():
                yield self._public(fact)
            case _:
                yield from self._behind_the_scenes(fact)

    def _dealt(self, fact: Dealt) -> Iterator[str]:
        dealt = dealt_round(fact, self._config.settings.rules)
        self._hands, self._seating = list(dealt.hands), dealt.seating
        self._trick, self._on_table = 0, False
        self._whole_shown = self._exchanged_all = False
        totals = f", totals {_score(fact.totals)}" if fact.totals else ""
        yield ""
        yield f"round {fact.round}: dealer {fact.dealer}{totals}"
        if dealt.seating.soloist is not None:
            yield f"  soloist    {dealt.seating.soloist}, who plays {dealt.seating.tisch} too"
        if dealt.seating.order != tuple(range(dealt.n)):
            yield f"  turn order {_listed(dealt.seating.order)}"
        if not fact.cards:  # those of an import are committed to nothing
            yield f"  commitment {fact.commitment}"
        if self._view.everything and not fact.cards:
            yield f"  deal seed  {fact.seed}"
        if any(dealt.dealt_first):
            yield from self._hand_lines(f"first {_most(dealt.dealt_first)}", dealt.dealt_first)

    def _exchanged(self, fact: Exchanged) -> Iterator[str]:
        yield f"{fact.at / (1000 * MS):9.3f}  exchange"
        seen: dict[Seat, list[str]] = {}
        told = self._seen_hands()
        for giver, to, numbers in fact.gifts:
            cards = mask_of(numbers)
            self._hands[giver] &= ~cards
            self._hands[to] |= cards
            if giver in told or to in told:
                seen.setdefault(giver, []).append(f"{card_texts(numbers)} to {to}")
        for giver, gifts in seen.items():
            yield f"{'':9}  {self._who(giver)}  gives {', '.join(gifts)}"
        self._exchanged_all = True
        tisch = self._seating.tisch
        if tisch is not None:
            yield f"{'open':>9}  {self._who(tisch)}  {format_cards(self._hands[tisch])}"

    def _bidden(self, fact: Bidden) -> Iterator[str]:
        """The bids that the view shows: those of its seats and of their partners."""
        sides = {self._seating.teams[seat] for seat in self._view.seats}
        for seat, bid in fact.bids:
            if self._seating.teams[seat] in sides:
                yield self._line(fact, seat, _CALL_WORDS[bid])

    def _played(self, fact: Played) -> Iterator[str]:
        verb = "plays" if self._on_table else "leads"
        yield from self._trick_lines()
        cards = mask_of(fact.cards)
        self._hands[fact.seat] &= ~cards
        self._on_table = cards != DOG
        words = f"{'bombs' if is_bomb(fact.cards) else verb} {format_cards(cards)}"
        if fact.second_phoenix_rank:
            ranks = format_rank(fact.phoenix_rank), format_rank(fact.second_phoenix_rank)
            words += f" (the Phoenixes are {ranks[0]} and {ranks[1]})"
        elif fact.phoenix_rank:
            words += f" (Phoenix is {format_rank(fact.phoenix_rank)})"
        if fact.wish:
            words += f", wishes for {format_rank(fact.wish)}"
        yield self._line(fact, fact.seat, words)

    def _public(
        self, fact: CallMade | Passed | TrickTaken | DragonGiven | LeadHanded | WentOut
    ) -> str:
        match fact:
            case CallMade():
                words = _CALL_WORDS[fact.call]
            case Passed():
                words = "passes (has no legal play)" if fact.forced else "passes"
            case TrickTaken():
                self._on_table = False
                words = f"takes the trick: {fact.points} points"
            case DragonGiven():
                self._on_table = False
                words = f"gives the trick to {fact.to}: {fact.points} points"
            case LeadHanded():
                words = f"hands the lead to {fact.to}"
            case WentOut():
                words = f"is out, number {fact.place}"
            case _ as never:
                assert_never(never)
        return self._line(fact, fact.seat, words)

    def _round_ended(self, fact: RoundEnded) -> Iterator[str]:
        self._on_table = False
        came = f"ranks {_listed(fact.ranks)}" if fact.ranks else _score(fact.points)
        words = f"round {fact.round}: {came}"
        if fact.double_victory:
            words += f", {_VICTORIES[self._config.settings.rules.variant]} victory"
        if fact.refused is not None:
            words += f", the call of {fact.refused} was refused"
        yield words + (f", totals {_score(fact.totals)}" if fact.totals else "")
        for seat, call, won, points in fact.calls:
            yield f"{'':9}  {self._who(seat)}  {call} {'won' if won else 'lost'} {points:+}"

    def _match_ended(self, fact: MatchEnded) -> str:
        score = _score(fact.totals) or "no score"
        words = f"match {fact.ending}: {score} after {fact.rounds} rounds"
        if fact.winner is not None:
            words += f", won by {team_name(self._config, fact.winner)}"
        if fact.failed:
            words += f", ended by seats {_listed(fact.failed)} (blame {fact.blame})"
        elif fact.seat is not None:
            words += f", ended by seat {fact.seat} (blame {fact.blame})"
        if fact.awarded:
            words += f", counts as {_score(fact.awarded)}"
        elif fact.ending is not Ending.COMPLETED:
            words += ", counts for nothing"
        return words

    # --- what not everybody sees

    def _behind_the_scenes(self, fact: Fact) -> Iterator[str]:
        seat: Seat | None = getattr(fact, "seat", None)
        if self._view.everything or (seat is not None and seat in self._view.seats):
            words = _hidden_words(fact)
            if self._view.everything and is_taken(fact):
                words = f"decision {self._decisions}, {words}"  # no seat's: it counts all
            if seat is not None:
                yield self._line(fact, seat, f"[{words}]")
            elif words:
                yield f"{fact.at / (1000 * MS):9.3f}  [{words}]"


def _hidden_words(fact: Fact) -> str:
    match fact:
        case Answered():
            words = f"ask {fact.ask}: {describe(fact.decision)}: {fact.status}"
            return words + _because(fact.code) + _charge(fact.charged) + _lag(fact.lag)
        case Released():
            return f"ask {fact.ask}: takes effect" + _charge(fact.charged) + _lag(fact.lag)
        case TimedOut():
            return f"ask {fact.ask}: timed out" + _charge(fact.charged) + _lag(fact.lag)
        case CallAsked():
            return f"call {fact.call}{_of(fact.for_seat)}: {fact.status}" + _because(fact.code)
        case StoodDown():
            return f"stands down{_of(fact.for_seat)}: {fact.status}" + _because(fact.code)
        case Strike():
            return f"ask {fact.ask}: strike {fact.count}, {printable(fact.why)}"
        case WindowClosed():
            landed = "" if fact.bomber is None else f", the bomb of {fact.bomber} lands"
            return f"window closes{landed}"
        case Faulted():
            return f"ends the match: {fact.ending} (blame {fact.blame})"
        case Stalled():
            again = f", asks anew: {_listed(seat for seat, _ in fact.asks)}" if fact.asks else ""
            return f"the referee was blocked for {fact.blocked_ns / MS:g} ms{again}"
        case Resumed():
            return f"the referee was started again (process {fact.epoch} of its store), clocks anew"
        case _:
            return str(type(fact).__name__)


def _because(code: str) -> str:
    return f", {printable(code)}" if code else ""


def _of(hand: Seat | None) -> str:
    return "" if hand is None else f" for {hand}"


def _charge(charged: int) -> str:
    return f", {charged / MS:g} ms from the bank" if charged else ""


def _lag(granted: int) -> str:
    return f", {granted / MS:g} ms of lag granted" if granted else ""


def _listed(seats: Iterable[Seat]) -> str:
    return ", ".join(map(str, seats))


def _clock_words(clock: Clock) -> str:
    longer = [
        f"{kind} {clock.base_of(kind) // MS} ms"
        for kind in AskKind
        if clock.base_of(kind) != clock.base_ns
    ]
    return ", ".join([f"{clock.base_ns // MS} ms + {clock.bank_ns // MS} ms", *longer])


def _score(points: Sequence[int]) -> str:
    return " : ".join(map(str, points))


def _most(hands: Sequence[int]) -> int:
    return max(hand.bit_count() for hand in hands)


def team_name(config: MatchConfig, team: int) -> str:
    """Return the names of a team's players, one name where all have the same.

    In Trichu, where each plays for its own column, `team` is the seat of a player. A game without
    teams has none.
    """
    rules = config.settings.rules
    if rules.variant is Variant.TRICHU:
        return printable(config.players[team].name)
    names = [
        printable(player.name)
        for seat, player in enumerate(config.players)
        if has_fixed_teams(rules) and team_of(rules, Seat(seat)) == team
    ]
    return " + ".join(dict.fromkeys(names))
