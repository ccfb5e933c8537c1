"""The file of a ladder: what it may say, and where and how it is refused."""

from pathlib import Path

import pytest

from referee.config.ladder import load_ladder
from referee.config.ladder_sections import EntrySection, LadderFile
from referee.ladder.schedule import ScheduleKind
from referee.ladder.values import Deals, Unit
from referee.match.values import Objective, Pace
from referee.rules.errors import ConfigError

HEAD = 'name = "first"\n'
STOP = "[stop]\nboards = 4\n"
A = '[[entry]]\nname = "a"\nowner = "ann"\nbot = "random"\n'
B = '[[entry]]\nname = "b"\nowner = "ben"\nbot = "greedy"\n'
C, D = (B.replace('"b"', f'"{name}"').replace("ben", name) for name in ("c", "d"))
SMALL = HEAD + STOP + A + B


def load(tmp_path: Path, text: str | bytes) -> LadderFile:
    path = tmp_path / "ladder.toml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_ladder(path)


def refusal(tmp_path: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)
    said = str(refused.value)
    assert "\n" not in said
    return said.removeprefix(f"{tmp_path}/")


def test_the_smallest_file_is_a_round_robin_of_boards(tmp_path: Path) -> None:
    ladder = load(tmp_path, SMALL)
    assert (ladder.unit, ladder.deals) == (Unit.BOARD, Deals.BOARD)
    assert ladder.schedule.kind is ScheduleKind.ROUND_ROBIN
    assert (ladder.match.pace, ladder.match.objective) == (Pace.FAST, Objective.POINTS)
    assert ladder.entry[1] == EntrySection(name="b", owner="ben", bot="greedy")


