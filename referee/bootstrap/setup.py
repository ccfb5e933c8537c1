"""What a referee is to be, and what of it cannot be."""

from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from referee.app.limits import SECOND, Limits
from referee.app.reception import ServiceSetup
from referee.app.service import Service
from referee.match.values import MS, Settings
from referee.ports import Audience, Durability
from referee.ports.services import Services
from referee.rules.errors import ConfigError
from referee.transport.endpoints import Endpoint, parse_endpoint
from referee.transport.server import Tls

if TYPE_CHECKING:
    from referee.bootstrap.referee import Referee

SECRET_BYTES = 32
_MOST_GRACE_MS = 3_600_000


class Isolation(StrEnum):
    """How the processes of a match are kept apart (PROTOCOL 1). Values travel in records."""

    ISOLATED = "isolated"  # every instance a process of its own that we started
    DECLARED = "declared"  # bots that dial in: what they tell each other cannot be seen
    NONE = "none"  # one process may hold several seats of a match


class RefereeSetup(msgspec.Struct, frozen=True, kw_only=True):
    """What one referee process is to be. Checked by `Referee.start`, which raises `ConfigError`.

    `listen` holds `unix:/path` and `host:port`; port 0 takes a free one.
    """

    listen: tuple[str, ...]
    # 32 bytes; all cards come from it. None: that of the event which the store was left with, else
    # a new one is drawn
    event_secret: bytes | None = None
    practice: bool = False  # the secret was chosen by a person: records say so
    tls_cert: Path | None = None
    tls_key: Path | None = None
    plaintext: bool = False  # listen off this machine without TLS
    open_identity: bool = False  # bots without a token may play, near by only
    isolation: Isolation = Isolation.DECLARED
    record_dir: Path | None = None  # None keeps no records
    store: Path | None = None  # None: facts end with this process
    durability: Durability = Durability.PROCESS
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    grace_ms: int = 10_000  # a seat without a stream, before it is a fault
    resume_grace_ms: int = 30_000  # a seat whose bot has to come back after our restart
    start_budget_s: float = 30.0  # for a seat whose bot has not said Hello at the deal
    resume: bool = True  # False: what an earlier process left running ends as cancelled
    limits: Limits = Limits()  # its grace is replaced by `grace_ms`


class IssuedInstance(msgspec.Struct, frozen=True, kw_only=True):
    """One process that may come. The token is shown this once; only its hash is kept."""

    instance_id: str
    token: str


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """A process that may come with a token that somebody else made: SHA-256 of the token's text."""

    name: str
    owner: str
    token_hash: bytes


class Offer(Protocol):
    """Makes what a referee serves beside its streams, before anybody can come in."""

    def __call__(self, referee: "Referee", service: Service) -> Services:
        """Return the services of this referee."""


class TablePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What waiting bots play. `matches` None seats them as long as there are any."""

    settings: Settings
    matches: int | None = None
    parallel: int = 1  # matches of one instance at once, at most
    audience: Audience | None = None
    lobby: bool = True  # False: nobody is seated for waiting alone

    def seatings(self, started: int) -> int | None:
        """Return how many tables are still seated, of so many begun; None: no end."""
        if not self.lobby:
            return 0
        return None if self.matches is None else max(0, self.matches - started)


def service_setup(setup: RefereeSetup) -> ServiceSetup:
    """Return what of a setup concerns the service. Raises `ConfigError`."""
    grace_ns, resume_ns = setup.grace_ms * MS, setup.resume_grace_ms * MS
    for name, ms in (("grace", setup.grace_ms), ("resume grace", setup.resume_grace_ms)):
        if not 0 <= ms <= _MOST_GRACE_MS:
            raise ConfigError(f"{name}: {ms} ms is not 0 to {_MOST_GRACE_MS}")
    return ServiceSetup(
        server=f"tichu-referee {version('tichu-referee')}",
        limits=msgspec.structs.replace(setup.limits, grace_ns=grace_ns),
        open_identity=setup.open_identity,
        may_share=setup.isolation is Isolation.NONE,
        start_ns=int(setup.start_budget_s * SECOND),
        resume_ns=resume_ns,
    )


def checked(setup: RefereeSetup) -> tuple[list[Endpoint], Tls | None]:
    """Return where a referee listens, and how. Raises `ConfigError`."""
    if not setup.listen:
        raise ConfigError("listen: nowhere; name unix:/path or host:port")
    secret = setup.event_secret
    if secret is not None and len(secret) != SECRET_BYTES:
        raise ConfigError(f"event secret: {len(secret)} bytes, {SECRET_BYTES} are needed")
    if (setup.tls_cert is None) != (setup.tls_key is None):
        raise ConfigError("TLS: a certificate and its key belong together; give both")
    endpoints = [parse_endpoint(text) for text in setup.listen]
    tls = None
    if setup.tls_cert is not None and setup.tls_key is not None:
        tls = Tls(cert=setup.tls_cert, key=setup.tls_key)
    for endpoint in endpoints:
        if not endpoint.near and tls is None and not setup.plaintext:
            raise ConfigError(
                f"listen {endpoint.text}: tokens would leave this machine in the clear; "
                "give --tls-cert and --tls-key, or say --plaintext"
            )
    return endpoints, tls
