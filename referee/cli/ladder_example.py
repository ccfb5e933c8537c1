"""The file that `referee ladder init` writes: it runs as it is, and says what can be changed."""

_TEXT = """\
# A ladder: who is better, by how much, and how sure is that?
#   referee ladder check {file}    starts every bot, and plays a board with each
#   referee ladder run {file}      plays; Ctrl-C stops it, and the same command goes on
#   referee ladder show {file}     prints the table
# Every key is in docs/CONFIG.md. Paths lead from the folder of this file.

name = "{name}"  # of the event: it stands in records and in the database

unit = "board"   # a leg is one round; "match": a match to the target, 1000 points
deals = "board"  # two entries meet a deal twice, the second time with the seats exchanged;
                 # "field": every entry meets it once, for bots that dial in
parallel = 4     # boards at once; two legs each, one after the other or together

# database = "postgresql://ladder@localhost/tichu"  # unless set, a file in {stem}.ladder/
# public_salt = "..."  # a text that is drawn in public once entries are closed
# seed = "friday"      # the same cards each time: practice, and the table says so

[stop]           # whatever comes first
boards = 8       # of each pairing
# hours = 2      # of playing, all runs together
# separated = 1  # when the first place is sure

# [final]        # then the leaders play on among themselves, until the first places are sure
# places = 1     # so many; in it is whoever may yet be among them (entries = 3: so many instead)
# boards = 100   # at most, of each pair
# hours = 1      # at most

[schedule]
kind = "round_robin"  # or "gauntlet" (with hero = "NAME"), "swiss", "uncertain"

[match]
pace = "fast"      # "fair" in a competition: windows tell nothing, and take longer
clock = "2s+60s"   # base time of an ask, and a bank for the match

# [options]        # rules that differ from their defaults: referee rules show
# great_grand = true

# Entries are ranked. Each has an owner; entries of one owner do not meet.

[[entry]]
name = "random"
owner = "blue"
bot = "random"     # a house bot: random or greedy

[[entry]]
name = "greedy"
owner = "red"
bot = "greedy"     # a bot of your own: "./mybot", "./bot.py", or "node bot.js --deep"
# artefact = ["bot.js", "weights.bin"]  # the files that make a version; unless set the bot's folder

[[entry]]
name = "mixed"
owner = "sky"
pair = ["greedy", "random"]  # two bots as partners

# A bot that its owner starts, with tokens of: referee token create gold-bot --ladder {file}
# It needs listen = ["HOST:PORT"] above the first section.
# [[entry]]
# name = "gold"
# owner = "gold"
# bot = "gold-bot"
# dial_in = true
"""


def example(*, file: str, name: str, stem: str) -> str:
    """Return the text of a first ladder called `name`, as written to `file`."""
    return _TEXT.format(file=file, name=name, stem=stem)
