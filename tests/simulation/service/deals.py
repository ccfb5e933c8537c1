"""Deals for a simulation: as a referee draws them, or the one of many that holds most bombs."""

import hashlib

from referee.app.seeds import EventSeeds, secret_of
from referee.rules.cards import pack
from referee.rules.hands import hand_has_bomb
from referee.rules.options import RuleOptions, seats
from referee.rules.seat import Seat
from referee.rules.shuffle import shuffle


class SimSeeds:
    """A `SeedSource`. `tries` seeds are looked at for each deal; more of them, more bombs."""

    def __init__(self, name: str, rules: RuleOptions, *, tries: int) -> None:
        self._seeds = EventSeeds(secret_of(name))
        self._tries = tries
        self._pack = pack(rules)
        self._seats = seats(rules)

    def deal_seed(self, match_id: str, round_number: int, *, deal: str | None = None) -> bytes:
        """Return the 32 bytes that decide the cards of a round."""
        first = self._seeds.deal_seed(match_id, round_number, deal=deal)
        seeds = [hashlib.sha256(b"%d" % i + first).digest() for i in range(self._tries)]
        return max(seeds, key=self._bombs)

    def bot_seed(self, match_id: str, seat: Seat, *, board: str | None = None) -> bytes:
        """Return 32 bytes for a bot."""
        return self._seeds.bot_seed(match_id, seat, board=board)

    def _bombs(self, seed: bytes) -> int:
        """How many hands hold a bomb."""
        if self._tries == 1:
            return 0
        order = shuffle(seed, self._pack)
        hands = [
            sum(1 << card for card in order[seat :: self._seats]) for seat in range(self._seats)
        ]
        return sum(map(hand_has_bomb, hands))
