"""In the other games a seat cannot tell apart what it cannot know (PROTOCOL 4).

The same simulation twice, in pace fair: the deals differ in what is hidden, or others say something
else that is not public. What the watched seat is sent is the same, to the byte and the nanosecond.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from referee.match import calls, dealing, rounds
from referee.match.inputs import Deal
from referee.match.state import MatchState
from referee.match.step import Ask, BidsShown, CardsDealt
from referee.match.values import MS, Pace
from referee.rules.options import parse_options, player_seats
from referee.rules.phases import ANSWERS
from referee.rules.seat import Seat
from referee.rules.shuffle import shuffle
from tests.simulation.audit.transcript import Out, Transcript
from tests.simulation.planted_match import everywhere
from tests.simulation.service.bots import Bot, Conduct, Outgoing
from tests.simulation.service.playing import transcripts_of
from tests.simulation.service.policy import Hand
from tests.simulation.service.tables import conduct, plan_of, played, settings_of

Frames = list[tuple[int, bytes]]
Patch = pytest.MonkeyPatch
_TRICHU: dict[str, object] = {"variant": "trichu", "rounds": 3}
_TIENTSIN: dict[str, object] = {"variant": "tientsin", "rounds": 1}
_CHAOS: dict[str, object] = {"chaos": True, "rounds": 1}
_REFUSING: dict[str, object] = {"refuse_call": True, "rounds": 1}
_SEEDS = range(3)


class Says(Conduct):
    """Says one thing where it is asked for it, and else what it would."""

    def __init__(self, choice: int, *, after_ns: int = 10 * MS) -> None:
        self._choice, self._after = choice, after_ns

    def delay(self, bot: Bot, hand: Hand, ask: match_pb2.Ask, think: int) -> int | None:
        """What it is to say takes its time."""
        return self._after if self._choice in ask.call.choices else think

    def send(
        self, bot: Bot, hand: Hand, ask: match_pb2.Ask, frames: list[Outgoing]
    ) -> list[Outgoing]:
        """The choice instead of another one."""
        if self._choice not in ask.call.choices:
            return frames
        frame = referee_pb2.PlayRequest()
        answer = frame.answers.add(match=hand.number, ask_id=ask.ask_id)
        answer.call.choice = match_pb2.CallKind.ValueType(self._choice)
        return [(0, frame.SerializeToString())]


def says(choice: int, **more: int) -> dict[str, object]:
    return {"conducts": (conduct(lambda: Says(choice, **more)),)}


def run(
    options: dict[str, object], seed: object, changes: dict[int, dict[str, object]] | None = None
) -> Transcript:
    settings = settings_of(rules=parse_options(options), pace=Pace.FAIR)
    return transcripts_of(played(plan_of(settings, changes, name=f"leaks {seed}")))[0]


def sent_to(transcript: Transcript, seat: int) -> Frames:
    """All frames to a seat."""
    return [
        (entry.at, entry.frame)
        for entry in transcript.entries
        if isinstance(entry, Out) and entry.seat == seat
    ]


# --- which cards of hidden hands were the first ones


class Game(NamedTuple):
    """A game with first cards: how many, and its turn order after a dealer."""

    options: dict[str, object]
    first: int
    order: Callable[[int], Sequence[int]]


def _by_number(n: int) -> Callable[[int], Sequence[int]]:
    return lambda dealer: [(dealer + step) % n for step in range(n)]


def _around_the_tisch(dealer: int) -> Sequence[int]:
    following, last = {0: (1, 3), 1: (3, 0), 3: (0, 1)}[dealer]
    return [dealer, following, 2, last]


GAMES = {
    "trichu": Game(_TRICHU, 8, _around_the_tisch),
    "tientsin": Game(_TIENTSIN, 6, _by_number(6)),
    "chaos": Game(_CHAOS, 8, _by_number(4)),
}


@contextmanager
def first_cards_moved(watched: int, game: Game) -> Iterator[None]:
    """In the hands that a seat does not see, other cards are the first ones."""
    real, dealers = rounds.deal, [0]

    def deal(state: MatchState, what: Deal) -> None:
        dealers[0] = state.score.dealer
        real(state, what)

    def order(seed: bytes, cards: Sequence[int]) -> list[int]:
        found = list(shuffle(seed, cards))
        turns = game.order(dealers[0])
        for place, seat in enumerate(turns):
            if seat != watched:
                own = found[place :: len(turns)]
                found[place :: len(turns)] = own[game.first :] + own[: game.first]
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "deal", deal)
        patch.setattr(dealing, "shuffle", order)
        yield


def pairs_by_first_cards(name: str) -> Iterator[tuple[int, Frames, Frames]]:
    game = GAMES[name]
    for seed in _SEEDS:
        one = run(game.options, seed)
        for seat in player_seats(parse_options(game.options)):
            with first_cards_moved(seat, game):
                other = run(game.options, seed)
            yield seat, sent_to(one, seat), sent_to(other, seat)


@pytest.mark.parametrize("name", GAMES)
def test_nobody_learns_which_cards_of_others_were_the_first(name: str) -> None:
    for seat, one, other in pairs_by_first_cards(name):
        assert len(one) > 50
        assert one == other, f"{name}, seat {seat}"


# --- bids


def pair_by_bids(seed: int) -> tuple[Frames, Frames]:
    """Seat 0 watches opponents who bid 3 and 0, and who bid 2 and 1: seat 1 calls both times."""
    bold, meek = ({1: says(9), 3: says(6)}, {1: says(8), 3: says(7)})
    own: dict[int, dict[str, object]] = {0: says(7), 2: says(8)}
    one, other = (run(_CHAOS, seed, {**own, **theirs}) for theirs in (bold, meek))
    return sent_to(one, 0), sent_to(other, 0)


def test_a_team_never_learns_what_the_other_one_bids() -> None:
    for seed in _SEEDS:
        one, other = pair_by_bids(seed)
        assert len(one) > 50
        assert one == other, seed


def test_partners_learn_each_others_bids_when_all_have_bid() -> None:
    transcript = run(_CHAOS, 1, {0: says(7), 1: says(9), 2: says(8), 3: says(6)})
    for seat, due in ((0, {0: 7, 2: 8}), (1, {1: 9, 3: 6})):
        shown = [
            {bid.seat: int(bid.bid) for bid in event.bids_shown.bids}
            for _, data in sent_to(transcript, seat)
            for update in referee_pb2.PlayResponse.FromString(data).updates
            for event in update.events
            if event.HasField("bids_shown")
        ]
        assert shown == [due]


# --- refusals


def pair_by_answers(seed: int) -> tuple[Frames, Frames]:
    """Seat 1 answers late what it says to a Grand of seat 0; its partner has refused, or not."""
    late = says(match_pb2.CALL_KIND_ACCEPT, after_ns=400 * MS)
    found = []
    for partner in (match_pb2.CALL_KIND_ACCEPT, match_pb2.CALL_KIND_REFUSE):
        caller = says(match_pb2.CALL_KIND_GRAND)
        transcript = run(_REFUSING, seed, {0: caller, 1: late, 3: says(partner)})
        found.append(_until_answered(transcript))
    return found[0], found[1]


def _until_answered(transcript: Transcript) -> Frames:
    found: Frames = []
    for at, data in sent_to(transcript, 1):
        frame = referee_pb2.PlayResponse.FromString(data)
        made = [e.call_made.call for u in frame.updates for e in u.events]
        if match_pb2.CALL_KIND_ACCEPT in made:
            return found
        found.append((at, data))
    raise AssertionError("no call was judged")


def test_nobody_learns_what_a_partner_says_to_a_call_before_all_have_said_it() -> None:
    for seed in _SEEDS:
        one, other = pair_by_answers(seed)
        assert one
        assert one == other, seed


# --- planted leaks


def first_cards_of_the_tisch(patch: Patch) -> None:
    """The soloist sees the Tisch's first cards at once."""
    real_seen, real_show, first = CardsDealt.seen_by, rounds._show_cards, [0]

    def show(state: MatchState) -> None:
        tisch = state.current.seating.tisch
        first[0] = 0 if tisch is None else state.current.dealt_hands[tisch]
        real_show(state)

    def seen_by(self: CardsDealt, seat: Seat) -> tuple[tuple[Seat, int], ...]:
        if self.complete or self.tisch is None or seat != self.soloist:
            return real_seen(self, seat)
        return ((seat, self.hands[seat]), (self.tisch, first[0]))

    patch.setattr(rounds, "_show_cards", show)
    patch.setattr(CardsDealt, "seen_by", seen_by)


def bids_to_all(patch: Patch) -> None:
    """Bids are shown to both teams."""
    patch.setattr(BidsShown, "seen_by", lambda self, seat: self.bids)


def answers_told_at_once(patch: Patch) -> None:
    """What an opponent of a call says is told to all as soon as it is said."""
    real = calls.take_call

    def take(state: MatchState, ask: Ask) -> None:
        choice = ask.choice.call if ask.choice is not None else None
        if choice in ANSWERS:
            state.tell_call(ask.seat, choice)
        real(state, ask)

    everywhere(patch, real, take)


def test_planted_leaks_are_found() -> None:
    differs: dict[Callable[[Patch], None], Callable[[], bool]] = {
        first_cards_of_the_tisch: lambda: any(
            one != other for _, one, other in pairs_by_first_cards("trichu")
        ),
        answers_told_at_once: lambda: any(
            one != other for one, other in map(pair_by_answers, _SEEDS)
        ),
        bids_to_all: lambda: any(one != other for one, other in map(pair_by_bids, _SEEDS)),
    }
    for plant, shows in differs.items():
        with pytest.MonkeyPatch.context() as patch:
            plant(patch)
            assert shows(), plant.__name__
