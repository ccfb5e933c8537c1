"""The server as its operator and its bots see it: addresses, TLS, health, and `referee serve`."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # type: ignore[import-untyped]
    ProtoReflectionDescriptorDatabase,
)

from referee._gen.tichu.referee.v1 import referee_pb2
from referee.bootstrap import Isolation
from referee.formats.records import read_record
from referee.match.values import Ending
from referee.rules.errors import ConfigError
from referee.transport.probe import is_serving, why_not_serving
from tests.integration.serving import LIMIT_S, Bot, config, serving, table

MAIN = "from referee.cli.main import main; main()"
TLS = Path(__file__).with_name("tls")  # made for these tests: localhost, for a hundred years


async def test_a_match_over_real_grpc_leaves_a_complete_record(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot):
        seen = await bot.play()
        ended = await match.end()
        assert tuple(seen.totals) == ended.totals
        path = match.match.record_path
        assert path == tmp_path / "records" / "m.jsonl"
    assert path is not None
    record = read_record(path.read_bytes().splitlines(keepends=True))
    assert record.complete
    assert record.facts[-1] == ended
    assert record.header.isolation == "declared"
    assert all(len(player.bot_seed) == 64 for player in record.config.players)


async def test_the_same_secret_deals_the_same_cards(tmp_path: Path) -> None:
    async def record(folder: Path) -> bytes:
        async with table(folder) as (match, bot):
            await bot.play()
            await match.end()
            assert match.match.record_path is not None
            return match.match.record_path.read_bytes().splitlines()[1]

    for name in "ab":
        (tmp_path / name).mkdir()
    first, second = await record(tmp_path / "a"), await record(tmp_path / "b")
    assert b'"seed"' in first
    assert first.split(b'"commitment"')[0].endswith(b",")
    assert first[first.index(b'"seed"') :] == second[second.index(b'"seed"') :]


async def test_wait_ready_returns_at_hello_and_times_out_without(tmp_path: Path) -> None:
    async with serving(tmp_path) as referee:
        issued = referee.issue_instance("b")
        with pytest.raises(TimeoutError):
            await referee.wait_ready(issued.instance_id, 0.01)
        waiting = asyncio.create_task(referee.wait_ready(issued.instance_id, LIMIT_S))
        async with Bot(referee.addresses[0], issued.token) as bot:
            await bot.hello()
            await waiting
            await referee.wait_ready(issued.instance_id, 0)


async def test_a_process_that_is_reported_gone_crashed(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot):
        await bot.ask()
        match.referee.report_exit("i1", 1)
        ended = await match.end()
        assert (ended.ending, ended.seat) == (Ending.CRASHED, 0)


async def test_a_match_can_be_cancelled(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, _):
        match.match.cancel()
        assert (await match.end()).ending is Ending.CANCELLED


async def test_one_instance_in_two_seats_is_refused_by_the_isolation(tmp_path: Path) -> None:
    async with serving(tmp_path) as referee:
        one = referee.issue_instance("b").instance_id
        with pytest.raises(ConfigError, match="one instance in two seats"):
            referee.start_match(config(), [one] * 4)
    (tmp_path / "shared").mkdir()
    async with serving(tmp_path / "shared", isolation=Isolation.NONE) as referee:
        issued = referee.issue_instance("b")
        async with Bot(referee.addresses[0], issued.token) as bot:
            await bot.hello(max_matches=4)
            match = referee.start_match(config(), [issued.instance_id] * 4)
            await bot.play()
            assert (await match.done).ending is Ending.COMPLETED


async def test_a_socket_is_for_its_owner_alone_and_gone_at_the_end(tmp_path: Path) -> None:
    async with serving(tmp_path):
        path = tmp_path / "r.sock"
        assert os.stat(path).st_mode & 0o777 == 0o600
    assert not path.exists()


async def test_a_second_referee_on_a_socket_or_port_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, listen=("127.0.0.1:0", f"unix:{tmp_path}/r.sock")) as referee:
        for address in referee.addresses:
            with pytest.raises(ConfigError, match="another process"):
                async with serving(tmp_path, listen=(address,)):
                    pass
        assert await asyncio.to_thread(is_serving, referee.addresses[1], timeout_s=5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"listen": ("0.0.0.0:0",)}, "tokens would leave this machine"),
        ({"listen": ()}, "listen: nowhere"),
        ({"listen": ("nonsense",)}, "write unix:/path or host:port"),
        ({"event_secret": b"short"}, "32 are needed"),
        ({"tls_cert": Path("a")}, "belong together"),
        ({"tls_cert": Path("/none"), "tls_key": Path("/none")}, "No such file"),
        ({"grace_ms": -1}, "grace: -1 ms"),
        (
            {"listen": ("192.0.2.9:0",), "plaintext": True},
            "listen 192.0.2.9:0: Cannot assign requested address; it is no address of this machine",
        ),
        ({"listen": ("unix:/none/r.sock",)}, "the folder /none does not exist; make it first"),
        (
            {"tls_cert": TLS / "cert.pem", "tls_key": TLS / "other_key.pem"},
            "other_key.pem: not the key of the certificate .*cert.pem; give its own",
        ),
        (
            {"tls_cert": TLS / "key.pem", "tls_key": TLS / "cert.pem"},
            "key.pem: no certificate in PEM form; it holds a key: are the files swapped?",
        ),
        (
            {"tls_cert": TLS / "cert.pem", "tls_key": TLS / "cert.pem"},
            "TLS key .*cert.pem: no private key in PEM form",
        ),
        (
            {"tls_cert": Path(__file__), "tls_key": TLS / "key.pem"},
            "test_serve.py: no certificate in PEM form$",
        ),
    ],
)
async def test_what_an_operator_cannot_have_is_refused_at_start(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        async with serving(tmp_path, **changes):
            pass


async def test_off_this_machine_in_plain_text_only_when_it_is_said(tmp_path: Path) -> None:
    async with serving(tmp_path, listen=("0.0.0.0:0",), plaintext=True) as referee:
        port = referee.addresses[0].rpartition(":")[2]
        assert await asyncio.to_thread(is_serving, f"127.0.0.1:{port}", timeout_s=5)


async def test_tls_protects_a_port(tmp_path: Path) -> None:
    changes = {"tls_cert": TLS / "cert.pem", "tls_key": TLS / "key.pem"}
    async with serving(tmp_path, listen=("0.0.0.0:0",), **changes) as referee:
        address = f"localhost:{referee.addresses[0].rpartition(':')[2]}"
        ca = (TLS / "cert.pem").read_bytes()
        credentials = grpc.ssl_channel_credentials(ca)
        issued = referee.issue_instance("b")
        async with Bot(address, issued.token, credentials=credentials) as bot:
            await bot.hello()
        assert await asyncio.to_thread(is_serving, address, timeout_s=5, ca_file=ca)
        assert not await asyncio.to_thread(is_serving, address, timeout_s=0.5)


async def test_health_and_reflection_need_no_token(tmp_path: Path) -> None:
    def services(address: str) -> list[str]:
        with grpc.insecure_channel(address) as channel:
            return list(ProtoReflectionDescriptorDatabase(channel).get_services())

    async with serving(tmp_path) as referee:
        found = await asyncio.to_thread(services, referee.addresses[0])
        assert await asyncio.to_thread(is_serving, referee.addresses[0], timeout_s=5)
    assert {"tichu.referee.v1.RefereeService", "grpc.health.v1.Health"} <= set(found)


async def test_stopping_tells_bots_and_ends_their_matches(tmp_path: Path) -> None:
    async with table(tmp_path) as (match, bot):
        await bot.ask()
        await match.referee.stop(0.2)
        assert (await match.end()).ending is Ending.CANCELLED
        closing = await bot.until(lambda frame: frame.HasField("closing"))
        assert closing.closing.code == referee_pb2.CLOSING_CODE_DRAINING
        assert await bot.read() is None
        assert (await bot.status())[0] is grpc.StatusCode.UNAVAILABLE


async def test_a_port_that_is_taken_is_told_as_the_system_tells_it(tmp_path: Path) -> None:
    async with serving(tmp_path, listen=("127.0.0.1:0",)) as referee:
        message = "Address already in use; another process listens there; choose another port"
        with pytest.raises(ConfigError, match=message):
            async with serving(tmp_path, listen=referee.addresses):
                pass


async def test_health_says_why_not(tmp_path: Path) -> None:
    changes = {"tls_cert": TLS / "cert.pem", "tls_key": TLS / "key.pem"}
    ca = (TLS / "cert.pem").read_bytes()

    async def reason(address: str, *, ca_file: bytes | None = None) -> str | None:
        return await asyncio.to_thread(why_not_serving, address, timeout_s=LIMIT_S, ca_file=ca_file)

    async with serving(tmp_path, listen=("127.0.0.1:0",), **changes) as referee:
        address = f"localhost:{referee.addresses[0].rpartition(':')[2]}"
        assert await reason(address, ca_file=ca) is None
        assert "give --ca-file" in str(await reason(address))
    assert await reason(address) == "connection refused: nobody listens there"
    assert await reason("no-such-host.invalid:7") == "no such host"
    async with serving(tmp_path, listen=("127.0.0.1:0",)) as referee:
        address = f"localhost:{referee.addresses[0].rpartition(':')[2]}"
        assert "TLS handshake failed" in str(await reason(address, ca_file=ca))


def run(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-c", MAIN, *words),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("health nonsense", "address 'nonsense': write unix:/path or host:port, port 0 to 65535"),
        ("health 127.0.0.1:1 --ca-file none.pem", "--ca-file none.pem: No such file or directory"),
        ("serve --once --matches 3", "--once and --matches 3 exclude each other; drop one"),
        ("serve --issue a --issue a", "issue 'a': given twice; each bot needs its own name"),
        ("serve --issue=", "issue '': a name is a word, without blanks"),
        ("serve --seed=", "seed: the text is empty; write any text, or leave it out"),
        (
            "serve --clock 100000m+1s",
            "--clock '100000m+1s': a time over 24 hours (1440m); shorten it, or write none",
        ),
        (
            "serve --clock none --window 5000000000",
            "window: 5000000000 ms is over 24 hours; use 86400000 or less",
        ),
        (
            "play greedy greedy --clock none --window 5000000000",
            "window: 5000000000 ms is over 24 hours; use 86400000 or less",
        ),
    ],
)
def test_a_command_line_that_cannot_be_is_an_error_of_one_line(
    tmp_path: Path, words: str, message: str
) -> None:
    done = run(tmp_path, *words.split())
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message}\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[match]\nclock = '2'", "c.toml:2: match.clock '2': write BASE+BANK"),
        ("[match]\nwindow_ms = 3000", "c.toml:2: window: 3000 ms is not below the base time"),
        ("[match]\nclock = '10ms+1s'", "c.toml:2: window: 20 ms is not below"),
        ("[options]\ntarget = '500'", "c.toml:2: option target: '500'"),
        ("[options]\ntarget = 500\nrounds = 3", "c.toml:2: options rounds and target: "),
        ("issue = ['a b']", "c.toml:1: issue 'a b': a name is a word"),
    ],
)
def test_what_a_file_says_wrong_is_told_with_its_line(
    tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "c.toml").write_text(text)
    done = run(tmp_path, "serve", "--config", "c.toml")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {message}")


async def serve(tmp_path: Path, *flags: str) -> tuple[asyncio.subprocess.Process, str]:
    """`referee serve` as a process, and the address it printed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, "serve", "--listen", "127.0.0.1:0", *flags),
        cwd=tmp_path,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), LIMIT_S)
    if not line:
        raise AssertionError((await process.communicate())[1].decode())
    return process, line.decode().removeprefix("listening ").strip()


