"""Runs probes: each with a fresh process and proctor, several at once, and a limit for each."""

import asyncio
import contextlib
import enum
from collections.abc import AsyncGenerator, Sequence

import msgspec

from referee.check.exam import Exam, Hall, Terms
from referee.check.examinee import Waiting
from referee.check.probe import Company, Probe
from referee.check.probes_hello import BASICS, STARTS, TOKEN_KEPT
from referee.check.proctor import Proctor
from referee.check.stream import Failed, Frame, Gone, Silent, Unreadable

_MOST_SILENCES = 5  # probes that failed by silence, before the rest waits no longer than this
_SHORT_S = 1.0
_TERM_S = 0.3  # for a bot to end between two probes; those about the end wait longer


class Verdict(enum.StrEnum):
    """What came of a probe. Values stand in files: add, never rename."""

    OK = "ok"
    FAILED = "failed"
    NOT_RUN = "not run"


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that was run, or is not to be."""

    probe: Probe
    verdict: Verdict
    took_s: float = 0.0
    what: str = ""  # the bot did, where it failed
    cure: str = ""
    notes: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()  # last lines of the bot's stderr
    output: tuple[str, ...] = ()  # and of its stdout
    frames: tuple[Frame, ...] = ()  # what was sent and received
    dropped: int = 0  # frames beyond the bound of those that are kept


class Runner:
    """Runs probes on one bot."""

    def __init__(
        self,
        terms: Terms,
        waiting: Waiting,
        hall: Hall,
        *,
        at_once: int = 3,
        keep_going: bool = False,
    ) -> None:
        """`keep_going`: the rest is run where one of the basic probes failed, too."""
        self._terms = terms
        self._waiting = waiting
        self._hall = hall
        self._at_once = at_once
        self._keep_going = keep_going
        self._silences = 0
        self._leaks: dict[str, str] = {}  # by probe: which secret the bot wrote, and where

    async def run(self, probes: Sequence[Probe]) -> AsyncGenerator[Result, None]:
        """Yield results as probes end, level by level, first what all others need.

        Where that fails the rest is not run. What is said of tokens comes last: it is about what
        was written in all probes.
        """
        held: list[Result] = []
        async with contextlib.aclosing(self._in_order(probes)) as results:
            async for result in results:
                if result.probe.id == TOKEN_KEPT and len(probes) > 1:
                    held.append(result)
                else:
                    yield result
        for result in held:
            yield self._with_leaks(result)

    async def _in_order(self, probes: Sequence[Probe]) -> AsyncGenerator[Result, None]:
        rest = list(probes)
        for basic in ((STARTS,), BASICS):
            first = [probe for probe in rest if probe.id in basic]
            rest = [probe for probe in rest if probe.id not in basic]
            barred = False
            async with contextlib.aclosing(self._together(first)) as results:
                async for result in results:
                    yield result
                    barred |= result.verdict is Verdict.FAILED
            if barred and (STARTS in basic or not self._keep_going):
                for probe in rest:
                    yield Result(probe=probe, verdict=Verdict.NOT_RUN)
                return
        for level in sorted({probe.level for probe in rest}):
            async with contextlib.aclosing(
                self._level([probe for probe in rest if probe.level == level])
            ) as results:
                async for result in results:
                    yield result

    async def _level(self, probes: Sequence[Probe]) -> AsyncGenerator[Result, None]:
        together = [probe for probe in probes if probe.company is Company.ANY]
        together.sort(key=lambda probe: -probe.limit_s)  # long ones first, so that none is last
        async with contextlib.aclosing(self._together(together)) as results:
            async for result in results:
                yield result
        for probe in probes:
            if probe.company is Company.ALONE:
                yield await self.examine(probe)

    def _with_leaks(self, result: Result) -> Result:
        """What `token-kept` says, with what was written in other probes."""
        if result.verdict is not Verdict.OK or not self._leaks:
            return result
        name, leak = next(iter(self._leaks.items()))
        return msgspec.structs.replace(
            result, verdict=Verdict.FAILED, what=f"in {name} {leak}", cure=result.probe.cure
        )

    async def _together(self, probes: Sequence[Probe]) -> AsyncGenerator[Result, None]:
        waiting = list(probes)
        running: set[asyncio.Task[Result]] = set()
        try:
            while waiting or running:
                while waiting and len(running) < self._at_once:
                    running.add(asyncio.create_task(self.examine(waiting.pop(0))))
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def _terms_now(self) -> Terms:
        """A bot that hangs fails anyway: it need not take half an hour."""
        if self._silences < _MOST_SILENCES:
            return self._terms
        return msgspec.structs.replace(self._terms, answer_s=min(_SHORT_S, self._terms.answer_s))

    async def examine(self, probe: Probe) -> Result:
        """Run one probe."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        async with Proctor() as proctor:
            exam = Exam(self._terms_now(), proctor, self._waiting, self._hall, probe.id)
            try:
                failed = await _attempt(probe, exam)
            finally:
                await _end(exam)
            if (leak := exam.leak()) is not None:
                self._leaks[probe.id] = leak
            took_s = loop.time() - began
            self._silences += failed is not None and took_s > self._terms.answer_s
            if failed is None:
                return Result(
                    probe=probe,
                    verdict=Verdict.OK,
                    took_s=took_s,
                    notes=tuple(dict.fromkeys(exam.notes)),
                )
            return Result(
                probe=probe,
                verdict=Verdict.FAILED,
                took_s=took_s,
                what=str(failed),
                cure=failed.cure or probe.cure,
                errors=tuple(exam.started.last_errors()) if exam.started else (),
                output=tuple(exam.started.last_output()) if exam.started else (),
                frames=tuple(proctor.log.frames),
                dropped=proctor.log.dropped,
            )


async def _attempt(probe: Probe, exam: Exam) -> Failed | None:
    """Return how a bot failed, None where it did not."""
    limit_s = probe.limit_s * exam.terms.stretch
    try:
        async with asyncio.timeout(limit_s):
            await probe.run(exam)
    except Failed as failed:
        return failed
    except Silent as silent:
        return Failed(str(silent))
    except Unreadable as wrong:
        return Failed(str(wrong))
    except Gone as gone:
        return await _gone(exam, gone)
    except TimeoutError:
        return Failed(f"it was not done after {limit_s:g} s")
    return None


async def _gone(exam: Exam, gone: Gone) -> Failed:
    """A stream that ended because the process did says so."""
    ended = await exam.bot.ended(1.0) if exam.started else None
    if ended is not None:
        return Failed(f"its process ended while it was wanted: {ended.text}")
    said = "without a Goodbye" if gone.goodbye is None else "with a Goodbye"
    return Failed(f"it ended its stream while it was wanted, {said}")


async def _end(exam: Exam) -> None:
    if exam.started is None or exam.started.exit is not None:
        return
    exam.started.terminate()
    if await exam.started.ended(_TERM_S) is None:
        exam.started.kill()
        await exam.started.ended(5.0)
