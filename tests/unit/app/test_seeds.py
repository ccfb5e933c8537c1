"""Seeds from the event secret (DESIGN 3)."""

import hashlib
import hmac

from referee.app.seeds import EventSeeds, secret_of
from referee.rules.seat import Seat


def test_a_deal_seed_is_the_mac_of_its_place_by_hand() -> None:
    secret = bytes(32)
    text = b"deal|m-1|1|1|7"
    wanted = hmac.new(secret, text, hashlib.sha256).digest()
    assert EventSeeds(secret).deal_seed("m-1", 7) == wanted


def test_a_bots_seed_is_another_for_each_seat_and_not_the_deals() -> None:
    seeds = EventSeeds(bytes(32))
    drawn = [seeds.bot_seed("m", Seat(seat)) for seat in range(4)]
    assert len({*drawn, seeds.deal_seed("m", 0), seeds.deal_seed("m", 1)}) == 6


def test_64_hex_digits_are_the_secret_and_any_other_text_is_hashed() -> None:
    assert secret_of("AB" * 32) == b"\xab" * 32
    assert secret_of("x") == hashlib.sha256(b"x").digest()
