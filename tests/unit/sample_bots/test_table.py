"""What a `Table` knows, held against the referee's own round at every step of random matches."""

import random
from collections.abc import Mapping

import pytest

from referee.match.step import Step
from referee.match.values import MatchConfig
from referee.ports.talk import SeatingIn
from referee.rules.cards import card_numbers, card_points
from referee.rules.options import parse_options, player_seats
from referee.rules.round import Round
from referee.rules.seat import Seat
from referee.wire.codec import WireCodec
from tests.simulation import table as simulated
from tests.unit.sample_bots.frames import card_list, dealt, numbered, played, seating
from tichu_bot import Table, View
from tichu_bot._gen.tichu.referee.v1 import match_pb2 as match_pb
from tichu_bot.cards import parse, show
from tichu_bot.table import PassedOn
from tichu_bot.tracker import take_event, take_seating

CODEC = WireCodec()


class Seen:
    """What one seat was told, and the table that it keeps."""

    def __init__(self, config: MatchConfig, seat: Seat) -> None:
        self.seat = seat
        self.view = View()
        self.table = Table()
        told = match_pb.Update.FromString(CODEC.seating_part(SeatingIn(config=config, seat=seat)))
        take_seating(self.view, told.seating)

    def take(self, step: Step, seats: int) -> None:
        encoded = CODEC.events(step.first_event, step.events, seats)
        own = [one if isinstance(one, bytes) else one[self.seat] for one in encoded]
        update = match_pb.Update.FromString(CODEC.event_part(own))
        assert len(update.events) == len(step.events)
        for event in update.events:
            take_event(self.view, event)
        self.table.update(self.view)


class Watched(simulated.Table):
    """A simulated match whose seats keep tables; each step they are compared with the round."""

    seen: tuple[Seen, ...] = ()
    compared = 0
    known_of_others = 0  # hands of which a seat knew a card that it gave away

    def _keep(self, step: Step) -> None:
        super()._keep(step)
        if not self.seen:
            seats = player_seats(self.config.settings.rules)
            self.seen = tuple(Seen(self.config, seat) for seat in seats)
        if not step.events:
            return
        for seen in self.seen:
            seen.take(step, self.machine.seats)
            self._compare(seen)

    def _compare(self, seen: Seen) -> None:
        now = self.machine._state.round
        assert now is not None
        table, where = seen.table, f"seed {self.seed!r}, seat {seen.seat}, event {len(self.events)}"
        hands = [set(card_numbers(hand)) for hand in now.hands]
        deck = table.deck
        if sum(table.counts) + len(table.gone) == len(deck):  # else some cards are not dealt yet
            self.compared += 1
            assert set(table.gone) == deck - set().union(*hands), where
            for seat, hand in enumerate(hands):
                assert table.counts[seat] == len(hand), where
                assert table.known.get(seat, set()) <= hand <= table.may_hold(seat), where
                if seat in table.open_hands:
                    assert table.known[seat] == hand, where
                elif table.known.get(seat):
                    self.known_of_others += 1
        assert table.taken == [card_points(won) for won in now.won], where
        if now.n <= 4:  # Grand Seigneur knows no points
            assert seen.view.won_points == table.taken, where
        self._compare_sums(table, now, where)
        assert vars(Table(seen.view)) == vars(table), where  # read at once, or as it came

    def _compare_sums(self, table: Table, now: Round, where: str) -> None:
        assert table.out == list(now.out), where
        for seat in range(now.n):
            teams = now.seating.teams
            team = [s for s in range(now.n) if teams and teams[s] == teams[seat]] or [seat]
            assert table.team_points(seat) == sum(table.taken[s] for s in team), where
        if len(self.events) and table.tricks:
            assert sum(t.points for t in table.tricks) == sum(table.taken), where
            assert table.points_left == 100 - sum(table.taken), where


