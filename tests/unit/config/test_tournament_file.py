"""What a tournament's file may say, and what is said of what it may not."""

from pathlib import Path

import pytest

from referee.config.ladder import load_ladder
from referee.config.tournament import load_either, load_tournament
from referee.ladder.movements import Entry
from referee.ladder.tournament_scores import VICTORY_ROWS, Points
from referee.ladder.values import Deals, Unit
from referee.rules.errors import ConfigError

ENTRY = '[[entry]]\nname = "{name}"\nowner = "o"\nbot = "greedy"\n'
FOUR = "".join(ENTRY.format(name=name) for name in ("ann", "bob", "cid", "dot"))


def written(folder: Path, text: str) -> Path:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_short_file_has_defaults(tmp_path: Path) -> None:
    file = load_tournament(written(tmp_path, 'name = "cup"\nentrants = "single"\n' + FOUR))
    assert file.entrants is Entry.SINGLE
    assert (file.deals, file.rounds, file.same_deals) == (4, None, True)
    assert (file.points, file.victory) == (Points.TICHU, VICTORY_ROWS)


def test_what_it_shares_with_a_ladder_is_that_of_a_ladder(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "cup"\nentrants = "single"\ndeals = 6\n' + FOUR)
    ladder = load_either(path)
    assert ladder == load_tournament(path).ladder(folder="cup.tournament")
    assert ladder.options == {"rounds": 6}
    assert (ladder.unit, ladder.deals) == (Unit.MATCH, Deals.FIELD)
    assert ladder.folder == "cup.tournament"
    assert [entry.name for entry in ladder.entry] == ["ann", "bob", "cid", "dot"]


def test_entries_of_one_owner_may_all_take_part(tmp_path: Path) -> None:
    load_tournament(written(tmp_path, 'name = "cup"\nentrants = "single"\n' + FOUR))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('name = "cup"\n', "cup.toml: entrants is missing; write entrants = "),
        (
            'name = "cup"\nentrants = "trio"\n',
            "cup.toml:2: entrants: write one of 'single', 'pair'",
        ),
        (
            'name = "cup"\n[stop]\nboards = 2\n',
            "cup.toml: this is a ladder, which has [stop]; its commands are those of `referee lad",
        ),
        (
            'name = "cup"\nentrants = "single"\nrounds = 0\n' + FOUR,
            "cup.toml:3: rounds: rounds = 0: with 4 entrants write 1 to 6; a full movement has 3",
        ),
        ('name = "cup"\nentrants = "single"\nunit = "board"\n', "cup.toml:3: unknown key 'unit'"),
        (
            'name = "cup"\nentrants = "single"\nrounds = 7\n' + FOUR,
            "cup.toml:3: rounds: rounds = 7: with 4 entrants write 1 to 6; a full movement has 3",
        ),
        (
            'name = "cup"\nentrants = "single"\n' + ENTRY.format(name="ann"),
            "cup.toml:3: entry: there are 1, and a table takes 4 single entries: write [[entry]]",
        ),
        (
            'name = "cup"\nentrants = "single"\n' + FOUR + ENTRY.format(name="Ann"),
            "cup.toml:20: entry.name: 'Ann' and 'ann' differ in capitals only",
        ),
        (
            'name = "cup"\nentrants = "single"\npoints = "victory"\nvictory = ["0 1:2"]\n' + FOUR,
            "cup.toml:4: victory: the first row is for a difference of 0",
        ),
        (
            'name = "cup"\nentrants = "single"\nvictory = ["0 1:1"]\n' + FOUR,
            "cup.toml:3: victory: Tichu points need no rows",
        ),
        (
            'name = "cup"\nentrants = "single"\n[options]\nrounds = 4\n' + FOUR,
            "cup.toml:4: options.rounds: a table has as many rounds as deals",
        ),
        (
            'name = "cup"\nentrants = "single"\n[match]\nclock = "none"\n' + FOUR,
            "cup.toml:4: match.clock: a clock is needed",
        ),
        (
            'name = "cup"\nentrants = "single"\n'
            + FOUR
            + '[[entry]]\nname = "eve"\nowner = "o"\npair = ["random", "greedy"]\n',
            "cup.toml:22: entry.pair: single entries are one bot each",
        ),
        (
            'name = "cup"\nentrants = "single"\n'
            + FOUR
            + '[[entry]]\nname = "eve"\nowner = "o"\nbot = "eve-bot"\ndial_in = true\n',
            "cup.toml:23: entry.dial_in: nobody could dial in",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_line_and_the_cure(
    tmp_path: Path, text: str, said: str
) -> None:
    with pytest.raises(ConfigError) as refused:
        load_tournament(written(tmp_path, text))
    assert str(refused.value).replace(f"{tmp_path}/", "").startswith(said)


def test_the_commands_of_a_ladder_name_those_of_a_tournament(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "cup"\nentrants = "single"\n' + FOUR)
    with pytest.raises(ConfigError, match=r"cup\.toml: this is a tournament, .*`referee tourn"):
        load_ladder(path)


def test_two_pairs_are_enough(tmp_path: Path) -> None:
    pair = '[[entry]]\nname = "{name}"\nowner = "o"\npair = ["random", "greedy"]\n'
    two = pair.format(name="ann") + pair.format(name="bob")
    file = load_tournament(written(tmp_path, 'name = "cup"\nentrants = "pair"\n' + two))
    assert [entry.bots for entry in file.entry] == [("random", "greedy")] * 2
