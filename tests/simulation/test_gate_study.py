"""The command behind the figures of the gate."""

import pytest

from tests.gate_study.__main__ import main


@pytest.mark.slow
def test_the_page_has_a_table_of_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--seed", "x", "--runs", "250", "--gates", "1", "--live", "1", "--processes", "1"])
    page = capsys.readouterr().out
    titles = [line for line in page.splitlines() if line.startswith("## ")]
    assert [title[3:9] for title in titles] == ["Errors", "Change", "Two bo", "greedy"]
    assert titles[-1].endswith(", 1 gates: accept")
    assert "python -m tests.gate_study --seed x --runs 250" in page


@pytest.mark.parametrize("words", [["--runs", "100"], ["--gates", "-1"], ["--processes", "0"]])
def test_numbers_that_cannot_be_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
