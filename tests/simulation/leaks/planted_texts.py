"""Leaks planted in what is sent, logged and counted: a card or a seed where none may be."""

from collections.abc import Callable

import pytest
import structlog

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app import dispatcher
from referee.app.delivery import deliver as real_deliver
from referee.app.running import RunningMatch
from referee.match import rounds
from referee.match.inputs import Deal
from referee.match.state import MatchState
from referee.match.step import CardsDealt, CardsExchanged
from referee.match.values import WireRefusal
from referee.metrics.meter import PrometheusMeter
from referee.rules.refusals import Refusal
from referee.rules.seat import Seat
from referee.rules.views import SeatView
from referee.wire import events as wire_events
from referee.wire import snapshots
from referee.wire.fragments import cards_of
from tests.simulation.audit.cards import text_of

Patch = pytest.MonkeyPatch


def refusal_names_a_foreign_card(patch: Patch) -> None:
    """A refusal says what the next seat holds."""
    real = MatchState.refuse

    def refuse(
        self: MatchState,
        seat: Seat,
        code: Refusal | WireRefusal,
        *,
        text: str | None = None,
        **subject: int,
    ) -> None:
        if self.round is not None:
            text = f"not now; the next seat has {text_of(self.current.hands[(seat + 1) % 4])}"
        real(self, seat, code, text=text, **subject)

    patch.setattr(MatchState, "refuse", refuse)


def hand_of_the_partner(patch: Patch) -> None:
    """A snapshot shows the partner's hand too."""
    own = snapshots._fill_own
    hands: dict[int, int] = {}

    def fill(message: match_pb2.Snapshot, view: SeatView) -> None:
        own(message, view)
        hands[view.seat] = view.hand
        if (partner := hands.get((view.seat + 2) % 4)) is not None:
            message.hands.add(seat=(view.seat + 2) % 4, cards=cards_of(partner))

    patch.setattr(snapshots, "_fill_own", fill)


def dealt_to_the_next(patch: Patch) -> None:
    """Each seat is dealt the cards of the next one."""
    real = wire_events._private

    def private(event: CardsDealt | CardsExchanged, seat: Seat) -> match_pb2.Event:
        return real(event, Seat((seat + 1) % 4))

    patch.setattr(wire_events, "_private", private)


def seed_as_commitment(patch: Patch) -> None:
    """The commitment is the seed."""
    patch.setattr(rounds, "commit", lambda match_id, seed: seed)


def _logged(patch: Patch, what: Callable[[RunningMatch], object]) -> None:
    log = structlog.get_logger("planted")

    def deliver(match: RunningMatch, *rest: object) -> None:
        real_deliver(match, *rest)  # type: ignore[arg-type]
        state: MatchState = match.machine._state
        if state.round is not None:
            log.debug("delivered", match=match.id, what=what(match))

    patch.setattr(dispatcher, "deliver", deliver)


def hands_logged(patch: Patch) -> None:
    """A debug line shows all hands as masks."""
    _logged(patch, lambda match: list(match.machine._state.current.hands))


def cards_logged(patch: Patch) -> None:
    """A debug line names the lowest card of a hand."""
    _logged(patch, lambda match: text_of(match.machine._state.current.hands[0] & 0xFFFF << 8))


def seed_logged(patch: Patch) -> None:
    """A debug line shows the seed of the deal."""
    seeds: list[str] = []
    real = rounds.deal

    def deal(state: MatchState, what: Deal) -> None:
        seeds.append(what.seed)
        real(state, what)

    patch.setattr(rounds, "deal", deal)
    _logged(patch, lambda match: seeds[-1])


def hand_counted(patch: Patch) -> None:
    """A label of a metric is a card."""
    real = PrometheusMeter.refused

    def refused(self: PrometheusMeter, code: str) -> None:
        self._refusals["7j"] = 1
        real(self, code)

    patch.setattr(PrometheusMeter, "refused", refused)


PLANTED = (
    *(refusal_names_a_foreign_card, hand_of_the_partner, dealt_to_the_next, seed_as_commitment),
    *(hands_logged, cards_logged, seed_logged, hand_counted),
)
