"""How a match ends: completed, abandoned, or by faults, with seat and blame (PROTOCOL 5)."""

from collections.abc import Sequence

from referee.match.facts import Faulted, MatchEnded
from referee.match.inputs import Fault
from referee.match.state import MatchState
from referee.match.step import Ack, Ask
from referee.match.values import AckStatus, Blame, CancelReason, Ending
from referee.match.window import WindowInput
from referee.rules.errors import RefereeBug
from referee.rules.options import has_fixed_teams, player_seats, team_of, teams
from referee.rules.phases import Phase
from referee.rules.seat import Seat
from referee.rules.worst import worst_result

_REFEREE_ENDINGS = (Ending.REFEREE_FAILED, Ending.STORE_FAILED)


def blame_of(fault: Fault) -> Blame:
    """Who answers for a fault: as it says, else the bot of its seat, or the referee itself."""
    if fault.blame is not None:
        return fault.blame
    if fault.ending in _REFEREE_ENDINGS:
        return Blame.REFEREE
    return Blame.NONE if fault.seat is None else Blame.BOT


def take_faults(state: MatchState, faults: Sequence[Fault]) -> None:
    """Record the faults of one step and end the match by them."""
    for fault in faults:
        state.fact(
            Faulted(at=state.now, ending=fault.ending, seat=fault.seat, blame=blame_of(fault))
        )
        if fault.request_id is not None and fault.seat is not None:
            state.step.acks.append(
                Ack(seat=fault.seat, status=AckStatus.APPLIED, request_id=fault.request_id)
            )
    end_by_faults(state, faults)


def end_by_faults(state: MatchState, faults: Sequence[Fault]) -> None:
    """End the match by faults of one instant.

    A bot's fault goes before anything else that happened in it, so that nobody gets away with one
    because the match was about to be void. Of several bots the lowest seat is named.
    """
    if not faults:
        raise RefereeBug("an end by faults without any")
    bots = [fault for fault in faults if blame_of(fault) is Blame.BOT]
    lead = min(bots or faults, key=_by_seat)
    same = {fault.seat for fault in faults if blame_of(fault) is blame_of(lead)}
    seats = tuple(sorted(seat for seat in same if seat is not None))
    end_match(
        state,
        lead.ending,
        seat=lead.seat,
        blame=blame_of(lead),
        failed=seats if len(seats) > 1 else (),
        loser=_loser(state, seats) if bots else None,
    )


def _by_seat(fault: Fault) -> tuple[bool, int]:
    return fault.seat is None, fault.seat or 0


def _loser(state: MatchState, seats: Sequence[Seat]) -> int | None:
    """The one team whose bots failed; None when it was more than one: nobody may gain by that.

    In Trichu, whose teams change, it is the player (G8). In Grand Seigneur nobody can lose points.
    """
    rules = state.settings.rules
    if has_fixed_teams(rules):
        losers: set[int] = {team_of(rules, seat) for seat in seats}
    else:
        losers = set(seats) if teams(rules) else set()
    return losers.pop() if len(losers) == 1 else None


def abandon(state: MatchState) -> None:
    """The match ran longer than its banks and rounds allow: by the seat that thought longest.

    If thinking is less than half of its time (the rest are windows, and blocks of our own), no bot
    is to blame and it counts for nothing.
    """
    sent = state.recalled or _running(state)
    thought = state.thought.copy()
    for hand, since in enumerate(sent):
        thought[state.players[hand]] += state.now - since if since >= 0 else 0
    dragged = sum(thought) * 2 >= state.now
    seat = Seat(thought.index(max(thought))) if dragged else None
    fault = Fault(seat=seat, ending=Ending.ABANDONED)
    state.fact(
        Faulted(
            at=state.now, ending=fault.ending, seat=fault.seat, blame=blame_of(fault), sent=sent
        )
    )
    end_by_faults(state, [fault])


def _running(state: MatchState) -> tuple[int, ...]:
    """By hand: when the clock of the ask started that is thought about; -1 without one."""
    sent = [-1] * state.n
    for ask in state.asks.all():
        if ask.base_ns is not None and ask.choice is None:
            sent[ask.seat] = ask.sent
    return tuple(sent)


def end_match(
    state: MatchState,
    ending: Ending,
    *,
    seat: Seat | None = None,
    blame: Blame = Blame.NONE,
    failed: tuple[Seat, ...] = (),
    loser: int | None = None,
) -> None:
    """End the match: close every ask and window, and publish how it ended.

    `loser` is the team (in Trichu the player) that failed: the match counts as the worst that it
    could still have got.
    """
    for ask in list(state.asks.all()):
        _close(state, ask)
    state.window.feed(WindowInput.ABORT)
    state.held = None
    state.forced = None
    state.barrier = None
    state.paused = None
    state.needs_deal = False
    state.over = True
    state.wall = None
    state.failures = []
    awarded = _worst(state, loser) if loser is not None else ()
    state.public(
        MatchEnded(
            at=state.now,
            ending=ending,
            totals=tuple(state.score.totals),
            rounds=state.score.rounds_played,
            banks=tuple(state.banks),
            seat=seat,
            blame=blame,
            winner=_winner(state, ending, loser, awarded),
            failed=failed,
            awarded=awarded,
        )
    )


def _close(state: MatchState, ask: Ask) -> None:
    """Close an open ask and say so; where the substitute was taken its seat knows already."""
    if ask.choice is not None and ask.answer is None:
        state.asks.close(ask, AckStatus.TOO_LATE)
    else:
        state.cancel(ask, CancelReason.MATCH_ENDED, AckStatus.STALE)


def _winner(
    state: MatchState, ending: Ending, loser: int | None, awarded: Sequence[int]
) -> int | None:
    """Who has won: by points, or because another one failed. Nobody in Grand Seigneur."""
    rules = state.settings.rules
    if ending is Ending.COMPLETED:
        return state.score.winner if teams(rules) else None
    if loser is None:
        return None
    if has_fixed_teams(rules):
        return 1 - loser
    others = [seat for seat in player_seats(rules) if seat != loser]
    best = max(awarded[seat] for seat in others)
    first = [seat for seat in others if awarded[seat] == best]
    return first[0] if len(first) == 1 else None


def _worst(state: MatchState, loser: int) -> tuple[int, ...]:
    position = state.round
    runs = position is not None and position.phase is not Phase.ROUND_OVER
    return worst_result(
        position if runs else None,
        loser,
        totals=state.score.totals,
        rounds_played=state.score.rounds_played,
        options=state.settings.rules,
    )
