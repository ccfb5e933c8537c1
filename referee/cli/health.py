"""`referee health`: is a referee up?"""

import sys
from pathlib import Path

import click

from referee.cli.once import OnceCommand
from referee.config import DEFAULT_ADDRESS
from referee.rules.errors import ConfigError
from referee.transport.probe import why_not_serving

_NOT_SERVING = 1
_USAGE = 2


@click.command(cls=OnceCommand)
@click.argument("address", default=DEFAULT_ADDRESS)
@click.option("--ca-file", type=click.Path(path_type=Path), help="Certificates to trust, PEM.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(0.001, 3_600),
    default=2.0,
    show_default=True,
    help="Seconds to wait.",
)
def health(address: str, ca_file: Path | None, timeout_s: float) -> None:
    """Ask the health service of the referee at ADDRESS.

    Exit codes: 0 it serves; 1 it does not, for the reason printed; 2 usage.
    """
    try:
        ca = ca_file.read_bytes() if ca_file is not None else None
        reason = why_not_serving(address, timeout_s=timeout_s, ca_file=ca)
    except OSError as error:
        click.echo(f"error: --ca-file {ca_file}: {error.strerror}", err=True)
        sys.exit(_USAGE)
    except ConfigError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(_USAGE)
    click.echo("serving" if reason is None else f"not serving: {address}: {reason}")
    sys.exit(0 if reason is None else _NOT_SERVING)
