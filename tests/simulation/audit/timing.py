"""The clock of each ask, computed again from when it was sent and when its answer was stamped."""

from dataclasses import dataclass

from referee._gen.tichu.referee.v1 import match_pb2, referee_pb2
from tests.simulation.audit.asked import HOLD, MS, Asked
from tests.simulation.audit.events import History
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.findings import Report
from tests.simulation.audit.seats import SOLOISTS
from tests.simulation.audit.story import Story, Told

_KINDS = ("call", "exchange", "act", "choose_seat")


@dataclass(slots=True)
class Bank:
    """What is left of the bank of a hand, ns; `low` and `high` differ where something happened
    while nobody could tell its player."""

    low: int
    high: int
    stream: tuple[int, int]  # that told of it: of whom, and which

    def charge(self, charged: int) -> None:
        self.low, self.high = max(0, self.low - charged), max(0, self.high - charged)

    def reported(self, milliseconds: int) -> None:
        """Narrow what is known by what the seat was told."""
        low, high = (milliseconds - 1) * MS, (milliseconds + 1) * MS
        if low <= self.high and high >= self.low:
            self.low, self.high = max(self.low, low), min(self.high, high)
        else:
            self.low, self.high = max(0, low), high

    def fits(self, milliseconds: int) -> bool:
        return self.low - MS <= milliseconds * MS <= self.high + MS


@dataclass(slots=True)
class Quota:
    """What is left of the lag quota of a player, ns."""

    left: int
    sure: bool = True


