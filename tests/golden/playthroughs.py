"""The golden playthroughs: matches in virtual time, as records, texts and views of every seat.

    .venv/bin/python -m tests.golden.playthroughs

writes the files beside this one anew; read the difference before it is committed. For every match:
NAME.jsonl the record, NAME.{all,public,seat0..}.txt what `referee record show` prints, and
NAME.views.txt what each seat may know after every step (only what changed).
"""

import hashlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any  # noqa: TID251 - plain values on their way to JSON

import msgspec

from referee.formats.playthrough import PUBLIC, View, full_view, playthrough, seat_view
from referee.formats.records import Record, read_record
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    Fault,
    Faults,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.step import Ask
from referee.match.values import MS, AskKind, Ending, Pace
from referee.rules.cards import MAHJONG, card_numbers
from referee.rules.notation import format_cards, format_play
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from tests.simulation.table import Table, settings
from tests.unit.formats.recorded import record_lines

FOLDER = Path(__file__).parent
COMMAND = ".venv/bin/python -m tests.golden.playthroughs"
MATCHES: dict[str, tuple[str, Pace, RuleOptions]] = {
    "fast": ("15", Pace.FAST, RuleOptions(rounds=2)),
    "fair": ("15", Pace.FAIR, RuleOptions(rounds=1, great_grand=True)),
    "trouble": ("7", Pace.FAIR, RuleOptions(rounds=2)),
}
LAGS = (0, 150 * MS, 40 * MS, 0)  # of the links in `trouble`
# What a view holds for the sake of other games and options, in a game of four without them.
OF_OTHER_GAMES: dict[str, object] = {
    "order": (0, 1, 2, 3),
    "teams": (0, 1, 0, 1),
    "ranks": (),
    "soloist": None,
    "tisch": None,
    "judged": None,
    "refused": None,
    "open_hands": (),
    "answer": None,
    "bids": (),
}
BLOCKED_AT, FAILED_AT = 45, 90  # inputs after which the referee is blocked, and two bots fail


FAILURES = (
    Fault(seat=Seat(2), ending=Ending.DISCONNECTED),
    Fault(seat=Seat(0), ending=Ending.CRASHED),
)


class Dice:
    """Numbers from SHA-256, the same for every release of Python."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._count = 0

    def below(self, n: int) -> int:
        """A number from 0 to n - 1."""
        self._count += 1
        digest = hashlib.sha256(f"{self._seed}|{self._count}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % n

    def once_in(self, n: int) -> bool:
        """True once in n times."""
        return self.below(n) == 0


class Player:
    """Answers anything that is asked: mostly legal, sometimes not, sometimes never."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    def decide(self, table: Table, ask: Ask) -> Decision:
        """What to answer."""
        dice = self._dice
        match ask.kind:
            case AskKind.CALL:
                first = ask.choices[0]
                return CallDecision(choice=first if dice.once_in(9) else ask.choices[-1])
            case AskKind.EXCHANGE:
                return self._gifts(table, ask)
            case AskKind.ACT:
                return self._act(ask)
            case AskKind.BOMB:
                return BombDecision(index=0) if ask.plays else DeclineDecision()
            case AskKind.CHOOSE_SEAT:
                return SeatDecision(seat=ask.seats[dice.below(len(ask.seats))])

    def _gifts(self, table: Table, ask: Ask) -> Decision:
        view = table.machine.snapshot(ask.seat).view
        assert view is not None
        cards = card_numbers(view.hand)
        gifts = tuple((int(to), (cards[slot],)) for slot, (to, *_) in enumerate(ask.slots))
        return ExchangeDecision(gifts=gifts, tichu=ask.may_call_tichu and self._dice.once_in(8))

    def _act(self, ask: Ask) -> Decision:
        dice = self._dice
        tichu = ask.may_call_tichu and dice.once_in(10)
        if dice.once_in(25):
            return PlayDecision(cards=(1, 3))  # the Dog and the Dragon: nothing
        if dice.once_in(40):
            return DefaultDecision()
        if ask.may_pass and (not ask.plays or dice.once_in(5)):
            return PassDecision(tichu=tichu)
        longest = max(play.length for play in ask.plays)
        index = next(n for n, play in enumerate(ask.plays) if play.length == longest)
        wish = 2 + dice.below(13) if ask.plays[index].cards & MAHJONG else None
        return PlayDecision(index=index, wish=wish, tichu=tichu)


