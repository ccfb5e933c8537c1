"""Facts, matches and those who hold their seats, for the tests of the stores."""

from referee.match.facts import Faulted, MatchEnded, encode_fact
from referee.match.values import Clock, Ending, MatchConfig, Pace, Player, Settings
from referee.ports import Batch, Hello, MatchHeader, SeatRow, StoredInstance, StoredSession
from referee.rules.options import parse_options

SECRET = bytes(range(32))
HEADER = MatchHeader(practice=True, isolation="declared")
SEATS = tuple(SeatRow(instance_id=f"i{seat}", number=1) for seat in range(4))


def config(match_id: str = "m") -> MatchConfig:
    players = tuple(Player(name=f"p{seat}", bot_seed=f"{seat:064x}") for seat in range(4))
    settings = Settings(
        rules=parse_options({"rounds": 3}),
        pace=Pace.FAIR,
        clock=Clock(base_ns=3_000_000_000, act_ns=5_000_000_000),
    )
    return MatchConfig(match_id=match_id, settings=settings, players=players)


def fact(number: int) -> bytes:
    """Return a fact that tells its number."""
    return encode_fact(Faulted(at=number, ending=Ending.CANCELLED))


def end(number: int) -> bytes:
    """Return the last fact of a match, under its number."""
    return encode_fact(MatchEnded(at=number, ending=Ending.CANCELLED, totals=(0, 0), rounds=0))


def batch(match_id: str, first: int, count: int, *, last: bool = False) -> Batch:
    """Return facts from a number on, each of which tells its number."""
    lines = [fact(number) for number in range(first, first + count)]
    if last:
        lines[-1] = end(first + count - 1)
    return Batch(match_id=match_id, first_seq=first, lines=lines, last=last)


def instance(name: str, *, token: bool = True) -> StoredInstance:
    token_hash = name.encode().ljust(32, b"#") if token else None
    return StoredInstance(instance_id=name, name=f"{name}/1", owner=name, token_hash=token_hash)


def session(name: str, *, next_number: int = 1, max_matches: int = 1) -> StoredSession:
    hello = Hello(protocol_version=1, bot_name=f"bot {name}", max_matches=max_matches)
    secret = name.encode().ljust(32, b"$")
    return StoredSession(instance_id=name, secret=secret, hello=hello, next_number=next_number)
