"""The register: sessions by their tokens, kept in the store before anybody hears of them."""

import structlog

from referee.app.instances import Instance, InstanceBook, token_hash
from referee.app.session import Session
from referee.ports import FactStore, Hello, StoredSession, StoreError

_log = structlog.get_logger("referee.register")


class Register:
    """All sessions that are not over."""

    def __init__(self, instances: InstanceBook, store: FactStore) -> None:
        self._instances = instances
        self._store = store
        self._sessions: dict[bytes, Session] = {}  # by hash of the session token

    def __len__(self) -> int:
        return len(self._sessions)

    def all(self) -> list[Session]:
        """Return the sessions, with a stream or without."""
        return list(self._sessions.values())

    def knows(self, session: Session) -> bool:
        """True if the session is not over."""
        return session.secret in self._sessions

    def find(self, instance: Instance | None, hello: Hello) -> tuple[Session | None, bool]:
        """Return the session that a Hello comes back to, and whether by its session token.

        `instance` is that of the bearer token, None without one.
        """
        by_secret = None
        if hello.session_token is not None:
            by_secret = self._sessions.get(token_hash(hello.session_token))
        if instance is None:
            mine = by_secret if by_secret and by_secret.instance.open_identity else None
            return mine, mine is not None
        return instance.session, instance.session is not None and instance.session is by_secret

    def enter(self, session: Session, secret: bytes) -> None:
        """Have a session come back by this token alone, which is given as its hash."""
        self._sessions.pop(session.secret, None)
        session.secret = secret
        self._sessions[secret] = session

    def keep(self, instance: Instance, session: Session | None, hello: Hello, token: str) -> None:
        """Keep a session before its token is told. Raises `StoreError`."""
        row = StoredSession(
            instance_id=instance.id,
            secret=token_hash(token),
            hello=hello,
            next_number=session.next_number if session is not None else 1,
        )
        try:
            self._store.keep_session(row)
        except StoreError:
            if session is None and instance.open_identity:
                self.drop(instance)
            raise

    def keep_again(self) -> None:
        """Have the store keep something that it may lose again. Raises `StoreError`."""
        nobodys = self._instances.keep_again()
        if nobodys is not None:
            self._store.drop_session(nobodys)

    def leave(self, session: Session) -> None:
        """Forget a session that is over."""
        self._sessions.pop(session.secret, None)
        if session.instance.session is session:
            session.instance.session = None
            self.drop(session.instance)

    def forget(self, session: Session) -> None:
        """Forget a session that another process goes on with."""
        self._sessions.pop(session.secret, None)
        session.holdings.clear()
        if session.instance.session is session:
            session.instance.session = None

    def drop(self, instance: Instance) -> None:
        """Nobody comes back to the session of this instance, nor as one without a token."""
        if instance.open_identity:
            self._instances.forget(instance)
        try:
            self._store.drop_session(instance.id)
        except StoreError as error:  # it is kept in vain
            _log.error("a session was not dropped", instance=instance.id, error=str(error))
