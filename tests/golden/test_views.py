"""The vectors of the sample bots: what the generator writes, and that they leave no rule out."""

import ast
import json
from functools import cache
from pathlib import Path

import pytest

import strategy
from referee.rules.cards import SECOND_PACK, card_numbers, card_points, mask_of, rank_of
from referee.rules.errors import NotationError
from referee.rules.hands import hand_has_bomb
from referee.rules.notation import format_cards, parse_cards
from stated import read_view, write_answer
from tests.golden.views import COMMAND, FOLDER, texts
from tests.golden.views_made import FORCED
from tests.golden.views_played import GAMES, Json, answer_of

MOST_BYTES = 400_000
NUMBERS = (
    *(("STRONG_BET", 2), ("STRONG_TICHU", 1), ("RICH_TRICK", 5), ("POOR_TRICK", 5), ("DEAR", 1)),
    *(("LOW_TABLE", 1), ("CHEAP", 2)),
)


def lines_of(name: str) -> list[Json]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


@cache
def view_lines() -> list[Json]:
    return lines_of("views.jsonl")


def test_the_vectors_are_what_the_generator_writes() -> None:
    for file, text in texts().items():
        committed = (FOLDER / file).read_text(encoding="utf-8")
        assert text == committed, f"{file} changed; if it is meant: {COMMAND}"


def test_the_forced_ones_come_first_and_are_answered_as_stated_by_hand() -> None:
    first = view_lines()[: len(FORCED)]
    assert [(line["view"], line["answer"]) for line in first] == [case[1:] for case in FORCED]
    assert [line["id"] for line in first] == [f"forced-{number}" for number in range(1, 11)]


def test_no_view_is_stated_twice_and_the_file_is_small() -> None:
    lines = view_lines()
    assert len({json.dumps(line["view"], sort_keys=True) for line in lines}) == len(lines) > 400
    assert len({line["id"] for line in lines}) == len(lines)
    assert (FOLDER / "views.jsonl").stat().st_size < MOST_BYTES


def test_every_game_and_every_kind_of_ask_is_there() -> None:
    played = [line for line in view_lines() if line["id"].startswith("played")]
    assert {line["title"] for line in played} == set(GAMES)
    asks = {line["view"]["ask"] for line in played}
    assert asks == {"act", "bomb", "call", "exchange", "choose_seat"}
    assert {line["view"].get("why") for line in played} == {None, "dragon", "dog"}


def test_every_line_of_the_strategy_decides_some_view() -> None:
    met = frozenset[int]().union(*[answer_of(line["view"])[1] for line in view_lines()])
    tree = ast.parse(Path(strategy.__file__).read_text(encoding="utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    bodies = [node for function in functions for node in function.body[1:]]  # [0]: the docstring
    statements = [one for body in bodies for one in ast.walk(body) if isinstance(one, ast.stmt)]
    assert sorted({one.lineno for one in statements} - met) == []


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize(("name", "step"), NUMBERS)
def test_a_number_of_the_rules_that_is_off_by_a_step_is_found_out(
    monkeypatch: pytest.MonkeyPatch, name: str, step: int, sign: int
) -> None:
    monkeypatch.setattr(strategy, name, getattr(strategy, name) + sign * step)
    answers = [write_answer(strategy.decide(read_view(line["view"]))) for line in view_lines()]
    assert answers != [line["answer"] for line in view_lines()]


def test_the_cards_are_as_the_rules_have_them() -> None:
    for line in lines_of("cards.jsonl"):
        text = line["text"]
        if "error" in line:
            with pytest.raises(NotationError):
                parse_cards(text)
            continue
        cards = parse_cards(text)
        numbers = card_numbers(cards)
        of_one_pack = [number % SECOND_PACK for number in numbers]  # the rules count no other
        points = sum(card_points(mask_of([number])) for number in of_one_pack)
        said = (line["cards"], line["ranks"], line["points"], line["bomb"])
        assert said == (numbers, list(map(rank_of, numbers)), points, hand_has_bomb(cards)), text
        assert text == format_cards(cards)
