"""The HTTP endpoint that Prometheus scrapes, in a thread of its own."""

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.exposition import start_http_server

from referee.metrics.meter import PrometheusMeter
from referee.rules.errors import ConfigError

_LAST_PORT = 65_535


class MetricsEndpoint:
    """`/metrics` over one meter and the process's own numbers."""

    def __init__(self, meter: PrometheusMeter, *, host: str, port: int) -> None:
        """Listen; port 0 takes a free one. Raises `ConfigError` when it cannot."""
        if not 0 <= port <= _LAST_PORT:
            raise ConfigError(f"metrics port {port}: write a number from 0 to {_LAST_PORT}")
        registry = CollectorRegistry()
        registry.register(meter)
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        try:
            self._server, self._thread = start_http_server(port, host, registry)
        except OSError as error:
            raise ConfigError(
                f"metrics port {host}:{port}: {error.strerror}; choose another"
            ) from None
        self.address = f"{host}:{self._server.server_port}"

    def close(self) -> None:
        """Stop listening; returns when the thread is gone."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
