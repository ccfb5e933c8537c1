"""Seeds of cards and bots from one event secret (DESIGN 3)."""

import hashlib
import hmac

import msgspec

from referee.ladder.values import LegPlace
from referee.match.values import MatchConfig, Player
from referee.rules.seat import Seat

_BOARD, _ATTEMPT = 1, 1  # a match that belongs to no board is a pairing of its own
_NAME_DIGITS = 16


def secret_of(text: str) -> bytes:
    """Return the event secret that a text stands for: 64 hex digits as they are, else SHA-256.

    >>> secret_of("cafe").hex()[:8]
    'a860b858'
    """
    if len(text) == 64 and not set(text.lower()) - set("0123456789abcdef"):
        return bytes.fromhex(text)
    return hashlib.sha256(text.encode()).digest()


class EventSeeds:
    """A `SeedSource` where each match without a deal is a pairing of its own.

    The same secret and the same deal or name, the same cards.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def deal_seed(self, match_id: str, round_number: int, *, deal: str | None = None) -> bytes:
        """Return the 32 bytes that decide the cards of a round."""
        deal = deal if deal is not None else f"{match_id}|{_BOARD}|{_ATTEMPT}"
        return self._mac(f"deal|{deal}|{round_number}")

    def bot_seed(self, match_id: str, seat: Seat, *, board: str | None = None) -> bytes:
        """Return 32 bytes for a bot; they say nothing about the cards.

        In the legs of a board the bots that hold the same cards draw from the same seed, so that
        their luck is the same too. They are two instances: each sees its seed once.
        """
        if board is not None:
            return self._mac(f"bot of a board|{board}|{seat}")
        return self._mac(f"bot|{match_id}|{_BOARD}|{_ATTEMPT}|{seat}")

    def with_bot_seeds(self, config: MatchConfig, *, board: str | None) -> MatchConfig:
        """Return a match in which every bot has a seed: its own where it has one, else ours."""
        players = [
            player
            if player.bot_seed
            else Player(
                name=player.name,
                bot_seed=self.bot_seed(config.match_id, Seat(seat), board=board).hex(),
            )
            for seat, player in enumerate(config.players)
        ]
        return msgspec.structs.replace(config, players=tuple(players))

    def match_name(self, place: LegPlace) -> str:
        """Return the name of a leg: 16 hex digits that tell nobody which other is of its board."""
        return self._mac(f"match|{place.event}|{place.deal}|{place.leg}").hex()[:_NAME_DIGITS]

    def _mac(self, text: str) -> bytes:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).digest()
