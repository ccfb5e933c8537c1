"""Whole matches against files: the record, every view of it, what every seat may know."""

import pytest

from tests.golden.playthroughs import COMMAND, FOLDER, MATCHES, texts


@pytest.mark.parametrize("name", MATCHES)
def test_a_match_is_told_byte_for_byte_as_before(name: str) -> None:
    for file, text in texts(name).items():
        golden = (FOLDER / file).read_text(encoding="utf-8")
        assert text == golden, f"{file} changed; if it is meant: {COMMAND}"


def test_there_is_no_golden_file_that_nothing_is_compared_with() -> None:
    compared = {file for name in MATCHES for file in texts(name)}
    assert {path.name for path in FOLDER.glob("*.*") if path.suffix != ".py"} == compared


WHOLE = ("bombs", "wishes", "refused", "strike", "TICHU", "gives the trick", "is out")
TROUBLE = ("lag granted", "referee was blocked", "ends the match", "ended by seats", "counts as")


@pytest.mark.parametrize(("name", "rare"), [("fast", WHOLE), ("fair", WHOLE), ("trouble", TROUBLE)])
def test_the_golden_matches_show_what_is_rare(name: str, rare: tuple[str, ...]) -> None:
    """A golden file without a bomb, a wish, a refusal or a strike would guard little."""
    told = (FOLDER / f"{name}.all.txt").read_text(encoding="utf-8")
    assert [words for words in rare if words not in told] == []


@pytest.mark.parametrize("name", MATCHES)
def test_a_view_shows_no_hand_of_another_seat(name: str) -> None:
    public = (FOLDER / f"{name}.public.txt").read_text(encoding="utf-8")
    assert not [line for line in public.splitlines() if line.split()[:1] in (["holds"], ["hand"])]
    for seat in range(4):
        own = (FOLDER / f"{name}.seat{seat}.txt").read_text(encoding="utf-8")
        shown = {line.split()[1] for line in own.splitlines() if line.split()[:1] == ["holds"]}
        assert shown == {str(seat)}
