"""The texts of a ladder against files: table, exports, pages, report."""

from tests.golden.ladder.texts import COMMAND, FOLDER, texts


def test_a_ladder_is_told_byte_for_byte_as_before() -> None:
    for file, text in texts().items():
        golden = (FOLDER / file).read_bytes().decode()
        assert text == golden, f"{file} changed; if it is meant: {COMMAND}"


def test_there_is_no_golden_file_that_nothing_is_compared_with() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(texts())


def test_the_golden_texts_show_what_is_rare() -> None:
    """A golden report without a fault, a void board or a bet would guard little."""
    told = "".join(texts().values())
    rare = ("annulled", "withdrawn", "void board", "resigned", "crashed", "network", "ran out")
    assert [words for words in rare if words not in told] == []
