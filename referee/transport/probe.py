"""A client of the health service: is a referee up?"""

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from referee.rules.errors import ConfigError
from referee.transport.endpoints import parse_endpoint

STORE_HEALTH = "tichu.referee.v1.Store"  # a health service of its own: says why another is down


def is_serving(address: str, *, timeout_s: float, ca_file: bytes | None = None) -> bool:
    """True if the referee at an address serves; False if it does not, or cannot be reached."""
    return why_not_serving(address, timeout_s=timeout_s, ca_file=ca_file) is None


def why_not_serving(address: str, *, timeout_s: float, ca_file: bytes | None = None) -> str | None:
    """Return None if the referee at an address serves, else the reason.

    Raises `ConfigError` for an address that cannot be one, and for certificates that are none.
    """
    endpoint = parse_endpoint(address, named="address")
    if endpoint.path is None and endpoint.port == 0:
        raise ConfigError(f"address {address!r}: port 0 is no port to dial; name the one it has")
    if ca_file is None:
        channel = grpc.insecure_channel(address)
    elif b"CERTIFICATE-----" not in ca_file:
        raise ConfigError("--ca-file: no certificate in PEM form")
    else:
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(ca_file))
    with channel:
        stub = health_pb2_grpc.HealthStub(channel)
        try:
            if _serves(stub, "", timeout_s):
                return None
            away = not _serves(stub, STORE_HEALTH, timeout_s)
        except grpc.RpcError as error:
            return _reason(error, tls=ca_file is not None)
    if away:
        return "its store is away or full: matches pause until it is back"
    return "it goes down, or is not up yet"


def _serves(stub: health_pb2_grpc.HealthStub, service: str, timeout_s: float) -> bool:
    answer = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout_s)
    serving: bool = answer.status == health_pb2.HealthCheckResponse.SERVING
    return serving


def _reason(error: grpc.RpcError, *, tls: bool) -> str:
    """Say in words what the library's texts mean for somebody who looks for a referee."""
    code: grpc.StatusCode = error.code()
    text = str(error.details())
    if code is grpc.StatusCode.UNIMPLEMENTED:
        return "what answers there has no health service: it is no referee"
    if code is grpc.StatusCode.DEADLINE_EXCEEDED:
        return "no answer in time"
    if "Connection refused" in text or "No such file" in text:
        return "connection refused: nobody listens there"
    if "errors resolving" in text or "DNS" in text:
        return "no such host"
    if "SSL" in text or "TLS" in text or "handshak" in text.lower():
        cure = "is it a referee with TLS, and --ca-file its certificate?"
        return f"the TLS handshake failed; {cure}"
    if not tls and code is grpc.StatusCode.UNAVAILABLE:
        return "the connection was closed; if the referee has TLS, give --ca-file"
    return text