class Timing:
    """Judges limits, times used and charged, banks and lag."""

    def __init__(self, story: Story, history: History, report: Report) -> None:
        self._story, self._history, self._report = story, history, report
        limits, seating = story.transcript.limits, history.seating
        self.clocked = seating.HasField("base_ms")
        self._base = seating.base_ms * MS
        bank = seating.bank_ms * MS
        self.quotas = [Quota(limits.lag_quota) for _ in story.hands]
        self.banks = [Bank(bank, bank, (hand, 1)) for hand in story.hands]
        for hand, known in enumerate(self.banks):
            player = hand if hand in story.seats else SOLOISTS[0]
            link = story.links[player]
            late = not link.ups or link.ups[0] > story.transcript.began
            known.stream = (player, 0 if late else 1)  # absence is told with the first ask
        self._limits = limits
        self._longer: dict[str, int] = {
            kind: getattr(seating, f"{kind}_ms") * MS for kind in _KINDS
        }
        self._blocks = story.lives.blocks
        if self.clocked:
            self._check_told(seating)
        self.longest = 0  # the longest limit of any ask, ns
        self.kept: set[tuple[int, int]] = (
            set()
        )  # (seat, hand): the referee took its last stream, no more

    def _check_told(self, seating: match_pb2.Seating) -> None:
        """The seats were told the times that the match was set up with."""
        told = (self._longer, seating.lag_cap_ms * MS, seating.lag_quota_ms * MS)
        longer = {kind: self._limits.base_by_kind.get(kind, 0) for kind in _KINDS}
        due = (longer, self._limits.lag_cap, self._limits.lag_quota)
        if told != due:
            self._say(F.SEATING, self._story.transcript.began, f"told of times {told}, not {due}")

    def base_of(self, asked: Asked) -> int:
        """The base time of an ask: half of it where an exchange is asked again (A7)."""
        base = max(self._base, self._longer.get(asked.kind, 0))
        return base // 2 if self.asked_again(asked) else base

    def asked_again(self, asked: Asked) -> bool:
        return asked.kind == "exchange" and bool(asked.ask.exchange.standing)

    def stalled(self, low: int, high: int) -> int:
        """How long the loop was blocked between two instants, at most."""
        return sum(b.length for b in self._blocks if low <= b.end and b.at <= high)

    def was_asked_anew(self, asked: Asked, at: int) -> bool:
        """Whether a block over the limit ended between an ask and a stamp: that voids the ask."""
        limit = self._limits.loop_limit
        blocks = (block for block in self._blocks if not block.dead)
        ends = (block.end for block in blocks if block.length > limit or block.anew)
        return any(asked.sent < end <= at for end in ends)

    # -- asks -----------------------------------------------------------------------------------

    def asked(self, asked: Asked, told: Told) -> None:
        """Fix the limits of a new ask, and judge the times that it tells."""
        ask, bank, quota = asked.ask, self.banks[asked.hand], self.quotas[asked.seat]
        if asked.kind == "bomb":
            self._bomb_asked(asked)
            return
        if not self.clocked:
            if ask.HasField("time_left_ms") or ask.HasField("bank_left_ms"):
                self._say(F.CLOCK, told.at, f"{asked.name} has a limit, but there is no clock")
            return
        if (told.seat, told.stream) != bank.stream or not asked.exact:
            self._unseen(bank, told, asked.hand)
        none = self.asked_again(asked) and ask.bank_left_ms == 0  # it has no bank to use
        if not bank.fits(ask.bank_left_ms) and not none:
            text = f"{asked.name}: bank {ask.bank_left_ms} ms, not {bank.low // MS}"
            self._say(F.CLOCK, told.at, text)
        elif bank.low < bank.high and not none:
            bank.reported(ask.bank_left_ms)
        most = min(self._limits.lag_cap, max(0, quota.left))
        low, high = (min(lag, most) for lag in self._way(asked, told))
        quota.sure = quota.sure and low == high
        asked.lag = high
        spare = (0, 0) if self.asked_again(asked) else (bank.low, bank.high)
        base = self.base_of(asked)
        asked.no_sooner = asked.sent + base + spare[0] + (asked.lag if self._sure(asked) else 0)
        asked.no_later = asked.sent + base + spare[1] + asked.lag
        if not asked.exact and self.stalled(asked.sent, told.at):  # perhaps asked anew since
            asked.no_later += told.at - asked.sent
        self.longest = max(self.longest, asked.no_later - asked.sent)
        self._time_left(asked, ask, told)
        if not asked.exact:  # it counts as handed when its facts were stored: as the seat was told
            end = told.at + (ask.time_left_ms + 1) * MS + asked.lag
            asked.no_later = min(asked.no_later + HOLD, max(asked.no_later, end))

    def _unseen(self, bank: Bank, told: Told, hand: int) -> None:
        """A seat was without a stream: what its asks cost meanwhile nobody told it."""
        bank.stream = (told.seat, told.stream)
        if (told.seat, hand) in self.kept:  # nothing ran while the referee was away
            self.kept.discard((told.seat, hand))
            return
        bank.low = 0
        quota = self.quotas[told.seat]
        quota.sure = quota.sure and not self._limits.lag_quota

    def _way(self, asked: Asked, told: Told) -> tuple[int, int]:
        """The lag that an ask may have been granted: one that was put while the seat had no stream
        has that of the stream before."""
        link = self._story.links[asked.seat]
        now, before = link.estimate(told.order), link.estimate_before(told.order)
        if told.first and asked.sent <= told.since:
            return min(now[0], before[0]), max(now[1], before[1])
        return now

    @property
    def longest_unseen(self) -> int:
        """The longest limit of an ask of a seat that has no stream to be told of it."""
        bank = self._history.seating.bank_ms * MS
        return max(self._base, *self._longer.values()) + bank + self._limits.lag_cap

    def _sure(self, asked: Asked) -> bool:
        """Whether the lag that the ask was granted is known exactly."""
        return asked.exact and self.quotas[asked.seat].sure

    def _bomb_asked(self, asked: Asked) -> None:
        window = self._history.window
        if self._history.fair and asked.ask.time_left_ms > self._history.seating.window_ms:
            self._say(F.CLOCK, asked.told, f"{asked.name}: {asked.ask.time_left_ms} ms left")
        if self._history.fair or self.clocked:
            asked.no_sooner = asked.sent + window
            asked.no_later = asked.sent + window + HOLD
            if not asked.exact:  # it was handed over at an instant that nobody told
                left = (asked.ask.time_left_ms + 1) * MS
                asked.no_later = max(asked.no_later, asked.told + left + HOLD)

    def again(self, asked: Asked, ask: match_pb2.Ask, told: Told) -> None:
        """Judge an ask that came once more after a reconnect."""
        if asked.no_sooner is None or not self.clocked:
            return
        self._time_left(asked, ask, told)

    def _time_left(self, asked: Asked, ask: match_pb2.Ask, told: Told) -> None:
        if asked.no_sooner is None or asked.no_later is None:
            return
        # The lag is for the way, so a seat may be told the limit with it or without.
        low, high = asked.no_sooner - asked.lag - told.at, asked.no_later - told.at
        if asked.kind == "bomb":
            low, high = 0, high + MS
        if not asked.exact:
            low, high = low - HOLD, high + HOLD
        if not max(0, low) - MS <= ask.time_left_ms * MS <= max(0, high) + MS:
            text = f"{asked.name}: {ask.time_left_ms} ms left, not {low / MS:.3f}..{high / MS:.3f}"
            self._say(F.CLOCK, told.at, text)

    def still_open(self, asked: Asked, at: int) -> bool:
        """Whether nothing had moved the game on from where the seat was asked."""
        later = asked.place
        kinds, first = self._history.kinds, self._history.happened
        while later < len(kinds) and not self._history.moves(later + 1):
            later += 1
        return later >= len(kinds) or first[later] > at

    # -- answers --------------------------------------------------------------------------------

    def received(self, asked: Asked, ack: match_pb2.Acknowledgement, told: Told) -> None:
        """An answer was accepted: of a call or an exchange the time is settled now."""
        if asked.kind in ("call", "exchange"):
            self._settle(asked, ack, told)

    def applied(self, asked: Asked, ack: match_pb2.Acknowledgement, told: Told) -> None:
        """An answer took effect, or a bomb made it void: of a play the time is settled now."""
        if asked.kind in ("act", "choose_seat"):
            if ack.status == match_pb2.ACK_STATUS_APPLIED or self._only_its_call_counts(asked, ack):
                self._settle(asked, ack, told)
            elif ack.charged_ms:
                self._say(F.CLOCK, told.at, f"{asked.name} is void and costs {ack.charged_ms} ms")

    @staticmethod
    def _only_its_call_counts(asked: Asked, ack: match_pb2.Acknowledgement) -> bool:
        """Whether a first lead is void since the call that rode on it is judged first."""
        sent = asked.accepted
        if ack.status != match_pb2.ACK_STATUS_STALE or sent is None:
            return False
        return isinstance(sent.what, referee_pb2.Answer) and sent.what.act.tichu

    def _settle(self, asked: Asked, ack: match_pb2.Acknowledgement, told: Told) -> None:
        if not self.clocked or asked.accepted is None:
            return
        bank, quota = self.banks[asked.hand], self.quotas[asked.seat]
        if not asked.exact or asked.presumed:
            quota.sure = quota.sure and not self._limits.lag_quota
            if ack.HasField("bank_left_ms"):
                bank.low = 0
                bank.reported(ack.bank_left_ms)
            return
        base, raw = self.base_of(asked), max(0, asked.accepted.at - asked.sent)
        later = asked.accepted.moved - asked.sent
        if raw + MS < (ack.used_ms + ack.network_ms) * MS <= later + MS:
            raw = later  # the frame waited, and match time had moved on
        lag = min(asked.lag, raw)
        if not quota.sure:
            lag = min(lag, (ack.network_ms + 1) * MS)
        used = raw - lag
        asked.charged = 0 if self.asked_again(asked) else max(0, used - base)
        bank.charge(asked.charged)
        if not quota.sure and asked.charged:  # the lag is known to the ms only
            bank.low, bank.high = max(0, bank.low - MS), bank.high + MS
        quota.left -= max(0, raw - base) - max(0, used - base)
        told_ms = (ack.used_ms, ack.charged_ms, ack.network_ms)
        should = (used, asked.charged, lag)
        close = all(abs(ms * MS - ns) <= MS for ms, ns in zip(told_ms, should, strict=True))
        if not close or not bank.fits(ack.bank_left_ms):
            code = F.LAG if abs(ack.network_ms * MS - lag) > MS else F.CLOCK
            text = f"{asked.name}: used, charged, network {told_ms} ms, not "
            text += f"{[ns / MS for ns in should]}; bank {ack.bank_left_ms}, not {bank.low / MS}"
            self._say(code, told.at, text)
        if not close or bank.low < bank.high:
            bank.reported(ack.bank_left_ms)

    def charge_until(self, asked: Asked, stamp: int) -> None:
        """The time of an ask stops at a stamp, without an acknowledgement that tells it."""
        if not self.clocked or asked.kind == "bomb":
            return
        if not asked.exact:
            self.banks[asked.hand].low = 0
            return
        base, raw = self.base_of(asked), max(0, stamp - asked.sent)
        used = max(0, raw - asked.lag)
        asked.charged = 0 if self.asked_again(asked) else max(0, used - base)
        self.banks[asked.hand].charge(asked.charged)
        self.quotas[asked.seat].left -= max(0, raw - base) - max(0, used - base)

    def timed_out(self, asked: Asked, told: Told) -> None:
        """A seat hears that its time was over."""
        if not self.clocked or asked.no_sooner is None or asked.no_later is None:
            self._say(F.TIME_OUT, told.at, f"{asked.name} timed out without a clock")
            return
        window = self._history.window if self._history.fair else 0
        slack = HOLD + (window if asked.kind in ("act", "choose_seat") else 0)
        slack += self.stalled(asked.sent, told.at)
        if told.at < asked.no_sooner:
            text = f"{asked.name} timed out {asked.no_sooner - told.at} ns early"
            self._say(F.TIME_OUT, told.at, text)
        link = self._story.links[asked.seat]
        if told.at > asked.no_later + slack and (
            link.was_up(asked.no_later, margin=slack) and not link.lazy
        ):
            text = f"{asked.name} timed out {told.at - asked.no_later} ns late"
            self._say(F.TIME_OUT, told.at, text)
        self.spend(asked)

    def spend(self, asked: Asked, *, surely: bool = True) -> None:
        """All the time of an ask is gone, or may be."""
        bank, quota = self.banks[asked.hand], self.quotas[asked.seat]
        if not surely:
            bank.low, quota.sure, asked.exact = 0, False, False
            return
        quota.left -= asked.lag
        if not self.asked_again(asked):
            asked.charged, asked.exact = bank.low, asked.exact and bank.low == bank.high
            bank.low = bank.high = 0

    def _say(self, code: F, at: int, text: str) -> None:
        self._report.add(code, at, text)
