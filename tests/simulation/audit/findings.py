"""What an audit finds: values, never exceptions."""

import enum
from dataclasses import dataclass


class FindingCode(enum.StrEnum):
    """What is wrong. A transcript without findings has none of these."""

    # Events (PROTOCOL: Updates, events, snapshots)
    EVENT_GAP = "event_gap"  # a seat's numbers do not go 1, 2, 3 ...
    EVENT_DIFFERS = "event_differs"  # two seats were told different public events
    PRIVATE_EVENT = "private_event"  # a private event names the hand of another seat
    SEATING = "seating"  # seats were told different games
    NO_RESULT = "no_result"  # the match never ended
    TWO_RESULTS = "two_results"  # it ended more than once
    AFTER_END = "after_end"  # something but a late acknowledgement came after the end
    SNAPSHOT = "snapshot"  # a snapshot is not what its seat knows
    # Streams (PROTOCOL: The stream), outages and restarts
    STREAM = "stream"  # an older stream is fed or read, or a session is not kept
    RETOLD = "retold"  # what a new stream tells again is too little, too much, or another thing
    STILL = "still"  # something was told, or time went on, while the match stood still
    UNKEPT = "unkept"  # told before it was kept
    RESUMED = "resumed"  # the facts of a restart are wrong, or times do not begin anew
    LOST_ANSWER = "lost_answer"  # what had been acknowledged came to nothing
    # Rules (RULES A to F)
    DEAL = "deal"  # A1, A2, the shuffle and the commitment
    CALL = "call"  # A3 to A6
    EXCHANGE = "exchange"  # A7
    CARDS = "cards"  # A2, A8: cards that the hand did not hold, or counts that do not fit
    READING = "reading"  # B: no combination, or another than was told
    TURN = "turn"  # C1, D2: not this seat, or not now
    TOO_LOW = "too_low"  # B2
    WISH = "wish"  # E
    TRICK = "trick"  # C2 to C5
    ROUND_END = "round_end"  # F1: too early, too late, the wrong places
    SCORE = "score"  # F2, F3
    MATCH_END = "match_end"  # F4
    # Asks
    ASK = "ask"  # to the wrong seat, of the wrong kind, or beside the position
    LISTED_PLAYS = "listed_plays"  # a listed play is illegal, or a legal one is missing
    PROVISIONAL = "provisional"  # not marked as the window has it
    BOMB_ASKS = "bomb_asks"  # the wrong seats were asked for bombs
    HIDDEN_CARD = "hidden_card"  # a frame holds a card that its seat may not know
    # Answers and acknowledgements
    UNACKNOWLEDGED = "unacknowledged"  # an answer or request without an acknowledgement
    ACKNOWLEDGED_TWICE = "acknowledged_twice"  # an acknowledgement that nothing led to
    ACK_STATUS = "ack_status"  # a status that cannot be
    WRONGLY_REFUSED = "wrongly_refused"  # legal and in time, but not accepted
    WRONGLY_ACCEPTED = "wrongly_accepted"  # illegal or late, but accepted
    REFUSAL_ALONE = "refusal_alone"  # REFUSED without its Refused, or the other way round
    NOT_AS_ANSWERED = "not_as_answered"  # what was applied is not what was decided
    # Clock
    CLOCK = "clock"  # used, charged or left do not follow from the stamps
    TIME_OUT = "time_out"  # before the limit, or later than its instant
    LAG = "lag"  # more network time taken off than measured, or than the quota has
    CHARGES = "charges"  # charges of the record do not sum to what left the bank
    RECORD = "record"  # the record says something else than the seats saw
    # Windows
    LANDING = "landing"  # not the strongest bomb landed, or a late one
    GRID = "grid"  # an effect off its instant (pace fair)
    TOLD_APART = "told_apart"  # seats were told at different times
    # Endings
    ENDING = "ending"  # does not follow from what happened
    BLAME = "blame"
    WINNER = "winner"
    AWARDED = "awarded"  # failing paid off
    STRIKES = "strikes"  # a failure without its consequence, or more than the limit
    HANG = "hang"  # nothing happened for longer than anybody could be waited for


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: what, when (clock, ns), and in words."""

    code: FindingCode
    at: int
    text: str


class Report:
    """Collects findings; one and the same thing only once."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self._seen: set[tuple[FindingCode, str]] = set()

    def add(self, code: FindingCode, at: int, text: str) -> None:
        if (code, text) not in self._seen:
            self._seen.add((code, text))
            self.findings.append(Finding(code, at, text))
