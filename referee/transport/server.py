"""The gRPC server: options, endpoints, health and reflection."""

import asyncio
import contextlib
import errno
import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from pathlib import Path

import grpc
import msgspec
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]
from grpc_health.v1.health import SERVICE_NAME as HEALTH  # type: ignore[import-untyped]
from grpc_health.v1.health import aio as health_aio
from grpc_reflection.v1alpha import reflection  # type: ignore[import-untyped]

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.app.reception import Reception
from referee.ports import MAX_FRAME_BYTES
from referee.ports.services import Services
from referee.rules.errors import ConfigError
from referee.transport.endpoints import Endpoint, claim_path
from referee.transport.guard import SERVICE, Guard
from referee.transport.offered import OFFERED, OfferedServices
from referee.transport.play import PlayHandler
from referee.transport.probe import STORE_HEALTH

assert SERVICE in {s.full_name for s in referee_pb2.DESCRIPTOR.services_by_name.values()}

# Names that the library knows; it ignores others without a word, so a test looks each one up.
OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.so_reuseport", 0),  # a second referee on the port fails instead of taking half the bots
    ("grpc.max_receive_message_length", MAX_FRAME_BYTES),
    ("grpc.max_send_message_length", 4 * 1024 * 1024),
    ("grpc.max_metadata_size", 8 * 1024),
    ("grpc.absolute_max_metadata_size", 16 * 1024),
    ("grpc.max_concurrent_streams", 64),  # a connection; more wait at the client
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 8_000),
    ("grpc.http2.ping_timeout_ms", 8_000),  # the one that finds a frozen peer: within 20 s
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),  # what a bot's own keepalive may do
    ("grpc.http2.max_ping_strikes", 2),
)
_PRIVATE = 0o177  # umask: a socket for its owner alone


class Tls(msgspec.Struct, frozen=True, kw_only=True):
    """Certificate chain and key, as PEM files."""

    cert: Path
    key: Path


class GrpcServer:
    """A server over a reception. Start once, stop once."""

    def __init__(self, reception: Reception, *, max_streams: int) -> None:
        self._server = grpc.aio.server(
            interceptors=[Guard(reception)],
            options=OPTIONS,
            maximum_concurrent_rpcs=max_streams + 64,  # health, and streams that are refused
        )
        self._paths: list[Path] = []
        self._up = False
        self._store_away = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._health = health_aio.HealthServicer()
        play: grpc.RpcMethodHandler[bytes, bytes] = grpc.stream_stream_rpc_method_handler(
            PlayHandler(reception).play
        )
        handlers = grpc.method_handlers_generic_handler(SERVICE, {"Play": play})
        self._server.add_generic_rpc_handlers((handlers,))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        self._names = [SERVICE]
        self._offered: OfferedServices | None = None

    def offer(self, services: Services) -> None:
        """Serve these beside the streams. Before the start."""
        self._offered = OfferedServices(services)
        self._server.add_generic_rpc_handlers(self._offered.handlers())
        self._names += OFFERED

    async def start(self, endpoints: Sequence[Endpoint], tls: Tls | None) -> tuple[str, ...]:
        """Listen everywhere; return the addresses to dial. Raises `ConfigError`."""
        credentials = _credentials(tls) if tls is not None else None
        names = (*self._names, HEALTH, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)
        addresses = tuple([self._listen(endpoint, credentials) for endpoint in endpoints])
        await self._server.start()
        self._up = True
        await self._set_health()
        return addresses

    def _listen(self, endpoint: Endpoint, credentials: grpc.ServerCredentials | None) -> str:
        if endpoint.path is not None:
            claim_path(endpoint.path)
        try:
            with _umask(_PRIVATE):
                if credentials is None or endpoint.path is not None:
                    port = self._server.add_insecure_port(endpoint.text)
                else:
                    port = self._server.add_secure_port(endpoint.text, credentials)
        except RuntimeError:
            raise ConfigError(f"listen {endpoint.text}: {_why_not(endpoint)}") from None
        if endpoint.path is not None:
            self._paths.append(endpoint.path)
            return endpoint.text
        return Endpoint(host=endpoint.host, port=port).text

    async def drain(self) -> None:
        """Say that the service goes down."""
        self._up = False
        await self._set_health()

    def store_away(self, *, away: bool) -> None:
        """Say that nothing can be kept, or that it can again: the service is not ready without."""
        self._store_away = away
        task = asyncio.get_running_loop().create_task(self._set_health())
        self._tasks.add(task)  # the loop alone keeps no task alive
        task.add_done_callback(self._tasks.discard)

    async def _set_health(self) -> None:
        serving = health_pb2.HealthCheckResponse.SERVING
        for service in ("", *self._names, STORE_HEALTH):
            up = not self._store_away and (self._up or service == STORE_HEALTH)
            away = health_pb2.HealthCheckResponse.NOT_SERVING
            await self._health.set(service, serving if up else away)

    async def stop(self, grace_s: float) -> None:
        """Stop; streams that are open after the grace are cut."""
        if self._offered is not None:
            self._offered.close()
        await self._server.stop(grace_s)
        for path in self._paths:
            path.unlink(missing_ok=True)


