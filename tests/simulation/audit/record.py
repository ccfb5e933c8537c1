"""The record of a match, read as plain JSON lines: cards, times and charges."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from tests.simulation.audit.cards import commitment, deal, mask_of
from tests.simulation.audit.dealing import dealt_first, pack_of
from tests.simulation.audit.rulebook import Rulebook
from tests.simulation.audit.seats import order_by_ranks, seats_of

AS_EVENT = {
    "dealt": "round_started",
    "call": "call_made",
    "bidden": "bids_shown",
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

    def __init__(self, lines: Sequence[bytes], match_id: str, rules: Rulebook) -> None:
        values = [cast(Fact, json.loads(line)) for line in lines]
        self.facts = [value for value in values if value.get("t", "chain") != "chain"]
        self.lines = [n for n, fact in enumerate(self.facts) if fact["t"] in AS_EVENT]
        self.public = [self.facts[line] for line in self.lines]
        self.deals: list[tuple[list[int], list[int]] | None] = []
        self.commitments: list[bytes] = []
        self.exchanges: dict[int, list[tuple[int, int, int]]] = {}  # by round
        for fact in self.facts:
            if fact["t"] == "dealt":
                seed = bytes.fromhex(str(fact["seed"]))
                self.deals.append(_deal(fact, seed, rules))
                self.commitments.append(commitment(match_id, seed))
            elif fact["t"] == "exchanged":
                gifts = cast(list[tuple[int, int, list[int]]], fact["gifts"])
                moved = [(giver, to, mask_of(cards)) for giver, to, cards in gifts]
                self.exchanges[len(self.deals)] = moved


def _deal(fact: Fact, seed: bytes, rules: Rulebook) -> tuple[list[int], list[int]]:
    """The cards of a round by its seed, in the turn order that follows from its ranks."""
    ranks = cast(list[int], fact.get("ranks", []))
    order = order_by_ranks(ranks, alternating=rules.says("gs_seating", "alternating"))
    dealer = whole(fact, "dealer")
    seats = seats_of(rules.variant, rules.seats, dealer, order)
    return deal(seed, pack_of(rules), dealt_first(rules, dealer, seats.order), rules.first_cards)
