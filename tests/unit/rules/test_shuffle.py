"""The shuffle gives what another program computed from its description."""

import json
from pathlib import Path

import pytest

from referee.rules.cards import pack
from referee.rules.options import DEFAULT_OPTIONS
from referee.rules.shuffle import commit, shuffle

_LINES = (Path(__file__).parents[2] / "vectors" / "shuffle.jsonl").read_text("utf-8").splitlines()
_VECTORS = [json.loads(line) for line in _LINES]
_ORDERS = [vector for vector in _VECTORS if "order" in vector]
_COMMITS = [vector for vector in _VECTORS if "commit" in vector]


@pytest.mark.parametrize("vector", _ORDERS)
def test_published_order(vector: dict[str, object]) -> None:
    seed, cards = vector["seed"], vector["cards"]
    assert isinstance(seed, str)
    assert isinstance(cards, list)
    assert shuffle(bytes.fromhex(seed), cards) == vector["order"]


@pytest.mark.parametrize("vector", _COMMITS)
def test_published_commitment(vector: dict[str, str]) -> None:
    seed = bytes.fromhex(vector["deal_seed"])
    assert commit(vector["match_id"], seed).hex() == vector["commit"]


def test_the_vectors_hold_whole_packs() -> None:
    assert sum(vector["cards"] == pack(DEFAULT_OPTIONS) for vector in _ORDERS) >= 10


def test_the_cards_given_are_left_alone() -> None:
    cards = pack(DEFAULT_OPTIONS)
    order = shuffle(b"seed", cards)
    assert cards == pack(DEFAULT_OPTIONS)
    assert order != cards
    assert sorted(order) == cards


def test_every_place_is_reached_about_equally_often() -> None:
    """A shuffle that forgot a place or was biased by a modulo would show within 4,000 seeds."""
    counts = [0] * 8
    for seed in range(4000):
        counts[shuffle(seed.to_bytes(4, "big"), range(8)).index(0)] += 1
    # 500 expected; five standard deviations are 105
    assert all(395 < count < 605 for count in counts), counts
