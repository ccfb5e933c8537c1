"""What is written is read back; the hand-written texts are in unit/rules/test_notation."""

from hypothesis import given
from hypothesis import strategies as st

from referee.formats.vector_fields import decode_object
from referee.formats.vectors import check_lines
from referee.rules.cards import card_numbers, is_card, mask_of
from referee.rules.combinations import read
from referee.rules.errors import NotationError
from referee.rules.every import every_lead
from referee.rules.notation import format_cards, format_play, parse_cards, parse_play

CARDS = [number for number in range(128) if is_card(number)]
ONE_PACK = [number for number in CARDS if number < 64]


@given(st.sets(st.sampled_from(CARDS), max_size=20).map(mask_of))
def test_cards_there_and_back(cards: int) -> None:
    assert parse_cards(format_cards(cards)) == cards


@given(st.sets(st.sampled_from(CARDS), max_size=20))
def test_numbers_there_and_back(numbers: set[int]) -> None:
    assert card_numbers(mask_of(numbers)) == sorted(numbers)


@given(st.sets(st.sampled_from(ONE_PACK), min_size=1, max_size=9).map(mask_of))
def test_plays_there_and_back(hand: int) -> None:
    for play in every_lead(hand):
        assert read(*parse_play(format_play(play))) == play


@given(st.text(max_size=12))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        cards, _ = parse_play(text)
    except NotationError:
        return
    assert cards.bit_count() <= 13


@given(st.binary(max_size=60))
def test_any_bytes_are_a_line_with_one_fault(data: bytes) -> None:
    results = list(check_lines([data]))
    assert len(results) <= 1
    for result in results:
        assert result.fault is not None
        assert "\n" not in result.fault


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=8,
)
keys = ["id", "title", "options", "start", "steps"]


@given(st.dictionaries(st.sampled_from(keys), json_values))
def test_any_object_is_a_line_with_one_fault_or_a_vector(raw: dict[str, object]) -> None:
    import json

    for result in check_lines([json.dumps(raw).encode()]):
        assert result.invalid


@given(st.recursive(st.just("1"), lambda inner: inner.map(lambda text: f"[{text}]"), max_leaves=9))
def test_what_is_no_object_is_refused(text: str) -> None:
    try:
        decode_object(text.encode())
    except NotationError:
        return
    raise AssertionError(text)
