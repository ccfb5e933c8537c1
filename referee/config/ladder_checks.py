"""What a ladder's file says that cannot be, although each of its values could."""

from collections.abc import Iterator
from typing import NamedTuple

from referee.config.ladder_sections import (
    EntrySection,
    LadderFile,
    StopSection,
)
from referee.config.names import NAME_RULE, is_name
from referee.config.toml_file import Keys, nearest
from referee.ladder.schedule import ScheduleKind
from referee.ladder.seats import TRIO
from referee.ladder.values import Deals, Unit
from referee.rules.option_values import Variant

FIELD_ENTRIES = 4  # two tables of a deal
_DATABASES = ("sqlite:", "postgresql:")


class Wrong(NamedTuple):
    """What is wrong at a key, with the cure."""

    keys: Keys
    text: str


def _at(*keys: str | int, text: str) -> Wrong:
    return Wrong(keys, text)


def wrongs(ladder: LadderFile) -> Iterator[Wrong]:
    """Yield what cannot be, in the order in which it should be mended."""
    yield from _shared(ladder)
    yield from _together(ladder)
    yield from _variant(ladder)
    yield from _clock_and_options(ladder)
    yield from _field(ladder)
    yield from _schedule(ladder)
    yield from _swiss(ladder)
    yield from _end(ladder)
    yield from _final(ladder)
    yield from _doors(ladder)


def shared_wrongs(ladder: LadderFile) -> Iterator[Wrong]:
    """Yield what cannot be in the file of a tournament either, `ladder` being what both have."""
    yield from _shared(ladder)
    yield from _clock(ladder)
    yield from _doors(ladder)


def _shared(ladder: LadderFile) -> Iterator[Wrong]:
    yield from _texts(ladder)
    for number, entry in enumerate(ladder.entry):
        yield from _names(entry, number)
        yield from _bots(entry, number)
    yield from _same_names(ladder)


def _texts(ladder: LadderFile) -> Iterator[Wrong]:
    if not is_name(ladder.name):
        yield _at("name", text=f"{ladder.name!r} is no name; {NAME_RULE}")
    for key in ("folder", "database", "seed", "tls_cert", "tls_key"):
        if getattr(ladder, key) == "":
            yield _at(key, text="the text is empty; write one, or leave it out")
    for key in ("folder", "database", "seed", "public_salt", "tls_cert", "tls_key"):
        if not (getattr(ladder, key) or "").isprintable():
            yield _at(key, text="write printable characters")
    if ladder.database is not None and not ladder.database.startswith(_DATABASES):
        # what stands there is not repeated: it may hold a password
        cure = "write sqlite:///FILE or postgresql://USER@HOST/NAME"
        yield _at("database", text=f"this is no database; {cure}")


def _names(entry: EntrySection, number: int) -> Iterator[Wrong]:
    for key in ("name", "owner"):
        name = getattr(entry, key)
        if not is_name(name):
            yield _at("entry", number, key, text=f"{name!r} is no name; {NAME_RULE}")


def _bots(entry: EntrySection, number: int) -> Iterator[Wrong]:
    given = [key for key in ("bot", "pair", "team") if getattr(entry, key) is not None]
    if not given:
        cure = 'write bot = "COMMAND" (or random, greedy, ./folder), or pair = ["A", "B"]'
        yield _at("entry", number, text=f"{entry.name} has no bot; {cure}")
    if len(given) > 1:
        text = f"an entry has {' or '.join(given)}; leave one of them out"
        yield _at("entry", number, given[-1], text=text)
    for bot in entry.bots:
        if text := _wrong_bot(bot, dial_in=entry.dial_in):
            yield _at("entry", number, entry.bots_key, text=text)
    if entry.artefact is not None and entry.dial_in:
        text = "nothing of a bot that dials in can be seen; leave it out"
        yield _at("entry", number, "artefact", text=text)
    files = entry.artefact
    if files is not None and not (files and all(file and file.isprintable() for file in files)):
        text = "name files or folders, or leave it out for the bot's folder"
        yield _at("entry", number, "artefact", text=text)


def _wrong_bot(bot: str, *, dial_in: bool) -> str:
    if not bot.strip():
        return "the command is empty; write what starts the bot, or a house bot"
    if not bot.isprintable():
        return "write printable characters"
    if dial_in and not is_name(bot):
        return f"{bot!r} dials in, so write the name that its tokens are made for; {NAME_RULE}"
    if bot.partition("=")[2].startswith("connect:") or bot.startswith("connect:"):
        return "write its name alone, and dial_in = true beside it"
    return ""


