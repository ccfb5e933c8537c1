"""Instances: one process of a bot each, known by a token (PROTOCOL 1)."""

import contextlib
import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from referee.ports import StoredInstance, StoreError

if TYPE_CHECKING:
    from referee.app.session import Session
    from referee.app.throttle import Throttle

_LETTER = "i"  # of all ids
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
        "sealed",
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
        self.sealed: list[str] = []  # by seat: the legs that it has played and that are sealed
        self.on_ready: list[Callable[[], None]] = []  # called at the next accepted Hello

    @property
    def playing(self) -> int:
        """Seats that it plays, as everybody may know: those of a leg until the leg is unsealed."""
        running = 0 if self.session is None else self.session.running
        return running + len(self.sealed)


def token_hash(token: str) -> bytes:
    """Return what is kept of a secret. A token itself is never kept."""
    return hashlib.sha256(token.encode()).digest()


class InstanceBook:
    """All instances that were issued a token, and those that came without one.

    Each is kept, with `keep`, before anybody hears of it. What `keep` raises is passed on.
    """

    def __init__(
        self, new_token: Callable[[], str], keep: Callable[[StoredInstance], None]
    ) -> None:
        self._new_token = new_token
        self._keep = keep
        self._by_id: dict[str, Instance] = {}
        self._by_token: dict[bytes, Instance] = {}
        self._count = 0
        self._newest: StoredInstance | None = None  # with a token
        self._refused: StoredInstance | None = None  # what could not be kept last

    def issue(self, name: str, owner: str | None = None) -> tuple[Instance, str]:
        """Return a new instance and its token, which is shown this once.

        `owner` is who runs it; unless told it is the name, of `alice/1` the part before the slash.
        """
        if owner is None:
            owner = name.partition("/")[0] or name
        token = self._new_token()
        return self._new(name, owner, token_hash(token)), token

    def admit(self, name: str, owner: str, secret: bytes) -> Instance:
        """Return the instance whose token has this hash; a new one where it has none.

        One that is known goes on under the name and owner that it is given now.
        """
        known = self._by_token.get(secret)
        if known is None:
            return self._new(name, owner, secret)
        if (known.name, known.owner) != (name, owner):
            row = StoredInstance(instance_id=known.id, name=name, owner=owner, token_hash=secret)
            self._keep(row)
            known.name, known.owner = name, owner
            self._newest = row
        return known

    def open_identity(self) -> Instance:
        """Return a new instance for a bot that came without a token."""
        return self._new(OPEN_NAME, None, None)

    def restore(self, stored: StoredInstance) -> Instance:
        """Return an instance that an earlier process kept, under its old id."""
        number = stored.instance_id.removeprefix(_LETTER)
        self._count = max(self._count, int(number) if number.isdecimal() else 0)
        return self._add(stored)

    def registered(self) -> list[Instance]:
        """Return the instances with a token, in the order in which they were issued it."""
        found = [one for one in self._by_id.values() if not one.open_identity]
        return sorted(found, key=lambda one: int(one.id.removeprefix(_LETTER)))

    def replace(self, instance: Instance, secret: bytes) -> bytes:
        """Have an instance come by the token of this hash from now on; return that of its old one.

        A stream that it has goes on.
        """
        old = next(known for known, one in self._by_token.items() if one is instance)
        row = StoredInstance(
            instance_id=instance.id, name=instance.name, owner=instance.owner, token_hash=secret
        )
        self._keep(row)
        del self._by_token[old]
        self._by_token[secret] = instance
        self._newest = row
        return old

    def take_back(self, instance: Instance, secret: bytes) -> None:
        """Have an instance come by its old token again, at least as long as this process runs."""
        for known in [known for known, one in self._by_token.items() if one is instance]:
            del self._by_token[known]
        self._by_token[secret] = instance
        row = StoredInstance(
            instance_id=instance.id, name=instance.name, owner=instance.owner, token_hash=secret
        )
        with contextlib.suppress(StoreError):
            self._keep(row)

    def named(self, name: str) -> list[Instance]:
        """Return the instances with a token that have this name."""
        found = self._by_id.values()
        return [one for one in found if one.name == name and not one.open_identity]

    def keep_again(self) -> str | None:
        """Have what was refused last be kept, else what is kept once more.

        Return the id of one that is nobody's. Raises what `keep` raises.
        """
        row = self._refused or self._newest
        if row is None:
            return None
        self._keep(row)
        refused, self._refused = self._refused, None
        return None if refused is None else refused.instance_id

    def by_token(self, token: str) -> Instance | None:
        """Return the instance that was issued this token."""
        return self._by_token.get(token_hash(token))

    def get(self, instance_id: str) -> Instance | None:
        """Return the instance with this id."""
        return self._by_id.get(instance_id)

    def forget(self, instance: Instance) -> None:
        """Drop an instance that came without a token and is gone; nobody can come back as it."""
        self._by_id.pop(instance.id, None)

    def _new(self, name: str, owner: str | None, secret: bytes | None) -> Instance:
        number = f"{_LETTER}{self._count + 1}"
        owner = owner or number
        stored = StoredInstance(instance_id=number, name=name, owner=owner, token_hash=secret)
        self._refused = stored  # unless the next line goes through
        self._keep(stored)
        self._refused = None
        self._count += 1
        return self._add(stored)

    def _add(self, stored: StoredInstance) -> Instance:
        secret = stored.token_hash
        instance = Instance(
            stored.instance_id, stored.name, owner=stored.owner, open_identity=secret is None
        )
        self._by_id[instance.id] = instance
        if secret is not None:
            self._by_token[secret] = instance
            self._newest = stored
        return instance
