"""Answers that take long to make are made once for all who ask, and to their end."""

import asyncio
from collections.abc import Sequence

import pytest

from referee.bootstrap.shared_answers import SharedAnswers
from referee.ports.services import CallRefused, Problem

LONG_S = 3600.0


class Work:
    """Makes answers when it is let; counts how many it began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.let = asyncio.Event()

    async def make(self, answer: str) -> str:
        self.begun.append(answer)
        await self.let.wait()
        return answer

    def ask(self, answers: SharedAnswers[str, str], keys: Sequence[str]) -> list[asyncio.Task[str]]:
        """Callers that wait, one for each key."""
        return [
            asyncio.create_task(answers.get(key, lambda key=key: self.make(key)))  # type: ignore[misc]
            for key in keys
        ]


async def turns() -> None:
    """As many turns of the loop as anything here needs."""
    for _ in range(10):
        await asyncio.sleep(0)


async def leave(callers: Sequence[asyncio.Task[str]]) -> None:
    """Callers that wait no longer."""
    for caller in callers:
        caller.cancel()
    await asyncio.gather(*callers, return_exceptions=True)


async def test_who_asks_at_once_shares_one_answer() -> None:
    work, answers = Work(), SharedAnswers[str, str](fresh_s=LONG_S)
    callers = work.ask(answers, ["a"] * 5)
    await turns()
    work.let.set()
    assert await asyncio.gather(*callers) == ["a"] * 5
    assert work.begun == ["a"]


async def test_an_answer_goes_on_when_all_have_left_and_is_there_for_the_next_one() -> None:
    work, answers = Work(), SharedAnswers[str, str](fresh_s=LONG_S)
    for _ in range(20):
        callers = work.ask(answers, ["a"])
        await turns()
        await leave(callers)
    assert work.begun == ["a"]
    work.let.set()
    await turns()
    (last,) = work.ask(answers, ["a"])
    assert await last == "a"
    assert work.begun == ["a"]


async def test_one_is_made_at_a_time_also_by_two_of_one_lock() -> None:
    one, work = asyncio.Lock(), Work()
    first = SharedAnswers[str, str](fresh_s=LONG_S, one=one)
    second = SharedAnswers[str, str](fresh_s=LONG_S, one=one)
    callers = [*work.ask(first, ["a", "b"]), *work.ask(second, ["c"])]
    await turns()
    assert work.begun == ["a"]
    work.let.set()
    assert await asyncio.gather(*callers) == ["a", "b", "c"]


async def test_what_nobody_waits_for_any_more_is_not_begun() -> None:
    work, answers = Work(), SharedAnswers[str, str](fresh_s=LONG_S)
    first = work.ask(answers, ["a"])
    rest = work.ask(answers, ["b", "b", "c"])
    await turns()
    await leave(rest[:1])  # one more waits for it
    await leave(rest[2:])
    await leave(first)
    work.let.set()
    assert await rest[1] == "b"
    await turns()
    assert work.begun == ["a", "b"]
    (again,) = work.ask(answers, ["c"])
    assert await again == "c"


@pytest.mark.parametrize("fresh_s", [0.0, LONG_S])
async def test_an_answer_is_made_anew_once_it_is_not_fresh(fresh_s: float) -> None:
    work, answers = Work(), SharedAnswers[str, str](fresh_s=fresh_s)
    work.let.set()
    for _ in range(2):
        (caller,) = work.ask(answers, ["a"])
        assert await caller == "a"
        await turns()
    assert work.begun == ["a"] * (1 if fresh_s else 2)


async def test_a_refusal_is_an_answer_and_needs_nobody_to_wait_for_it() -> None:
    answers, let, begun = SharedAnswers[str, str](fresh_s=LONG_S), asyncio.Event(), []

    async def refuse() -> str:
        begun.append(1)
        await let.wait()
        raise CallRefused(Problem.UNAVAILABLE, "later")

    caller = asyncio.create_task(answers.get("a", refuse))
    await turns()
    await leave([caller])
    let.set()
    await turns()
    for _ in range(2):
        with pytest.raises(CallRefused, match="later"):
            await answers.get("a", refuse)
    assert begun == [1]