async def test_serve_seats_four_waiting_bots_and_stops_after_a_match(tmp_path: Path) -> None:
    process, address = await serve(
        tmp_path, "--once", "--rounds", "1", "--pace", "fast", "--log-format", "json"
    )
    bots = [Bot(address) for _ in range(4)]
    for bot in bots:
        await bot.hello()
    ends = await asyncio.wait_for(asyncio.gather(*(bot.play() for bot in bots)), LIMIT_S)
    out, log = await asyncio.wait_for(process.communicate(), LIMIT_S)
    for bot in bots:
        await bot.__aexit__()
    points = ":".join(map(str, ends[0].totals))
    word, name, *rest = out.decode().split()
    assert (word, rest) == ("match", ["completed", points])
    assert process.returncode == 0
    assert (tmp_path / "records" / f"{name}.jsonl").is_file()
    assert b'"event": "match ended"' in log


async def test_parallel_seats_a_bot_in_more_matches_at_once(tmp_path: Path) -> None:
    process, address = await serve(tmp_path, "--parallel", "2", "--clock", "60s+0s")
    bots = [Bot(address) for _ in range(4)]
    for bot in bots:
        await bot.hello(max_matches=3)
    await bots[0].until(lambda frame: any(update.match == 2 for update in frame.updates))
    process.send_signal(signal.SIGTERM)
    out, log = await asyncio.wait_for(process.communicate(), LIMIT_S)
    for bot in bots:
        await bot.__aexit__()
    ends = [line.split()[1] for line in out.decode().splitlines()]
    assert [name.rpartition("-")[2] for name in ends] == ["000001", "000002"]
    assert b"waiting" in log


