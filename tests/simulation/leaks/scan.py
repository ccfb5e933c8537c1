"""Does anything that a seat is sent name a card that it cannot know, or a secret?

Every frame is decoded field by field (`fields.FIELDS`), texts word by word. What a seat may know
comes from the record of its match, read by the auditor's own cards and shuffle.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match.facts import Bidden, Dealt, Exchanged, Fact, Played
from tests.simulation.audit.cards import cards_in_text, deal, mask_of, text_of
from tests.simulation.audit.dealing import dealt_first, pack_of
from tests.simulation.audit.rulebook import Rulebook, rulebook
from tests.simulation.audit.seats import Seats, order_by_ranks, seats_of
from tests.simulation.leaks.fields import FIELDS, Meaning

_HOLDS_CARDS = (Meaning.OWN, Meaning.GIFTS, Meaning.DEALT, Meaning.SHOWN)
_MASK = 1 << 28  # a number from here on may be a set of cards; a day has fewer milliseconds
_LONG_NUMBER = re.compile(r"(?<![\w.])(?:\d{9,}|0x[0-9a-fA-F]{5,})(?![\w.])")


@dataclass(frozen=True, slots=True)
class Round:
    """What the record says of a round. Hands by seat; gifts and plays in order."""

    number: int
    seats: Seats
    seed: bytes
    first: Sequence[int]
    rest: Sequence[int]
    gifts: list[tuple[int, int, int]] = field(default_factory=list)  # giver, recipient, mask
    plays: list[tuple[int, int, int]] = field(default_factory=list)  # time, seat, mask
    bids: dict[int, str] = field(default_factory=dict)  # by seat (chaos)


def truth_of(facts: Iterable[Fact], rules: Rulebook | None = None) -> list[Round]:
    """Return the rounds of a match by its options, without any by those of the game of four."""
    rules = rules or rulebook({})
    rounds: list[Round] = []
    for fact in facts:
        if isinstance(fact, Dealt):
            seed = bytes.fromhex(fact.seed)
            alternating = rules.says("gs_seating", "alternating")
            order = order_by_ranks(fact.ranks, alternating=alternating)
            seats = seats_of(rules.variant, rules.seats, fact.dealer, order)
            order = tuple(dealt_first(rules, fact.dealer, seats.order))
            hands = deal(seed, pack_of(rules), order, rules.first_cards)
            rounds.append(Round(fact.round, seats, seed, *hands))
        elif isinstance(fact, Bidden):
            rounds[-1].bids.update({seat: bid.value for seat, bid in fact.bids})
        elif isinstance(fact, Exchanged):
            rounds[-1].gifts.extend((giver, to, mask_of(cards)) for giver, to, cards in fact.gifts)
        elif isinstance(fact, Played):
            rounds[-1].plays.append((fact.at, fact.seat, mask_of(fact.cards)))
    return rounds


def secrets_of(rounds: Iterable[Round], *more: str) -> list[bytes]:
    """Return what no frame, log line or page may hold: seeds as bytes and as text, and more."""
    seeds = [form for r in rounds for form in (r.seed, r.seed.hex().encode())]
    return [*seeds, *(text.encode() for text in more)]


def fields_in(message: Message) -> Iterator[tuple[str, FieldDescriptor, object]]:
    """Yield each value that is set, with its field as `Message.field`; lists one by one."""
    assert not len(UnknownFieldSet(message)), f"{message.DESCRIPTOR.name}: a field without a name"
    for descriptor, value in message.ListFields():
        name = f"{message.DESCRIPTOR.name}.{descriptor.name}"
        for one in value if descriptor.is_repeated else (value,):
            yield name, descriptor, one


def cards_in(message: Message) -> int:
    """Return all cards that any field of the enum `Card` holds in a message."""
    mask = 0
    for _, descriptor, value in fields_in(message):
        if isinstance(value, Message):
            mask |= cards_in(value)
        elif descriptor.enum_type is not None and descriptor.enum_type.name == "Card":
            assert isinstance(value, int)
            mask |= 1 << value
    return mask


def faults_of_text(text: str, allowed: int = 0, numbers: Collection[str] = ()) -> list[str]:
    """What a text for people tells that it may not: cards, or a number that may be a set of them.

    `allowed` and `numbers` are what its reader has said itself.
    """
    named = cards_in_text(text) & ~allowed
    found = [f"{text_of(named)} in {text!r}"] if named else []
    long = [number for number in _LONG_NUMBER.findall(text) if number not in numbers]
    return found + [f"{number} in {text!r}" for number in long]


class SeatScan:
    """One seat of one match, frame by frame. `faults` is what it may not have been told."""

    def __init__(self, rounds: Sequence[Round], seat: int, number: int, began: int = 0) -> None:
        self.faults: list[str] = []
        self._rounds = rounds
        self._seat = seat
        self._number = number
        self._began = began
        self._secrets = secrets_of(rounds)
        self._said = 0  # cards that it named itself
        self._numbers: set[str] = set()  # and long numbers
        self._round: Round | None = None
        self._events: dict[int, bytes] = {}
        self._plays = 0
        self._shown = 0
        self._dealt = self._gave = self._got = 0
        self._open = 0  # of a hand that lies open
        self._ended = 0  # shown in a round that ended in this very update

    def sent(self, frame: bytes) -> None:
        """Take a frame of the bot: a refusal may repeat the cards that it names."""
        try:
            request = referee_pb2.PlayRequest.FromString(frame)
            self._said |= cards_in(request)
        except (DecodeError, ValueError, AssertionError):
            return  # no frame of ours: it is refused without a look at what it names
        self._numbers |= set(_LONG_NUMBER.findall(str(request)))

    def got(self, frame: bytes, at: int | None = None) -> None:
        """Take a frame to the bot; `at` is a time of the same clock as `began`."""
        self._at = None if at is None else at - self._began
        for secret in self._secrets:
            if secret in frame:
                self._fault("a seed of the deal")
        response = referee_pb2.PlayResponse.FromString(frame)
        for name, _, value in fields_in(response):
            if name != "PlayResponse.updates":
                self._value(name, value)
            elif isinstance(value, match_pb2.Update) and value.match == self._number:
                self._update(value)

    def _update(self, update: match_pb2.Update) -> None:
        self._ended = 0
        for event in (*update.events, *update.snapshot.events):
            self._event(event)
        self._bids(update.snapshot.bids)
        for name, _, value in fields_in(update):
            self._value(name, value)

    # --- what it may know

    def _event(self, event: match_pb2.Event) -> None:
        data = event.SerializeToString(deterministic=True)
        if event.number in self._events:
            if self._events[event.number] != data:
                self._fault(f"event {event.number} is told in two ways")
            return
        self._events[event.number] = data
        kind = event.WhichOneof("event")
        if kind == "round_started":
            self._begin(event.round_started.round)
        elif kind == "cards_dealt":
            self._deal(complete=event.cards_dealt.complete)
        elif kind == "cards_exchanged":
            for giver, to, mask in self._now.gifts:
                self._gave |= mask if giver in self._hands else 0
                self._got |= mask if to in self._hands else 0
        elif kind == "hand_shown":
            self._lies_open()
        elif kind == "bids_shown":
            self._bids(event.bids_shown.bids)
        elif kind == "played":
            self._played(event.played)

    @property
    def _now(self) -> Round:
        assert self._round is not None, "cards before a round"
        return self._round

    def _begin(self, number: int) -> None:
        self._ended |= self._shown | self._open
        self._round = next(round_ for round_ in self._rounds if round_.number == number)
        self._plays = self._shown = self._dealt = self._gave = self._got = self._open = 0

    def _deal(self, *, complete: bool) -> None:
        self._dealt |= self._now.first[self._seat]
        for hand in self._hands if complete else ():
            self._dealt |= self._now.first[hand] | self._now.rest[hand]

    @property
    def _hands(self) -> tuple[int, ...]:
        """The hands that it plays; the second one is its own once all cards are dealt (G3)."""
        return self._now.seats.hands_of(self._seat)

    def _lies_open(self) -> None:
        """The cards of the Tisch are public after the exchange (G5)."""
        tisch = self._now.seats.tisch
        if tisch is not None:
            mask = self._now.first[tisch] | self._now.rest[tisch]
            for giver, to, moved in self._now.gifts:
                mask = mask & ~moved if giver == tisch else mask | moved if to == tisch else mask
            self._open = mask

    def _bids(self, bids: Iterable[match_pb2.Bid]) -> None:
        """A seat learns what its own team bids, as it is on record, and no more."""
        team = {self._seat, *self._now.seats.partners[self._seat]}
        for bid in bids:
            word = match_pb2.CallKind.Name(bid.bid).removeprefix("CALL_KIND_").lower()
            if bid.seat not in team or self._now.bids.get(bid.seat) != word:
                self._fault(f"a bid of seat {bid.seat}, {word}")

    def _played(self, played: match_pb2.Played) -> None:
        """The next play of the record, and nothing else, is public with its event."""
        if self._plays >= len(self._now.plays):
            self._fault("a play that is not on record")
            return
        at, seat, mask = self._now.plays[self._plays]
        self._plays += 1
        if (played.seat, mask_of(played.play.cards)) != (seat, mask):
            self._fault(f"a play of {text_of(mask_of(played.play.cards))} that did not happen then")
        elif self._at is not None and self._at < at:
            self._fault(f"{text_of(mask)} before it was played")
        else:
            self._shown |= mask

    def _may(self, meaning: Meaning) -> int:
        held = (self._dealt & ~self._gave) | self._got
        match meaning:
            case Meaning.OWN:
                return (held | self._open) & ~self._shown
            case Meaning.DEALT:
                return self._dealt
            case Meaning.GIFTS:
                return self._dealt | self._got
            case Meaning.SHOWN:
                return self._shown | self._open | self._ended
            case _:
                return 0

    # --- what it is told

    def _value(self, name: str, value: object, inside: Meaning | None = None) -> None:
        if name not in FIELDS:
            raise LookupError(f"{name}: say in leaks/fields.py what it may tell")
        meaning = FIELDS[name]
        if isinstance(value, Message):
            holds = meaning if meaning in _HOLDS_CARDS else inside
            for below, _, one in fields_in(value):
                self._value(below, one, holds)
        elif meaning is Meaning.CARDS or meaning in _HOLDS_CARDS:
            assert isinstance(value, int)
            self._card(name, value, inside if meaning is Meaning.CARDS else meaning)
        elif isinstance(value, str) and meaning is Meaning.TEXT:
            for fault in faults_of_text(value, self._said, self._numbers):
                self._fault(f"{name}: {fault}")
        elif isinstance(value, int) and abs(value) >= _MASK:
            self._fault(f"{name}: {value} may be a set of cards")

    def _card(self, name: str, card: int, meaning: Meaning | None) -> None:
        may = self._may(meaning) if meaning is not None else 0
        if not may >> card & 1:
            self._fault(f"{name}: {text_of(1 << card)} as {meaning and meaning.name}")

    def _fault(self, text: str) -> None:
        self.faults.append(f"seat {self._seat}: {text}")
