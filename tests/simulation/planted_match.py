"""Faults planted in clocks, windows, acknowledgements, endings and the telling of the referee."""

import sys
from collections.abc import Callable, Sequence

import msgspec
import pytest

from referee.app import blame as app_blame
from referee.app.event_log import EventLog
from referee.app.service import Service
from referee.match import answers, checks, endings, stalls, state, turns, window, windows
from referee.match.inputs import Answer
from referee.match.state import MatchState
from referee.match.step import Ask
from referee.match.values import MS, AckStatus, Blame, Ending, Pace
from referee.match.window import Attempt
from referee.rules.seat import Seat
from referee.rules.views import seat_view

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


def everywhere(patch: Patch, real: Callable[..., object], planted: Callable[..., object]) -> None:
    """Replace a function in every module of the referee that has imported it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("referee."):
            for key, value in list(vars(module).items()):
                if value is real:
                    patch.setattr(module, key, planted)


# --- clock


def charged_twice(patch: Patch) -> None:
    """A bank pays twice."""
    real = state.settle

    def settle(match: MatchState, ask: Ask) -> int:
        charged = real(match, ask)
        match.banks[ask.seat] = max(0, match.banks[ask.seat] - charged)
        return charged

    everywhere(patch, real, settle)


def charge_not_taken(patch: Patch) -> None:
    """A bank pays nothing for what is charged."""
    real = state.settle

    def settle(match: MatchState, ask: Ask) -> int:
        before = match.banks[ask.seat]
        charged = real(match, ask)
        match.banks[ask.seat] = before
        return charged

    everywhere(patch, real, settle)


def nothing_charged(patch: Patch) -> None:
    """Time over the base is free."""
    real = state.settle

    def settle(match: MatchState, ask: Ask) -> int:
        before = match.banks[ask.seat]
        real(match, ask)
        match.banks[ask.seat] = before
        ask.charged = 0
        return 0

    everywhere(patch, real, settle)


def banks_refilled(patch: Patch) -> None:
    """Each act fills the banks again."""
    real = turns.follow

    def follow(match: MatchState) -> None:
        if match.settings.clock is not None:
            match.banks = [match.settings.clock.bank_ns] * match.n
        real(match)

    everywhere(patch, real, follow)


def lag_without_end(patch: Patch) -> None:
    """The lag quota is never used up."""
    real = state.settle

    def settle(match: MatchState, ask: Ask) -> int:
        before = list(match.quotas)
        charged = real(match, ask)
        match.quotas = before
        return charged

    everywhere(patch, real, settle)


def _deadline_moved(patch: Patch, by_ns: int) -> None:
    real = state.deadline

    def deadline(match: MatchState, ask: Ask) -> int | None:
        ends = real(match, ask)
        return None if ends is None else ends + by_ns

    everywhere(patch, real, deadline)


def late_answers_accepted(patch: Patch) -> None:
    """Time runs out 60 ms after the limit."""
    _deadline_moved(patch, 60 * MS)


def time_out_too_early(patch: Patch) -> None:
    """Time runs out 20 ms before the limit."""
    _deadline_moved(patch, -20 * MS)


def blocked_loop_not_noticed(patch: Patch) -> None:
    """Asks stay open although the referee was blocked over its limit."""
    patch.setattr(Service, "turned", lambda self, duration_ns: None)


def stall_costs_time(patch: Patch) -> None:
    """What is asked anew after a block goes on with the old clock."""
    real = stalls._anew

    def anew(match: MatchState, ask: Ask) -> Ask:
        again = real(match, ask)
        again.sent, again.lag = ask.sent, ask.lag
        return again

    patch.setattr(stalls, "_anew", anew)


def wrong_time_told(patch: Patch) -> None:
    """An acknowledgement tells 5 ms more than was used."""
    real = MatchState.ack

    def ack(self: MatchState, ask: Ask, status: AckStatus, *, charged: int | None = None) -> None:
        real(self, ask, status, charged=charged)
        last = self.step.acks[-1]
        if last.used_ns is not None:
            self.step.acks[-1] = msgspec.structs.replace(last, used_ns=last.used_ns + 5 * MS)

    patch.setattr(MatchState, "ack", ack)


# --- windows


def first_bomb_lands(patch: Patch) -> None:
    """Of several bombs the one that arrived first lands."""

    def first(attempts: Sequence[Attempt], **_: object) -> Attempt:
        return attempts[0]

    everywhere(patch, window.strongest, first)


def bombs_ignored(patch: Patch) -> None:
    """A bomb that was received is not played; the act beside it is."""
    real = windows._close

    def close(match: MatchState, at: int, *, opened: int) -> None:
        match.window.attempts = []
        real(match, at, opened=opened)

    patch.setattr(windows, "_close", close)


def window_too_short(patch: Patch) -> None:
    """Windows close 10 ms early."""
    real = windows.due

    def due(match: MatchState) -> int | None:
        closes = real(match)
        return None if closes is None else closes - 10 * MS

    patch.setattr(windows, "due", due)


def fair_window_ends_with_the_last_answer(patch: Patch) -> None:
    """In pace fair the time of an effect tells how quick everybody was."""
    real = turns.release_due

    def release_due(match: MatchState) -> int | None:
        due = real(match)
        quick = due is not None and not match.window.waiting and match.held is not None
        return due - 7 * MS if quick and due is not None else due

    patch.setattr(turns, "release_due", release_due)


def off_the_grid(patch: Patch) -> None:
    """Answers in turn take effect 1 ms after their instant."""
    real = turns.release_due

    def release_due(match: MatchState) -> int | None:
        due = real(match)
        return None if due is None else due + MS

    patch.setattr(turns, "release_due", release_due)


def stood_down_asked_again(patch: Patch) -> None:
    """A seat that stood down is asked for bombs all the same."""

    def is_asked(match: MatchState, seat: Seat) -> bool:
        return match.settings.pace is Pace.FAIR or windows.holds_bomb(match, seat)

    patch.setattr(windows, "_is_asked", is_asked)


def only_holders_asked_in_fair(patch: Patch) -> None:
    """In pace fair only seats that hold a bomb are asked, which tells that they do."""
    patch.setattr(windows, "_is_asked", windows.holds_bomb)


# --- answers


def repeat_taken_again(patch: Patch) -> None:
    """A repeated answer is taken as if it were new."""
    patch.setattr(answers, "_settled", lambda match, ask, decision: None)


def acknowledgement_dropped(patch: Patch) -> None:
    """A repeat is answered with silence."""
    real = MatchState.ack_number

    def ack_number(self: MatchState, seat: Seat, ask_id: int, status: AckStatus) -> None:
        if status is not AckStatus.DUPLICATE:
            real(self, seat, ask_id, status)

    patch.setattr(MatchState, "ack_number", ack_number)


def void_not_told(patch: Patch) -> None:
    """Whose act was bombed away is told that it was applied."""

    def void(match: MatchState, ask: Ask) -> None:
        if ask.answer is not None:
            match.ack(ask, AckStatus.APPLIED)
        match.asks.close(ask, AckStatus.VOID_BOMBED)

    patch.setattr(windows, "_void", void)


def strike_not_counted(patch: Patch) -> None:
    """Every second failure counts nothing."""
    real = MatchState.strike

    def strike(self: MatchState, ask: Ask, why: str) -> None:
        if self.strikes[ask.seat] % 2 == 0 or self.actions % 2:
            real(self, ask, why)

    patch.setattr(MatchState, "strike", strike)


def one_more_correction(patch: Patch) -> None:
    """The first illegal answer to an ask counts nothing."""
    real = answers._refuse

    def refuse(match: MatchState, ask: Ask, answer: Answer, fault: checks.Objection) -> None:
        if ask.refusals == 0:
            ask.refusals = -1
        real(match, ask, answer, fault)

    patch.setattr(answers, "_refuse", refuse)


# --- what is told


def strange_cards_in_the_snapshot(patch: Patch) -> None:
    """A snapshot shows the hand of the next seat."""
    everywhere(patch, seat_view, lambda round_, seat: seat_view(round_, Seat((seat + 1) % 4)))


def private_event_of_another(patch: Patch) -> None:
    """Private events go to the seat before."""
    real = EventLog.since
    patch.setattr(EventLog, "since", lambda self, number, seat: real(self, number, Seat(seat - 1)))


def event_skipped(patch: Patch) -> None:
    """Seat 2 is not told of each tenth batch of events."""
    real = EventLog.since

    def since(self: EventLog, number: int, seat: Seat) -> list[bytes]:
        events = real(self, number, seat)
        return events[1:] if seat == 2 and number % 10 == 0 else events

    patch.setattr(EventLog, "since", since)


def ack_to_the_partner(patch: Patch) -> None:
    """Acknowledgements of seat 3 go to seat 1."""
    real = MatchState.ack

    def ack(self: MatchState, ask: Ask, status: AckStatus, *, charged: int | None = None) -> None:
        real(self, ask, status, charged=charged)
        last = self.step.acks[-1]
        if ask.seat == 3:
            self.step.acks[-1] = msgspec.structs.replace(last, seat=Seat(1))

    patch.setattr(MatchState, "ack", ack)


# --- endings


def blamed_on_nobody(patch: Patch) -> None:
    """A bot's fault has the blame UNKNOWN."""
    real = endings.blame_of

    def blame_of(fault):  # type: ignore[no-untyped-def]
        blame = real(fault)
        return Blame.UNKNOWN if blame is Blame.BOT else blame

    everywhere(patch, real, blame_of)


