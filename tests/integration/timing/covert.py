"""What OBSERVER reads of the bits that HOLDER sends, by channel."""

from collections.abc import Iterable, Sequence

from referee.match.values import MS
from tests.integration.timing.deals import Role
from tests.integration.timing.decoder import Reading, Turn, read
from tests.integration.timing.observer import Window
from tests.integration.timing.plan import Channel, Plan, Plant

ONCE = (Channel.CALL, Channel.EXCHANGE)  # sent in every round beside the others
SENT_BY_TURN = tuple(channel for channel in Channel if channel not in ONCE)
# A partner may read after how many windows an act took effect. A lone call and the end of a barrier
# are told at their stamp (decisions/0008), and the load that one bot makes is felt by all, a
# little: docs/FAIRNESS.md says so.
ALLOWED = (Channel.WHOLE_WINDOWS, Channel.BURST, *ONCE)
# After how many windows the act was to take effect. On a busy machine an answer that was meant for
# the end of a window comes after it: that is read, and may be, and says nothing of the channel.
MEANT = {Channel.BANK: 2}
FEW_MATCHES = 8  # where a fault is planted: a decoder needs no crowd
PLANTED = (
    (Plant.AT_ONCE, Channel.DELAY),
    (Plant.REFUSALS_COUNT, Channel.REFUSALS),
    (Plant.REPEATS_COUNT, Channel.REPEATS),
    (Plant.BANK_COUNTS, Channel.BANK),
    (Plant.DECLINES_COUNT, Channel.DECLINES),
)


def read_channel(plan: Plan, seen: Sequence[Window], channel: Channel) -> Reading:
    """What the best decoder reads: trained on every other round of a match."""
    windows = list(_carrying(plan, seen, channel))
    halves = [
        [
            (_timed(window), plan.bit(window.match, window.began))
            for window in windows
            if (window.match + window.round) % 2 == odd
        ]
        for odd in (1, 0)
    ]
    return read(halves[0], halves[1])


def _carrying(plan: Plan, seen: Sequence[Window], channel: Channel) -> Iterable[Window]:
    """The windows in which a bit was sent."""
    if channel is Channel.CALL:
        return (window for window in seen if window.call >= 0)
    if channel is Channel.EXCHANGE:
        return (window for window in seen if window.exchange >= 0)
    declines = channel is Channel.DECLINES
    return (
        window
        for window in seen
        if plan.channel(window.match, window.round) is channel
        and (window.turn == Role.HOLDER) is not declines
        and window.call < 0
        and window.next >= 0
        and (channel is Channel.WHOLE_WINDOWS or _windows(plan, window) <= MEANT.get(channel, 1))
    )


def _windows(plan: Plan, window: Window) -> int:
    return round(window.next / (plan.window_ms * MS))


def _timed(window: Window) -> Turn:
    """All that was timed in a window."""
    return (
        window.next,
        window.ack,
        window.probe,
        window.late,
        window.gap,
        window.place,
        window.call,
        window.exchange,
    )
