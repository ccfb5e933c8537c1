"""What happened in a match, as a seat may know it. Each event holds its number in the match."""

from typing import NamedTuple

from tichu_bot.acts import CallKind
from tichu_bot.cards import Play


class RoundStarted(NamedTuple):
    """A round begins; `totals` is the match score before it, by team (Trichu: by seat).

    `turn_order` and `teams` hold for this round; `teams` is empty where everybody plays alone.
    `ranks` are the seats from first to last of the round before, in Grand Seigneur.
    """

    number: int
    round: int
    dealer: int
    commitment: bytes
    totals: tuple[int, ...]
    turn_order: tuple[int, ...] = ()
    teams: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()


class CardsDealt(NamedTuple):
    """Cards came to hands of this seat, by hand; `complete` when all are dealt.

    `counts` is how many came to each seat.
    """

    number: int
    hands: dict[int, tuple[int, ...]]
    complete: bool
    counts: tuple[int, ...] = ()


class CallMade(NamedTuple):
    """A bet, the decision against one, or whether an opponent's may stand."""

    number: int
    seat: int
    call: CallKind


class BidsShown(NamedTuple):
    """All have bid (option chaos): the own bid and those of partners, 0 to 3, by seat."""

    number: int
    bids: dict[int, int]


class HandShown(NamedTuple):
    """A hand lies open for everybody from now on: in Trichu the one that the soloist plays too."""

    number: int
    seat: int
    cards: tuple[int, ...]


class HandExchanged(NamedTuple):
    """What the exchange did to one hand: `gave` by recipient, `received` by giver."""

    seat: int
    gave: dict[int, tuple[int, ...]]
    received: dict[int, tuple[int, ...]]


class CardsExchanged(NamedTuple):
    """The cards of the exchange moved; only what this seat may see."""

    number: int
    hands: tuple[HandExchanged, ...]


class Played(NamedTuple):
    """Cards were played, with the rank wished for if any."""

    number: int
    seat: int
    play: Play
    wish: int | None
    cards_left: int


class Passed(NamedTuple):
    """A seat passed."""

    number: int
    seat: int


class TrickTaken(NamedTuple):
    """A trick was collected; with the Dragon on top a DragonGiven follows."""

    number: int
    seat: int
    points: int


class DragonGiven(NamedTuple):
    """A trick won with the Dragon was given to an opponent."""

    number: int
    seat: int
    to_seat: int
    points: int


class LeadHanded(NamedTuple):
    """The Dog handed the lead on."""

    number: int
    seat: int
    to_seat: int


class WentOut(NamedTuple):
    """A seat has no cards any more; `place` 1 is the first."""

    number: int
    seat: int
    place: int


class CallResult(NamedTuple):
    """How a bet ended."""

    seat: int
    call: CallKind
    won: bool
    points: int


class RoundEnded(NamedTuple):
    """A round is over: points, calls included, and the match score after it.

    They are by team; in Trichu by seat; empty in Grand Seigneur, where `ranks` are the seats from
    first to last. `refused_seat`: whose call all opponents refused, which ended the round.
    """

    number: int
    round: int
    points: tuple[int, ...]
    card_points: tuple[int, ...]
    calls: tuple[CallResult, ...]
    double_victory: bool
    totals: tuple[int, ...]
    ranks: tuple[int, ...] = ()
    refused_seat: int | None = None


class MatchEnded(NamedTuple):
    """The match is over. `ending` and `blame` are the words of the wire, such as COMPLETED.

    `winner` is a team, in Trichu a seat, None for a draw or no result; `seat` the one whose fault
    ended the match.
    """

    number: int
    ending: str
    seat: int | None
    blame: str
    totals: tuple[int, ...]
    winner: int | None
    rounds: int


class Unknown(NamedTuple):
    """An event that this version does not know."""

    number: int


Event = (
    RoundStarted
    | CardsDealt
    | CallMade
    | BidsShown
    | HandShown
    | CardsExchanged
    | Played
    | Passed
    | TrickTaken
    | DragonGiven
    | LeadHanded
    | WentOut
    | RoundEnded
    | MatchEnded
    | Unknown
)
