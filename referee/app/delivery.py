"""From the steps of a match to what waits for each of its seats. Runs after facts are durable."""

from collections.abc import Sequence
from typing import cast

import structlog

from referee.app.running import RunningMatch
from referee.match.facts import (
    CallMade,
    DragonGiven,
    LeadHanded,
    MatchEnded,
    Passed,
    Played,
    PublicFact,
    RoundEnded,
    Strike,
    TrickTaken,
    WentOut,
    WindowClosed,
)
from referee.match.step import Ask, RoundStarted, Step
from referee.match.values import AckStatus
from referee.ports import Audience, Codec, DecisionMeter

_log = structlog.get_logger("referee.delivery")

_LAST = (RoundEnded, MatchEnded)  # of a round

# What an audience may know: an allowlist, since a new fact is private until somebody says else.
# The end of the match is told apart, see `tell_end`.
_PUBLIC = frozenset(
    (
        CallMade,
        Played,
        Passed,
        TrickTaken,
        DragonGiven,
        LeadHanded,
        WentOut,
        RoundEnded,
        Strike,
    )
)


def deliver(match: RunningMatch, steps: Sequence[Step], codec: Codec, meter: DecisionMeter) -> None:
    """Give each seat its part of these steps, and the audience what everybody may know."""
    holdings = match.holdings
    for step in steps:
        for fact in step.facts:
            if type(fact) is WindowClosed:
                _close_window(match)
            elif type(fact) is Strike:
                _struck(match, fact, meter)
            elif type(fact) is RoundEnded:
                match.score = (fact.totals, fact.round)
        if step.events:
            _events(match, step, codec)
        for ask in step.asks:
            holding = holdings[ask.to]
            holding.session.open_asks += 1
            holding.add_ask(ask)
            meter.asked(ask.kind)
        for cancelled in step.cancelled:
            holding = holdings[cancelled.seat]
            holding.session.open_asks -= holding.add_cancelled(cancelled, codec)
        for ack in step.acks:
            settled = holdings[ack.seat].add_ack(ack, codec)
            if ack.network_ns:
                meter.lag_credited(ack.network_ns)
            if settled is not None:
                _settled(match, settled, ack.status, meter)
        for refused in step.refused:
            holdings[refused.seat].add_refused(refused, codec)
            meter.refused(refused.code)
    for holding in holdings.values():
        if holding.pressing or holding.session.eager:
            holding.session.notify(holding)
    if match.audience is not None:
        _tell_audience(match, steps, match.audience)


def _tell_audience(match: RunningMatch, steps: Sequence[Step], audience: Audience) -> None:
    # by exact type: `isinstance` with ten classes costs ten times as much
    told = [fact for step in steps for fact in step.facts if type(fact) in _PUBLIC]
    if told:
        _tell(match, audience, cast(list[PublicFact | Strike], told))


def tell_end(match: RunningMatch, ended: MatchEnded) -> None:
    """Give the audience the last fact. Apart from the others: a failure must not hide it."""
    if match.audience is not None:
        _tell(match, match.audience, [ended])


def log_end(match: RunningMatch, ended: MatchEnded) -> None:
    """Log the end of a match."""
    if match.held is not None:
        _log_sealed_end(match, ended)
        return
    _log.info(
        "match ended",
        match=match.id,
        ending=ended.ending.value,
        seat=ended.seat,
        name=None if ended.seat is None else match.names[ended.seat],
        blame=ended.blame.value,
        failed=list(ended.failed),
        awarded=list(ended.awarded),
        totals=list(ended.totals),
        rounds=ended.rounds,
        strikes=list(match.machine.strikes),
    )


def _log_sealed_end(match: RunningMatch, ended: MatchEnded) -> None:
    """Log how a sealed match ended and by whom; what it brought when it is unsealed."""
    _log.info(
        "match ended",
        match=match.id,
        ending=ended.ending.value,
        seat=ended.seat,
        name=None if ended.seat is None else match.names[ended.seat],
        blame=ended.blame.value,
        failed=list(ended.failed),
    )


def _tell(match: RunningMatch, audience: Audience, facts: Sequence[PublicFact | Strike]) -> None:
    try:
        audience.tell(match.id, facts)
    except Exception as error:  # who only watches must not end a match
        match.audience = None
        _log.error("an audience left", match=match.id, error=type(error).__name__)


def _close_window(match: RunningMatch) -> None:
    """A window that closed took its bomb asks with it, before the step asked anew."""
    for holding in match.holdings.values():
        if holding.open:
            holding.session.open_asks -= holding.close_window()


def _events(match: RunningMatch, step: Step, codec: Codec) -> None:
    events, log = step.events, match.log
    if type(events[0]) is RoundStarted:
        log.begin_round(told=min([holding.told for holding in match.holdings.values()]))
    encoded = codec.events(log.next, events, len(match.config.players))
    log.add(encoded)
    if match.gallery is not None:
        match.gallery.add(events, encoded)
    last = events[-1]
    if isinstance(last, _LAST):
        for holding in match.holdings.values():
            holding.pressing = True  # at the latest now (EventDelivery.WITH_ASKS)
        _note_round(match, events)
    if isinstance(last, MatchEnded):
        match.ended = last


def _struck(match: RunningMatch, strike: Strike, meter: DecisionMeter) -> None:
    meter.struck(strike.why)
    if match.held is not None:  # the reason, and how many asks came before, tell of the cards
        _log.info("strike", match=match.id, seat=strike.seat, count=strike.count)
        return
    _log.info(
        "strike",
        match=match.id,
        seat=strike.seat,
        ask=strike.ask,
        why=strike.why,
        count=strike.count,
    )


def _note_round(match: RunningMatch, events: Sequence[object]) -> None:
    if match.held is not None:
        return
    for event in events[-2:]:  # the end of the match may follow it
        if isinstance(event, RoundEnded):
            _log.info(
                "round ended",
                match=match.id,
                round=event.round,
                points=list(event.points),
                totals=list(event.totals),
            )


def _settled(match: RunningMatch, ask: Ask, status: AckStatus, meter: DecisionMeter) -> None:
    match.holdings[ask.to].session.open_asks -= 1
    stamp = ask.stamp if ask.stamp >= 0 else match.last
    meter.answered(ask.kind, status, max(0, stamp - ask.sent) if ask.sent >= 0 else 0)
