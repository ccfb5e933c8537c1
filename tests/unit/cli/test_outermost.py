"""Ctrl-C ends every command with 130, at whatever moment it comes."""

import click
import pytest
from click.testing import CliRunner

from referee.cli.outermost import OutermostGroup


class _Interrupted(click.Option):
    """Ctrl-C comes while the command line is read."""

    def handle_parse_result(self, *_: object) -> tuple[object, list[str]]:
        raise KeyboardInterrupt


@click.command()
def work() -> None:
    """Ctrl-C comes while the command runs."""
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    "group",
    [
        OutermostGroup(rows={}, params=[_Interrupted(["--slow"])], commands={"work": work}),
        OutermostGroup(rows={}, commands={"work": work}),
    ],
    ids=["while the command line is read", "while the command runs"],
)
def test_ctrl_c_is_130_at_any_moment(group: click.Group) -> None:
    result = CliRunner().invoke(group, ["work"])
    assert (result.exit_code, result.output) == (130, "")
