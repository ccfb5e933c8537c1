"""Finds a process for each seat, among those that bots are registered with."""

from collections import Counter
from collections.abc import Sequence

from referee.app.instances import Instance
from referee.app.service import Service
from referee.formats.printable import printable
from referee.ports.services import CallRefused, Problem

_SHOWN_CHARS = 80


class SeatFinder:
    """Each seat gets a process of its own, those that are here and have nothing to do first.

    With `may_share` a process that takes several matches may get several seats.
    """

    def __init__(self, service: Service, *, may_share: bool) -> None:
        self._service = service
        self._may_share = may_share

    def instances(self, bots: Sequence[str]) -> list[str]:
        """Return instances for seats, by the names of their bots. Raises `CallRefused`."""
        taken: Counter[str] = Counter()
        found = []
        for bot in bots:
            one = self._free(bot, taken, needed=bots.count(bot))
            taken[one.id] += 1
            found.append(one.id)
        return found

    def _free(self, bot: str, taken: Counter[str], *, needed: int) -> Instance:
        book = self._service.reception.instances
        here, shown = book.named(bot), printable(bot[:_SHOWN_CHARS])
        if not here:
            raise CallRefused(
                Problem.NOT_FOUND,
                f"no bot {shown!r} is registered here; RegisterBot registers one",
                subject="bots",
            )
        free = [one for one in here if self._seats_of(one) > taken[one.id]]
        if not free:
            raise CallRefused(
                Problem.FAILED_PRECONDITION,
                f"bot {shown} needs {needed} processes that are free, and has {len(here)} in all; "
                "wait for its matches to end, or register a bot with more",
                subject="bots",
            )
        return min(free, key=lambda one: (not _is_here(one), one.playing, taken[one.id]))

    def _seats_of(self, instance: Instance) -> int:
        """Return how many seats it may get now."""
        session = instance.session
        free = max(0, 1 - len(instance.sealed) if session is None else session.free)
        return free if self._may_share else min(1, free)


def _is_here(instance: Instance) -> bool:
    return instance.session is not None and instance.session.link is not None