def test_a_whole_file(tmp_path: Path) -> None:
    text = """
name = "spring-2026"
unit = "match"
folder = "kept"
database = "postgresql://ladder@db/tichu"
public_salt = "3 14 15 92"
parallel = 8
boards_an_entry = 2
listen = ["0.0.0.0:50051"]
tls_cert = "cert.pem"
tls_key = "key.pem"
[match]
pace = "fair"
clock = "1s+30s"
[options]
great_grand = true
[faults]
max_strikes = 3
[schedule]
kind = "gauntlet"
hero = "b"
[stop]
hours = 2
separated = 1
[[entry]]
name = "a"
owner = "ann"
pair = ["./one", "deep=./two --depth 3"]
artefact = ["one", "two"]
[[entry]]
name = "b"
owner = "ben"
dial_in = true
bot = "ben-bot"
"""
    ladder = load(tmp_path, text)
    assert (ladder.stop.hours, ladder.stop.separated) == (2.0, 1)
    assert ladder.entry[0].pair == ("./one", "deep=./two --depth 3")
    assert ladder.dials_in


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'ladder.toml: name is missing; write name = "..."'),
        (
            "nam = 'x'\n" + STOP + A + B,
            "ladder.toml:1: unknown key 'nam'; did you mean 'name'?",
        ),
        (
            HEAD + "[stop]\nbords = 4\n" + A + B,
            "ladder.toml:3: unknown key 'stop.bords'; did you mean 'boards'?",
        ),
        (
            HEAD + STOP + A + "[[entry]]\nname = 'b'\nowner = 'x'\ncomand = 'greedy'\n",
            "ladder.toml:11: unknown key 'entry.comand'; there are name, owner, bot, pair, team, "
            "dial_in, artefact",
        ),
        (
            HEAD + STOP + A + B.replace("bot", "command"),
            "ladder.toml:11: unknown key 'entry.command'; write bot = \"COMMAND\"",
        ),
        (
            HEAD + STOP + A + B.replace("bot", "bott"),
            "ladder.toml:11: unknown key 'entry.bott'; did you mean 'bot'?",
        ),
        (
            HEAD + STOP + A + '[[entrys]]\nname = "b"\n',
            "ladder.toml:8: unknown key 'entrys'; did you mean 'entry'?",
        ),
        (
            "boards = 3\n" + SMALL,
            "ladder.toml:1: unknown key 'boards'; it belongs into a section: [stop] boards",
        ),
        (
            SMALL + "parallel = 2\n",
            "ladder.toml:12: unknown key 'entry.parallel'; it belongs above the first section: "
            "parallel",
        ),
        (
            HEAD + STOP + A + '[[entry]]\nname = "b"\nowner = "ben"\n',
            'ladder.toml:8: entry: b has no bot; write bot = "COMMAND" (or random, greedy, '
            './folder), or pair = ["A", "B"]',
        ),
        (
            HEAD + STOP + A + B.replace("greedy", " "),
            "ladder.toml:11: entry.bot: the command is empty; write what starts the bot, or a "
            "house bot",
        ),
        (
            HEAD + STOP + A + B + B.replace("ben", "bob"),
            "ladder.toml:13: entry.name: 'b' is there twice; each needs its own",
        ),
        (
            HEAD + STOP + A + B.replace('"b"', '"A"'),
            "ladder.toml:9: entry.name: 'A' and 'a' differ in capitals only, and name files; "
            "rename one",
        ),
        (
            HEAD + STOP + A + '[[entry]]\nname = "b"\nbot = "greedy"\n',
            'ladder.toml:8: entry: owner is missing; write owner = "...", who runs the bot; '
            "entries of one owner do not meet",
        ),
        (
            SMALL.replace("ben", "ann"),
            "ladder.toml:10: entry.owner: all entries are of 'ann', and entries of one owner do "
            "not meet; give each bot's owner",
        ),
        (
            SMALL.replace("= 4", "= 0"),
            "ladder.toml:3: stop.boards: write a whole number from 1 to 1000000, not 0",
        ),
        (
            SMALL.replace("= 4", "= -4"),
            "ladder.toml:3: stop.boards: write a whole number from 1 to 1000000, not -4",
        ),
        (
            SMALL.replace("= 4", "= 1000000000000000000000000"),
            "ladder.toml:3: stop.boards: write a whole number from 1 to 1000000, not "
            "1000000000000000000000000",
        ),
        (
            SMALL.replace("= 4", "= " + "9" * 5000),
            "ladder.toml:3: a number too long to be meant; shorten it",
        ),
        (
            SMALL.replace("= 4", "= " + "[" * 5000),
            "ladder.toml:3: brackets in brackets too many to be meant; take some away",
        ),
        (
            SMALL.replace("boards = 4", "hours = nan"),
            "ladder.toml:3: stop.hours: write a number over 0, at most 8760, not nan",
        ),
        (
            SMALL.replace("boards = 4", "hours = inf"),
            "ladder.toml:3: stop.hours: write a number over 0, at most 8760, not inf",
        ),
        (
            SMALL.replace("boards = 4", "hours = 'two'"),
            'ladder.toml:3: stop.hours: write a number over 0, at most 8760, not "two"',
        ),
        (
            HEAD + A + B,
            "ladder.toml: stop: nothing ends this ladder; write [stop] with boards (of each "
            "pairing), hours, or separated (sure places)",
        ),
        (
            SMALL.replace("boards = 4", "separated = 2"),
            "ladder.toml:3: stop.separated: 2 of 2 entries cannot be told from others; write at "
            "most 1",
        ),
        (
            HEAD + "[stop]\nboards = 4\n",
            "ladder.toml: entry: there are none; a ladder has two or more: write [[entry]] with "
            'name, owner and bot; bot = "greedy" is a house bot',
        ),
        (
            HEAD + STOP + A,
            "ladder.toml:4: entry: there is one entry; a ladder has two or more: write [[entry]] "
            'with name, owner and bot; bot = "greedy" is a house bot',
        ),
        (
            HEAD + STOP + '[entry]\nname = "a"\n',
            "ladder.toml:4: entry: write [[entry]], with double brackets",
        ),
        (
            HEAD + "entry = 3\n" + STOP,
            "ladder.toml:2: entry: write sections, [[entry]], not 3",
        ),
        (
            HEAD + "[[stop]]\nboards = 4\n" + A + B,
            "ladder.toml:2: stop: write [stop], with single brackets",
        ),
        (
            HEAD + STOP + A + B.replace('bot = "greedy"', 'pair = ["greedy"]'),
            'ladder.toml:11: entry.pair: write a list of two texts, pair = ["...", "..."], not '
            '["greedy"]',
        ),
        (
            HEAD + STOP + A + B.replace('bot = "greedy"', 'team = ["a", "b"]'),
            "ladder.toml:11: entry.team: write a list of three texts, "
            'team = ["...", "...", "..."], not ["a","b"]',
        ),
        (
            SMALL + 'team = ["a", "b", "c"]\n',
            "ladder.toml:12: entry.team: an entry has bot or team; leave one of them out",
        ),
        (
            HEAD + STOP + '[options]\nvariant = "trichu"\n' + A + B,
            "ladder.toml:5: options.variant: three entries of three owners meet at a table of "
            "Trichu; write 3 or more",
        ),
        (
            HEAD + STOP + '[options]\nvariant = "trichu"\n[schedule]\nkind = "swiss"\n' + A + B + C,
            'ladder.toml:7: schedule.kind: three meet at a board of Trichu, no pairing; write kind '
            '= "round_robin" or "gauntlet"',
        ),
        (
            HEAD + 'deals = "field"\n' + STOP + '[options]\nvariant = "trichu"\n' + A + B + C + D,
            'ladder.toml:2: deals: a field is of teams; in Trichu write deals = "board"',
        ),
        (
            HEAD + STOP + '[options]\nvariant = "grand_seigneur"\n' + A + B,
            "ladder.toml:5: options.variant: Grand Seigneur has no points, so that no ladder rates "
            "it; leave variant out, or play single matches: referee play, referee serve",
        ),
        (
            SMALL + 'pair = ["greedy", "random"]\n',
            "ladder.toml:12: entry.pair: an entry has bot or pair; leave one of them out",
        ),
        (
            SMALL.replace('"b"', '"b~c"'),
            "ladder.toml:9: entry.name: 'b~c' is no name; a name is up to 32 letters, digits or "
            "any of . _ -, and begins with a letter or digit",
        ),
        (
            SMALL.replace('name = "a"', 'name = ""'),
            "ladder.toml:5: entry.name: '' is no name; a name is up to 32 letters, digits or any "
            "of . _ -, and begins with a letter or digit",
        ),
        (
            SMALL.replace("ben", "b n"),
            "ladder.toml:10: entry.owner: 'b n' is no name; a name is up to 32 letters, digits "
            "or any of . _ -, and begins with a letter or digit",
        ),
        (
            HEAD + 'unit = "match"\ndeals = "field"\n' + STOP + A + B,
            'ladder.toml:3: deals: a field meets single deals; write unit = "board", or deals = '
            '"board" for matches',
        ),
        (
            HEAD + 'deals = "field"\n' + STOP + A + B,
            "ladder.toml:2: deals: one table of a field compares nobody; write 4 or more, or "
            'deals = "board"',
        ),
        (
            HEAD + 'deals = "field"\n' + STOP + '[schedule]\nkind = "uncertain"\n' + A + B + C + D,
            'ladder.toml:6: schedule.kind: with deals = "field" all entries meet every deal, in '
            'turns; write kind = "round_robin", or deals = "board"',
        ),
        (
            HEAD + 'unit = "leg"\n' + STOP + A + B,
            "ladder.toml:2: unit: write one of 'board', 'match', not \"leg\"",
        ),
        (
            HEAD + STOP + '[match]\nclock = "none"\n' + A + B,
            "ladder.toml:5: match.clock: a clock is needed, or one bot that hangs stops "
            'everything; write clock = "2s+60s"',
        ),
        (
            HEAD + STOP + "[options]\ntarget = 500\n" + A + B,
            'ladder.toml:5: options.target: with unit = "board" a leg is one round; leave target '
            'out, or write unit = "match"',
        ),
        (
            HEAD + 'database = "mysql://u:secret@h/x"\n' + STOP + A + B,
            "ladder.toml:2: database: this is no database; write sqlite:///FILE or "
            "postgresql://USER@HOST/NAME",
        ),
        (
            HEAD + 'database = ""\n' + STOP + A + B,
            "ladder.toml:2: database: the text is empty; write one, or leave it out",
        ),
        (
            HEAD + "database = 3\n" + STOP + A + B,
            "ladder.toml:2: database: write a text in quotes, not 3",
        ),
        (
            SMALL + "dial_in = true\n",
            "ladder.toml:12: entry.dial_in: nobody could dial in; write listen = "
            '["HOST:PORT"] above the first section',
        ),
        (
            HEAD + 'listen = ["127.0.0.1:0"]\nisolation = "none"\n' + STOP + A + B + "dial_in=true",
            "ladder.toml:3: isolation: bots that dial in are not 'none': their processes cannot "
            'be seen; write "declared", or leave it out',
        ),
        (
            HEAD + 'isolation = "declared"\n' + STOP + A + B,
            'ladder.toml:2: isolation: "declared" is for bots that dial in; write "isolated", '
            "or leave it out",
        ),
        (
            HEAD + 'listen = ["127.0.0.1:0"]\n' + STOP + A + B.replace("greedy", "./b b")
            + "dial_in = true\n",
            "ladder.toml:12: entry.bot: './b b' dials in, so write the name that its tokens are "
            "made for; a name is up to 32 letters, digits or any of . _ -, and begins with a "
            "letter or digit",
        ),
        (
            SMALL.replace("greedy", "connect:b"),
            "ladder.toml:11: entry.bot: write its name alone, and dial_in = true beside it",
        ),
        (
            HEAD + STOP + '[schedule]\nkind = "gauntlet"\n' + A + B,
            "ladder.toml:5: schedule.kind: a gauntlet has a hero; write hero = with the name of "
            "an entry",
        ),
        (
            HEAD + STOP + '[schedule]\nkind = "gauntlet"\nhero = "bb"\n' + A + B,
            "ladder.toml:6: schedule.hero: there is no entry 'bb'; did you mean 'b'?",
        ),
        (
            HEAD + STOP + '[schedule]\nhero = "b"\n' + A + B,
            'ladder.toml:5: schedule.hero: only a gauntlet has a hero; write kind = "gauntlet"',
        ),
        (
            HEAD + 'tls_key = "k"\n' + STOP + A + B,
            "ladder.toml:2: tls_key: tls_cert and tls_key belong together; write both",
        ),
        (
            HEAD + STOP + "[match]\nobjectiv = 'match'\n" + A + B,
            "ladder.toml:5: unknown key 'match.objectiv'; did you mean 'objective'?",
        ),
        (HEAD + "= 3\n", "ladder.toml:2: this is no TOML: invalid statement"),
        (HEAD + HEAD, "ladder.toml:2: name is there twice; leave one out"),
        (
            HEAD + STOP + (A + B).replace("[[", "[").replace("]]", "]"),
            "ladder.toml:8: [entry] is there twice; write [[entry]], each time",
        ),
        (
            SMALL.replace('"greedy"', "greedy"),
            'ladder.toml:11: bot: put text in quotes: bot = "greedy"',
        ),
        (
            SMALL.replace('bot = "greedy"', 'pair = ["greedy", random]'),
            "ladder.toml:11: this is no TOML: invalid value; put text in quotes",
        ),
        (
            SMALL.replace('"greedy"', "./my bot.py  # mine"),
            'ladder.toml:11: bot: put text in quotes: bot = "./my bot.py"',
        ),
        (b"name = \"\xff\"", "ladder.toml: not UTF-8 text"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(tmp_path: Path, text: str | bytes, message: str) -> None:
    assert refusal(tmp_path, text) == message


@pytest.mark.parametrize(
    "name", ["a/b", "..", "-a", ".a", "a b", "a\\nb", "ä", "x" * 33, "\\u202e"]
)
def test_an_odd_name_is_refused_and_shown_harmless(tmp_path: Path, name: str) -> None:
    assert "is no name" in refusal(tmp_path, SMALL.replace('"a"', f'"{name}"'))


@pytest.mark.parametrize(
    ("key", "value"), [("parallel", 0), ("parallel", 513), ("boards_an_entry", 0)]
)
def test_numbers_have_bounds(tmp_path: Path, key: str, value: int) -> None:
    said = refusal(tmp_path, f"{key} = {value}\n{SMALL}")
    assert said == f"ladder.toml:1: {key}: write a whole number from 1 to 512, not {value}"


def test_a_password_in_a_wrong_database_is_not_shown(tmp_path: Path) -> None:
    said = refusal(tmp_path, HEAD + 'database = "postgres//u:hunter2@h/x"\n' + STOP + A + B)
    assert "hunter2" not in said
