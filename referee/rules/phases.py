"""The phases of a round and the calls that can be made in it."""

import enum


class Phase(enum.StrEnum):
    """Where a round stands. Values are the names of the vectors."""

    GREAT_GRAND = "great_grand"  # no card is dealt, Great Grand decisions are owed (A6)
    GRAND = "grand"  # the first cards are dealt, Grand decisions or bids are owed (A3)
    REFUSAL = "refusal"  # a call was made, its opponents owe whether they refuse it (`refuse_call`)
    EXCHANGE = "exchange"  # all cards are dealt, the exchange is owed (A7)
    PLAY = "play"  # one seat leads or follows (C1)
    CLOSING = "closing"  # all have passed, bombs are still possible (D3)
    DRAGON = "dragon"  # the Dragon's trick must be given away (C5)
    DOG = "dog"  # several partners still hold cards; who leads must be chosen (H5)
    ROUND_OVER = "round_over"


class CallKind(enum.StrEnum):
    """What a seat can say about going out first (A3 to A6)."""

    TICHU = "tichu"
    GRAND = "grand"
    NO_GRAND = "no_grand"
    GREAT_GRAND = "great_grand"
    NO_GREAT_GRAND = "no_great_grand"
    BID_0 = "bid_0"  # `chaos`: how willing a seat is to have its team's Grand, 3 most of all
    BID_1 = "bid_1"
    BID_2 = "bid_2"
    BID_3 = "bid_3"
    ACCEPT = "accept"  # `refuse_call`: an opponent's call may stand, as far as this seat goes
    REFUSE = "refuse"


TICHU = CallKind.TICHU
GRAND_DECISIONS = (CallKind.GRAND, CallKind.NO_GRAND)
GREAT_GRAND_DECISIONS = (CallKind.GREAT_GRAND, CallKind.NO_GREAT_GRAND)
BIDS = (CallKind.BID_0, CallKind.BID_1, CallKind.BID_2, CallKind.BID_3)  # the place is the bid
ANSWERS = (CallKind.ACCEPT, CallKind.REFUSE)
MADE_CALLS = (CallKind.TICHU, CallKind.GRAND, CallKind.GREAT_GRAND)  # what is scored (F3)
CALL_VALUE = {CallKind.TICHU: 100, CallKind.GRAND: 200, CallKind.GREAT_GRAND: 400}
