"""A click group that imports a command only when it runs: `--help` loads none of them."""

import importlib
from collections.abc import Mapping

import click


class LazyGroup(click.Group):
    """A group whose commands are rows `name: ("module:attribute", "one line for --help")`."""

    def __init__(self, *, rows: Mapping[str, tuple[str, str]], **settings: object) -> None:
        super().__init__(**settings)  # type: ignore[arg-type]
        self._rows = rows

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in the order of the table, then those that were added."""
        return [*self._rows, *(name for name in super().list_commands(ctx))]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the module of a command and return it; None when there is no such command."""
        if cmd_name not in self._rows:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self._rows[cmd_name][0].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table without importing what it names."""
        rows = [(name, text) for name, (_, text) in self._rows.items()]
        for name, command in self.commands.items():
            rows.append((name, command.get_short_help_str()))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does, and name the nearest command for one that does not exist."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as wrong:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near or "Did you mean" in wrong.message:
                raise
            raise click.UsageError(f"{wrong.message} Did you mean {near[0]!r}?", ctx) from None
