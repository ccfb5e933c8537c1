"""What is written down of a simulation: frames at the referee's end of each link, and the rest."""

from collections.abc import Collection, Mapping
from typing import Protocol

import msgspec

from tests.simulation.audit.transcript import WorldEvent


class Said(msgspec.Struct, frozen=True):
    """A frame on the link of a bot, seen at the referee's end."""

    at: int
    bot: int
    frame: bytes
    to_bot: bool
    stream: int  # which of its bot's, from 1


class Happened(msgspec.Struct, frozen=True, kw_only=True):
    """Something beside the frames; `bot` or `match` says whom it concerns, neither all.

    The rest is as in `transcript.World`.
    """

    at: int
    what: WorldEvent
    bot: int | None = None
    match: str | None = None
    length: int = 0
    stream: int = 0
    epoch: int = 0
    lines: int = 0
    began: int = 0


class Timed(Protocol):
    """A match as far as its time goes; where it stands still, `halted` says since when."""

    began: int
    halted: int | None


class Journal:
    """The entries, in the order in which they happened at the referee's end."""

    def __init__(self) -> None:
        self.entries: list[Said | Happened] = []
        self.life = 0  # where the entries of the running process begin
        self._to_date: list[int] = []  # entries that get the `began` of their match

    def add(self, entry: Said | Happened, *, moves: bool = False) -> None:
        """Write an entry. With `moves` the time of its match goes on from another instant."""
        if moves:
            self._to_date.append(len(self.entries))
        self.entries.append(entry)

    def bring_up_to_date(self, matches: Mapping[str, Timed]) -> None:
        """The turn is over, and all times have moved: write down to where."""
        for i in self._to_date:
            entry = self.entries[i]
            assert isinstance(entry, Happened)
            assert entry.match is not None
            match = matches[entry.match]
            began = match.began
            if match.halted is not None:  # the turn was cut off before time went on
                began += entry.at - match.halted
            self.entries[i] = msgspec.structs.replace(entry, began=began)
        self._to_date.clear()

    def cut_off(self, told: Collection[str]) -> None:
        """The turn was cut off after the store was back, and not all matches were `told` of it."""
        for i in reversed(self._to_date):
            entry = self.entries[i]
            assert isinstance(entry, Happened)
            if entry.what is WorldEvent.STORE_BACK and entry.match not in told:
                del self.entries[i]
                self._to_date = [j - (j > i) for j in self._to_date if j != i]