def _same_names(ladder: LadderFile) -> Iterator[Wrong]:
    seen: dict[str, str] = {}
    for number, entry in enumerate(ladder.entry):
        same = seen.get(entry.name.lower())
        if same == entry.name:
            text = f"{same!r} is there twice; each needs its own"
            yield _at("entry", number, "name", text=text)
        elif same is not None:
            text = (
                f"{entry.name!r} and {same!r} differ in capitals only, and name files; rename one"
            )
            yield _at("entry", number, "name", text=text)
        seen[entry.name.lower()] = entry.name


def _together(ladder: LadderFile) -> Iterator[Wrong]:
    if len(ladder.entry) < 2:
        there = "there is one entry" if ladder.entry else "there are none"
        cure = 'write [[entry]] with name, owner and bot; bot = "greedy" is a house bot'
        yield _at("entry", text=f"{there}; a ladder has two or more: {cure}")
    if len({entry.owner for entry in ladder.entry}) == 1:
        owner = ladder.entry[0].owner
        why = f"all entries are of {owner!r}, and entries of one owner do not meet"
        yield _at("entry", 1, "owner", text=f"{why}; give each bot's owner")


def _clock(ladder: LadderFile) -> Iterator[Wrong]:
    if ladder.match.clock.strip() == "none":
        why = "a clock is needed, or one bot that hangs stops everything"
        yield _at("match", "clock", text=f'{why}; write clock = "2s+60s"')


def _variant(ladder: LadderFile) -> Iterator[Wrong]:
    """Yield what cannot be in a ladder of another game than the usual one."""
    match ladder.options.get("variant"):
        case Variant.GRAND_SEIGNEUR.value:
            cure = "leave variant out, or play single matches: referee play, referee serve"
            text = f"Grand Seigneur has no points, so that no ladder rates it; {cure}"
            yield _at("options", "variant", text=text)
        case Variant.TRICHU.value:
            yield from _trichu(ladder)
        case _:
            pass  # what no variant is called the options refuse


def _trichu(ladder: LadderFile) -> Iterator[Wrong]:
    if len({entry.owner for entry in ladder.entry}) < TRIO:
        text = f"three entries of three owners meet at a table of Trichu; write {TRIO} or more"
        yield _at("options", "variant", text=text)
    if ladder.deals is Deals.FIELD:
        yield _at("deals", text='a field is of teams; in Trichu write deals = "board"')
    if ladder.schedule.kind in (ScheduleKind.SWISS, ScheduleKind.UNCERTAIN):
        cure = 'write kind = "round_robin" or "gauntlet"'
        yield _at("schedule", "kind", text=f"three meet at a board of Trichu, no pairing; {cure}")


def _clock_and_options(ladder: LadderFile) -> Iterator[Wrong]:
    yield from _clock(ladder)
    if ladder.unit is Unit.MATCH:
        return
    for option in ("rounds", "target"):
        if option in ladder.options:
            cure = f'leave {option} out, or write unit = "match"'
            text = f'with unit = "board" a leg is one round; {cure}'
            yield _at("options", option, text=text)


def _field(ladder: LadderFile) -> Iterator[Wrong]:
    if ladder.deals is not Deals.FIELD:
        return
    if ladder.unit is Unit.MATCH:
        cure = 'write unit = "board", or deals = "board" for matches'
        yield _at("deals", text=f"a field meets single deals; {cure}")
    if len(ladder.entry) < FIELD_ENTRIES:
        cure = f'write {FIELD_ENTRIES} or more, or deals = "board"'
        yield _at("deals", text=f"one table of a field compares nobody; {cure}")
    if ladder.schedule.kind is not ScheduleKind.ROUND_ROBIN:
        cure = 'write kind = "round_robin", or deals = "board"'
        text = f'with deals = "field" all entries meet every deal, in turns; {cure}'
        yield _at("schedule", "kind", text=text)


