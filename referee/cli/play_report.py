"""Who tells the people at the screen how a match goes: plain lines, a live line, or JSON."""

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import click

from referee.cli.play_setup import PlayPlan
from referee.cli.play_text import (
    Outcome,
    head_lines,
    outcome_json,
    outcome_line,
    record_line,
    round_json,
    round_line,
)
from referee.formats.tally import RoundSummary, Tally
from referee.match.facts import MatchEnded, Passed, Played, PublicFact, Strike
from referee.rules.seat import Seat

if TYPE_CHECKING:
    from rich.status import Status


class Report(Protocol):
    """Told what happens, in order. stdout is for data, stderr for everything else."""

    def begin(self, plan: PlayPlan) -> None:
        """The bots are being started."""

    def play(self, plays: int, round_number: int) -> None:
        """So many plays and passes were made in the running round."""

    def round(self, plan: PlayPlan, summary: RoundSummary) -> None:
        """A round is over."""

    def pause(self) -> None:
        """Something else is about to be printed: leave the screen to it."""

    def end(self, plan: PlayPlan, outcome: Outcome) -> None:
        """The match is over; nothing comes after this."""


class Watcher:
    """The audience of the match: counts, and tells the report; `unheard` when that fails."""

    def __init__(self, plan: PlayPlan, report: Report, unheard: Callable[[OSError], None]) -> None:
        self._plan = plan
        self._report = report
        self._unheard = unheard
        self._tally = Tally(seats=len(plan.names))
        self.ranks: tuple[Seat, ...] = ()  # of the last round, where it ranks seats
        self._plays = 0
        self._round = 1

    def tell(self, match_id: str, facts: Sequence[PublicFact | Strike]) -> None:
        """Take facts of the match. A closed stdout is no fault of the match: it does not raise."""
        try:
            self._tell(facts)
        except OSError as error:
            self._unheard(error)

    def _tell(self, facts: Sequence[PublicFact | Strike]) -> None:
        for fact in facts:
            self._plays += isinstance(fact, Played | Passed)
            summary = self._tally.take(fact)
            if summary is not None:
                self._report.round(self._plan, summary)
                self.ranks = summary.ranks
                self._plays, self._round = 0, summary.round + 1
        if facts and not isinstance(facts[-1], MatchEnded):
            self._report.play(self._plays, self._round)


class PlainReport:
    """Lines on stdout."""

    def begin(self, plan: PlayPlan) -> None:
        """Say who plays."""
        for line in head_lines(plan):
            click.echo(line)

    def play(self, plays: int, round_number: int) -> None:
        """Say nothing: a line a play is for `referee record show`."""

    def round(self, plan: PlayPlan, summary: RoundSummary) -> None:
        """Print the round's score."""
        click.echo(round_line(plan, summary))

    def pause(self) -> None:
        """Nothing moves here."""

    def end(self, plan: PlayPlan, outcome: Outcome) -> None:
        """Print the result, where the record is, and how to play it again."""
        click.echo(outcome_line(plan, outcome))
        if outcome.record is not None:
            click.echo(record_line(outcome))
        click.echo(f"again: {plan.again}")


class LiveReport(PlainReport):
    """The same lines on a terminal, with a line below them that moves."""

    def __init__(self) -> None:
        from rich.console import Console

        # no markup and no wrapping: labels are not ours, and the last line is there to be copied
        self._console = Console(markup=False, highlight=False, soft_wrap=True)
        self._status: Status | None = None

    def play(self, plays: int, round_number: int) -> None:
        """Move the line; rich draws it some ten times a second at most."""
        if self._status is None:
            self._status = self._console.status("")
            self._status.start()
        self._status.update(f"round {round_number}, {plays} plays")

    def round(self, plan: PlayPlan, summary: RoundSummary) -> None:
        """Print the round's score above the moving line."""
        self._console.print(round_line(plan, summary))

    def pause(self) -> None:
        """Remove the moving line."""
        if self._status is not None:
            self._status.stop()
            self._status = None


class JsonReport:
    """An object a round and one for the match on stdout; the same in words on stderr."""

    def begin(self, plan: PlayPlan) -> None:
        """Say on stderr who plays."""
        for line in head_lines(plan):
            click.echo(line, err=True)

    def play(self, plays: int, round_number: int) -> None:
        """Say nothing."""

    def round(self, plan: PlayPlan, summary: RoundSummary) -> None:
        """Print the round."""
        click.echo(round_json(summary))
        click.echo(round_line(plan, summary), err=True)

    def pause(self) -> None:
        """Nothing moves here."""

    def end(self, plan: PlayPlan, outcome: Outcome) -> None:
        """Print the match."""
        click.echo(outcome_json(plan, outcome))
        click.echo(outcome_line(plan, outcome), err=True)


def choose_report(output_format: str | None) -> Report:
    """Return the report for `json`, or for text: live on a terminal."""
    if output_format == "json":
        return JsonReport()
    return LiveReport() if sys.stdout.isatty() else PlainReport()
