"""The link of one seat: its streams, when it was there, and how long the way is."""

from dataclasses import dataclass, field

from referee._gen.tichu.referee.v1 import referee_pb2


@dataclass(slots=True)
class Link:
    """What is known of the link of one seat, instant by instant."""

    up: bool = False
    streams: int = 0  # that were let in
    dialled: int = 0  # the number among all that its bot dialled of the one that was let in last
    past: set[int] = field(default_factory=set)  # numbers of those before
    downs: list[tuple[int, int | None]] = field(default_factory=lambda: [(0, None)])
    """When it had no link, [from, to); the first is that before its first Hello."""
    ups: list[int] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)  # the entries of `ups`
    lags: list[tuple[int, int]] = field(default_factory=list)
    probes: dict[int, int] = field(default_factory=dict)
    estimates: list[tuple[int, int, int]] = field(default_factory=list)  # from which entry on
    hello: referee_pb2.Hello | None = None
    welcomes: list[tuple[int, bool, bool]] = field(default_factory=list)
    """When, whether by a session token that held, and whether told so."""
    asked: list[str] = field(default_factory=list)  # by Hellos, since a stream was let in last
    tokens: set[str] = field(default_factory=set)
    goodbye: int | None = None
    closings: list[tuple[int, int]] = field(default_factory=list)  # (at, ClosingCode)
    broken_frames: list[int] = field(default_factory=list)

    @property
    def lazy(self) -> bool:
        """Whether the bot wants its events, and so its acknowledgements, with its asks."""
        wanted = referee_pb2.EVENT_DELIVERY_WITH_ASKS
        return self.hello is not None and self.hello.event_delivery == wanted

    def was_there(self, low: int, high: int) -> bool:
        """Whether the seat had one and the same stream from one instant to another."""
        return not any(
            since <= high and (until is None or low < until) for since, until in self.downs
        )

    def lasted(self, since: int, until: int) -> bool:
        """Whether the stream that came at an instant was there up to another."""
        return not any(since <= low <= until for low, _ in self.downs)

    def go_up(self, at: int, order: int, dialled: int) -> None:
        """A stream is let in."""
        self.up, self.streams, self.lags, self.probes = True, self.streams + 1, [], {}
        self.past.add(self.dialled)
        self.dialled = dialled
        self.ups.append(at)
        self.begins.append(order)
        self.estimates.append((order, 0, 0))
        if self.downs and self.downs[-1][1] is None:
            self.downs[-1] = (self.downs[-1][0], at)

    def welcomed(self, at: int, welcome: referee_pb2.Welcome, hello: referee_pb2.Hello) -> None:
        """Note what a stream was let in with, and the token that it has from now on."""
        known = hello.session_token in self.tokens
        sure = all(token in self.tokens for token in self.asked[:-1])
        self.asked.clear()
        if sure:  # else a Hello that was never answered may have ended the token
            self.welcomes.append((at, known, welcome.resumed))
        self.tokens = {welcome.session_token}
        self.hello = hello

    def is_current(self, stream: int) -> bool:
        """Whether this is the stream that was let in last; 0 stands for it."""
        return not stream or not self.dialled or stream == self.dialled

    def go_down(self, at: int) -> None:
        """The stream is over."""
        if self.up:
            self.up = False
            self.downs.append((at, None))

    def was_away(self, began: int) -> bool:
        """Whether it was ever without a stream from `began` on."""
        return any(high is None or high > max(began, low) for low, high in self.downs)

    @property
    def losses(self) -> list[tuple[int, int | None]]:
        """When it was without a stream after it had had one."""
        return self.downs[1:]

    def was_up(self, at: int, *, margin: int = 0) -> bool:
        """Whether the seat had one and the same stream from `margin` before `at` to that after."""
        return not any(
            low <= at + margin and (high is None or at - margin < high) for low, high in self.downs
        )

    def estimate(self, order: int) -> tuple[int, int]:
        """The smallest of the last eight round trips that were measured before an entry, or 0.

        Both bounds: how long a pong took that waited behind a block is known no better.
        """
        found = (0, 0)
        for since, low, high in self.estimates:
            if since > order:
                break
            found = (low, high)
        return found

    def estimate_before(self, order: int) -> tuple[int, int]:
        """That of the stream before the one that an entry came on."""
        began = [since for since in self.begins if since <= order]
        return self.estimate(began[-1] - 1) if began else (0, 0)

    def pong(self, number: int, at: int, order: int, waited: int) -> None:
        if (sent := self.probes.pop(number, None)) is not None:
            lag = max(0, at - sent)
            self.lags = [*self.lags, (lag, lag + waited)][-8:]
            low, high = (min(lag[i] for lag in self.lags) for i in (0, 1))
            self.estimates.append((order, low, high))