def _schedule(ladder: LadderFile) -> Iterator[Wrong]:
    schedule, names = ladder.schedule, [entry.name for entry in ladder.entry]
    if schedule.kind is ScheduleKind.GAUNTLET and schedule.hero is None:
        text = "a gauntlet has a hero; write hero = with the name of an entry"
        yield _at("schedule", "kind", text=text)
    if schedule.hero is None:
        return
    if schedule.kind is not ScheduleKind.GAUNTLET:
        text = 'only a gauntlet has a hero; write kind = "gauntlet"'
        yield _at("schedule", "hero", text=text)
    if schedule.hero not in names:
        near = nearest(schedule.hero, names)
        hint = f"did you mean {near!r}?" if near else f"there are {', '.join(names)}"
        yield _at("schedule", "hero", text=f"there is no entry {schedule.hero!r}; {hint}")


def _swiss(ladder: LadderFile) -> Iterator[Wrong]:
    schedule = ladder.schedule
    if schedule.kind is not ScheduleKind.SWISS:
        for key in ("rounds", "boards"):
            if getattr(schedule, key) is not None:
                text = f'only a Swiss has {key} here; write [stop] boards, or kind = "swiss"'
                yield _at("schedule", key, text=text)
        return
    for key in ("rounds", "boards"):
        if getattr(schedule, key) is None:
            text = "a Swiss has rounds, and boards of a pairing in each; write both"
            yield _at("schedule", "kind", text=text)
    if ladder.stop.boards is not None:
        text = "a Swiss ends with its rounds; leave it out"
        yield _at("stop", "boards", text=text)


def _end(ladder: LadderFile) -> Iterator[Wrong]:
    stop, entries = ladder.stop, len(ladder.entry)
    if stop == StopSection() and ladder.schedule.kind is not ScheduleKind.SWISS:
        cure = "write [stop] with boards (of each pairing), hours, or separated (sure places)"
        yield _at("stop", text=f"nothing ends this ladder; {cure}")
    if stop.separated is not None and stop.separated >= entries:
        why = f"{stop.separated} of {entries} entries cannot be told from others"
        yield _at("stop", "separated", text=f"{why}; write at most {entries - 1}")


def _final(ladder: LadderFile) -> Iterator[Wrong]:
    if ladder.final is None:
        return
    yield from _not_of_pairs(ladder)
    final, entries = ladder.final, len(ladder.entry)
    if final.boards is None and final.hours is None:
        why = "nothing ends a final whose entries are equal"
        yield _at("final", text=f"{why}; write boards (of a pair) or hours below [final]")
    if final.places >= entries:
        why = f"with {final.places} of {entries} entries in the first places nothing is to decide"
        yield _at("final", "places", text=f"{why}; write at most {entries - 1}")
    if final.entries is None:
        return
    if final.entries > entries:
        text = f"there are {entries} entries; write at most {entries}, or leave it out"
        yield _at("final", "entries", text=text)
    if final.entries <= final.places:
        why = f"{final.entries} entries for the first {final.places} places decide nothing"
        yield _at("final", "entries", text=f"{why}; write {final.places + 1} or more")


def _not_of_pairs(ladder: LadderFile) -> Iterator[Wrong]:
    """Yield why no two can play on: a final is of pairs, whoever is in it."""
    if ladder.options.get("variant") == Variant.TRICHU.value:
        cure = "leave [final] out, and write more boards into [stop]"
        yield _at("final", text=f"a final is of pairs, and three meet at a board of Trichu; {cure}")
    if ladder.deals is Deals.FIELD:
        cure = 'leave [final] out, or write deals = "board"'
        yield _at("final", text=f"a final is of pairs, and a field meets in whole deals; {cure}")


def _doors(ladder: LadderFile) -> Iterator[Wrong]:
    if ladder.dials_in and not ladder.listen:
        number = [entry.dial_in for entry in ladder.entry].index(True)
        cure = 'write listen = ["HOST:PORT"] above the first section'
        yield _at("entry", number, "dial_in", text=f"nobody could dial in; {cure}")
    if ladder.dials_in and ladder.isolation in ("isolated", "none"):
        why = f"bots that dial in are not {ladder.isolation!r}: their processes cannot be seen"
        yield _at("isolation", text=f'{why}; write "declared", or leave it out')
    if ladder.isolation == "declared" and not ladder.dials_in:
        text = '"declared" is for bots that dial in; write "isolated", or leave it out'
        yield _at("isolation", text=text)
    if (ladder.tls_cert is None) != (ladder.tls_key is None):
        given = "tls_cert" if ladder.tls_key is None else "tls_key"
        yield _at(given, text="tls_cert and tls_key belong together; write both")
