"""What a running ladder says on stderr: a bar in a terminal, else a line now and then."""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

import click

from referee.app.season_news import Notice, NoticeKind, Progress
from referee.formats.printable import printable

if TYPE_CHECKING:
    from rich.progress import TaskID

_LINE_EVERY_S = 10.0
# at the end of what a bot did: the place of its log, or which leg; all else is the same each time
_WHERE = re.compile(r" (\(logs in .*\)|(in|at) \S.*\bmatch \w+)$")


class Display(Protocol):
    """Shows a run to the person who started it."""

    def tell(self, news: Progress | Notice) -> None:
        """Show what is new."""

    def close(self) -> None:
        """Leave the terminal as it was."""


def display() -> Display:
    """Return the display that fits stderr."""
    return _Bar() if sys.stderr.isatty() else _Lines()


def progress_words(progress: Progress) -> str:
    """Return how far a run is, in words.

    >>> progress_words(Progress(
    ...     done=12, wanted=24, running=4, void=1, rate=90.0, left_s=8.0, elapsed_s=8.0))
    '12 of 24 boards, 4 running, 1 void, 90 a minute, 8 s left'
    >>> progress_words(Progress(
    ...     done=1, wanted=None, running=0, void=0, rate=None, left_s=None, elapsed_s=8.0))
    '1 board, 0 running'
    """
    of = "" if progress.wanted is None else f" of {progress.wanted}"
    counted = progress.done if progress.wanted is None else progress.wanted
    what = re.sub(r"^(\w+)s\b", r"\1", progress.what) if counted == 1 else progress.what
    words = [f"{progress.done}{of} {what}", f"{progress.running} running"]
    if progress.void:
        words.append(f"{progress.void} void")
    if progress.rate is not None:
        words.append(f"{rate_words(progress.rate)} a minute")
    if progress.left_s is not None:
        words.append(f"{duration_words(progress.left_s)} left")
    return ", ".join(words)


def rate_words(rate: float) -> str:
    """Return a rate as people say it.

    >>> rate_words(1312.4), rate_words(3.14159)
    ('1312', '3.1')
    """
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"


def duration_words(seconds: float) -> str:
    """Return a length of time in its two largest units.

    >>> duration_words(8.2), duration_words(95), duration_words(3 * 3600 + 7 * 60)
    ('8 s', '1 min 35 s', '3 h 7 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class _Faults:
    """What bots did wrong, said once and then counted: one that cannot start fails in every leg."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()
        self._told: dict[str, int] = {}

    def words(self, notice: Notice) -> str | None:
        """Return what to say of a notice; None for a fault that was said, but each tenfold."""
        if notice.kind is not NoticeKind.FAULT:
            return printable(notice.text)
        what = printable(_WHERE.sub("", notice.text))
        self._times[what] += 1
        times = self._times[what]
        if times > 1 and not _is_power_of_ten(times):
            return None
        self._told[what] = times
        return printable(notice.text) if times == 1 else f"{times} times by now: {_short(what)}"

    def rest(self) -> Iterator[str]:
        """Yield how often each came that came again since it was said."""
        for what, times in self._times.items():
            if times > self._told[what]:
                yield f"{times} times in all: {_short(what)}"


def _short(what: str) -> str:
    """Return what happened without what was printed, which stands where it was said first."""
    return what.partition("; it printed last: ")[0]


def _is_power_of_ten(number: int) -> bool:
    """Return whether a number from 1 on is one.

    >>> [number for number in range(1, 1001) if _is_power_of_ten(number)]
    [1, 10, 100, 1000]
    """
    return str(number).strip("0") == "1"


class _Lines:
    """For a log: notices at once, progress at the beginning and then every ten seconds."""

    def __init__(self) -> None:
        self._last_s: float | None = None
        self._faults = _Faults()

    def tell(self, news: Progress | Notice) -> None:
        if isinstance(news, Notice):
            words = self._faults.words(news)
            if words is not None:
                click.echo(words, err=True)
        elif self._last_s is None or news.elapsed_s - self._last_s >= _LINE_EVERY_S:
            self._last_s = news.elapsed_s
            click.echo(progress_words(news), err=True)

    def close(self) -> None:
        for line in self._faults.rest():
            click.echo(line, err=True)


class _Bar:
    """For a terminal: a bar, with notices scrolling by above it."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bar

        self._faults = _Faults()
        self._bar: Bar = Bar(
            BarColumn(bar_width=24),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: TaskID = self._bar.add_task("", total=None)
        self._bar.start()

    def tell(self, news: Progress | Notice) -> None:
        if isinstance(news, Notice):
            words = self._faults.words(news)
            if words is not None:
                self._bar.console.print(words, markup=False, highlight=False, soft_wrap=True)
            return
        self._bar.update(
            self._task, total=news.wanted, completed=news.done, description=progress_words(news)
        )

    def close(self) -> None:
        self._bar.stop()
        for line in self._faults.rest():
            click.echo(line, err=True)
