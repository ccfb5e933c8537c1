"""The auditor: judges a match by what its seats saw and sent. It knows nothing of the referee."""

from tests.simulation.audit.asks import Asks
from tests.simulation.audit.desk import Desk
from tests.simulation.audit.effects import Effects
from tests.simulation.audit.endings import Endings
from tests.simulation.audit.events import History, rules_of
from tests.simulation.audit.findings import Finding, Report
from tests.simulation.audit.keeping import Keeping
from tests.simulation.audit.knowledge import Knowledge
from tests.simulation.audit.ledger import Ledger
from tests.simulation.audit.pausing import Pausing
from tests.simulation.audit.rechoosing import Rechoosing
from tests.simulation.audit.record import Record
from tests.simulation.audit.requests import Requests
from tests.simulation.audit.resuming import Resuming
from tests.simulation.audit.rulebook import modelled
from tests.simulation.audit.story import Story, Told
from tests.simulation.audit.transcript import Transcript
from tests.simulation.audit.untold import Untold
from tests.simulation.audit.windows import Windows

__all__ = ["audit", "modelled"]


def audit(transcript: Transcript) -> list[Finding]:
    """Everything that is wrong with a match; nothing if it is as the rules and the protocol say."""
    report = Report()
    story, record = Story(transcript), None
    if transcript.record:
        record = Record(transcript.record, transcript.match_id, rules_of(story))
    history = History(story, record, report)
    asks, knowledge = Asks(story, history, report), Knowledge(story, history, report)
    desk = Desk(story, history, report)
    knowledge.stood = asks.stood = desk.stood
    knowledge.maybe_stood = desk.maybe_stood
    for item in story.items:
        if isinstance(item, Told):
            desk.told(item)
            knowledge.judge(item)
            asks.judge(item)
        else:
            knowledge.note(item)
            desk.sent(item)
    for at, seat, text in story.closing_texts:
        knowledge.judge_text(at, seat, text)
    desk.close()
    Requests(history, desk, report).judge()
    asks.judge_windows(desk.stood)
    effects = Effects(story, history, desk, report)
    effects.judge()
    Windows(story, history, desk, effects, report).judge()
    endings = Endings(story, history, desk, report)
    ledger = Ledger(story, history, desk, record, report) if record else None
    if ledger is not None:
        ledger.judge()
        endings.judge_strikes(ledger.strikes)
    endings.judge(recorded=ledger is not None and ledger.has_result)
    endings.judge_pauses()
    desk.retelling.judge()
    Pausing(story, history, record, report).judge()
    Resuming(story, history, record, report).judge()
    Rechoosing(story, history, desk, report).judge()
    untold = Untold(story, history, desk, endings, report)
    untold.judge_blocks()
    if record is not None:
        Keeping(story, history, record, report).judge()
        untold.judge_instants(record)
        untold.judge_end(record)
    return report.findings
