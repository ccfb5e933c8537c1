"""The bot against the vectors that all sample bots share: `python -m unittest test_bot`."""

# ruff: noqa: PT009, PT027 - these tests need nothing but Python and the library

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any  # noqa: TID251 - what JSON holds

import cards
import strategy
import tichu_bot
from main import decision_of, view_of
from stated import read_view, write_answer

HERE = Path(__file__).parent
FOLDERS = (HERE / "vectors", HERE.parents[1] / "tests" / "vectors")


def lines_of(name: str) -> list[dict[str, Any]]:
    """Return the lines of a file of vectors."""
    folder = next((folder for folder in FOLDERS if folder.is_dir()), None)
    if folder is None:
        raise FileNotFoundError("no ./vectors or ../../tests/vectors: copy them here")
    return [json.loads(line) for line in (folder / name).read_text("utf-8").splitlines()]


class Cards(unittest.TestCase):
    """Cards and the shuffle."""

    def test_cards_are_read_and_written_as_the_vectors_have_them(self) -> None:
        """Also what must not be read."""
        for line in lines_of("cards.jsonl"):
            with self.subTest(line["text"]):
                if "error" in line:
                    self.assertRaises(ValueError, cards.parse, line["text"])
                    continue
                held = cards.parse(line["text"])
                self.assertEqual(list(held), line["cards"])
                self.assertEqual(cards.show(held), line["text"])
                self.assertEqual(list(map(cards.rank, held)), line["ranks"])
                self.assertEqual(cards.points(held), line["points"])
                self.assertEqual(cards.holds_bomb(held), line["bomb"])

    def test_shuffles_and_commitments_are_those_of_the_vectors(self) -> None:
        """The lines are of two kinds."""
        for line in lines_of("shuffle.jsonl"):
            if "seed" in line:
                order = cards.shuffle(bytes.fromhex(line["seed"]), line["cards"])
                self.assertEqual(order, line["order"])
            else:
                seed = bytes.fromhex(line["deal_seed"])
                self.assertEqual(cards.commitment(line["match_id"], seed).hex(), line["commit"])


class Views(unittest.TestCase):
    """The strategy, and the way to it."""

    def test_every_view_is_answered_as_the_bots_of_all_languages_do(self) -> None:
        """Whole answers, wish and Tichu included."""
        lines = lines_of("views.jsonl")
        self.assertGreater(len(lines), 300)
        for line in lines:
            with self.subTest(line["id"], title=line["title"]):
                answer = strategy.decide(read_view(line["view"]))
                self.assertEqual(write_answer(answer), line["answer"])

    def test_the_view_of_the_library_gets_the_same_answers(self) -> None:
        """Turn orders other than that of the seats are not in the library's JSON."""
        for line in lines_of("views.jsonl"):
            with self.subTest(line["id"], title=line["title"]):
                view = tichu_bot.View.from_json(line["view"])
                answer = strategy.decide(view_of(view))
                self.assertEqual(write_answer(answer), line["answer"])
                self.assertEqual(decision_of(answer, view), expected(view, line["answer"]))


def expected(view: tichu_bot.View, answer: dict[str, Any]) -> tichu_bot.Decision:
    """Read an answer with the library's own reader."""
    return tichu_bot.DEFAULT if "default" in answer else tichu_bot.answer_from(view, answer)


class Process(unittest.TestCase):
    """What a wrong start says."""

    def test_settings_that_cannot_be_used_are_named_in_one_line(self) -> None:
        """Exit status 2, and nothing on stdout."""
        for flags, server, word in (
            ((), "", "TICHU_SERVER"),
            (("--matches", "513"), "127.0.0.1:1", "--matches"),
            (("--give-up", "soon"), "127.0.0.1:1", "--give-up"),
            (("--nonsense",), "127.0.0.1:1", "--nonsense"),
            ((), "192.0.2.1:7", "--plaintext"),
        ):
            with self.subTest(flags=flags, server=server):
                done = started(*flags, TICHU_SERVER=server, TICHU_TOKEN="secret")
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(word, done.stderr)
                self.assertNotIn("secret", done.stderr)

    def test_help_tells_the_flags(self) -> None:
        """Without a server."""
        done = started("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--give-up SECONDS", done.stdout)

    def test_a_referee_that_never_answers_is_given_up(self) -> None:
        """Exit status 3."""
        done = started("--give-up", "1", TICHU_SERVER="unix:/nowhere/referee")
        self.assertEqual(done.returncode, 3, done.stderr)


def started(*flags: str, **env: str) -> "subprocess.CompletedProcess[str]":
    """Run the bot to its end."""
    return subprocess.run(
        [sys.executable, str(HERE / "main.py"), *flags],
        env={"PATH": os.environ.get("PATH", ""), **env},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


if __name__ == "__main__":
    unittest.main()
