"""What every store holds its callers to: facts follow each other, and no token is kept."""

import msgspec

from referee.ports import Batch, StoredSession
from referee.rules.errors import RefereeBug


class Following:
    """Checks that the batches of one append follow what is kept of their matches."""

    def __init__(self) -> None:
        self._next: dict[str, int] = {}
        self._over: set[str] = set()

    def check(self, batch: Batch, kept: int, *, over: bool) -> None:
        """Take the next batch of an append, of a match that has `kept` facts.

        Raises `RefereeBug` for one that leaves a gap, repeats a fact, is empty, or comes after the
        last fact of its match.
        """
        name = batch.match_id
        due = self._next.get(name, kept)
        if batch.first_seq != due:
            raise RefereeBug(f"match {name}: fact {batch.first_seq} after {due} of them")
        if not batch.lines:
            raise RefereeBug(f"match {name}: a batch without facts")
        if over or name in self._over:
            raise RefereeBug(f"match {name}: facts after the last")
        self._next[name] = due + len(batch.lines)
        if batch.last:
            self._over.add(name)


def without_token(session: StoredSession) -> StoredSession:
    """Return a session without the token that its Hello may have brought: hashes are kept."""
    if session.hello.session_token is None:
        return session
    hello = msgspec.structs.replace(session.hello, session_token=None)
    return msgspec.structs.replace(session, hello=hello)
