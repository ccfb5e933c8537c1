"""Instances: one process of a bot each, known by a token (PROTOCOL 1)."""

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from referee.app.session import Session
    from referee.app.throttle import Throttle

OPEN_NAME = "bot"  # the display name of a bot that brings neither token nor name


class Instance:
    """One process of a bot. `session` is there from its Hello until it is gone for good."""

    __slots__ = (
        "exited",
        "id",
        "name",
        "on_ready",
        "open_identity",
        "owner",
        "session",
        "throttle",
    )

    def __init__(self, instance_id: str, name: str, *, owner: str, open_identity: bool) -> None:
        self.id = instance_id
        self.name = name
        self.owner = owner  # whose faults are one and the same
        self.open_identity = open_identity
        self.session: Session | None = None
        self.throttle: Throttle | None = None  # of all its sessions, from the first one on
        self.exited = False  # a process of ours that is gone: no grace for it
        self.on_ready: list[Callable[[], None]] = []  # called at the next accepted Hello


def token_hash(token: str) -> bytes:
    """Return what is kept of a secret. A token itself is never kept."""
    return hashlib.sha256(token.encode()).digest()


class InstanceBook:
    """All instances that were issued a token, and those that came without one."""

    def __init__(self, new_token: Callable[[], str]) -> None:
        self._new_token = new_token
        self._by_id: dict[str, Instance] = {}
        self._by_token: dict[bytes, Instance] = {}
        self._count = 0

    def issue(self, name: str, owner: str | None = None) -> tuple[Instance, str]:
        """Return a new instance and its token, which is shown this once.

        `owner` is who runs it; unless told it is the name, of `alice/1` the part before the slash.
        """
        if owner is None:
            owner = name.partition("/")[0] or name
        instance = self._add(name, owner, open_identity=False)
        token = self._new_token()
        self._by_token[token_hash(token)] = instance
        return instance, token

    def open_identity(self) -> Instance:
        """Return a new instance for a bot that came without a token."""
        return self._add(OPEN_NAME, None, open_identity=True)

    def by_token(self, token: str) -> Instance | None:
        """Return the instance that was issued this token."""
        return self._by_token.get(token_hash(token))

    def get(self, instance_id: str) -> Instance | None:
        """Return the instance with this id."""
        return self._by_id.get(instance_id)

    def forget(self, instance: Instance) -> None:
        """Drop an instance that came without a token and is gone; nobody can come back as it."""
        self._by_id.pop(instance.id, None)

    def _add(self, name: str, owner: str | None, *, open_identity: bool) -> Instance:
        self._count += 1
        number = f"i{self._count}"
        instance = Instance(number, name, owner=owner or number, open_identity=open_identity)
        self._by_id[instance.id] = instance
        return instance
