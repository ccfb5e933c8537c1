"""Records made from the log of another server: what is said of them, and what is not known."""

from collections.abc import Iterator
from typing import Protocol

import msgspec

from referee.formats.leg_places import place_lines
from referee.formats.printable import printable
from referee.ladder.values import LegPlace
from referee.match.facts import Dealt
from referee.rules.cards import pack
from referee.rules.options import RuleOptions

BSW = "bsw"
NO_SEED = "0" * 64  # stands where a deal has one: its cards are listed
_SOURCES = {BSW: "a BrettspielWelt log"}


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Where a record comes from that no referee wrote, and what its source did not tell.

    What is `unknown` has some value in the record, and that value says nothing.
    """

    source: str
    unknown: tuple[str, ...]


FROM_BSW = Imported(source=BSW, unknown=("asks", "clock", "dealers", "seeds", "times"))


def import_fault(imported: Imported | None, place: LegPlace | None, *, practice: bool) -> str:
    """Return what is wrong with an import in a header, "" when nothing is."""
    if imported is None:
        return ""
    if imported.source not in _SOURCES:
        return f"source: this release knows {', '.join(_SOURCES)}"
    if place is not None:
        return "a match of a ladder is never imported"
    return "" if practice else "the cards of such a match are nobody's secret: it is practice"


def deal_fault(dealt: Dealt, imported: Imported | None, rules: RuleOptions) -> str:
    """Return what is wrong with the cards that a deal lists, "" when nothing is."""
    if imported is None:
        return "cards: only an imported record lists them" if dealt.cards else ""
    if sorted(dealt.cards) != pack(rules):
        return "cards: not each card of the pack once"
    return "" if dealt.seed == NO_SEED else "seed: an imported deal has none, which is 64 zeros"


class Origin(Protocol):
    """What a header says of where its match comes from."""

    @property
    def import_(self) -> Imported | None:
        """Its source; None for the record of a referee."""

    @property
    def place(self) -> LegPlace | None:
        """Its part of a ladder."""


def origin_lines(origin: Origin, *, everything: bool) -> Iterator[str]:
    """Yield what a playthrough says of where its match comes from."""
    imported, place = origin.import_, origin.place
    if imported is not None:
        source = _SOURCES.get(imported.source, imported.source)
        unknown = printable(", ".join(imported.unknown))
        yield f"  imported from {source}; not known: {unknown}"
    if everything and place is not None:
        yield from place_lines(place)
