"""The record of a match, read as plain JSON lines: cards, times and charges."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from tests.simulation.audit.cards import commitment, deal, mask_of

AS_EVENT = {
    "dealt": "round_started",
    "call": "call_made",
    "exchanged": "cards_exchanged",
    "played": "played",
    "passed": "passed",
    "taken": "trick_taken",
    "dragon": "dragon_given",
    "lead": "lead_handed",
    "out": "went_out",
    "round_ended": "round_ended",
    "match_ended": "match_ended",
}
Fact = Mapping[str, object]


def whole(fact: Fact, name: str, default: int = 0) -> int:
    """A whole number of a fact; left out it has its default."""
    value = fact.get(name, default)
    return value if isinstance(value, int) else default


class Record:
    """The facts of a record, with or without header and trailer, and what the cards were.

    `public` are the facts that events tell of, `lines` their places among `facts`.
    """

    def __init__(self, lines: Sequence[bytes], match_id: str) -> None:
        values = [cast(Fact, json.loads(line)) for line in lines]
        self.facts = [value for value in values if value.get("t", "chain") != "chain"]
        self.lines = [n for n, fact in enumerate(self.facts) if fact["t"] in AS_EVENT]
        self.public = [self.facts[line] for line in self.lines]
        self.deals: list[tuple[list[int], list[int]] | None] = []
        self.commitments: list[bytes] = []
        self.exchanges: list[list[tuple[int, int, int]]] = []
        for fact in self.facts:
            if fact["t"] == "dealt":
                seed = bytes.fromhex(str(fact["seed"]))
                self.deals.append(deal(seed, dealer=whole(fact, "dealer")))
                self.commitments.append(commitment(match_id, seed))
            elif fact["t"] == "exchanged":
                gifts = cast(list[tuple[int, int, list[int]]], fact["gifts"])
                self.exchanges.append([(g, t, mask_of(cards)) for g, t, cards in gifts])
