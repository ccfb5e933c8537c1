"""The rule options: one field a row of table J, checked where they enter.

`OPTION_ROWS` is the table as data; parsing, texts and tests go through it, so a row is added once.
Which rows make no sense together stands in `senseless`; how many seats, teams and columns a game
has is said here, who sits where in `seating`.
"""

import enum
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import msgspec

from referee.rules.errors import ConfigError, RefereeBug
from referee.rules.option_values import (
    OWN_SEATS,
    BombArbitration,
    BothCallScoring,
    Direction,
    DogPartnerOut,
    DragonGiftToFinished,
    ExchangeRechoose,
    GrandOrder,
    GsBestOrder,
    GsDog,
    GsExchange,
    GsGoal,
    GsReturn,
    GsSeating,
    GsSecondPhoenix,
    HopelessCall,
    PhoenixChoice,
    SelfOvertake,
    TieAtTarget,
    TientsinDealStart,
    TientsinDogNoPartner,
    TrichuGrand,
    TrichuOpponentsExchange,
    Variant,
    WishBombExempt,
)
from referee.rules.seat import Seat
from referee.rules.senseless import reasons

# A round not played counts up to 400 points, and points travel in 32 bits: these are far within.
MAX_TARGET = 1_000_000
MAX_ROUNDS = 100_000
MAX_SEATS = 12  # of Grand Seigneur, the largest game
TISCH = Seat(2)  # the soloist's open hand, in every round of Trichu (G1)


class RuleOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The rules one match is played by (J). Every default is the settled rule."""

    variant: Variant = Variant.TICHU
    seats: int | None = None  # hands that play; None = the game's own number (`seats`)
    target: int = 1000  # 1..MAX_TARGET points that end the match (F4); no effect with rounds
    rounds: int | None = None  # 1..MAX_ROUNDS, the length of the match; None: see `match_rounds`
    tie_at_target: TieAtTarget = TieAtTarget.PLAY_ON
    double_victory_points: int = 200  # 200 or 100 (F3)
    great_grand: bool = False
    grand_allowed: bool = True
    chaos: bool = False
    both_partners_may_call: bool = True
    both_call_scoring: BothCallScoring = BothCallScoring.INDEPENDENT
    hopeless_call: HopelessCall = HopelessCall.ALLOWED
    refuse_call: bool = False
    grand_order: GrandOrder = GrandOrder.TOGETHER
    exchange_rechoose: ExchangeRechoose = ExchangeRechoose.AFTER_CALL
    call_before_exchange: bool = True
    wish_optional: bool = True
    wish_bomb_exempt: WishBombExempt = WishBombExempt.INTERRUPT
    phoenix_choice: PhoenixChoice = PhoenixChoice.PLAYER
    self_overtake: SelfOvertake = SelfOvertake.BOMBS_ONLY
    bomb_after_all_pass: bool = True
    bomb_arbitration: BombArbitration = BombArbitration.STRONGEST
    dragon_gift_to_finished: DragonGiftToFinished = DragonGiftToFinished.ALLOWED
    dragon_last_trick_gift: bool = True
    dog_partner_out: DogPartnerOut = DogPartnerOut.NEXT_AFTER_PARTNER
    direction: Direction = Direction.RIGHT
    trichu_opponents_exchange: TrichuOpponentsExchange = TrichuOpponentsExchange.THREE
    trichu_grand: TrichuGrand = TrichuGrand.OPPONENTS
    trichu_last_burns_points: bool = False
    tientsin_deal_start: TientsinDealStart = TientsinDealStart.DEALER
    tientsin_dog_no_partner: TientsinDogNoPartner = TientsinDogNoPartner.NEXT
    tientsin_end_when_team_out: bool = False
    gs_dog: GsDog = GsDog.REMOVED
    gs_exchange: GsExchange = GsExchange.LEVELS
    gs_best_order: GsBestOrder = GsBestOrder.DRAGON_PHOENIX_MAHJONG
    gs_second_phoenix: GsSecondPhoenix = GsSecondPhoenix.THIRD
    gs_two_phoenix_in_combo: bool = False
    gs_seating: GsSeating = GsSeating.BY_RANK
    gs_return: GsReturn = GsReturn.FREE
    gs_goal: GsGoal = GsGoal.ROUNDS

    def __post_init__(self) -> None:
        """Raise `ConfigError` for a set of options that cannot be played together."""
        for reason in reasons(self):
            raise ConfigError(reason)


class OptionKind(enum.Enum):
    """What the values of an option are."""

    CHOICE = enum.auto()  # one of `values`
    POSITIVE = enum.auto()  # a whole number from 1 to `most`
    POSITIVE_OR_NONE = enum.auto()


class OptionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One row of table J."""

    name: str
    kind: OptionKind
    default: object
    values: tuple[object, ...]  # of a CHOICE, default first; else examples
    clause: str  # of the rules: what it is an alternative to
    most: int = 0  # of a number

    def allowed(self) -> str:
        """Return the allowed values as a text for people."""
        if self.kind is OptionKind.POSITIVE:
            return f"a whole number from 1 to {self.most}"
        if self.kind is OptionKind.POSITIVE_OR_NONE:
            return f"none or a whole number from 1 to {self.most}"
        return ", ".join(_value_text(value) for value in self.values)


