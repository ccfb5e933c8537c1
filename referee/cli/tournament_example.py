"""The file that `referee tournament init` writes: it runs as it is, with what can be changed."""

_TEXT = """\
# A tournament: everybody meets everybody, as partner and as opponent.
#   referee tournament check {file}            starts every bot, and plays a table with each
#   referee tournament run {file} --dry-run    says who meets whom, and how long it takes
#   referee tournament run {file}              plays; Ctrl-C stops it, the same command goes on
#   referee tournament show {file} --round 3   prints a round; without --round the table
# Every key is in docs/TOURNAMENT.md. Paths lead from the folder of this file.

name = "{name}"  # of the event: it stands in records

entrants = "single"  # one bot each, with a new partner in every round; "pair": fixed partners
# rounds = 7         # unless set a full movement: here 7 rounds of 2 tables
deals = 4            # of a table
same_deals = true    # all tables of a round play the same cards
points = "tichu"     # by how many Tichu points a table was won; or "victory" points:
# victory = ["0 10:10", "50 11:9", "100 12:8", "200 14:6", "400 17:3", "700 20:0"]
parallel = 4         # tables at once

# public_salt = "..."  # a text that is drawn in public once entries are closed
# seed = "friday"      # the same cards each time: practice, and the table says so

[match]
pace = "fast"      # "fair" in a competition: windows tell nothing, and take longer
clock = "2s+60s"   # base time of an ask, and a bank for the match

# [options]        # rules that differ from their defaults: referee rules show
# great_grand = true

# Entrants, by their numbers in the movement. Fixed pairs have bot (with its own copy) or
# pair = ["./deep", "./fast"].
{entries}
# A bot that its owner starts, with a token of: referee token create gold-bot --ladder {file}
# It needs listen = ["HOST:PORT"] above the first section.
# [[entry]]
# name = "gold"
# owner = "gold"
# bot = "gold-bot"
# dial_in = true
"""

_ENTRY = """
[[entry]]
name = "{name}"
owner = "{owner}"
bot = "{bot}"{remark}
"""

_NAMES = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal")
_REMARK = '  # a house bot; one of your own: "./mybot", "./bot.py", "node bot.js --deep"'


def example(*, file: str, name: str) -> str:
    """Return the text of a first tournament called `name`, as written to `file`."""
    entries = "".join(
        _ENTRY.format(
            name=one,
            owner=one,
            bot="greedy" if place % 2 else "random",
            remark="" if place else _REMARK,
        )
        for place, one in enumerate(_NAMES)
    )
    return _TEXT.format(file=file, name=name, entries=entries)
