"""Rule vectors: lines in, results out. `referee rules check` prints what `check_lines` yields."""

from collections.abc import Iterable, Iterator
from typing import assert_never

import msgspec

from referee.formats.printable import printable
from referee.formats.vector_fields import shown
from referee.formats.vector_parsing import parse_line
from referee.formats.vector_steps import (
    PASS,
    UNNAMED,
    ActionStep,
    AnyError,
    CallStep,
    CheckStep,
    CollectStep,
    DogStep,
    DragonStep,
    ExchangeStep,
    Expected,
    PassStep,
    PlayStep,
    Vector,
)
from referee.rules.combinations import readings
from referee.rules.errors import NotationError
from referee.rules.exchanges import by_slot
from referee.rules.match_score import MatchScore
from referee.rules.notation import format_cards, format_play, format_rank
from referee.rules.phases import Phase
from referee.rules.refusals import Refusal
from referee.rules.round import Round
from referee.rules.seat import Seat


class LineResult(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one line that held a vector, or should have."""

    line: int  # from 1
    fault: str | None = None  # one line of text; None = passed
    invalid: bool = False  # the line is no vector; the fault names its number


def check_lines(lines: Iterable[bytes]) -> Iterator[LineResult]:
    """Play every vector of a file, one line at a time. Blank lines are skipped."""
    for number, data in enumerate(lines, start=1):
        if number == 1:
            data = data.removeprefix(b"\xef\xbb\xbf")  # an editor's byte order mark
        if not data.strip():
            continue
        try:
            vector = parse_line(data)
        except NotationError as wrong:
            fault = printable(f"line {number}: {wrong}")
            yield LineResult(line=number, fault=fault, invalid=True)
            continue
        failed = run_vector(vector)
        yield LineResult(line=number, fault=None if failed is None else printable(failed))


def run_vector(vector: Vector) -> str | None:
    """Return `ID step N: expected ..., got ...` for the first step that fails, None if none."""
    round_ = Round.from_position(vector.start)
    for number, step in enumerate(vector.steps, start=1):
        if isinstance(step, CheckStep):
            fault = failed_check(round_, step)
        else:
            fault = _failed_action(round_, step)
        if fault is not None:
            return f"{vector.name} step {number}: {fault}"
    return None


def apply_step(round_: Round, step: ActionStep) -> Refusal | None:
    """Do what a step says; returns the refusal, None when it was accepted."""
    match step:
        case PlayStep():
            return round_.play(
                step.seat, step.cards, phoenix_rank=step.phoenix_rank, wish=step.wish
            )
        case PassStep():
            return round_.pass_turn(step.seat)
        case CollectStep():
            return round_.collect()
        case DragonStep():
            return round_.give_dragon(step.seat, step.to)
        case DogStep():
            return round_.give_dog(step.seat, step.to)
        case CallStep():
            return round_.call(step.seat, step.call)
        case ExchangeStep():
            slots = round_.exchange_slots(step.seat)
            return round_.exchange(step.seat, by_slot(slots, step.choice))
        case _:
            assert_never(step)


def _failed_action(round_: Round, step: ActionStep) -> str | None:
    before = round_.state() if step.error is not None else ()
    refusal = apply_step(round_, step)
    if not _is_as_expected(refusal, step.error):
        return f"expected {_verdict(step.error)}, got {_verdict(refusal)}"
    if step.error is not None and round_.state() != before:
        return "expected the state unchanged by a refused action, got another state"
    return None


def _is_as_expected(refusal: Refusal | None, expected: Expected) -> bool:
    if isinstance(expected, AnyError):
        return refusal is not None
    return refusal is expected


def _verdict(value: Expected) -> str:
    if value is None:
        return "accepted"
    return "any error" if isinstance(value, AnyError) else value.value


def failed_check(round_: Round, step: CheckStep) -> str | None:
    """Return `expected ..., got ...` for the first thing that does not hold, None if all does."""
    for key, expected in step.expected.items():
        if key == "legal":
            assert isinstance(expected, dict)
            for seat, entries in expected.items():
                fault = _failed_legal(round_, seat, entries)
                if fault is not None:
                    return fault
        elif key == "hands":
            assert isinstance(expected, dict)
            for seat, cards in expected.items():
                if cards != seen_hand(round_, seat):
                    got = _cards_text(seen_hand(round_, seat))
                    return f"expected hand of seat {seat} {_cards_text(cards)}, got {got}"
        else:
            observed = _observed(round_, key)
            if observed != expected:
                return f"expected {key} {_text(key, expected)}, got {_text(key, observed)}"
    return None


def seen_hand(round_: Round, seat: Seat) -> int:
    """Return the cards a seat has seen of its hand: the first ones while Grand is decided (A3)."""
    return round_.dealt_hands[seat]


def legal_entries(round_: Round, seat: Seat) -> tuple[tuple[int, int], ...]:
    """Return every action open to a seat as a turn action, as sorted (mask, Phoenix's rank)."""
    entries = [(play.cards, play.phoenix_rank) for play in round_.every_play(seat)]
    if round_.may_pass(seat):
        entries.append(PASS)
    return tuple(sorted(entries))


def _failed_legal(round_: Round, seat: Seat, expected: tuple[tuple[int, int], ...]) -> str | None:
    observed = legal_entries(round_, seat)
    if observed == expected:
        return None
    lacking = [_entry_text(entry) for entry in expected if entry not in observed]
    extra = [_entry_text(entry) for entry in observed if entry not in expected]
    if not lacking and not extra:
        return f"expected legal of seat {seat} without repetition, got an entry named twice"
    return (
        f"expected legal of seat {seat} with {', '.join(lacking) or 'nothing more'}, "
        f"got {', '.join(extra) or 'nothing'} instead"
    )


def _entry_text(entry: tuple[int, int]) -> str:
    if entry == PASS:
        return "pass"
    cards, phoenix_rank = entry
    text = format_cards(cards)
    if phoenix_rank == UNNAMED:
        return f"{text} (Ph= not said)"
    if phoenix_rank == 0:
        return text
    for play in readings(cards, two_phoenixes=True):
        if play.phoenix_rank == phoenix_rank:
            return format_play(play)
    return _as_named(text, phoenix_rank)


def _as_named(text: str, rank: int) -> str:
    """Write an expected entry that no reading has as it was named."""
    named = format_rank(rank) if rank > 1 else "1"
    return " ".join([f"{t}={named}" if t.startswith("Ph") else t for t in text.split()])


def _observed(round_: Round, key: str) -> object:
    match key:
        case "phase":
            return round_.phase
        case "turn":
            return round_.turn
        case "wish":
            return round_.wish or None
        case "out":
            return tuple(round_.out)
        case "owner":
            return round_.owner
        case "won_points":
            return tuple(round_.won_points(Seat(seat)) for seat in range(round_.n))
        case "round_score":
            return round_.round_score if round_.phase is Phase.ROUND_OVER else None
        case "scores":
            return round_.scores
        case "match_over":
            return _score_after(round_).is_over
        case "winner":
            return _score_after(round_).winner
        case _:
            raise AssertionError(f"the parser let a check {key} through")


def _score_after(round_: Round) -> MatchScore:
    score = MatchScore(round_.options, totals=round_.scores_before)
    score.ranks = round_.ranks
    if round_.phase is Phase.ROUND_OVER:
        score.add(round_.round_score, order=round_.finishing_order)
    return score


def _text(key: str, value: object) -> str:
    if key == "wish" and isinstance(value, int):
        return f'"{format_rank(value)}"'
    return shown(value)


def _cards_text(cards: int) -> str:
    return f'"{format_cards(cards)}"'
