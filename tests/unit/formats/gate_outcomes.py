"""Gates that nobody played, for tests of how they are written."""

import msgspec

from referee.ladder.gate import GateTerms
from referee.ladder.gate_forecast import gate_forecast
from referee.ladder.gate_outcome import (
    CANDIDATE,
    GateBot,
    GateFault,
    GateOutcome,
    GateVerdict,
)

TERMS = GateTerms()
HOSTILE = "\n::error::owned\r\x1b[2J ##[add-mask]x <b>&\"']]>|`www.x.y` 100 %\ufffe\ud800"


def outcome(verdict: GateVerdict = GateVerdict.ACCEPT, **changes: object) -> GateOutcome:
    """Return a gate of 240 boards, unless told otherwise."""
    made = GateOutcome(
        verdict=verdict,
        why="240 boards speak for 5, not 0 points a round",
        terms=TERMS,
        candidate=GateBot(name="new", written="new=./bot", version="sha256:" + 64 * "a"),
        baseline=GateBot(name="old", written="old", version=""),
        seed="cafe",
        practice=False,
        same_play=False,
        boards=240,
        won=60,
        tied=150,
        lost=30,
        mean=8.125,
        sigma=46.0,
        llr=3.21,
        void=1,
        late=0,
        stolen=0.0,
        elapsed_s=61.5,
        rate=300.0,
        forecast=gate_forecast(
            TERMS, boards=20, unequal=9, mean=7.0, sigma=46.0, rate=300.0, left_s=600.0
        ),
    )
    return msgspec.structs.replace(made, **changes)


def faulty(said: str) -> GateOutcome:
    """Return a gate that ended by the candidate's faults, with what its process said."""
    bot = GateBot(name="new", written=said, version=said)
    fault = GateFault(entry=CANDIDATE, board=1, leg=2, ending="crashed")
    return outcome(
        GateVerdict.CANDIDATE_FAULTY,
        why="the candidate ended 3 legs by its faults",
        candidate=bot,
        faults=(fault,) * 7,
        said=(said,),
        notes=(said,),
    )
