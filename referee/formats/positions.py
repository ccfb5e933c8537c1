"""A position as text: a vector, or the bare `start` of one, with the steps that lead on from it."""

from referee.formats.vector_fields import as_object, decode_object, known_keys
from referee.formats.vector_parsing import parse_start, parse_steps, parse_vector_options
from referee.formats.vector_steps import CheckStep
from referee.formats.vectors import apply_step
from referee.rules.errors import NotationError
from referee.rules.round import Round

_KEYS = ("id", "title", "options", "start", "steps")


def read_position(data: bytes) -> Round:
    """Return the round of a position, its steps played; a step with an `error` is passed over.

    Raises `NotationError` that lists every fault of the position, or names the step that the rules
    refuse.
    """
    raw = decode_object(data)
    if "start" not in raw:
        raw = {"start": raw}
    known_keys(raw, _KEYS, "position")
    options = parse_vector_options(raw)
    round_ = Round.from_position(parse_start(as_object(raw["start"], "start"), options))
    for number, step in enumerate(parse_steps(raw.get("steps", []), options), start=1):
        if isinstance(step, CheckStep) or step.error is not None:
            continue
        refusal = apply_step(round_, step)
        if refusal is not None:
            raise NotationError(f"step {number} is refused: {refusal}")
    return round_
