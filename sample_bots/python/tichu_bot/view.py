"""What a seat knows when it decides. Nothing here knows of gRPC: a strategy can be tested alone."""

import enum
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, overload

from tichu_bot import cards
from tichu_bot.acts import CallKind
from tichu_bot.cards import Kind, Play
from tichu_bot.events import CallMade, Event

_KINDS = tuple(Kind)
SHOWN = 12  # plays in the text of a list
GRAND_SEIGNEUR = "grand_seigneur"
ONE_PACK_SEATS = 6  # more play Grand Seigneur with two packs


class Pace(enum.IntEnum):
    """How bomb windows are timed; the numbers are those of the wire."""

    UNKNOWN = 0
    FAIR = 1
    FAST = 2


class Objective(enum.IntEnum):
    """What the match is played for; the numbers are those of the wire."""

    UNKNOWN = 0
    MATCH = 1
    POINTS = 2


class Why(enum.IntEnum):
    """What a seat is chosen for; the numbers are those of the wire."""

    UNKNOWN = 0
    DRAGON = 1  # the opponent who gets a trick won with the Dragon
    DOG = 2  # the partner who gets the lead from the Dog


class Slot(NamedTuple):
    """Cards owed to one recipient in the exchange.

    `forced_best` ones must be the best of what the slots before leave, `forced_worst` the worst.
    """

    to_seat: int
    size: int = 1
    forced_best: bool = False
    forced_worst: bool = False


class Request(enum.Enum):
    """What a strategy may ask for besides its answers."""

    TICHU = enum.auto()
    STAND_DOWN = enum.auto()
    RESIGN = enum.auto()


class ListedPlay(Protocol):
    """A play as an ask lists it, not yet read."""

    @property
    def cards(self) -> Sequence[int]:
        """The cards, ascending."""

    @property
    def phoenix_rank(self) -> int | None:
        """Rank that the Phoenix stands for, 0 or None for none."""

    @property
    def kind(self) -> int:
        """Number of the kind."""

    @property
    def rank_halves(self) -> int:
        """Height in half ranks."""

    @property
    def second_phoenix_rank(self) -> int | None:
        """Rank that the second of two Phoenixes stands for, 0 or None for none."""


def read_play(listed: ListedPlay, place: int | None = None) -> Play:
    """Return the play as a value."""
    kind = listed.kind
    return Play(
        tuple(listed.cards),
        _KINDS[kind] if kind < len(_KINDS) else Kind.UNKNOWN,
        listed.rank_halves,
        listed.phoenix_rank or None,
        place,
        listed.second_phoenix_rank or None,
    )


class Plays(Sequence[Play]):
    """The legal plays of an ask. A play is read when it is looked at, and then kept."""

    __slots__ = ("_listed", "_read")

    def __init__(self, listed: Sequence[ListedPlay] = ()) -> None:
        self._listed = listed
        self._read: dict[int, Play] = {}

    def __len__(self) -> int:
        return len(self._listed)

    @overload
    def __getitem__(self, index: int) -> Play: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Play]: ...
    def __getitem__(self, index: int | slice) -> Play | Sequence[Play]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        at = index if index >= 0 else len(self) + index
        if (play := self._read.get(at)) is None:
            if not 0 <= at < len(self):
                raise IndexError(index)
            play = self._read[at] = read_play(self._listed[at], at)
        return play

    def __repr__(self) -> str:
        """Show how many, and the first of them.

        >>> Plays()
        <0 plays>
        """
        first = ", ".join(map(str, self[:SHOWN]))
        return f"<{len(self)} plays{': ' if first else ''}{first}{', ...' * (len(self) > SHOWN)}>"

    def __iter__(self) -> Iterator[Play]:
        return (self[index] for index in range(len(self._listed)))

    @classmethod
    def of(cls, plays: Sequence[Play]) -> "Plays":
        """Return a list of plays that are read already; each gets its place."""
        made = cls()
        made._read = {at: play._replace(place=at) for at, play in enumerate(plays)}
        made._listed = plays
        return made

    def __reduce__(self) -> tuple[object, ...]:
        return Plays.of, (tuple(self),)


