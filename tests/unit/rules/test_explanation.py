"""A verdict names the code, the closest clause, and the cards it is about."""

import pytest

from referee.formats.positions import read_position
from referee.rules.explanation import judge_pass, judge_play
from referee.rules.notation import format_cards, parse_play
from referee.rules.refusals import Refusal

LEAD = b'{"hands":["Mj 2j Ph 7j 7s 7p 8j Dg Dr","8s 9s","4p 4s","5r"]}'
WISH_8 = (
    b'{"start":{"hands":["Mj 2j","8s 9s 8p","4p 8r 6j 6s 6p 6r","5r"]},'
    b'"steps":[{"seat":0,"play":"Mj","wish":"8"}]}'
)
ON_DRAGON = (
    b'{"start":{"hands":["Dr 2j","Ph 9s Dg","4p 8r","5r"],"lead":0},'
    b'"steps":[{"seat":0,"play":"Dr"}]}'
)


@pytest.mark.parametrize(
    ("position", "play", "code", "clause", "cards"),
    [
        (LEAD, "9s 2j", Refusal.CARDS_NOT_HELD, "A2", "9s"),
        (LEAD, "2j 2j", Refusal.CARDS_NOT_HELD, "A2", "2j"),
        (LEAD, "7j 8j", Refusal.NOT_A_COMBINATION, "B1", "7j 8j"),
        (LEAD, "Mj Ph", Refusal.NOT_A_COMBINATION, "B3", "Ph Mj"),
        (LEAD, "Dr 2j", Refusal.NOT_A_COMBINATION, "B4", "Dr 2j"),
        (LEAD, "Ph 7j 7s 7p", Refusal.NOT_A_COMBINATION, "B6", "Ph 7j 7s 7p"),
        (LEAD, "Ph=3", Refusal.PHOENIX_RANK, "B5", "Ph"),
        (LEAD, "Ph=8 7j", Refusal.PHOENIX_RANK, "B6", "Ph"),
        (WISH_8, "9s", Refusal.MUST_FULFIL_WISH, "E3", "8s 8p"),
        (ON_DRAGON, "Ph", Refusal.TOO_LOW, "B5", "Dr"),
        (ON_DRAGON, "9s", Refusal.TOO_LOW, "B2", "Dr"),
        (ON_DRAGON, "Dg", Refusal.DOG_ONLY_LEADS, "B4", "Dg"),
    ],
)
def test_verdict_on_a_play(
    position: bytes, play: str, code: Refusal, clause: str, cards: str
) -> None:
    round_ = read_position(position)
    assert round_.turn is not None
    mask, phoenix_rank = parse_play(play)
    verdict = judge_play(round_, round_.turn, mask, phoenix_rank=phoenix_rank, wish=None)
    assert (verdict.code, verdict.clause, format_cards(verdict.cards)) == (code, clause, cards)
    assert verdict.cure


def test_verdict_on_a_pass_under_a_wish_shows_the_cards_that_fulfil_it() -> None:
    round_ = read_position(WISH_8)
    assert round_.turn is not None
    verdict = judge_pass(round_, round_.turn)
    assert verdict.code is Refusal.MUST_FULFIL_WISH
    assert format_cards(verdict.cards) == "8s 8p"


def test_a_legal_play_has_no_code() -> None:
    round_ = read_position(LEAD)
    assert round_.turn is not None
    mask, rank = parse_play("7j 7s")
    assert judge_play(round_, round_.turn, mask, phoenix_rank=rank, wish=None).code is None
