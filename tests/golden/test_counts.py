"""The stated counts are those of the rules, counted a second way; a wrong one is found out."""

import json
import random
from collections import Counter
from itertools import islice
from pathlib import Path

from click.testing import CliRunner

from referee.cli.rules_count import count
from referee.cli.shipped import shipped
from referee.formats.vector_fields import decode_object
from referee.formats.vector_parsing import parse_start, parse_steps, parse_vector_options
from referee.formats.vector_steps import CheckStep
from referee.formats.vectors import apply_step
from referee.rules.cards import card_numbers, rank_of
from referee.rules.combinations import BOMB, Combination
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.seat import Seat
from tests.golden.counts import FILE, SHARES, lines

SEED = "counted by trying"


def question(line: dict[str, object]) -> tuple[Round, Seat]:
    options = parse_vector_options(line)
    start = line["start"]
    assert isinstance(start, dict)
    round_ = Round.from_position(parse_start(start, options))
    for step in parse_steps(line["steps"], options):
        assert not isinstance(step, CheckStep)
        assert apply_step(round_, step) is None
    seat = line["seat"]
    assert isinstance(seat, int)
    return round_, Seat(seat)


def pattern(play: Combination) -> tuple[object, ...]:
    """Kind, ranks and the Phoenixes' ranks; bombs and specials by their cards."""
    if play.kind is BOMB:
        return (play.cards,)
    ranks = Counter(rank_of(number) or -(number % 64) for number in card_numbers(play.cards))
    return (play.kind, *sorted(ranks.items()), play.phoenix_rank, play.second_phoenix_rank)


def tried(round_: Round, seat: Seat) -> int:
    """The legal answers of a small hand, by putting every set in every reading to the rules."""
    hand = card_numbers(round_.hands[seat])
    found = int(round_.may_pass(seat))
    for chosen in range(1, 1 << len(hand)):
        cards = sum(1 << number for at, number in enumerate(hand) if chosen >> at & 1)
        readings = set()
        for rank in (None, *range(2, 15)):
            judged = round_.check_play(seat, cards, phoenix_rank=rank, wish=_wish(cards))
            if not isinstance(judged, Refusal):
                readings.add((judged.phoenix_rank, judged.second_phoenix_rank))
        found += len(readings)
    return found


def _wish(cards: int) -> int | None:
    return 2 if cards & 1 << 4 or cards & 1 << 68 else None


def test_the_file_is_what_the_generator_writes() -> None:
    written = FILE.read_text(encoding="ascii").splitlines()
    assert written[:50] == list(islice(lines(), 50))
    assert len(written) == sum(share for share, *_ in SHARES) == 1_000


def test_small_hands_have_as_many_plays_as_a_trial_of_every_set_finds() -> None:
    rng = random.Random(SEED)
    stated = [decode_object(line) for line in FILE.read_bytes().splitlines()]
    small = [
        (line, round_, seat)
        for line in stated
        for round_, seat in [question(line)]
        if round_.hands[seat].bit_count() <= 7
    ]
    assert len(small) > 200
    for line, round_, seat in rng.sample(small, 60):
        assert tried(round_, seat) == line["legal"], f"{SEED}: {line['id']}"


def test_the_patterns_are_those_of_the_plays() -> None:
    for data in FILE.read_bytes().splitlines():
        line = decode_object(data)
        round_, seat = question(line)
        plays = {pattern(play) for play in round_.every_play(seat)}
        assert len(plays) == line["patterns"], line["id"]


def test_the_stated_positions_ship_and_pass() -> None:
    assert shipped("tests/vectors/counts.jsonl").read_bytes() == FILE.read_bytes()
    done = CliRunner().invoke(count, ["--stated", "--check"])
    assert (done.exit_code, done.output) == (0, "1000 passed, 0 failed\n")
    printed = CliRunner().invoke(count, ["--stated", "--print"])
    assert printed.output.splitlines() == FILE.read_text(encoding="ascii").splitlines()


def test_a_count_that_differs_is_named(tmp_path: Path) -> None:
    line = json.loads(FILE.read_text(encoding="ascii").splitlines()[0])
    line["legal"] += 1
    file = tmp_path / "counts.jsonl"
    file.write_text(json.dumps(line), encoding="ascii")
    done = CliRunner().invoke(count, [str(file), "--check"])
    legal = line["legal"]
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        f"count-0001: legal {legal} stated, {legal - 1} counted",
        "0 passed, 1 failed",
    ]
    plain = CliRunner().invoke(count, [str(file)])
    counts = {"id": "count-0001", "legal": legal - 1, "patterns": line["patterns"]}
    assert (plain.exit_code, json.loads(plain.output)) == (0, counts)


def test_lines_that_cannot_be_counted_are_named_with_their_cure(tmp_path: Path) -> None:
    file = tmp_path / "counts.jsonl"
    file.write_text(
        "\n".join(
            (
                "{",
                '{"id":"a"}',
                '{"id":"b","start":{"hands":["2j","3j","4j","5j"]}}',
                '{"id":"c","start":{"hands":["2j","3j","4j","5j"],"lead":0},"seat":4}',
                '{"id":"d","start":{"hands":["2j","3j","4j","5j"],"lead":0},"legal":-1}',
                '{"id":"e","start":{"hands":["2j","3j","4j","5j"],"lead":0}}',
            )
        ),
        encoding="ascii",
    )
    done = CliRunner().invoke(count, [str(file), "--check"])
    assert done.exit_code == 2
    said = [line.split(" line ")[1] for line in done.stderr.splitlines()]
    assert [line.split(":")[0] for line in said] == list("123456")
    assert "say who leads" in said[2]
    assert "there is no seat 4" in said[3]
    assert "write legal or patterns" in said[5]
    nothing = CliRunner().invoke(count, [])
    assert nothing.exit_code == 2
    assert "say --stated" in nothing.stderr
    missing = CliRunner().invoke(count, [str(tmp_path / "none")])
    assert missing.exit_code == 2
    assert "No such file" in missing.stderr
