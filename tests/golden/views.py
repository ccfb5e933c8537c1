"""The vectors that every sample bot must answer as the others do, in `tests/vectors`.

    .venv/bin/python -m tests.golden.views

writes `views.jsonl` and `cards.jsonl` anew; read the difference before it is committed.
`views_made.py` holds the views made by hand, `views_played.py` takes the others out of games.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.golden.views_made import FORCED, RARE
from tests.golden.views_played import Json, answer_of, kept
from tichu_bot import cards

FOLDER = Path(__file__).parents[1] / "vectors"
COMMAND = ".venv/bin/python -m tests.golden.views"


def view_lines() -> Iterator[Json]:
    """The lines of `views.jsonl`: the forced ones first, then rare ones, then those of games."""
    for number, (title, view, answer) in enumerate(FORCED, 1):
        yield {"id": f"forced-{number}", "title": title, "view": view, "answer": answer}
    for number, (title, view) in enumerate(RARE, 1):
        yield {"id": f"rare-{number}", "title": title, "view": view, "answer": answer_of(view)[0]}
    for number, one in enumerate(kept(), 1):
        yield {"id": f"played-{number}", "title": one.game, "view": one.view, "answer": one.answer}


PACK = [1, 2, 3, 4, *range(8, 60)]
TEXTS = (
    *map(cards.name, PACK),
    *("Ph'", "Dr'", "2j'", "7p'", "Tr'", "Ar'"),
    "",
    "Mj 2j Ph'",
    "Ph Dr Ph' Dr'",
    "5j 5s Tj Ts Kj Ks 5j' Tj' Kj'",
    *("2j 2s 2p 2r", "Aj As Ap Ar", "Ph 9j 9s 9p", "9j 9s 9p 9j'", "9j 9s 9p 9j' 9r'"),
    *("2j 3j 4j 5j 6j", "Ts Js Qs Ks As", "5r 6r 7r 8r 9r Tr"),
    *("2j 3j 4j 5j", "2j 3j 4j 5j 6s", "Mj 2j 3j 4j 5j", "Ph 2j 3j 4j 5j", "2j 3j 4j 5j 7j"),
    *("2s 3s 5s 6s 4s'", "2r 2s' 3r 3s' 4r 5r 6r'", "2j Qj Kj Aj 3j"),
    "Dg Mj 2j 2s 3j 3p 4j 5j 6p 8r Tj Js Qj Aj",
    "Dg Mj 2j 2s 3j 3p 4j 5j 6j 8r Tj Js Qj Aj",
    *(" ".join(map(cards.name, PACK[start : start + 14])) for start in range(0, 56, 14)),
    " ".join(map(cards.name, PACK)),
    " ".join(map(cards.name, [*PACK, 66, 67, *range(72, 124)])),
)
NO_CARDS = ("8x", "1j", "10j", "j8", "8", "8J", "tj", "2j,3j", "2j3j", "Mjj", "'", "2j''", "Ph=3")


def card_lines() -> Iterator[Json]:
    """The lines of `cards.jsonl`: texts with what is to be said of their cards."""
    for text in TEXTS:
        held = sorted(cards.parse(text))
        yield {
            "text": cards.show(held),
            "cards": held,
            "ranks": list(map(cards.rank, held)),
            "points": cards.points(held),
            "bomb": cards.holds_bomb(held),
        }
    for text in NO_CARDS:
        yield {"text": text, "error": True}


def texts() -> Mapping[str, str]:
    """The files by their names."""
    files = {"views.jsonl": view_lines(), "cards.jsonl": card_lines()}
    return {name: "".join(map(_line, lines)) for name, lines in files.items()}


def _line(line: Json) -> str:
    return json.dumps(line, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for file, text in texts().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
        print(f"wrote {file}")
