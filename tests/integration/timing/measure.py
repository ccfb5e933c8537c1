"""Runs one measurement: three processes, over a unix socket, until enough was seen."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import msgspec

from tests.bench.child import Child, ChildError
from tests.integration.timing.deals import Role
from tests.integration.timing.observer import Watch, Watched, Window
from tests.integration.timing.plan import Plan
from tests.integration.timing.players import Join, Joined
from tests.integration.timing.referee_process import Listening, Order

LIMIT_S = 600.0
_PACKAGE = "tests.integration.timing"


def measure(plan: Plan, *, limit_s: float = LIMIT_S) -> list[Window]:
    """What the observer saw. Raises `ChildError` where a process ends or takes too long."""
    with tempfile.TemporaryDirectory(prefix="timing-") as name, ExitStack() as stack:
        folder = Path(name)
        started = []
        for module, words in (
            ("referee_process", [name]),
            ("players", []),
            ("observer", []),
        ):
            child = Child(f"{_PACKAGE}.{module}", words)
            stack.callback(child.stop)
            started.append(child)
        referee, players, observer = started
        listening = referee.ask(Order(plan), Listening)
        address, tokens = listening.address, listening.tokens
        players.ask(Join(address, tokens, plan), Joined)
        path = folder / "seen"
        observer.ask(Watch(address, tokens[Role.OBSERVER], plan, str(path)), Joined)
        referee.tell(Order())
        try:
            observer.hear(Watched, timeout_s=limit_s)
        except ChildError as error:
            said = [str(error), *map(_last_words, (referee, players))]
            raise ChildError("; ".join(said)) from None
        return msgspec.msgpack.decode(path.read_bytes(), type=list[Window])


def _last_words(child: Child) -> str:
    """What a process says that was to say nothing more."""
    try:
        return str(child.hear(Joined, timeout_s=0))
    except ChildError as error:
        return str(error)
