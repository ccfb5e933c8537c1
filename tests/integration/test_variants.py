"""Every game of the box over real gRPC: lost links, seats taken over, and what snapshots say."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from referee.match.values import Pace
from tests.integration.variant_table import Chair, Game, VariantTable, Witness, variant_table
from tichu_bot import PASS, Act, Bot, Play, View
from tichu_bot.bots.greedy_play import GreedyBot
from tichu_bot.bots.random_play import RandomBot
from tichu_bot.minimal import MinimalPlayer

TRICHU: Mapping[str, object] = {"variant": "trichu", "rounds": 3}
TIENTSIN: Mapping[str, object] = {"variant": "tientsin", "rounds": 2}
SEIGNEUR_5: Mapping[str, object] = {"variant": "grand_seigneur", "seats": 5, "rounds": 2}
SEIGNEUR_9: Mapping[str, object] = {"variant": "grand_seigneur", "seats": 9, "rounds": 2}
CHAOS: Mapping[str, object] = {"rounds": 2, "chaos": True}
REFUSING: Mapping[str, object] = {"rounds": 6, "refuse_call": True}
GAMES = {
    "trichu": TRICHU,
    "tientsin": TIENTSIN,
    "seigneur of five": SEIGNEUR_5,
    "seigneur of nine": SEIGNEUR_9,
    "chaos": CHAOS,
    "refused calls": REFUSING,
}


class FiveLines(Bot):
    """The bot of the README."""

    def act(self, view: View) -> Act | Play:
        return view.plays[0] if view.plays else PASS


def seat_all(table: VariantTable) -> None:
    """Random, greedy and five lines in turn; links are cut, and one seat changes hands twice."""
    kinds = (RandomBot, GreedyBot, FiveLines)
    for place, chair in enumerate(table.chairs.values()):
        cut = chair.proxy.cut_all
        on_ask: dict[int, Callable[[], None]] = {}
        if place == 0:  # at the first decision, in the exchange, and in play
            on_ask = dict.fromkeys((1, 2, 3, 12), cut)
        elif place == 1:
            on_ask = {2: taking_over(chair), 9: taking_over(chair)}
        elif place == 2:
            on_ask = dict.fromkeys((2, 20), cut)
        chair.start(Witness(kinds[place % 3](), on_ask))


def taking_over(chair: Chair) -> Callable[[], None]:
    return lambda: chair.take_over(GreedyBot())


@pytest.mark.parametrize("name", GAMES)
async def test_a_game_is_played_with_lost_links_and_every_snapshot_says_what_the_bot_had(
    tmp_path: Path, name: str
) -> None:
    await play_disturbed(tmp_path, Game(GAMES[name]))


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
async def test_a_game_in_pace_fair_is_played_with_lost_links(tmp_path: Path, name: str) -> None:
    await play_disturbed(tmp_path, Game(GAMES[name], Pace.FAIR))


async def play_disturbed(folder: Path, game: Game) -> None:
    async with variant_table(folder, game) as table:
        seat_all(table)
        await table.ready()
        played = await table.play()
        played.assert_in_order(list(table.chairs))
        table.assert_snapshots_agree(returns=5)
        assert played.ended.rounds == game.options["rounds"]


RARE: tuple[Mapping[str, object], ...] = (
    {**TRICHU, "great_grand": True},
    {**TRICHU, "rounds": 6, "refuse_call": True},
    {**TRICHU, "trichu_opponents_exchange": "two", "trichu_grand": "nobody"},
    {**TIENTSIN, "chaos": True},
    {**TIENTSIN, "refuse_call": True, "great_grand": True, "tientsin_end_when_team_out": True},
    {**SEIGNEUR_9, "gs_dog": "one", "gs_two_phoenix_in_combo": True, "gs_return": "worst"},
    {**SEIGNEUR_9, "gs_best_order": "mahjong_last", "gs_exchange": "all_to_first", "seats": 12},
    {"variant": "grand_seigneur", "seats": 5, "gs_goal": "first_again"},
    {**REFUSING, "exchange_rechoose": "until_all_gave", "great_grand": True},
    {**REFUSING, "exchange_rechoose": "never", "grand_order": "by_seat"},
    {**CHAOS, "call_before_exchange": False},
)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rare", range(len(RARE)))
async def test_rare_options_are_played_with_links_cut_anywhere(
    tmp_path: Path, rare: int, seed: int
) -> None:
    dice = random.Random(100 * seed + rare)
    async with variant_table(tmp_path, Game(RARE[rare])) as table:
        for chair in table.chairs.values():
            happens = (chair.proxy.cut_all, taking_over(chair), None)
            chosen = {number: dice.choice(happens) for number in dice.sample(range(1, 30), 3)}
            bot = dice.choice((RandomBot, RandomBot, GreedyBot, FiveLines))()
            chair.start(Witness(bot, {at: event for at, event in chosen.items() if event}))
        await table.ready()
        played = await table.play()
        played.assert_in_order(list(table.chairs))
        table.assert_snapshots_agree()


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("bot", ["random", "greedy", "five lines", "minimal"])
async def test_each_python_bot_plays_each_game(tmp_path: Path, name: str, bot: str) -> None:
    game = Game({**GAMES[name], "rounds": 3})
    async with variant_table(tmp_path, game) as table:
        for chair in table.chairs.values():
            makers = {"random": RandomBot, "greedy": GreedyBot, "five lines": FiveLines}
            chair.start(MinimalPlayer() if bot == "minimal" else Witness(makers[bot](), {}))
        await table.ready()
        played = await table.play()
        minimal = bot == "minimal"  # it leaves the exchange to the referee, and keeps no view
        played.assert_in_order(list(table.chairs), defaults=minimal)
        if not minimal:
            table.assert_snapshots_agree()
