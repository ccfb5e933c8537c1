"""A command that says in one line what its operator has to mend, with exit code 2."""

import sys
from typing import Any

import click

from referee.cli.once import OnceCommand

USAGE = 2


class RefusingCommand(OnceCommand):
    """As `OnceCommand`; a `ConfigError` or a database that cannot do it ends it in good order."""

    def invoke(self, ctx: click.Context) -> Any:
        """As click does. Names of strangers in an error move no cursor."""
        from referee.formats.printable import printable
        from referee.ports.ladder import LadderStoreError
        from referee.rules.errors import ConfigError

        try:
            return super().invoke(ctx)
        except (ConfigError, LadderStoreError) as error:
            click.echo(f"error: {printable(str(error))}", err=True)
            sys.exit(USAGE)