def played(name: str) -> tuple[list[bytes], list[str]]:
    """The record of a match, and the views of its seats."""
    seed, pace, rules = MATCHES[name]
    table = Table(settings(pace=pace, rules=rules), seed=f"golden {seed}", match_id=f"m-{name}")
    dice = Dice(seed)
    player, views = Player(dice), Views(table)
    troubled = name == "trouble"
    if troubled:
        table.lags = list(LAGS)
    table.start()
    lines = list(views.changes())
    for count in itertools.count(1):
        if table.machine.over:
            break
        if troubled and count == BLOCKED_AT:
            table.stall(1_200)
        elif troubled and count == FAILED_AT:
            table.step(Faults(faults=FAILURES))
        else:
            _next_input(table, player, dice)
        lines += views.changes()
    return record_lines(table.config, table.facts), lines


def _next_input(table: Table, player: Player, dice: Dice) -> None:
    waiting = [
        ask for seat in range(table.machine.seats) for ask in table.machine.open_asks(Seat(seat))
    ]
    if not waiting or dice.once_in(30):
        if table.machine.due is not None:
            table.wait_until_due()  # nobody answers in time
        return
    ask = waiting[dice.below(len(waiting))]
    table.now += (1 + dice.below(9)) * MS
    table.step(Answer(ask.seat, ask.id, player.decide(table, ask)))


class Views:
    """What each seat may know, as lines of what changed."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shown: list[dict[str, object]] = [{} for _ in range(table.machine.seats)]

    def changes(self) -> Iterator[str]:
        """A line for each seat whose knowledge changed."""
        for seat, before in enumerate(self._shown):
            now = self._knowledge(Seat(seat))
            changed = {key: value for key, value in now.items() if before.get(key, ...) != value}
            if changed:
                self._shown[seat] = now
                text = json.dumps(changed, separators=(",", ":"))
                yield f"{self._table.now / (1000 * MS):.3f} seat {seat} {text}"

    def _knowledge(self, seat: Seat) -> dict[str, object]:
        snapshot = self._table.machine.snapshot(seat)
        known: dict[str, Any] = msgspec.to_builtins(snapshot)
        known["asks"] = [_ask_text(ask) for ask in snapshot.asks]
        view = known.pop("view") or {}
        known |= view.pop("public", {}) | view
        for name, value in OF_OTHER_GAMES.items():
            if known.get(name) == value:
                del known[name]
        if known.get("table") and not known["table"]["second_phoenix_rank"]:
            del known["table"]["second_phoenix_rank"]
        for cards in ("hand", "trick"):
            known[cards] = format_cards(known.get(cards, 0))
        known["won"] = list(map(format_cards, known.get("won", [])))
        return known


def _ask_text(ask: Ask) -> str:
    plays = ", ".join(map(format_play, ask.plays))
    provisional = "provisional " if ask.provisional else ""
    passing = " or pass" if ask.may_pass else ""
    return f"{ask.id}: {provisional}{ask.kind} [{plays}]{passing}"


def texts(name: str) -> dict[str, str]:
    """The golden files of a match by their names."""
    lines, views = played(name)
    record = read_record(lines)
    files = {
        f"{name}.jsonl": "".join(line.decode() + "\n" for line in lines),
        f"{name}.views.txt": "".join(line + "\n" for line in views),
        f"{name}.all.txt": _told(record, full_view(record.config)),
        f"{name}.public.txt": _told(record, PUBLIC),
    }
    for seat in range(len(record.config.players)):
        files[f"{name}.seat{seat}.txt"] = _told(record, seat_view(Seat(seat)))
    return files


def _told(record: Record, view: View) -> str:
    return "".join(line + "\n" for line in playthrough(record, view))


if __name__ == "__main__":
    for match_name in MATCHES:
        for file, text in texts(match_name).items():
            (FOLDER / file).write_text(text, encoding="utf-8")
            print(f"wrote {file}")
