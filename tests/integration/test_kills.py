"""A referee that is killed at any moment loses nothing, doubles nothing and charges nobody.

`python -m tests.integration.kills --kills N --seed S` does the same as often as you like.
"""

import os
import secrets
from pathlib import Path

import pytest

from referee.match.values import Pace
from referee.ports import Durability
from tests.integration.kills.campaign import Plan, run_campaign
from tests.integration.kills.judge import judge
from tests.integration.kills.plants import Plant

KILLS = 34  # of each of six tests: 200 and some
# By mistake: what shows it. Which of several things was told too early is chance.
FOUND = {
    Plant.TOLD_FIRST: {"event changed", "answer lost", "printed twice"},
    Plant.TWICE: {"record untrue"},
    Plant.SAME_EPOCH: {"epoch"},
    Plant.ANSWERS_LOST: {"event changed"},
    Plant.SESSIONS_LOST: {"session forgotten"},
    Plant.TIME_GOES_ON: {"too old"},
}


# What an operator decides beside the pace; a campaign costs more by a long outage or a sync.
KINDS = {
    "a": {"long_outages": 1},
    "b": {"long_outages": 0, "tcp": True},
    "c": {"long_outages": 0, "durability": Durability.POWER},
}
FLAGS = {"a": "", "b": " --tcp", "c": " --durability power"}


@pytest.mark.slow
@pytest.mark.parametrize("pace", list(Pace))
@pytest.mark.parametrize("kind", list(KINDS))
async def test_many_kills_lose_nothing_and_double_nothing(
    tmp_path: Path, pace: Pace, kind: str
) -> None:
    seed = kind if os.environ.get("CI") else secrets.token_hex(4)
    plan = Plan(kills=KILLS, seed=seed, pace=pace, **KINDS[kind])  # type: ignore[arg-type]
    outcome = await run_campaign(plan, tmp_path)
    verdict = judge(outcome)
    again = f"python -m tests.integration.kills --kills {KILLS} --pace {pace} --seed {seed}"
    again += FLAGS[kind]
    assert not verdict.findings, f"{again}: {verdict.findings[:10]}"
    killed = [life for life in outcome.lives if life.way is not None]
    assert len(killed) == KILLS
    assert sum(life.playing > 0 for life in killed) > KILLS / 2, again
    assert verdict.resumed > KILLS, again  # several matches at once went on, most of the times
    assert min(verdict.returns.values()) > KILLS / 2, again


@pytest.mark.parametrize("plant", [Plant.SAME_EPOCH, Plant.SESSIONS_LOST])
async def test_a_kill_or_two_show_a_mistake_of_every_restart(tmp_path: Path, plant: Plant) -> None:
    await found(tmp_path, plant, kills=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "plant", [p for p in Plant if p not in (Plant.SAME_EPOCH, Plant.SESSIONS_LOST)]
)
async def test_a_planted_mistake_is_found(tmp_path: Path, plant: Plant) -> None:
    await found(tmp_path, plant, kills=20 if plant is Plant.TOLD_FIRST else 8)


async def found(folder: Path, plant: Plant, *, kills: int) -> None:
    """Run with a mistake, and see that it shows as what it is."""
    seed = secrets.token_hex(4)
    plan = Plan(
        kills=kills,
        seed=seed,
        pace=Pace.FAST,
        long_outages=0,
        plants=(plant,),
        patience_s=5.0,
    )
    verdict = judge(await run_campaign(plan, folder))
    assert FOUND[plant] & verdict.codes, f"seed {seed}: {verdict.findings[:10]}"