def _value_text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


_NUMBERS: Mapping[str, tuple[OptionKind, tuple[object, ...], int]] = MappingProxyType(
    {
        "seats": (OptionKind.POSITIVE_OR_NONE, (None, 4), MAX_SEATS),
        "target": (OptionKind.POSITIVE, (1000, 500), MAX_TARGET),
        "rounds": (OptionKind.POSITIVE_OR_NONE, (None, 4), MAX_ROUNDS),
        "double_victory_points": (OptionKind.CHOICE, (200, 100), 200),
    }
)


_CLAUSES: Mapping[str, str] = MappingProxyType(
    {
        "variant": "G, H, I",
        "seats": "I1",
        "target": "F4",
        "rounds": "F4",
        "tie_at_target": "F4",
        "double_victory_points": "F3",
        "great_grand": "A6",
        "grand_allowed": "A3",
        "chaos": "A3",
        "both_partners_may_call": "A5",
        "both_call_scoring": "F3",
        "hopeless_call": "A4",
        "refuse_call": "F3",
        "grand_order": "A3",
        "exchange_rechoose": "A7",
        "call_before_exchange": "A4",
        "wish_optional": "E1",
        "wish_bomb_exempt": "E6",
        "phoenix_choice": "B7",
        "self_overtake": "C3",
        "bomb_after_all_pass": "D3",
        "bomb_arbitration": "D5",
        "dragon_gift_to_finished": "C5",
        "dragon_last_trick_gift": "F1",
        "dog_partner_out": "C4",
        "direction": "A2",
        "trichu_opponents_exchange": "G4",
        "trichu_grand": "G2",
        "trichu_last_burns_points": "G8",
        "tientsin_deal_start": "H1",
        "tientsin_dog_no_partner": "H5",
        "tientsin_end_when_team_out": "H7",
        "gs_dog": "I1",
        "gs_exchange": "I3",
        "gs_best_order": "I3",
        "gs_second_phoenix": "I5",
        "gs_two_phoenix_in_combo": "I5",
        "gs_seating": "I2",
        "gs_return": "I3",
        "gs_goal": "I4",
    }
)


def _members(default: object) -> tuple[object, ...]:
    assert isinstance(default, enum.Enum)
    return tuple(type(default))


def _row(name: str, default: object) -> OptionRow:
    most = 0
    if name in _NUMBERS:
        kind, values, most = _NUMBERS[name]
    elif isinstance(default, bool):
        kind, values = OptionKind.CHOICE, (default, not default)
    else:
        kind, values = OptionKind.CHOICE, _members(default)
    return OptionRow(
        name=name, kind=kind, default=default, values=values, clause=_CLAUSES[name], most=most
    )


OPTION_ROWS: Mapping[str, OptionRow] = MappingProxyType(
    {field.name: _row(field.name, field.default) for field in msgspec.structs.fields(RuleOptions)}
)

DEFAULT_OPTIONS = RuleOptions()


def parse_options(raw: Mapping[str, object]) -> RuleOptions:
    """Return the options of a mapping of names to plain values (text, number, boolean, None).

    Raises `ConfigError` naming the key, the value, what is allowed, and the nearest valid key.
    """
    return RuleOptions(**{name: _parsed(name, value) for name, value in raw.items()})  # type: ignore[arg-type]


def parse_option_text(text: str) -> tuple[str, object]:
    """Return name and plain value of a command-line text `name=value`, ready for `parse_options`.

    Raises `ConfigError` as `parse_options` does.
    """
    name, equals, value = text.partition("=")
    if not equals:
        raise ConfigError(f"option {text!r}: write NAME=VALUE")
    parsed = _parsed(name.strip(), _plain_value(value.strip()))
    return name.strip(), _plain(parsed)


