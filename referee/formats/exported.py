"""What of a ladder is exported."""

import msgspec

from referee.formats.counting import Counting
from referee.formats.summary import MatchSummary
from referee.ladder.table import Standings
from referee.ladder.values import Deals

PRACTICE = "Practice: somebody chose the seed of the cards. These results prove nothing."


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder at one moment. `when` is wall time as text (UTC), a label only.

    `matches` are those of the event in any order; one that is there twice counts once.
    `counting` says which of them count in the table.
    """

    event: str
    when: str
    practice: bool
    deals: Deals
    standings: Standings
    counting: Counting
    matches: tuple[MatchSummary, ...] = ()