def check_tls(tls: Tls) -> None:
    """Raise `ConfigError` where no server could be had with these files."""
    _credentials(tls)


def _credentials(tls: Tls) -> grpc.ServerCredentials:
    try:
        key, chain = tls.key.read_bytes(), tls.cert.read_bytes()
    except OSError as error:
        raise ConfigError(f"TLS file {error.filename}: {error.strerror}") from None
    _check_pair(tls, key=key, chain=chain)
    return grpc.ssl_server_credentials([(key, chain)])


def _check_pair(tls: Tls, *, key: bytes, chain: bytes) -> None:
    """Raise `ConfigError` for what gRPC would call a port that cannot be had."""
    if b"CERTIFICATE-----" not in chain:
        held = "; it holds a key: are the files swapped?" if b"PRIVATE KEY-----" in chain else ""
        raise ConfigError(f"TLS certificate {tls.cert}: no certificate in PEM form{held}")
    if b"PRIVATE KEY-----" not in key:
        raise ConfigError(f"TLS key {tls.key}: no private key in PEM form")
    try:
        # an empty password: a key that needs one is an error here, not a question on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(tls.cert, tls.key, lambda: "")
    except ssl.SSLError as error:
        if "KEY_VALUES_MISMATCH" in str(error):
            raise ConfigError(
                f"TLS key {tls.key}: not the key of the certificate {tls.cert}; give its own"
            ) from None
        raise ConfigError(
            f"TLS files {tls.cert} and {tls.key}: cannot be read as a PEM certificate and its key "
            "without a password"
        ) from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"TLS files {tls.cert} and {tls.key}: {error}") from None


_CURES = {
    errno.EADDRINUSE: "another process listens there; choose another port",
    errno.EADDRNOTAVAIL: "it is no address of this machine",
    errno.EACCES: "choose a port over 1023, or a folder that you may write to",
}


def _why_not(endpoint: Endpoint) -> str:
    """Say why nobody can listen there. gRPC keeps the reason to itself, so the system is asked."""
    try:
        for family, kind, protocol, address in _bindings(endpoint):
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
    except OSError as error:
        cure = _CURES.get(error.errno or 0)
        return f"{error.strerror}; {cure}" if cure else str(error.strerror)
    if endpoint.path is not None:
        endpoint.path.unlink(missing_ok=True)  # the probe's own
    return "cannot be had; another process may listen there"


_Binding = tuple[int, int, int, str | tuple[str, int]]


def _bindings(endpoint: Endpoint) -> list[_Binding]:
    if endpoint.path is not None:
        return [(socket.AF_UNIX, socket.SOCK_STREAM, 0, str(endpoint.path))]
    found = socket.getaddrinfo(
        endpoint.host, endpoint.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    return [
        (family, kind, protocol, (str(to[0]), int(to[1])))
        for family, kind, protocol, _, to in found
    ]


@contextlib.contextmanager
def _umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)
