"""Where bots dial in to a ladder, looked at before anything is played or given to their owners."""

from pathlib import Path

from referee.bootstrap.ladder_advice import place_of
from referee.bootstrap.ladder_plan import LadderPlan
from referee.rules.errors import ConfigError
from referee.transport.endpoints import parse_endpoint
from referee.transport.server import Tls, check_tls


def check_doors(plan: LadderPlan) -> None:
    """Raise `ConfigError` for doors that no run could open: the line of the file, and the cure.

    Whether a port is free only a run can tell.
    """
    _check_tls(plan)
    for text in plan.listen:
        try:
            near = parse_endpoint(text).near
        except ConfigError as error:
            raise ConfigError(f"{place_of(plan, 'listen')}{error}") from None
        if not near and plan.tls_cert is None and not plan.plaintext:
            raise ConfigError(
                f"{place_of(plan, 'listen')}listen {text}: tokens would leave this machine in the "
                "clear; write tls_cert and tls_key, or plaintext = true"
            )


def _check_tls(plan: LadderPlan) -> None:
    if plan.tls_cert is None or plan.tls_key is None:
        return
    _check_file(plan, "tls_cert", plan.tls_cert)
    _check_file(plan, "tls_key", plan.tls_key)
    try:
        check_tls(Tls(cert=plan.tls_cert, key=plan.tls_key))
    except ConfigError as error:
        raise ConfigError(f"{place_of(plan, 'tls_cert')}{error}") from None


def _check_file(plan: LadderPlan, key: str, path: Path) -> None:
    try:
        with path.open("rb"):
            return
    except FileNotFoundError:
        why = f"there is no file {path}; put it there, or name another (from this file's folder on)"
    except OSError as error:
        why = f"{path}: {error.strerror}; make it a file that you may read"
    raise ConfigError(f"{place_of(plan, key)}{key}: {why}")
