"""What a gate brought, as JSON for programs."""

import msgspec

from referee.ladder.gate_outcome import BASELINE, CANDIDATE, GateBot, GateOutcome

FORMAT = "tichu-gate"
VERSION = 1

_ENCODER = msgspec.json.Encoder()
_DIGITS = 4


def gate_json(outcome: GateOutcome, *, exit_code: int) -> str:
    """Return one object, indented. Points are candidate less baseline, a round.

    Numbers that nobody knows are null. Later releases add keys; none is renamed.
    """
    found: object = {
        "format": FORMAT,
        "version": VERSION,
        "verdict": outcome.verdict.value,
        "exit_code": exit_code,
        "why": outcome.why,
        "same_play": outcome.same_play,
        "terms": {
            "points0": outcome.terms.points0,
            "points1": outcome.terms.points1,
            "alpha": outcome.terms.alpha,
            "beta": outcome.terms.beta,
            "max_boards": outcome.terms.max_boards,
        },
        CANDIDATE: _bot(outcome.candidate),
        BASELINE: _bot(outcome.baseline),
        "boards": {
            "played": outcome.boards,
            "won": outcome.won,
            "equal": outcome.tied,
            "lost": outcome.lost,
            "void": outcome.void,
            "a_minute": _rounded(outcome.rate),
        },
        "points": {
            "mean": _rounded(outcome.mean) if outcome.boards else None,
            "low": _rounded(outcome.interval[0]) if outcome.interval else None,
            "high": _rounded(outcome.interval[1]) if outcome.interval else None,
            "sigma": _rounded(outcome.sigma) if outcome.boards else None,
        },
        "ratio": {
            "llr": _rounded(outcome.llr),
            "rejects_at": _rounded(outcome.terms.lower),
            "accepts_at": _rounded(outcome.terms.upper),
        },
        "forecast": None if outcome.forecast is None else _forecast(outcome),
        "faults": [msgspec.structs.asdict(fault) for fault in outcome.faults],
        "said": list(outcome.said),
        "notes": list(outcome.notes),
        "late_answers": outcome.late,
        "stolen": _rounded(outcome.stolen),
        "seconds": round(outcome.elapsed_s, 3),
        "seed": outcome.seed,
        "practice": outcome.practice,
    }
    found = _as_text(found)
    return msgspec.json.format(_ENCODER.encode(found), indent=2).decode() + "\n"


def _as_text(value: object) -> object:
    """Return a value whose texts are all text: an argument may hold bytes that are none."""
    match value:
        case str():
            return value.encode(errors="backslashreplace").decode()
        case dict():
            return {name: _as_text(one) for name, one in value.items()}
        case list():
            return [_as_text(one) for one in value]
        case _:
            return value


def _bot(bot: GateBot) -> dict[str, str]:
    return msgspec.structs.asdict(bot)


def _forecast(outcome: GateOutcome) -> dict[str, object]:
    assert outcome.forecast is not None
    found = msgspec.structs.asdict(outcome.forecast)
    for name in ("sigma", "rate", "decidable"):
        found[name] = _rounded(found[name])
    return found


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
