"""What goes to the store, in its order: facts, then the record of an end, then the match is let go.

An end that was told though it could not be kept (`owe_end`) is kept later: the facts that the store
has are replayed, and the machine that stands there is failed. So the record verifies.
"""

from collections.abc import Callable, Sequence

import structlog

from referee.app.rebuilt import Rebuilt
from referee.app.running import RunningMatch
from referee.app.timers import Timers
from referee.match.values import Ending, MatchConfig
from referee.ports import Batch, Clock, FactStore, Meter, StoreError, StoreFenced

_log = structlog.get_logger("referee.keeping")


class Keeping:
    """The store as the dispatcher uses it."""

    def __init__(
        self, store: FactStore, clock: Clock, timers: Timers, meter: Meter, *, retry_ns: int
    ) -> None:
        self.on_fenced: Callable[[str], None] = lambda text: None
        self.on_settled: Callable[[], None] = lambda: None  # nothing is owed or unwritten any more
        self.on_recorded: Callable[[str, str | None], None] = lambda match_id, path: None
        self.on_unrecorded: Callable[[str], None] = lambda match_id: None  # and never will be
        self._store = store
        self._clock = clock
        self._meter = meter
        self._retry_ns = retry_ns
        self._owed: dict[str, tuple[MatchConfig, Ending]] = {}  # ends that are told and not kept
        self._unclosed: dict[str, bool] = {}  # ends that are kept without records; if one failed
        self._sealed: dict[str, bool] = {}  # get no record yet; if their end is kept
        self._closing = False
        self._told: set[str] = set()  # of both: no seat holds them any more
        self._again = timers.alarm(self._close_again)

    def keep(self, matches: Sequence[RunningMatch]) -> list[RunningMatch]:
        """Keep the facts of these matches in one call, as far as they are not kept.

        Return those whose facts cannot even be written down, which is our bug; nothing of them is
        kept. Raises `StoreError`, and what our bugs raise; then nothing of any is kept.
        """
        batches, kept, lost = [], [], []
        for match in matches:
            if not match.stored:
                continue
            try:
                batch = match.batch()
            except Exception as error:  # the error's text may name cards
                _log.error("facts were not encoded", match=match.id, error=type(error).__name__)
                lost.append(match)
                continue
            kept.append(match)
            if batch is not None:
                batches.append(batch)
        if batches:
            self._append(batches)
        for match in kept:
            match.note_kept()
        return lost

    def _append(self, batches: Sequence[Batch]) -> None:
        began = self._clock.now()
        self._store.append(batches)
        facts = sum(len(batch.lines) for batch in batches)
        self._meter.appended(facts, self._clock.now() - began)

    # --- ends

    def seal(self, match_id: str) -> None:
        """Withhold the record of a match that begins."""
        self._sealed[match_id] = False

    def unseal(self, match_id: str) -> None:
        """Withhold the record of a match no longer; one whose end is kept is written soon."""
        if self._sealed.pop(match_id, False):
            self.close_soon(match_id)

    def close_soon(self, match_id: str) -> None:
        """Write the record of a match whose end is kept: what was told of others goes out first.

        One record a turn of the loop, in the order of the ends; of a sealed match none yet.
        """
        if match_id in self._sealed:
            self._sealed[match_id] = True
            return
        self._unclosed[match_id] = False
        self._close_in_turn()

    def _close_in_turn(self) -> None:
        if not self._closing:
            self._closing = True
            self._clock.call_soon(self._close_next)

    def _close_next(self) -> None:
        self._closing = False
        fresh = [match_id for match_id, failed in self._unclosed.items() if not failed]
        if fresh:
            self.close(fresh[0])
        if len(fresh) > 1:
            self._close_in_turn()

    @property
    def settled(self) -> bool:
        """True if every end that was told is kept, and has its record."""
        return not self._owed and not self._unclosed

    def _note_settled(self) -> None:
        if self.settled:
            self.on_settled()

    @property
    def unwritten(self) -> int:
        """How many records could not be written, and are tried again."""
        return sum(self._unclosed.values())

    def close_all(self) -> None:
        """Write all records that wait, at once."""
        for match_id in list(self._unclosed):
            self.close(match_id)

    def close(self, match_id: str) -> None:
        """Write the record of a match whose end is kept; where that fails, later.

        Of a sealed match it is withheld.
        """
        if match_id in self._sealed:
            self._sealed[match_id] = True
        else:
            self._close(match_id)
        self._note_settled()

    def _close(self, match_id: str) -> None:
        try:
            path = self._store.close_match(match_id)
        except StoreFenced as error:
            self.on_fenced(str(error))
        except StoreError as error:
            if not self._unclosed.get(match_id, False):
                _log.error("a record was not written", match=match_id, error=str(error))
            self._later(match_id)
        except Exception as error:  # our bug: the facts are kept, and the next process finds them
            _log.error("a record was not closed", match=match_id, error=type(error).__name__)
            self._unclosed.pop(match_id, None)
            self.on_unrecorded(match_id)
        else:
            self._unclosed.pop(match_id, None)
            self.on_recorded(match_id, path)
            self._let_go_told(match_id)

    def _later(self, match_id: str) -> None:
        self._unclosed[match_id] = True
        self._again.set(self._clock.now() + self._retry_ns)

    def _close_again(self) -> None:
        for match_id, failed in list(self._unclosed.items()):
            if failed:
                self.close(match_id)

    def told(self, match_id: str) -> None:
        """No seat holds the match any more: let it go, once its record is there."""
        self._told.add(match_id)
        waits = (self._sealed, self._unclosed, self._owed)
        if not any(match_id in some for some in waits):
            self._let_go_told(match_id)

    def _let_go_told(self, match_id: str) -> None:
        if match_id not in self._told:
            return
        self._told.discard(match_id)
        try:
            self._store.let_go(match_id)
        except StoreFenced as error:
            self.on_fenced(str(error))
        except StoreError as error:
            _log.error("a match was not let go", match=match_id, error=str(error))
            self._told.add(match_id)
            self._later(match_id)

    # --- ends that are told first

    def owe_end(self, match: RunningMatch, ending: Ending) -> None:
        """The end of this match is told though it is not kept; `keep_owed` makes up for it."""
        self._owed[match.id] = (match.config, ending)

    @property
    def owes(self) -> bool:
        """True if an end is not kept that was told."""
        return bool(self._owed)

    def keep_owed(self) -> None:
        """Keep one of the ends that are owed, and its record. Raises `StoreError`."""
        match_id, (config, ending) = next(iter(self._owed.items()))
        try:
            self._keep_end(match_id, config, ending)
        except StoreError:
            raise
        except Exception as error:  # our bug: trying again would not help
            _log.error("an end was not kept", match=match_id, error=type(error).__name__)
            del self._owed[match_id]
            self.on_unrecorded(match_id)
            self._note_settled()
            return
        del self._owed[match_id]
        self.close(match_id)

    def _keep_end(self, match_id: str, config: MatchConfig, ending: Ending) -> None:
        kept = self._store.facts(match_id)
        lines = Rebuilt(config, kept).end_lines(ending)
        if lines:
            self._append([Batch(match_id=match_id, first_seq=len(kept), lines=lines, last=True)])
