"""Seeds from the event secret (DESIGN 3)."""

import hashlib
import hmac
from itertools import pairwise

from referee.app.seeds import EventSeeds, secret_of
from referee.rules.seat import Seat
from tests.unit.formats.placed import place_of


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


def test_the_legs_of_a_deal_have_one_chain_of_seeds_by_hand() -> None:
    secret = bytes(32)
    seeds = EventSeeds(secret)
    for number in (1, 2):
        text = f"deal|adam~zoe|3|2|{number}".encode()
        wanted = hmac.new(secret, text, hashlib.sha256).digest()
        for leg in (1, 2):
            place = place_of(board=3, attempt=2, leg=leg)
            assert seeds.deal_seed(seeds.match_name(place), number, deal=place.deal) == wanted


def test_another_attempt_or_board_has_other_cards() -> None:
    places = [place_of(board=board, attempt=attempt) for board in (1, 2, 11) for attempt in (1, 2)]
    drawn = {EventSeeds(bytes(32)).deal_seed("m", 1, deal=place.deal) for place in places}
    assert len(drawn) == len(places)


def test_a_leg_is_named_by_16_digits_of_a_mac_by_hand() -> None:
    secret = bytes(range(32))
    text = b"match|spring|adam~zoe|3|2|1"
    wanted = hmac.new(secret, text, hashlib.sha256).hexdigest()[:16]
    assert EventSeeds(secret).match_name(place_of(board=3, attempt=2)) == wanted


def test_no_two_legs_of_many_boards_have_a_name_or_its_beginning_in_common() -> None:
    seeds = EventSeeds(bytes(32))
    names = [
        seeds.match_name(place_of(board=board, attempt=attempt, leg=leg))
        for board in range(1, 50)
        for attempt in (1, 2)
        for leg in (1, 2)
    ]
    assert len({name[:8] for name in names}) == len(names)
    # of neighbours about one digit in 16 is the same, as of any two names
    alike = sum(a == b for one, two in pairwise(names) for a, b in zip(one, two, strict=True))
    assert 120 < alike < 270  # mean 195, sigma 13.5
