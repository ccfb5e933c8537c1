"""`referee ladder run --dry-run`: what it says of the final is what a run would play."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from referee.bootstrap.ladder_plan import BotPlan, EntryPlan, LadderPlan, StopPlan
from referee.cli.ladder_forecast import forecast_lines
from referee.cli.ladder_table import Known
from referee.ladder.final import FIRST_BOARD, FinalRule
from referee.ladder.schedule import Schedule, ScheduleKind
from referee.ladder.stopping import StopRule
from referee.ladder.values import RulingKind
from tests.unit.app.season_world import SeasonWorld
from tests.unit.app.test_season_final import by_strength
from tests.unit.bootstrap.ladders import HERE, ladder

NEAR = {"ann": 5.0, "bob": 0.0, "cid": -400.0}  # ann and bob play the final
EQUAL = {"ann": 5.0, "bob": 0.0, "cid": -5.0}
OWNERS = {"ann": "a", "bob": "b", "cid": "c"}
BOARDS = 10


class Forecasts:
    """A ladder that is played in virtual time, and what a dry run says of it."""

    def __init__(
        self,
        folder: Path,
        final: FinalRule,
        strengths: Mapping[str, float] = NEAR,
        *,
        owners: Mapping[str, str] = OWNERS,
        stop: StopPlan = StopPlan(),  # noqa: B008 - frozen
        boards: int | None = BOARDS,
    ) -> None:
        self.folder, self.stop, self.owners = folder / "cup.ladder", stop, owners
        self.boards, self.hero = boards, ""
        self.final: FinalRule | None = final
        self.world = SeasonWorld(by_strength(strengths))
        self.folder.mkdir()

    def schedule(self) -> Schedule:
        kind = ScheduleKind.GAUNTLET if self.hero else ScheduleKind.ROUND_ROBIN
        return Schedule(kind=kind, hero=self.hero, boards=self.boards)

    def play(self, final: FinalRule | None = None) -> None:
        """Play, to the end of another final if it is given."""
        self.world.begin(
            final=final or self.final,
            schedule=self.schedule(),
            stop=StopRule(hours=self.stop.hours, separated=self.stop.separated),
            owners=self.owners,
        )
        self.world.news.clear()
        self.world.run()
        (self.folder / "played").write_text(f"{self.world.played_ns}\n")
        (self.folder / "final-played").write_text(f"{self.world.final_ns}\n")

    def plan(self) -> LadderPlan:
        plan = ladder((HERE, HERE))
        schedule = msgspec.structs.replace(
            plan.schedule, kind=self.schedule().kind, boards=self.boards, hero=self.hero
        )
        entries = tuple(
            EntryPlan(name=name, owner=owner, bots=(BotPlan(name=name, argv=("bot",)),) * 2)
            for name, owner in self.owners.items()
        )
        return msgspec.structs.replace(
            plan,
            folder=self.folder,
            entries=entries,
            schedule=schedule,
            stop=self.stop,
            final=self.final,
        )

    def lines(self) -> dict[str, str]:
        """What the dry run says, by the first word."""
        known = Known(
            entries=(),
            results=tuple(self.world.results()),
            rulings=self.world.journal.rulings(),
            practice=False,
            isolation="",
        )
        told = forecast_lines(self.plan(), known, rate=60.0)
        return {line.split()[0]: line.partition(" ")[2].strip() for line in told}


def test_before_the_ladder_is_over_the_line_is_the_most_that_may_be(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=30))
    assert forecasts.lines()["final"] == (
        "up to 3 entries, until the first place is surely apart or 30 boards a pair are played "
        "(at most 90); 1 min 30 s at most"
    )
    forecasts.owners = {"ann": "a", "bob": "a", "cid": "c"}
    assert "(at most 60);" in forecasts.lines()["final"]


@pytest.mark.parametrize("strengths", [NEAR, EQUAL])
@pytest.mark.parametrize("played", [1, 2, 5, 9])
def test_in_the_final_the_boards_are_those_that_the_run_would_play(
    tmp_path: Path, strengths: Mapping[str, float], played: int
) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=played), strengths)
    forecasts.play()
    forecasts.final = FinalRule(boards=12)
    said = forecasts.lines()["final"]
    forecasts.play()
    first = forecasts.world.progress()[0]
    assert (first.what, first.wanted) != ("boards", None)
    more = (first.wanted or 0) - first.done
    assert more > 0
    assert f"12 boards a pair are played ({more} more as it stands); {more} s" in f"{said} "


def test_a_final_that_is_over_is_said_to_be_and_why(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=3), EQUAL)
    forecasts.play()
    assert forecasts.lines()["final"] == (
        "over: 3 boards a pair are played, and the first places are not surely apart"
    )
    forecasts.final = FinalRule(boards=3, hours=0.001)
    assert forecasts.lines()["final"].startswith("over: 0.001 hours are over, and ")
    forecasts.play()
    assert forecasts.world.arena.begun == []


def test_a_final_with_nothing_to_decide_is_none(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=3), {"ann": 500.0, "bob": 0.0, "cid": -400.0})
    forecasts.play()
    assert forecasts.lines()["final"] == "none: the first places are surely apart"
    few = FinalRule(places=2, boards=3)
    (tmp_path / "few").mkdir()
    forecasts = Forecasts(tmp_path / "few", few)
    forecasts.world.journal.append(RulingKind.WITHDRAW, "cid", "went home")
    why = "none: no more of its entries play on than there are places"
    assert forecasts.lines()["final"] == why


def test_boards_of_a_ladder_that_come_back_leave_the_most_of_the_final(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=3), EQUAL)
    forecasts.play()
    forecasts.world.journal.append(RulingKind.ANNUL, "ann~cid/2/1", "the machine swapped")
    said = forecasts.lines()
    assert said["boards"].endswith("; 1 to play")
    pairs = {one.pairing for one in forecasts.world.arena.begun if one.board >= FIRST_BOARD}
    played = sum(one.board >= FIRST_BOARD for one in forecasts.world.arena.begun)
    assert len(pairs) > 1
    assert f"3 boards a pair are played (at most {9 - played} more); " in said["final"]


def test_hours_of_the_final_are_those_that_are_left(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(hours=0.25))
    forecasts.play()
    assert forecasts.lines()["final"].startswith("over: 0.25 hours are over")
    forecasts.final = FinalRule(hours=1.0)
    said = forecasts.lines()["final"]
    assert said.endswith("surely apart or 1 hour is over; 45 min 0 s at most")


def test_a_ladder_that_its_hours_ended_has_nothing_to_play(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=3), EQUAL, stop=StopPlan(hours=0.2))
    forecasts.play()
    said = forecasts.lines()
    assert said["boards"] == "30, 60 legs; 0 to play: a rule to stop ended it"
    assert said["time"].startswith("0 s, ")
    forecasts.final = None
    assert forecasts.lines()["boards"] == said["boards"]
    # the hours of the final are none of them, in a dry run or in a run
    forecasts.boards, forecasts.stop = None, StopPlan(hours=0.3)
    assert forecasts.lines()["time"].startswith("6 min 0 s, ")
    forecasts.play()
    assert len(forecasts.world.arena.begun) == 6


def test_a_gauntlet_whose_hero_is_gone_still_has_its_final(tmp_path: Path) -> None:
    forecasts = Forecasts(tmp_path, FinalRule(boards=3), EQUAL)
    forecasts.hero = "ann"
    forecasts.play(FinalRule(boards=1))
    forecasts.world.journal.append(RulingKind.WITHDRAW, "ann", "went home")
    said = forecasts.lines()
    assert said["nothing"] == "to play before the final: ann, whom all meet, plays no more"
    assert said["final"].startswith("bob, cid, until the first place is surely apart or 3 boards")
    forecasts.play()
    assert forecasts.world.arena.begun != []
