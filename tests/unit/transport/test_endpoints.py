"""Addresses: what they name, what is near, and what is in the way."""

import socket
from pathlib import Path

import pytest
from grpc._cython import cygrpc  # type: ignore[attr-defined]

from referee.rules.errors import ConfigError
from referee.transport.endpoints import claim_path, parse_endpoint, peer_is_near
from referee.transport.guard import bearer
from referee.transport.server import OPTIONS


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("unix:/run/r.sock", True),
        ("127.0.0.1:0", True),
        ("127.8.9.1:80", True),
        ("localhost:80", True),
        ("[::1]:80", True),
        ("0.0.0.0:80", False),
        ("[::]:80", False),
        ("192.168.0.5:80", False),
        ("referee.example:80", False),
    ],
)
def test_an_address_is_near_when_only_this_machine_reaches_it(text: str, near: bool) -> None:
    endpoint = parse_endpoint(text)
    assert endpoint.near is near
    assert endpoint.text == text


@pytest.mark.parametrize(
    "text", ["", "80", ":80", "host:", "host:x", "host:65536", "host:-1", "unix:relative", "unix:"]
)
def test_a_text_that_is_no_address_is_refused_with_the_two_forms(text: str) -> None:
    with pytest.raises(ConfigError, match="listen"):
        parse_endpoint(text)


def test_a_path_that_is_too_long_for_a_socket_is_refused() -> None:
    with pytest.raises(ConfigError, match="shorten the path"):
        parse_endpoint("unix:/" + "x" * 120)


@pytest.mark.parametrize(
    ("peer", "near"),
    [
        ("unix:", True),
        ("unix:/run/r.sock", True),
        ("ipv4:127.0.0.1:5000", True),
        ("ipv6:%5B::1%5D:5000", True),
        ("ipv6:[::1]:5000", True),
        ("ipv4:10.0.0.7:5000", False),
        ("ipv6:[2001:db8::1]:5000", False),
        ("vsock:1:2", False),
        ("", False),
    ],
)
def test_a_peer_is_near_by_its_name(peer: str, near: bool) -> None:
    assert peer_is_near(peer) is near


def test_a_socket_that_nobody_serves_any_more_makes_way(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    claim_path(path)
    assert not path.exists()


def test_a_socket_that_is_served_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as served:
        served.bind(str(path))
        served.listen()
        with pytest.raises(ConfigError, match="another process listens there"):
            claim_path(path)
    assert path.exists()


def test_a_file_is_no_socket_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "s"
    path.write_text("mine")
    with pytest.raises(ConfigError, match="a file of that name"):
        claim_path(path)
    assert path.read_text() == "mine"


def test_a_socket_needs_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        claim_path(tmp_path / "none" / "s")


@pytest.mark.parametrize("name", [name for name, _ in OPTIONS])
def test_the_library_knows_every_server_option(name: str) -> None:
    """A wrong name would be ignored without a word."""
    library = Path(cygrpc.__file__).read_bytes()
    assert name.encode() in library


def test_a_bearer_token_is_found_in_the_metadata() -> None:
    assert bearer((("authorization", "Bearer abc"),)) == "abc"
    assert bearer((("a", b"\xff"), ("authorization", "bearer abc"))) == "abc"
    assert bearer((("authorization", "Basic abc"),)) is None
    assert bearer(None) is None