def options_dict(options: RuleOptions, *, complete: bool = False) -> dict[str, object]:
    """Return plain values by name: what differs from the defaults, or every row when complete.

    The row `seats` is never told where it is none: the variant says it, and records of before that
    row stay what they are.
    """
    return {
        name: _plain(getattr(options, name))
        for name, row in OPTION_ROWS.items()
        if (complete and name != "seats") or getattr(options, name) != row.default
    }


def _plain(value: object) -> object:
    return value.value if isinstance(value, enum.Enum) else value


def _plain_value(text: str) -> object:
    named: dict[str, object] = {"true": True, "false": False, "none": None}
    if text in named:
        return named[text]
    # isdecimal alone takes digits of every script; the length keeps int() from its own limit
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 20 else text


def _parsed(name: str, value: object) -> object:
    row = OPTION_ROWS.get(name)
    if row is None:
        import difflib  # only a mistake pays for it

        near = difflib.get_close_matches(str(name), OPTION_ROWS, n=1)
        hint = f"did you mean {near[0]}?" if near else "`referee rules show` lists them"
        raise ConfigError(f"there is no option {name!r}; {hint}")
    if row.kind is not OptionKind.CHOICE:
        good = type(value) is int and 0 < value <= row.most
        if good or (row.kind is OptionKind.POSITIVE_OR_NONE and value is None):
            return value
    else:
        for choice in row.values:
            if type(value) is type(_plain(choice)) and value == _plain(choice):
                return choice
    shown = repr(value) if isinstance(value, str) else _value_text(value)
    raise ConfigError(f"option {name}: {shown} is none of its values; allowed: {row.allowed()}")


# Seats and teams. Everybody asks here, so that no other module counts to four.
TEAMS = 2  # in every round with teams, seated alternately (A2, G1, H)
_COLUMNS: Mapping[Variant, int] = MappingProxyType(
    {Variant.TICHU: 2, Variant.TRICHU: 4, Variant.TIENTSIN: 2, Variant.GRAND_SEIGNEUR: 0}
)
_ROUNDS: Mapping[Variant, int] = MappingProxyType({Variant.TRICHU: 9, Variant.GRAND_SEIGNEUR: 4})
_FIXED_TEAMS = (Variant.TICHU, Variant.TIENTSIN)
_TRIPLE_VICTORY = 300


def seats(options: RuleOptions) -> int:
    """Return how many hands play."""
    return options.seats or OWN_SEATS[options.variant]


@lru_cache
def player_seats(options: RuleOptions) -> tuple[Seat, ...]:
    """Return the seats at which somebody sits, ascending: all but the Tisch of Trichu (G1, G5).

    >>> player_seats(RuleOptions(variant=Variant.TRICHU))
    (0, 1, 3)
    """
    every = map(Seat, range(seats(options)))
    return tuple([s for s in every if s != TISCH or options.variant is not Variant.TRICHU])


def second_hands(options: RuleOptions) -> tuple[Seat, ...]:
    """Return the hands that a player has besides its own in some rounds: the Tisch of Trichu."""
    return (TISCH,) if options.variant is Variant.TRICHU else ()


def teams(options: RuleOptions) -> int:
    """Return the number of teams of a round; 0 without teams (I)."""
    return 0 if options.variant is Variant.GRAND_SEIGNEUR else TEAMS


def has_fixed_teams(options: RuleOptions) -> bool:
    """True where a seat is of one team for the whole match: in Trichu the soloist changes (G9)."""
    return options.variant in _FIXED_TEAMS


def columns(options: RuleOptions) -> int:
    """Return the number of score columns: one a team, by seat in Trichu (G8), none without points.

    In Trichu seats 0, 1 and 3 are the players and 2 is the Tisch.
    """
    return _COLUMNS[options.variant]


def match_rounds(options: RuleOptions) -> int | None:
    """Return after how many rounds a match ends; None where something else ends it (F4, G9, I4)."""
    if options.gs_goal is GsGoal.FIRST_AGAIN:
        return None
    return options.rounds or _ROUNDS.get(options.variant)


def victory_points(options: RuleOptions) -> int:
    """Return what a team gets that is out first as a whole (F3, H7)."""
    if options.variant is Variant.TIENTSIN:
        return _TRIPLE_VICTORY
    return options.double_victory_points


def team_of(options: RuleOptions, seat: Seat) -> int:
    """Return the team of a seat, 0 or 1, where teams are fixed (A2, H).

    Raises `RefereeBug` where they are not: there a round's own `seating` knows.
    """
    if not has_fixed_teams(options):
        raise RefereeBug(f"{options.variant} has no teams for the whole match")
    return seat % TEAMS
