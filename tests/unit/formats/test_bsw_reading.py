"""How a Brettspielwelt log is read: names, places of the Phoenix, cut and damaged files."""

import random
from collections.abc import Iterable, Iterator
from itertools import islice

import pytest

from referee.formats.bsw import LogReader, Outcome, Verdict, judge
from referee.formats.bsw.play import printed_phoenix
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions, parse_options
from tests.unit.formats.bsw_logs import ODD_NAMES, Log, played_round

SEEDS = range(60)


def verdicts(lines: Iterable[str], options: RuleOptions = DEFAULT_OPTIONS) -> list[Verdict]:
    return list(judge(LogReader(), lines, options))


def text_of(log: Log, *, end: str = "\n") -> str:
    return "".join(line + end for line in log.lines)


def assert_replays(log: Log, text: str, why: str) -> None:
    [verdict] = verdicts(text.splitlines(keepends=True))
    assert verdict == Verdict(
        game=1, number=1, outcome=Outcome.OK, logged=log.scores, ours=log.scores
    ), why


@pytest.mark.parametrize("seed", SEEDS)
def test_a_played_round_replays_to_its_score(seed: int) -> None:
    log = played_round(random.Random(seed), racing=seed % 2 == 1, bombs=seed % 3 == 0)
    assert_replays(log, text_of(log), f"{seed=}")


@pytest.mark.parametrize("seed", range(20))
def test_names_may_hold_anything(seed: int) -> None:
    rng = random.Random(seed)
    log = played_round(rng, names=rng.sample(ODD_NAMES, 4))
    assert_replays(log, text_of(log), f"{seed=}")


@pytest.mark.parametrize("seed", range(20))
def test_names_may_change_in_every_line(seed: int) -> None:
    rng = random.Random(seed)
    log = played_round(rng)
    text = text_of(log)
    for name in ("anna", "bert", "carl", "dora"):
        parts = text.split(name)
        text = parts[0] + "".join(rng.choice(["", "x (1)", "Ma:", name]) + p for p in parts[1:])
    assert_replays(log, text, f"{seed=}")


def test_trailing_blanks_line_ends_and_full_stops_do_not_matter() -> None:
    log = played_round(random.Random(1))
    text = text_of(log)
    assert_replays(log, "\ufeff" + text, "byte order mark")
    assert_replays(log, text_of(log, end="  \r\n"), "CRLF")
    assert_replays(log, text_of(log, end="\r\r\n").replace("\r\r\n", " \r\n\n"), "blank lines")
    assert_replays(log, text.replace("passt.", "passt"), "no full stop")
    assert_replays(log, text.rstrip("\n"), "no newline at the end")
    assert_replays(log, text.replace(" \n", "\n").replace(" -\n", "\n"), "no trailing blanks")


