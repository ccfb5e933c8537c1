"""The 1,000 stated positions with the numbers of their legal plays, of every game.

    .venv/bin/python -m tests.golden.counts

writes `tests/vectors/counts.jsonl` anew; read the difference before it is committed. Positions come
out of random rounds by seed: the hands at the begin of a trick, and the steps since.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path

from referee.formats.plays_counted import counted
from referee.rules.cards import MAHJONG
from referee.rules.notation import format_cards, format_play, format_rank
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions, options_dict
from referee.rules.phases import Phase
from referee.rules.round import Round
from referee.rules.seat import Seat
from tests.property.rules.playing import act, dealt, random_options_of

FILE = Path(__file__).parents[1] / "vectors" / "counts.jsonl"
SEED = "counts 1"
ONCE_IN = 9  # a position is taken of so many, of leads more: they have most plays
MANY = 4_000  # of one position: more helps nobody to find a fault
DULL = 0.85  # share that is left out of positions with one thing to do
# How many positions of which rules; None: any options
SHARES: tuple[tuple[int, str, dict[str, object] | None], ...] = (
    (400, "tichu", {}),
    (150, "tichu", None),
    (100, "trichu", None),
    (100, "tientsin", None),
    (100, "grand_seigneur", {}),
    (150, "grand_seigneur", None),
)

Plain = dict[str, object]


class Trick:
    """The begin of the running trick as a `start`, and the steps since; None before the play."""

    def __init__(self) -> None:
        self.start: Plain | None = None
        self.steps: list[Plain] = []

    def before(self, round_: Round) -> None:
        """Take a new begin where the table is empty."""
        if round_.phase is Phase.PLAY and round_.table is None and round_.turn is not None:
            self.start, self.steps = _start(round_), []

    def after(self, before: Round, now: Round) -> None:
        """Add the step that led from one state to the next."""
        if self.start is None:
            return
        for seat in map(Seat, range(now.n)):
            if now.calls[seat] is not before.calls[seat]:
                self.steps.append({"seat": seat, "call": str(now.calls[seat])})
            if now.hands[seat] != before.hands[seat]:
                self.steps.append(_played(before, now, seat))
                return
        if now.passes > before.passes:
            self.steps.append({"seat": before.turn, "pass": True})


def _played(before: Round, now: Round, seat: Seat) -> Plain:
    cards = before.hands[seat] & ~now.hands[seat]
    same = now.table is not None and now.table.cards == cards
    text = format_play(now.table) if same and now.table is not None else format_cards(cards)
    step: Plain = {"seat": seat, "play": text}
    if cards & MAHJONG and now.wish:
        step["wish"] = format_rank(now.wish)
    return step


def _start(round_: Round) -> Plain:
    start: Plain = {"hands": [format_cards(hand) for hand in round_.hands], "lead": round_.turn}
    calls = {str(s): str(call) for s, call in enumerate(round_.calls) if call is not None}
    played = [s for s, has in enumerate(round_.has_played) if has and s not in round_.out]
    order = list(round_.seating.order)
    fixed = order == list(range(round_.n)) or round_.options.variant is Variant.TRICHU
    for key, value in (
        ("out", list(round_.out)),
        ("calls", calls),
        ("played", played),
        ("wish", format_rank(round_.wish) if round_.wish else None),
        ("dealer", int(round_.dealer) if round_.options.variant is Variant.TRICHU else 0),
        ("turn_order", None if fixed else order),
    ):
        if value:
            start[key] = value
    return start


def _rules(rng: random.Random, variant: Variant, given: dict[str, object] | None) -> RuleOptions:
    options = random_options_of(variant, rng)
    if given is None:
        return options
    more = {"seats": options.seats} if variant is Variant.GRAND_SEIGNEUR else {}
    return RuleOptions(variant=variant, **more, **given)  # type: ignore[arg-type]


def _of_a_round(rng: random.Random, rules: RuleOptions) -> Iterator[Plain]:
    """Yield questions out of one round: a seat on turn, or one that could bomb."""
    round_, trick = dealt(rng, rules), Trick()
    while round_.phase is not Phase.ROUND_OVER:
        trick.before(round_)
        seats = [s for s in round_.bomb_holders() if s != round_.turn and rng.random() < 0.5]
        leads = round_.table is None and round_.turn is not None
        if round_.turn is not None and rng.random() < (0.4 if leads else 1 / ONCE_IN):
            seats.append(round_.turn)
        if trick.start is not None and round_.phase in (Phase.PLAY, Phase.CLOSING):
            for seat in seats:
                options = {"options": options_dict(rules)} if options_dict(rules) else {}
                yield {**options, "start": trick.start, "steps": [*trick.steps], "seat": seat}
        before = round_.copy()
        act(round_, rng)
        trick.after(before, round_)


def lines() -> Iterator[str]:
    """Yield the lines of the file."""
    rng = random.Random(SEED)
    number = 0
    for share, name, given in SHARES:
        left = share
        while left:
            for question in _of_a_round(rng, _rules(rng, Variant(name), given)):
                line: Plain = {"id": f"count-{number + 1:04}", **question}
                found = counted(json.dumps(line).encode())
                if found.legal > MANY or (found.legal < 2 and rng.random() < DULL):
                    continue
                number, left = number + 1, left - 1
                line |= {"legal": found.legal, "patterns": found.patterns}
                yield json.dumps(line, separators=(",", ":"))
                if not left:
                    break


def main() -> None:
    FILE.write_text("\n".join(lines()) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
