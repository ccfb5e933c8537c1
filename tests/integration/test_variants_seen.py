"""What the seats of the other games see and decide, over real gRPC."""

from pathlib import Path

from referee.match.facts import CallMade, RoundEnded
from referee.rules.phases import CallKind
from tests.integration.variant_table import Game, Played, VariantTable, Witness, variant_table
from tichu_bot import PASS, Act, Bot, Exchange, Play, Slot, View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.random_play import RandomBot


class Listener(Bot):
    """Plays the first of the list, and keeps what it saw when it was asked."""

    def __init__(self) -> None:
        self.at_exchange: list[tuple[int, frozenset[int]]] = []  # hand asked, hands that it saw
        self.at_act: list[tuple[int, frozenset[int]]] = []
        self.gave: list[tuple[tuple[int, ...], tuple[Slot, ...]]] = []  # ranks, slots

    def act(self, view: View) -> Act | Play:
        self.at_act.append((view.seat, self.hands(view)))
        return view.plays[0] if view.plays else PASS

    def exchange(self, view: View) -> Exchange:
        self.at_exchange.append((view.seat, self.hands(view)))
        self.gave.append((view.ranks, view.slots))
        given = super().exchange(view)
        assert not isinstance(given, Exchange)
        return Exchange(tuple(given))

    def hands(self, view: View) -> frozenset[int]:
        return frozenset(seat for seat, hand in view.hands.items() if hand)


class Caller(Listener):
    """Calls Grand."""

    def call(self, view: View) -> bool:
        return True


class Refuser(Listener):
    """Refuses whatever opponents call."""

    def __init__(self) -> None:
        super().__init__()
        self.judged: list[int | None] = []

    def refuse(self, view: View) -> bool:
        self.judged.append(view.judged)
        return True


class Bidder(Listener):
    """Bids the number it was made with, and keeps the bids that it is shown."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.shown: list[dict[int, int]] = []

    def bid(self, view: View) -> int:
        assert not view.bids, "nobody sees a bid before all have bid"
        return self.number

    def exchange(self, view: View) -> Exchange:
        self.shown.append(dict(view.bids))
        return super().exchange(view)


class EarlyCaller(Listener):
    """Calls a small Tichu with the first lead, if it is the one to lead."""

    def act(self, view: View) -> Act | Play:
        play = super().act(view)
        assert isinstance(play, Play)
        return Act(play, tichu=view.may_call_tichu and not view.played and not view.calls)


async def play(folder: Path, game: Game, bots: list[Bot]) -> Played:
    async with variant_table(folder, game) as table:
        sit(table, bots)
        await table.ready()
        played = await table.play()
        played.assert_in_order(list(table.chairs))
        table.assert_snapshots_agree()
        return played


def sit(table: VariantTable, bots: list[Bot]) -> None:
    for chair, bot in zip(table.chairs.values(), bots, strict=True):
        chair.start(Witness(bot, {}))


def rounds(played: Played) -> list[RoundEnded]:
    return [fact for fact in played.record.facts if isinstance(fact, RoundEnded)]


async def test_the_tisch_is_seen_by_its_soloist_from_the_exchange_on_and_by_all_in_play(
    tmp_path: Path,
) -> None:
    """G3, G5: in round one seat 0 is the soloist, then 1, then 3."""
    bots = [Listener() for _ in range(3)]
    await play(tmp_path, Game({"variant": "trichu", "rounds": 3}), list(bots))
    for seat, bot in zip((0, 1, 3), bots, strict=True):
        own, both = (seat, frozenset({seat})), frozenset({seat, 2})
        solo = [(seat, both), (2, both)]
        assert sorted(bot.at_exchange) == sorted([own, own, *solo]), bot.at_exchange
        assert all(hands <= both for _, hands in bot.at_act)
        # until the Tisch is out everybody sees her, and her soloist plays for her
        assert (seat, both) in bot.at_act
        assert (2, both) in bot.at_act
    assert {hand for bot in bots for hand, _ in bot.at_act} == {0, 1, 2, 3}


async def test_ranks_settle_who_gives_to_whom(tmp_path: Path) -> None:
    """I3: last to first three cards, and as many back."""
    bots = [Listener() for _ in range(5)]
    game = Game({"variant": "grand_seigneur", "seats": 5, "rounds": 2})
    played = await play(tmp_path, game, list(bots))
    ranks = rounds(played)[0].ranks
    assert sorted(ranks) == [0, 1, 2, 3, 4]
    first, second, _, fourth, last = ranks
    asked = {seat: bot.gave for seat, bot in enumerate(bots) if bot.gave}
    assert asked == {
        first: [(ranks, (Slot(last, 2),))],
        second: [(ranks, (Slot(fourth, 1),))],
        fourth: [(ranks, (Slot(second, 1, forced_best=True),))],
        last: [(ranks, (Slot(first, 2, forced_best=True),))],
    }
    assert (rounds(played)[0].points, played.ended.winner) == ((), None)


async def test_a_call_that_both_opponents_refuse_ends_the_round_against_them(
    tmp_path: Path,
) -> None:
    caller, refusers = Caller(), [Refuser(), Refuser()]
    bots = [caller, refusers[0], Listener(), refusers[1]]
    played = await play(tmp_path, Game({"rounds": 2, "refuse_call": True}), list(bots))
    assert [(r.refused, r.points, r.calls) for r in rounds(played)] == [(0, (0, -200), ())] * 2
    assert [one.judged for one in refusers] == [[0, 0], [0, 0]]
    assert not any(bot.at_exchange for bot in bots)


async def test_a_call_stands_unless_both_opponents_refuse_it(tmp_path: Path) -> None:
    refuser = Refuser()
    bots: list[Bot] = [Caller(), refuser, Listener(), Listener()]
    played = await play(tmp_path, Game({"rounds": 1, "refuse_call": True}), bots)
    (ended,) = rounds(played)
    assert (ended.refused, [call[:2] for call in ended.calls]) == (None, [(0, CallKind.GRAND)])
    assert refuser.judged == [0]
    said = [fact for fact in played.record.facts if isinstance(fact, CallMade)]
    heard = [(fact.seat, fact.call) for fact in said]
    assert heard[-2:] == [(1, CallKind.REFUSE), (3, CallKind.ACCEPT)]


async def test_a_call_on_the_first_lead_is_judged_before_the_lead(tmp_path: Path) -> None:
    bots: list[Bot] = [EarlyCaller() for _ in range(4)]
    played = await play(tmp_path, Game({"rounds": 2, "refuse_call": True}), bots)
    for ended in rounds(played):
        assert [call for _, call, _, _ in ended.calls] == [CallKind.TICHU]


async def test_bids_are_seen_by_partners_alone_and_the_higher_one_calls(tmp_path: Path) -> None:
    bots = [Bidder(number) for number in (1, 0, 3, 0)]
    played = await play(tmp_path, Game({"rounds": 1, "chaos": True}), list(bots))
    assert [bot.shown for bot in bots] == [[{0: 1, 2: 3}], [{1: 0, 3: 0}]] * 2
    (ended,) = rounds(played)
    callers = {seat for seat, call, _, _ in ended.calls if call is CallKind.GRAND}
    assert callers == {2, 1}, "of equal bids the first in turn order from the dealer"


async def test_greedy_beats_random_at_a_table_of_six(tmp_path: Path) -> None:
    """By nine to one over 60 rounds."""
    bots = [GreedyBot() if seat % 2 == 0 else RandomBot() for seat in range(6)]
    played = await play(tmp_path, Game({"variant": "tientsin", "rounds": 6}), list(bots))
    greedy, chance = played.ended.totals
    assert greedy > chance