async def test_a_signal_ends_serve_in_good_order(tmp_path: Path) -> None:
    process, address = await serve(tmp_path, "--matches", "9", "--clock", "60s+0s")
    bots = [Bot(address) for _ in range(4)]
    for bot in bots:
        await bot.hello()
    await bots[0].ask()
    process.send_signal(signal.SIGTERM)
    frame = await bots[0].until(lambda frame: frame.HasField("closing"))
    assert frame.closing.code == referee_pb2.CLOSING_CODE_DRAINING
    out, _ = await asyncio.wait_for(process.communicate(), 5)
    for bot in bots:
        await bot.__aexit__()
    assert process.returncode == 0
    assert " cancelled blame none 0:0\n" in out.decode()


async def test_serve_says_what_is_wrong_with_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("[match]\npac = 'fast'\n")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, "serve", "--config", "c.toml"),
        cwd=tmp_path,
        stderr=asyncio.subprocess.PIPE,
    )
    _, log = await asyncio.wait_for(process.communicate(), LIMIT_S)
    assert process.returncode == 2
    assert log == b"error: c.toml:2: unknown key 'match.pac'; did you mean 'pace'?\n"


async def test_health_of_a_referee_that_is_not_there(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", MAIN, "health", f"unix:{tmp_path}/none", "--timeout", "1"),
        stdout=asyncio.subprocess.PIPE,
    )
    out, _ = await asyncio.wait_for(process.communicate(), LIMIT_S)
    assert process.returncode == 1
    reason = "connection refused: nobody listens there"
    assert out.decode() == f"not serving: unix:{tmp_path}/none: {reason}\n"