class View:
    """What one seat knows of its match. The library keeps it; a strategy only reads.

    It is valid during the call that hands it over; keep a `copy()` if you want it longer. Seats are
    numbered from 0 for the whole match; `turn_order`, `partners` and `opponents` say who sits where
    in this round. Totals are by team (Trichu: by seat), hand counts and won points by seat.
    """

    __slots__ = (
        "_asked", "_random", "_random_for", "_trick_points", "bank_left_ms", "bank_ms", "base_ms",
        "bids", "bot_seed", "call_choices", "calls", "counts", "dealer", "events", "gave", "hands",
        "judged", "leading", "match_id", "may_call_tichu", "may_pass", "names", "objective",
        "options", "out", "own_seat", "owner", "pace", "played", "player_seats", "plays",
        "provisional", "ranks", "received", "recipients", "requests", "round", "seat", "slots",
        "standing", "stood_down", "table", "teams", "time_left_ms", "totals", "trick", "turn_order",
        "why", "window_ms", "wish", "wish_required", "won_points",
    )  # fmt: skip

    def __init__(self) -> None:
        self._set_match()
        self.start_round(0, 0, ())
        self.start_ask()

    def _set_match(self) -> None:
        """Fields that hold for the whole match."""
        self.match_id = ""
        self.own_seat = 0  # the seat of this process
        self.seat = 0  # the hand that decides; another than own_seat only with two hands
        self.names: tuple[str, ...] = ()
        self.player_seats: tuple[int, ...] = ()  # all, but for the Tisch of Trichu
        self.teams: tuple[int, ...] = ()  # by seat, of this round; empty: everybody plays alone
        self.options: dict[str, str] = {}  # every rule option in force, as text
        self.pace = Pace.UNKNOWN
        self.window_ms = 0
        self.base_ms: int | None = None  # None: no clock
        self.bank_ms: int | None = None
        self.objective = Objective.UNKNOWN
        self.bot_seed = b""
        self._random = random.Random(0)
        self._random_for: tuple[int, int, int, str] | None = None  # the decision that draws from it
        self.requests: list[Request] = []  # read by the library; see call_tichu and the like

    def start_round(
        self,
        number: int,
        dealer: int,
        totals: tuple[int, ...],
        *,
        turn_order: tuple[int, ...] = (),
        ranks: tuple[int, ...] = (),
    ) -> None:
        """Forget the round before. Called by the library, and by tests that build a position."""
        seats = len(self.names)
        self.round = number  # from 1
        self.dealer = dealer  # in Trichu the soloist, who plays the Tisch's hand too
        self.totals = totals  # match score before the round
        self.turn_order = turn_order or tuple(range(seats))
        self.ranks = ranks  # Grand Seigneur: first to last of the round before
        self.bids: dict[int, int] = {}  # option chaos: one's own and partners', once all have bid
        self.hands: dict[int, tuple[int, ...]] = {}  # by seat: one's own, and those that lie open
        self.counts = [0] * seats  # cards in each hand
        self.table: Play | None = None  # the play on top; None: the table is empty
        self.owner: int | None = None  # who played it
        self.trick: list[int] = []  # the cards in the trick, in the order played
        self._trick_points: int | None = None  # where only they are known, not the cards
        self.wish: int | None = None
        self.calls: dict[int, CallKind] = {}  # bets only, by seat
        self.out: list[int] = []  # in the order of going out
        self.won_points = [0] * seats
        self.gave: dict[int, tuple[int, ...]] = {}  # own hand in the exchange, by recipient
        self.received: dict[int, tuple[int, ...]] = {}  # by giver
        self.played: list[int] = []  # every card played in the round
        self.stood_down: set[int] = set()  # hands of this seat that throw no bomb out of turn
        self.events: list[Event] = []  # of the round, as this seat saw them

    def start_ask(self, asked: str = "") -> None:
        """Forget the ask before. Called by the library; what an ask does not say is empty.

        `asked` is the kind of the ask, as the wire names it.
        """
        self._asked = asked
        self._random_for = None  # also of the same ask again: it draws the same numbers
        self.time_left_ms: int | None = None  # until the substitute action; None: no limit
        self.bank_left_ms: int | None = None
        self.provisional = False  # True: void if a bomb lands first
        self.plays = Plays()  # act and bomb: one legal play for each pattern
        self.may_pass = False
        self.leading = False
        self.may_call_tichu = False
        self.wish_required = False
        self.call_choices: tuple[CallKind, ...] = ()
        self.judged: int | None = None  # refuse: the seat whose call it is
        self.slots: tuple[Slot, ...] = ()  # exchange: recipients in turn order
        self.standing: dict[int, tuple[int, ...]] = {}  # the choice that stands, by recipient
        self.recipients: tuple[int, ...] = ()  # give: the seats that may be chosen
        self.why = Why.UNKNOWN  # give: a Dragon trick, or the lead from the Dog?

    @property
    def ask(self) -> str:
        """What is asked: act, bomb, call, exchange or choose_seat; "" outside an ask."""
        return self._asked

    @property
    def random(self) -> random.Random:
        """Random numbers of this seat, the same in a repeated run. Draw from nothing else.

        Each decision has its own, from what has happened in the round and what is asked. So a
        decision that is asked for twice (a bomb made the first void, or the referee stalled) is
        the same, and so are all later ones.
        """
        happened = sum(not isinstance(event, CallMade) for event in self.events)  # calls come late
        decision = (self.round, happened, self.seat, self._asked)
        if decision != self._random_for:
            self._random_for = decision
            self._random = random.Random(self.bot_seed + repr(decision).encode())
        return self._random

    @property
    def hand(self) -> tuple[int, ...]:
        """The cards of the hand that decides, ascending."""
        return self.hands.get(self.seat, ())

    @property
    def others(self) -> tuple[int, ...]:
        """All other seats, in turn order from the deciding hand."""
        order = self.turn_order
        at = order.index(self.seat) + 1
        return order[at:] + order[: at - 1]

    @property
    def partners(self) -> tuple[int, ...]:
        """The other seats of the deciding hand's team, in turn order; nobody without teams."""
        teams = self.teams
        return tuple(s for s in self.others if teams[s] == teams[self.seat]) if teams else ()

    @property
    def opponents(self) -> tuple[int, ...]:
        """The seats of other teams, in turn order from the deciding hand."""
        teams = self.teams
        return tuple(s for s in self.others if not teams or teams[s] != teams[self.seat])

    @property
    def packs(self) -> int:
        """How many packs are played with: two in Grand Seigneur from seven players on."""
        large = len(self.names) > ONE_PACK_SEATS
        return 2 if large and self.options.get("variant") == GRAND_SEIGNEUR else 1

    @property
    def has_exchange(self) -> bool:
        """False only in the first round of Grand Seigneur."""
        return bool(self.ranks) or self.options.get("variant") != GRAND_SEIGNEUR

    def worth(self, card: int) -> float:
        """Order cards from bad to good, as a forced exchange does (option `gs_best_order`)."""
        last = self.options.get("gs_best_order") == "mahjong_last"
        return 1.0 if last and card == cards.MAH_JONG else cards.worth(card)

    def forced(self, slot: Slot, held: Sequence[int]) -> list[int]:
        """Return the cards of `held` that a slot asks for, where it is forced; else none.

        Of equal cards those with the lower numbers; others are as good.
        """
        if slot.forced_best:
            return sorted(held, key=lambda card: (-self.worth(card), card))[: slot.size]
        if slot.forced_worst:
            return sorted(held, key=lambda card: (self.worth(card), card))[: slot.size]
        return []

    @property
    def table_points(self) -> int:
        """Card points in the trick on the table."""
        told = self._trick_points
        return cards.points(self.trick) if told is None else told

    @table_points.setter
    def table_points(self, told: int) -> None:
        self._trick_points = told

    def call_tichu(self) -> None:
        """Call Tichu now, outside an answer. Inside an act let `Act.tichu` say it."""
        self.requests.append(Request.TICHU)

    def stand_down(self) -> None:
        """Throw no bomb out of turn for the rest of the round. Not revocable."""
        self.requests.append(Request.STAND_DOWN)

    def resign(self) -> None:
        """Give the match up; the team loses it."""
        self.requests.append(Request.RESIGN)

    def text(self) -> str:
        """Return the position in words, its plays numbered, for people and language models.

        The numbers are those of `plays`, from 0; `answer_from` takes them. No name of a bot is in
        it, since those are what others chose to write.
        """
        from tichu_bot.view_text import text_of

        return text_of(self)

    def to_json(self) -> dict[str, object]:
        """Return the position as `json.dumps` can write it: the view of programs on stdin."""
        from tichu_bot.view_json import to_json

        return to_json(self)

    @staticmethod
    def from_json(given: str | Mapping[str, object]) -> "View":
        """Return the view that `to_json` wrote; ValueError where it is none.

        It knows what the JSON says and no more: no events, no options, no score.
        """
        from tichu_bot.view_json import from_json

        return from_json(given)

    def copy(self) -> "View":
        """Return a view of the same moment that nothing changes any more."""
        return _restored(self.__reduce__()[1][0])

    def __reduce__(self) -> "tuple[Callable[[_State], View], tuple[_State]]":
        state = [_kept(getattr(self, name)) for name in _FIELDS]
        return _restored, (state,)


_State = list[object]
# Random numbers are drawn anew for each decision, requests are those of one object.
_UNDRAWN = random.Random(0)
_FIELDS = tuple(n for n in View.__slots__ if n not in ("_random", "_random_for", "requests"))


def _kept(value: object) -> object:
    return value.copy() if isinstance(value, list | dict | set) else value


def _restored(state: _State) -> View:
    view = View.__new__(View)
    for name, value in zip(_FIELDS, state, strict=True):
        setattr(view, name, value)
    view._random, view._random_for, view.requests = _UNDRAWN, None, []
    return view
