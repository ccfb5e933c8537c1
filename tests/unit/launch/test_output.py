from pathlib import Path

from referee.launch.output import last_lines, trim


def test_the_last_twenty_lines_are_shown(tmp_path: Path) -> None:
    file = tmp_path / "err"
    file.write_text("".join(f"line {number}\n" for number in range(100)))
    assert last_lines(file) == [f"line {number}" for number in range(80, 100)]


def test_a_file_of_many_megabytes_is_read_from_its_end(tmp_path: Path) -> None:
    file = tmp_path / "err"
    file.write_bytes(b"x" * 79 + b"\n" + b"y" * (1 << 22) + b"\nlast\n")
    lines = last_lines(file)
    assert lines[-1] == "last"
    assert all(len(line) <= 400 for line in lines)


def test_control_characters_of_a_bot_reach_no_terminal(tmp_path: Path) -> None:
    file = tmp_path / "err"
    file.write_bytes(b"red \x1b[31m and \xff\n")
    assert last_lines(file) == ["red \\x1b[31m and �"]


def test_a_bot_without_output_has_no_last_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "none") == []


def test_a_log_over_its_cap_keeps_its_end_and_its_writer(tmp_path: Path) -> None:
    file = tmp_path / "out"
    with file.open("ab", buffering=0) as writer:
        writer.write(b"a" * 5000 + b"the end\n")
        trim(file, cap_bytes=1000)
        writer.write(b"goes on\n")
    assert file.stat().st_size < 1100
    assert last_lines(file)[-1] == "goes on"
    assert file.read_bytes().startswith(b"[the beginning was dropped]\n")
    assert b"the end\ngoes on\n" in file.read_bytes()


def test_a_log_within_its_cap_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "out"
    file.write_bytes(b"abc\n")
    trim(file, cap_bytes=4)
    assert file.read_bytes() == b"abc\n"


def test_lines_of_an_earlier_writer_are_left_out_also_after_trimming(tmp_path: Path) -> None:
    file = tmp_path / "err"
    file.write_bytes(b"the run before\n" * 10)
    begin = file.stat().st_size
    with file.open("ab", buffering=0) as writer:
        assert last_lines(file, begin=begin) == []
        writer.write(b"now\n\n  \nlast\n")
        assert last_lines(file, begin=begin) == ["now", "last"]
        begin -= trim(file, cap_bytes=100)
        assert last_lines(file, begin=begin) == ["now", "last"]
    assert "the run before" in last_lines(file)
    assert trim(file) == 0
