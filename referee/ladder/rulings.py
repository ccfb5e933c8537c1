"""What rulings say: who plays, who counts, which boards were annulled, with which version."""

from collections.abc import Sequence

import msgspec

from referee.ladder.values import Ruling, RulingKind, Side
from referee.rules.errors import ConfigError

BOARD_MARK = "/"  # between pairing, board and attempt in the subject of an annulment

_FINAL = RulingKind.DISQUALIFY
_STOPS = (RulingKind.WITHDRAW, RulingKind.QUARANTINE, _FINAL)


class AnnulledBoard(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A board that was annulled; `attempt` 0: the one that counted when it was ruled."""

    pairing: str
    board: int
    attempt: int = 0


class AnnulledMatch(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """A match that was annulled, and with it the attempt of the board that it belongs to."""

    match_id: str


class Decided(msgspec.Struct, frozen=True, kw_only=True):
    """Rulings, as they stand after the last one.

    `stopped` are the entries that play no more, by the ruling that says so. `versions` is what an
    entry plays on with, where it was replaced: what it played with other versions counts no more.
    """

    annulled: tuple[AnnulledBoard | AnnulledMatch, ...] = ()
    stopped: dict[str, RulingKind] = {}
    versions: dict[str, str] = {}
    frozen: bool = False

    def plays(self, entry: str) -> bool:
        """Return whether the entry may get new boards."""
        return not self.frozen and entry not in self.stopped

    def is_out(self, entry: str) -> bool:
        """Return whether the entry was disqualified: none of its boards count."""
        return self.stopped.get(entry) is _FINAL

    def is_current(self, side: Side) -> bool:
        """Return whether what this side played with is what counts for its entry."""
        version = self.versions.get(side.entry)
        return version is None or version == version_of(side)


def version_of(side: Side) -> str:
    """Return the version of an entry: that of its bot, or of its bots with a `+` between them."""
    return joined_version([player.version for player in side.players])


def joined_version(versions: Sequence[str]) -> str:
    """Return the version of an entry, of those of its bots by place.

    >>> joined_version(["v1", "v1"]), joined_version(["v1", "v2", "v1"])
    ('v1', 'v1+v2+v1')
    """
    return versions[0] if len(set(versions)) == 1 else "+".join(versions)


def decide(rulings: Sequence[Ruling]) -> Decided:
    """Return what stands after all rulings, taken in the order of their numbers.

    A replaced entry plays on, also after it was withdrawn or quarantined; a disqualification is
    final. Raises ConfigError where the subject of an annulment cannot be read.
    """
    annulled: list[AnnulledBoard | AnnulledMatch] = []
    stopped: dict[str, RulingKind] = {}
    versions: dict[str, str] = {}
    frozen = False
    for ruling in sorted(rulings, key=lambda one: one.number):
        kind, subject = ruling.kind, ruling.subject
        if kind is RulingKind.ANNUL:
            annulled.append(annulled_by(subject))
        elif kind is RulingKind.FREEZE:
            frozen = True
        elif kind is RulingKind.REPLACE:
            versions[subject] = ruling.version
            if stopped.get(subject) is not _FINAL:
                stopped.pop(subject, None)
        elif kind in _STOPS and stopped.get(subject) is not _FINAL:
            stopped[subject] = kind
    return Decided(annulled=tuple(annulled), stopped=stopped, versions=versions, frozen=frozen)


def annulled_by(subject: str) -> AnnulledBoard | AnnulledMatch:
    """Read the subject of an annulment: a match id, `PAIRING/BOARD` or `PAIRING/BOARD/ATTEMPT`.

    >>> annulled_by("adam~zoe/7/2")
    AnnulledBoard(pairing='adam~zoe', board=7, attempt=2)

    Raises ConfigError where it is none of them.
    """
    pairing, *numbers = subject.split(BOARD_MARK)
    if not numbers and pairing:
        return AnnulledMatch(match_id=pairing)
    counts = [int(text) for text in numbers if text.isascii() and text.isdecimal()]
    if not pairing or len(counts) != len(numbers) or len(counts) > 2 or min(counts, default=0) < 1:
        raise ConfigError(
            f"annul {subject!r}: give a match id, PAIRING/BOARD or PAIRING/BOARD/ATTEMPT"
        )
    return AnnulledBoard(pairing=pairing, board=counts[0], attempt=(*counts, 0)[1])