def network_blamed_on_the_bot(patch: Patch) -> None:
    """Two owners that lose their links together are blamed."""
    patch.setattr(app_blame.Loss, "blame", lambda self, lag_limit_ns: Blame.BOT)


def ended_twice(patch: Patch) -> None:
    """The end of a match is told twice."""
    real = endings.end_match

    def end_match(match: MatchState, ending, **more) -> None:  # type: ignore[no-untyped-def]
        real(match, ending, **more)
        match.event(match.step.events[-1])

    everywhere(patch, real, end_match)


def failing_pays(patch: Patch) -> None:
    """A match that a bot failed counts as it stood."""
    patch.setattr(endings, "_worst", lambda match, team: tuple(match.score.totals))


def winner_of_a_forfeit(patch: Patch) -> None:
    """The team that failed is named the winner."""
    real = endings._winner

    def winner(
        match: MatchState, ending: Ending, loser: int | None, awarded: Sequence[int]
    ) -> int | None:
        return real(match, ending, loser, awarded) if loser is None else loser

    patch.setattr(endings, "_winner", winner)


def forfeit_not_taken(patch: Patch) -> None:
    """Nobody is out for too many strikes."""
    real = answers.stand_in

    def stand_in(match: MatchState, ask: Ask, reason, *, why: str) -> None:  # type: ignore[no-untyped-def]
        kept = match.strikes[ask.seat]
        match.strikes[ask.seat] = -1_000
        real(match, ask, reason, why=why)
        match.strikes[ask.seat] = kept + 1

    everywhere(patch, real, stand_in)


MATCH_FAULTS: tuple[Plant, ...] = (
    charged_twice,
    charge_not_taken,
    nothing_charged,
    banks_refilled,
    lag_without_end,
    late_answers_accepted,
    time_out_too_early,
    wrong_time_told,
    first_bomb_lands,
    bombs_ignored,
    window_too_short,
    fair_window_ends_with_the_last_answer,
    off_the_grid,
    stood_down_asked_again,
    only_holders_asked_in_fair,
    repeat_taken_again,
    acknowledgement_dropped,
    void_not_told,
    strike_not_counted,
    one_more_correction,
    strange_cards_in_the_snapshot,
    private_event_of_another,
    event_skipped,
    ack_to_the_partner,
    blamed_on_nobody,
    network_blamed_on_the_bot,
    ended_twice,
    failing_pays,
    winner_of_a_forfeit,
    forfeit_not_taken,
)
