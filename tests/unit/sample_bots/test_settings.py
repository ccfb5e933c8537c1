"""What a bot process makes of its environment."""

from pathlib import Path

import pytest

from tichu_bot.hints import hint
from tichu_bot.settings import Settings, SettingsError, from_environment, is_local, unix_path

CERTIFICATE = Path(__file__).parents[2] / "integration" / "tls" / "cert.pem"


def test_a_comma_list_of_servers_keeps_its_order() -> None:
    settings = from_environment({"TICHU_SERVER": "unix:/run/t, [::1]:7643"})
    assert settings.servers == ("unix:/run/t", "[::1]:7643")


def test_no_server_is_named_as_the_fault() -> None:
    with pytest.raises(SettingsError, match="TICHU_SERVER"):
        from_environment({"TICHU_TOKEN": "secret"})


def test_a_token_off_loopback_needs_tls_or_a_word() -> None:
    environment = {"TICHU_SERVER": "referee.example:7643", "TICHU_TOKEN": "secret"}
    with pytest.raises(SettingsError, match="TICHU_CA_FILE") as refused:
        from_environment(environment)
    assert "secret" not in str(refused.value)
    assert from_environment(environment, plaintext=True).plaintext


def test_tls_lets_the_token_travel() -> None:
    environment = {
        "TICHU_SERVER": "referee.example:7643",
        "TICHU_TOKEN": "secret",
        "TICHU_CA_FILE": str(CERTIFICATE),
    }
    assert from_environment(environment).ca == CERTIFICATE.read_bytes()


@pytest.mark.parametrize(
    "token", ["se\ncret", "secret\n", "se\x01cret", "s\u00e4cret", "\udce4cret"]
)
def test_a_token_that_cannot_travel_is_refused_and_not_shown(token: str) -> None:
    with pytest.raises(SettingsError, match="TICHU_TOKEN holds a character") as refused:
        from_environment({"TICHU_SERVER": "unix:/run/t", "TICHU_TOKEN": token})
    assert "cret" not in str(refused.value)


def test_a_folder_is_no_authority(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=f"TICHU_CA_FILE {tmp_path}: "):
        from_environment({"TICHU_SERVER": "a:1", "TICHU_CA_FILE": str(tmp_path)})


@pytest.mark.parametrize("content", [b"", b"PEM", b"\xff\xfe"])
def test_a_file_without_a_certificate_is_no_authority(tmp_path: Path, content: bytes) -> None:
    ca = tmp_path / "ca.pem"
    ca.write_bytes(content)
    with pytest.raises(SettingsError, match=r"ca\.pem: holds no certificate"):
        from_environment({"TICHU_SERVER": "a:1", "TICHU_CA_FILE": str(ca)})


@pytest.mark.parametrize(
    "address",
    ["nonsense", "host:", ":50051", "host:0", "host:65536", "host:http", "::1:1", "unix:", "a b:1"],
)
def test_what_is_no_address_is_named(address: str) -> None:
    with pytest.raises(SettingsError, match="no unix:/path or host:port"):
        from_environment({"TICHU_SERVER": f"127.0.0.1:1,{address}"})


def test_a_missing_authority_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"gone\.pem"):
        from_environment({"TICHU_SERVER": "a:1", "TICHU_CA_FILE": str(tmp_path / "gone.pem")})


def test_a_redirect_is_checked_like_a_server() -> None:
    settings = Settings(servers=("unix:/run/t",), token="secret")
    settings.check_address("127.0.0.1:7643")
    with pytest.raises(SettingsError):
        settings.check_address("192.0.2.1:7643")


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("unix:/run/t", True),
        ("localhost:1", True),
        ("127.8.0.1:1", True),
        ("[::1]:1", True),
        ("192.0.2.1:1", False),
        ("localhost.example:1", False),
    ],
)
def test_what_stays_on_this_machine(address: str, local: bool) -> None:
    assert is_local(address) == local


@pytest.mark.parametrize(
    ("address", "path"),
    [("unix:/run/t", Path("/run/t")), ("unix:///run/t", Path("/run/t")), ("host:1", None)],
)
def test_the_path_of_a_socket(address: str, path: Path | None) -> None:
    assert unix_path(address) == path


@pytest.mark.parametrize(
    ("details", "ca", "cure"),
    [
        (
            "last error: Hostname Verification Check failed.",
            b"x",
            "a name that",
        ),
        ("Domain name not found: errors resolving no.example:1", None, "has no address"),
        ("UNAVAILABLE: ipv4:127.0.0.1:1: Socket closed", None, "set TICHU_CA_FILE"),
        ("UNAVAILABLE: ipv4:127.0.0.1:1: Socket closed", b"x", "no referee"),
        ("", None, "answers nothing"),
        ("something new", None, ""),
    ],
)
def test_a_failed_attempt_has_a_hint(details: str, ca: bytes | None, cure: str) -> None:
    told = hint(details, Settings(servers=("a:1",), ca=ca), "a:1")
    assert (cure in told) if cure else not told