def test_unknown_lines_are_skipped_and_counted() -> None:
    log = played_round(random.Random(2))
    lines = [line for known in text_of(log).splitlines(keepends=True) for line in (known, "?\n")]
    reader = LogReader()
    assert [v.outcome for v in judge(reader, lines, DEFAULT_OPTIONS)] == [Outcome.OK]
    assert (reader.lines, reader.unread, reader.first_unread) == (len(lines), len(lines) // 2, 2)


@pytest.mark.parametrize("seed", [3, 4])
def test_a_file_cut_anywhere_ends_unfinished_and_never_wrong(seed: int) -> None:
    text = text_of(played_round(random.Random(seed), racing=True, bombs=seed == 4)).rstrip("\n")
    for end in range(len(text)):
        found = verdicts(text[:end].splitlines(keepends=True))
        assert [verdict.outcome for verdict in found] in ([], [Outcome.UNFINISHED]), (
            f"{seed=} {end=}"
        )


def _damage(rng: random.Random, text: str) -> str:
    """Change a few places of a text in one of the ways in which files get damaged."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text))
        size = rng.choice((1, 2, 30, 300))
        part = text[at : at + size]
        noise = "".join(chr(rng.choice((10, 13, 40, 45, 58, 65, 0x2028, 0xFFFD))) for _ in part)
        text = text[:at] + rng.choice(("", noise, part + part, part[::-1])) + text[at + size :]
    return text


@pytest.mark.parametrize("seed", range(150))
def test_a_damaged_round_leaves_the_next_one_whole(seed: int) -> None:
    rng = random.Random(seed)
    broken, whole = played_round(rng), played_round(rng)
    damaged = _damage(rng, text_of(broken)) + "\n"
    found = verdicts((damaged + text_of(whole)).splitlines(keepends=True))
    last = found[-1]
    assert (last.outcome, last.ours) == (Outcome.OK, whole.scores), f"{seed=}"


@pytest.mark.parametrize("seed", range(10))
def test_a_round_with_other_points_does_not_follow(seed: int) -> None:
    log = played_round(random.Random(seed))
    first, second = log.scores
    wrong = [*log.lines[:-1], f"Ergebnis: {first - 5} - {second + 5}"]
    [verdict] = verdicts(line + "\n" for line in wrong)
    assert (verdict.outcome, verdict.ours) == (Outcome.SCORE, log.scores), f"{seed=}"


@pytest.mark.parametrize(
    "raw",
    [
        {"grand_allowed": True, "great_grand": True},
        {"grand_order": "by_seat"},
        {"bomb_after_all_pass": False},
        {"double_victory_points": 100},
        {"dragon_last_trick_gift": False},
        {"phoenix_choice": "highest"},
    ],
    ids=str,
)
def test_the_rule_options_hold_in_the_replay(raw: dict[str, object]) -> None:
    options = parse_options(raw)
    for seed in range(8):
        log = played_round(
            random.Random(seed), options=DEFAULT_OPTIONS if "great_grand" in raw else options
        )
        [verdict] = verdicts(text_of(log).splitlines(keepends=True), options)
        assert (verdict.outcome, verdict.ours) == (Outcome.OK, log.scores), f"{seed=}"


def test_rounds_come_as_the_file_is_read() -> None:
    log = played_round(random.Random(5))
    taken = 0

    def endless() -> Iterator[str]:
        nonlocal taken
        while True:
            taken += 1
            yield log.lines[taken % len(log.lines) - 1] + "\n"

    options = parse_options({"target": 1_000_000})
    assert len(list(islice(judge(LogReader(), endless(), options), 50))) == 50
    assert taken == 50 * len(log.lines) + 1


RED, BLACK = 3, 1
PHOENIX, MAHJONG = 2, 4


def _cards(*ranks: int) -> tuple[int, ...]:
    """Cards by rank, in two suits in turn so that none is a bomb; 0 is the Phoenix."""
    specials = {0: PHOENIX, 1: MAHJONG}
    return tuple(
        specials.get(rank, 4 * rank + (RED, BLACK)[(rank + ranks[:place].count(rank)) % 2])
        for place, rank in enumerate(ranks)
    )


@pytest.mark.parametrize(
    ("cards", "rank"),
    [
        (_cards(9, 8, 7, 6, 0), 5),  # last: low
        (_cards(0, 9, 8, 7, 6), 10),  # otherwise on top, wherever it is put
        (_cards(9, 0, 8, 7, 6), 10),
        (_cards(14, 13, 12, 11, 0), None),  # nothing above the Ace: low, no choice
        (_cards(0, 4, 3, 2, 1), None),  # nothing below the Mah Jong
        (_cards(9, 8, 0, 6, 5), None),  # in the gap
        (_cards(0, 9, 9, 4, 4), 9),  # before a pair
        (_cards(9, 9, 0, 4, 4), 4),
        (_cards(9, 9, 4, 0, 4), 4),
        (_cards(9, 9, 4, 4, 0), 4),  # last: the pair before it
        (_cards(4, 4, 9, 9, 0), 9),
        (_cards(4, 0), None),
        (_cards(0), None),
        (_cards(7, 7, 8, 0), None),  # stairs
        (_cards(9, 9, 9, 9, 9), None),  # nonsense has no reading
    ],
)
def test_the_phoenix_means_what_its_place_says(cards: tuple[int, ...], rank: int | None) -> None:
    assert printed_phoenix(cards) == rank
