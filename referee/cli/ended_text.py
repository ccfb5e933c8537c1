"""How a match ended, as words of one line that a program reads as well as a person."""

from referee.match.facts import MatchEnded
from referee.match.values import Blame, Ending


def ended_words(ended: MatchEnded) -> list[str]:
    """Return the ending, and of a fault also `seat N` (or `seats N,N`) and `blame WHO`.

    A match that was played to its end has no more than its ending.
    """
    words = [ended.ending.value]
    if ended.failed:
        words.append(f"seats {','.join(map(str, ended.failed))}")
    elif ended.seat is not None:
        words.append(f"seat {ended.seat}")
    if ended.ending is not Ending.COMPLETED:
        words.append(f"blame {Blame(ended.blame).value}")
    return words


def counts_words(ended: MatchEnded) -> list[str]:
    """Return `counts A:B` where a fault of one team decided what counts; else nothing."""
    return [f"counts {':'.join(map(str, ended.awarded))}"] if ended.awarded else []
