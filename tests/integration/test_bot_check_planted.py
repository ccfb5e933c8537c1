"""Every probe of `referee bot check` finds the fault that it is for, and no fault in a good bot."""

import sys

import pytest

from chaos import CHAOS
from referee.check.probes import PROBES
from referee.check.runner import Verdict
from tests.integration.checking import BY_ID, SOURCES, examine, faulty, runner
from tests.integration.faulty_bot import FAULTS
from tests.integration.planted_faults import CHAOS_PROBES, PLANTED, UNSEEN

FAST = {
    "version-2",
    "no-token",
    "never-passes",
    "no-redirect",
    "ignores-unknown",
    "no-session-token",
}
ELSEWHERE = {"future-numbers", "prints-token-redirected"}  # faults of tests of their own
PATIENCE_S = 3.0  # for an answer: those that never answer are most of the time


@pytest.fixture(autouse=True)
def sources(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SOURCES)


def test_every_probe_has_a_fault_that_it_finds() -> None:
    found = {name for names in PLANTED.values() for name in names}
    assert found == {probe.id for probe in PROBES}


def test_every_fault_of_the_faulty_bot_is_planted() -> None:
    assert PLANTED.keys() | ELSEWHERE == FAULTS.keys()


def test_every_chaos_bot_fails_a_probe_or_says_why_none_can_see_it() -> None:
    names = {name.removeprefix("chaos:") for name in CHAOS}
    assert CHAOS_PROBES.keys() | UNSEEN.keys() == names
    assert not CHAOS_PROBES.keys() & UNSEEN.keys()


@pytest.mark.parametrize(
    "fault", [pytest.param(f, marks=[] if f in FAST else [pytest.mark.slow]) for f in PLANTED]
)
async def test_a_planted_fault_fails_its_probes(fault: str) -> None:
    results = await examine(faulty(fault), PLANTED[fault], answer_s=PATIENCE_S, **starting(fault))
    passed = [one.probe.id for one in results if one.verdict is not Verdict.FAILED]
    assert not passed, f"{fault}: {FAULTS[fault]}, and it passed"
    assert all(one.what and one.cure for one in results)


async def test_a_token_that_is_written_in_another_probe_fails_the_one_for_tokens() -> None:
    probes = [BY_ID["token-kept"], BY_ID["redirect"]]
    async with runner(faulty("prints-token-redirected")) as one:
        redirect, kept = [result async for result in one.run(probes)]
    assert (redirect.probe.id, redirect.verdict) == ("redirect", Verdict.OK)
    assert (kept.probe.id, kept.verdict) == ("token-kept", Verdict.FAILED)
    assert kept.what == "in redirect its token stands in stderr"


def starting(fault: str) -> dict[str, float]:
    """A bot that says no Hello is not waited for as long as on a busy machine."""
    return {"start_s": 5.0} if fault == "no-hello" else {}


@pytest.mark.slow
async def test_the_bot_without_a_fault_passes_all_probes() -> None:
    async with runner(faulty()) as one:
        results = [result async for result in one.run(PROBES)]
    assert {one.probe.id: one.what for one in results if one.verdict is not Verdict.OK} == {}
    assert len(results) == len(PROBES)


@pytest.mark.slow
@pytest.mark.parametrize("name", CHAOS_PROBES)
async def test_a_chaos_bot_fails_the_probe_named_for_its_fault(name: str) -> None:
    argv = (sys.executable, "-P", "-m", CHAOS[f"chaos:{name}"])
    start = {"start_s": 5.0} if name == "never-started" else {}
    (result,) = await examine(argv, [CHAOS_PROBES[name]], answer_s=PATIENCE_S, **start)
    assert result.verdict is Verdict.FAILED
    assert result.what


@pytest.mark.slow
@pytest.mark.parametrize("name", UNSEEN)
async def test_a_cheat_that_nobody_can_see_passes_the_first_level(name: str) -> None:
    argv = (sys.executable, "-P", "-m", CHAOS[f"chaos:{name}"])
    probes = [p for p in PROBES if p.level == 1 and not p.id.startswith("real")]
    async with runner(argv) as one:
        results = [result async for result in one.run(probes)]
    assert [one.what for one in results if one.verdict is Verdict.FAILED] == []
