"""Where a referee listens, and what that asks for."""

import ipaddress
import socket
from pathlib import Path

import msgspec

from referee.rules.errors import ConfigError

_PATH_BYTES = 100  # the system's limit is 104 to 108


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A unix socket (`path`), or a host and port (`path` None). Port 0 takes a free one."""

    path: Path | None = None
    host: str = ""
    port: int = 0

    @property
    def near(self) -> bool:
        """True if only this machine can reach it."""
        if self.path is not None or self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def text(self) -> str:
        """As a bot dials it."""
        if self.path is not None:
            return f"unix:{self.path}"
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_endpoint(text: str, *, named: str = "listen") -> Endpoint:
    """Return what a text like `unix:/path`, `host:port` or `[::1]:port` names.

    Raises `ConfigError` that says what is wrong with it; `named` is what it calls the text.

    >>> parse_endpoint("127.0.0.1:7777").near
    True
    """
    if text.startswith("unix:"):
        path = Path(text.removeprefix("unix:"))
        if not path.is_absolute():
            raise ConfigError(f"{named} {text!r}: the path must begin with /")
        if len(bytes(path)) > _PATH_BYTES:
            raise ConfigError(
                f"{named} {text!r}: longer than {_PATH_BYTES} bytes; shorten the path"
            )
        return Endpoint(path=path)
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not colon or not host or not (port.isascii() and port.isdecimal()) or int(port) > 65_535:
        raise ConfigError(f"{named} {text!r}: write unix:/path or host:port, port 0 to 65535")
    return Endpoint(host=host, port=int(port))


def peer_is_near(peer: str) -> bool:
    """True if a gRPC peer name (`unix:`, `ipv4:127.0.0.1:5`, `ipv6:[::1]:5`) is on this machine."""
    scheme, _, address = peer.partition(":")
    if scheme == "unix":
        return True
    host = address.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]")
    return scheme in ("ipv4", "ipv6") and Endpoint(host=host).near


def claim_path(path: Path) -> None:
    """Make way for a unix socket. Raises `ConfigError` if it is in use or no socket.

    gRPC would take the path from a running referee without a word.
    """
    if not path.parent.is_dir():
        raise ConfigError(
            f"listen unix:{path}: the folder {path.parent} does not exist; make it first"
        )
    if not path.exists():
        return
    if not path.is_socket():
        raise ConfigError(f"listen unix:{path}: there is a file of that name; choose another")
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(str(path))
        except OSError:
            path.unlink()
            return
    raise ConfigError(f"listen unix:{path}: another process listens there; choose another path")
