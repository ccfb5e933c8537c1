"""Brettspielwelt logs: read, replayed through the rules core, judged round by round (K)."""

from referee.formats.bsw.judge import judge as judge
from referee.formats.bsw.reader import LogReader as LogReader
from referee.formats.bsw.verdicts import Fault as Fault
from referee.formats.bsw.verdicts import Outcome as Outcome
from referee.formats.bsw.verdicts import Tally as Tally
from referee.formats.bsw.verdicts import Verdict as Verdict
from referee.formats.bsw.verdicts import verdict_text as verdict_text
