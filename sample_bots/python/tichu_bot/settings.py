"""What a bot finds in its environment."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_HOST_AND_PORT = re.compile(r"(?:\[[0-9A-Fa-f:.%]+\]|[^\s:/\[\]]+):(\d{1,5})")


class SettingsError(Exception):
    """The environment cannot be used; the message says which variable, and the cure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Where to dial, and as whom."""

    servers: tuple[str, ...]  # tried in order: "unix:/path" or "host:port"
    token: str | None = None  # decides who the bot is; never logged
    ca: bytes | None = None  # PEM of the authority that signs the referee's certificate
    bot_name: str = ""  # for display
    log_dir: Path | None = None  # a folder that the bot may write to
    plaintext: bool = False  # True: the operator allows the token on an unencrypted link

    def __post_init__(self) -> None:
        if not self.servers:
            raise SettingsError("TICHU_SERVER is not set: unix:/path or host:port, or a comma list")

    def check_address(self, address: str) -> None:
        """Raise SettingsError where dialling would show the token to the network."""
        if self.token and self.ca is None and not self.plaintext and not is_local(address):
            raise SettingsError(
                f"a token would travel unencrypted to {address}: set TICHU_CA_FILE for TLS,"
                " or start with --plaintext"
            )


def from_environment(environment: Mapping[str, str], *, plaintext: bool = False) -> Settings:
    """Read TICHU_SERVER, TICHU_TOKEN, TICHU_CA_FILE, TICHU_BOT_NAME and TICHU_LOG_DIR."""
    servers = environment.get("TICHU_SERVER", "").split(",")
    log_dir = environment.get("TICHU_LOG_DIR")
    settings = Settings(
        servers=tuple(server.strip() for server in servers if server.strip()),
        token=environment.get("TICHU_TOKEN") or None,
        ca=_read_ca(environment.get("TICHU_CA_FILE")),
        bot_name=environment.get("TICHU_BOT_NAME", ""),
        log_dir=Path(log_dir) if log_dir else None,
        plaintext=plaintext,
    )
    if settings.token and not all(" " <= letter <= "~" for letter in settings.token):
        raise SettingsError("TICHU_TOKEN holds a character that no token has: set it anew")
    for server in settings.servers:
        check_form(server)
        settings.check_address(server)
    return settings


def _read_ca(file: str | None) -> bytes | None:
    if not file:
        return None
    import ssl  # only where it is wanted: every bot that starts would wait for it

    try:
        pem = Path(file).read_bytes()
    except OSError as error:
        raise SettingsError(f"TICHU_CA_FILE {file}: {error.strerror}") from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode())
    except (ssl.SSLError, ValueError):
        raise SettingsError(f"TICHU_CA_FILE {file}: holds no certificate in PEM form") from None
    return pem


def check_form(address: str) -> None:
    """Raise SettingsError where the text is no address."""
    found = _HOST_AND_PORT.fullmatch(address)
    if unix_path(address) in (None, Path()) and not (found and 0 < int(found[1]) < 65536):
        raise SettingsError(f"TICHU_SERVER {address}: no unix:/path or host:port")


def unix_path(address: str) -> Path | None:
    """Return the socket's path, or None for a host and port."""
    if not address.startswith("unix:"):
        return None
    path = address.removeprefix("unix:")
    return Path(path.removeprefix("//") if path.startswith("///") else path)


def is_local(address: str) -> bool:
    """Tell whether what is sent to the address stays on this machine."""
    if address.startswith("unix:"):
        return True
    host = address.rsplit(":", 1)[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
