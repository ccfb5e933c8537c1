"""The verdicts on a whole file, match by match."""

from collections.abc import Iterable, Iterator

import msgspec

from referee.formats.bsw.events import LoggedRound
from referee.formats.bsw.reader import LogReader
from referee.formats.bsw.replay import replay
from referee.formats.bsw.verdicts import Fault, Outcome, Verdict
from referee.rules.match_score import MatchScore
from referee.rules.options import RuleOptions


def judge(reader: LogReader, lines: Iterable[str], options: RuleOptions) -> Iterator[Verdict]:
    """Yield a verdict for every round of a file as it is read.

    `reader` is a fresh one and counts what it could not read. A round that the server let follow
    on the end of its match is ILLEGAL by F4, whatever else is right with it.
    """
    match = MatchScore(options)
    game = 0
    for logged in reader.rounds(lines):
        if logged.game != game:
            game, match = logged.game, MatchScore(options)
        verdict = replay(logged, options)
        yield _played_on(logged, verdict, match) if match.is_over else verdict
        if not match.is_over and logged.result is not None:
            match.add(logged.result.scores)  # as the server counted, which may differ from us


def _played_on(logged: LoggedRound, verdict: Verdict, match: MatchScore) -> Verdict:
    if verdict.outcome is not Outcome.OK:
        return verdict
    first, second = match.totals
    text = f"the match was over after round {match.rounds_played} with {first} : {second}"
    fault = Fault(line=logged.line, clause="F4", text=text)
    return msgspec.structs.replace(
        verdict, outcome=Outcome.ILLEGAL, logged=None, ours=None, fault=fault
    )
