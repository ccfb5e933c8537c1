"""Where the referee is killed: kills that wait for a point of its work."""

from tests.simulation.service.plans import Kill, KillPoint


class Killed(BaseException):
    """The process of the referee ends where this is thrown: none of its guards may catch it."""

    def __init__(self, kill: Kill) -> None:
        super().__init__(kill.point)
        self.kill = kill


class Killer:
    """Follows the referee through its turns and strikes where a kill waits for it."""

    def __init__(self) -> None:
        self._armed: list[Kill] = []
        self._passed = 0  # times that the first of them has let go by
        self._fresh = False  # facts were kept in this turn, and no frame has gone out since
        self._frames = 0  # that went out in this turn

    def arm(self, kill: Kill) -> None:
        """Have a kill wait for its point."""
        self._armed.append(kill)

    def new_turn(self) -> None:
        """A turn of the loop begins."""
        self._fresh, self._frames = False, 0

    def kept(self) -> None:
        """Facts are durable, and nobody was told of them yet."""
        self._fresh = True

    def frame(self) -> None:
        """A frame is about to be handed over."""
        if self._fresh:
            self.reached(KillPoint.BEFORE_FRAMES)
        elif self._frames:
            self.reached(KillPoint.BETWEEN_FRAMES)
        self._fresh = False
        self._frames += 1

    def reached(self, point: KillPoint) -> None:
        """The referee is at a point: it may end here."""
        if not self._armed or self._armed[0].point is not point:
            return
        if self._passed < self._armed[0].skips:
            self._passed += 1
            return
        self._passed = 0
        raise Killed(self._armed.pop(0))