GAMES: Mapping[str, Mapping[str, object]] = {
    "tichu": {"rounds": 3},
    "tichu, house rules": {
        "rounds": 2,
        "exchange_rechoose": "never",
        "dragon_last_trick_gift": False,
    },
    "trichu": {"variant": "trichu", "rounds": 3},
    "tientsin": {"variant": "tientsin", "rounds": 2},
    "grand seigneur for five": {"variant": "grand_seigneur", "seats": 5, "rounds": 3},
    "grand seigneur for nine": {"variant": "grand_seigneur", "seats": 9, "rounds": 2},
}


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_a_table_knows_what_is_true_and_no_card_that_is_elsewhere(game: str, number: int) -> None:
    rules = parse_options(GAMES[game])
    seed = f"{game} {number}"
    rng = random.Random(seed)
    match = Watched(simulated.settings(rules=rules, clock=None), seed=seed)
    match.start()
    match.play(simulated.random_policy(rng), rng)
    assert match.compared > 100, seed
    assert match.known_of_others > 0, seed


def table_of(*events: match_pb.Event, hand: str = "2j 3s 9r") -> Table:
    view = View()
    take_seating(view, seating().seating)
    for event in numbered([*dealt(hand), *events], first=1):
        take_event(view, event)
    return Table(view)


def passed(seat: int) -> match_pb.Event:
    return match_pb.Event(passed=match_pb.Passed(seat=seat))


def test_who_passed_on_what_is_kept_with_whose_play_it_was() -> None:
    table = table_of(played(1, "5j", 2), passed(2), played(3, "9j", 2), passed(0), passed(1))
    said = [(it.seat, str(it.play), it.owner) for it in table.passes]
    assert said == [(2, "5j", 1), (0, "9j", 3), (1, "9j", 3)]
    assert list(map(str, table.passed_on(1))) == ["9j"]
    assert isinstance(table.passes[0], PassedOn)


def test_a_trick_names_its_plays_and_who_took_it() -> None:
    taken = match_pb.Event(trick_taken=match_pb.TrickTaken(seat=1, points=15))
    table = table_of(played(0, "5j", 2), played(1, "Tj", 2), passed(2), taken)
    (trick,) = table.tricks
    assert [(seat, str(play)) for seat, play in trick.plays] == [(0, "5j"), (1, "Tj")]
    assert (trick.winner, trick.taker, trick.points) == (1, 1, 15)
    assert (table.taken, table.plays, table.points_left) == ([0, 15, 0, 0], [], 85)


def test_a_trick_of_the_dragon_waits_for_who_gets_it() -> None:
    taken = match_pb.Event(trick_taken=match_pb.TrickTaken(seat=1, points=25))
    given = match_pb.Event(dragon_given=match_pb.DragonGiven(seat=1, to_seat=2, points=25))
    before = table_of(played(1, "Dr", 2), taken)
    assert (before.taken, before.tricks) == ([0] * 4, [])
    after = table_of(played(1, "Dr", 2), taken, given)
    assert after.taken == [0, 0, 25, 0]
    assert (after.tricks[0].winner, after.tricks[0].taker) == (1, 2)


def test_a_card_given_away_is_known_to_be_there_until_it_is_played() -> None:
    gave = match_pb.Gift(seat=3, cards=card_list("Ar"))
    moved = match_pb.HandExchanged(
        seat=0, gave=[gave], received=[match_pb.Gift(seat=1, cards=card_list("2j"))]
    )
    exchanged = match_pb.Event(cards_exchanged=match_pb.CardsExchanged(hands=[moved]))
    events = dealt("3s 9r Ar")[:2]
    view = View()
    take_seating(view, seating().seating)
    for event in numbered([*events, exchanged], first=1):
        take_event(view, event)
    table = Table(view)
    assert table.known == {0: set(parse("2j 3s 9r")), 1: set(), 3: {59}}
    assert table.gave == {3: (59,)}
    assert 59 not in table.unseen
    assert 59 in table.may_hold(3)
    assert 59 not in table.may_hold(1)
    event = played(3, "Ar", 2)
    event.number = 4
    take_event(view, event)
    assert 59 not in table.update(view).may_hold(3)
    assert show(table.gone) == "Ar"


def test_a_table_of_nothing_is_empty_and_asks_nothing() -> None:
    table = Table(View())
    assert (table.gone, table.passes, table.tricks) == ([], [], [])
