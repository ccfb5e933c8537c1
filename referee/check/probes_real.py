"""Matches of a real referee, in every game and both paces, against house bots."""

from collections import Counter

from referee.check.exam import Exam, MatchOrder, Played
from referee.check.probe import Company, Probe, Register, demand, settings
from referee.match.values import MS, Clock, Pace

probe = Register(level=1)
links = Register(level=2)
clocks = Register(level=3)

_LIMIT_S = 90.0
_BASE_NS, _BANK_NS = 2_000 * MS, 10_000 * MS  # less of a bank than `play` has: some bots hang
_TIGHT = Clock(base_ns=1_000 * MS, bank_ns=5_000 * MS)
_GAMES: dict[str, dict[str, object]] = {
    "tichu": {"rounds": 2},
    "trichu": {"rounds": 3},
    "tientsin": {"rounds": 1},
    "grand_seigneur": {"rounds": 2, "seats": 5},
}
_FORCED = "grand_seigneur"  # where a forced gift may be left to the referee
_WINDOW_MS = 50
_LATE = (
    "answer within the base time of an ask: answer faster, and flush what is written to a pipe or "
    "stream after each answer; think for long beside the reader (`run(..., threaded=True)`)"
)


def judge(played: Played, *, may_default: bool = False) -> None:
    """Raise `Failed` for what a good bot's match has none of."""
    late = _LATE if any("late" in why or "time" in why for why in played.strikes) else ""
    demand(not played.of_bot, f"it ended the match: {played.ending}", cure=late)
    demand(played.ending == "completed", f"the match was not played to its end: {played.ending}")
    demand(played.refused == 0, f"{played.refused} of its answers were refused")
    got = ", ".join(f"{why} ({n})" for why, n in Counter(played.strikes).most_common(3))
    demand(not played.strikes, f"it got {len(played.strikes)} strikes: {got}", cure=late)
    demand(
        may_default or not played.defaults,
        f"it left {played.defaults} asks to the substitute action",
        cure="decide every ask: the last of a call's choices, a gift for each slot, the first of "
        "the seats; default_action is for asks that the bot does not know",
    )


def _clock(exam: Exam) -> Clock:
    """The clock of a real match: a bot that thinks for seconds gets more."""
    stretch = exam.terms.stretch
    return Clock(base_ns=int(_BASE_NS * stretch), bank_ns=int(_BANK_NS * stretch))


class _Real:
    """A match of a game in a pace."""

    def __init__(self, game: str, pace: Pace) -> None:
        self._game, self._pace = game, pace

    async def __call__(self, exam: Exam) -> None:
        what = settings(
            _GAMES[self._game],
            pace=self._pace,
            clock=_clock(exam),
            window_ms=_WINDOW_MS if self._pace is Pace.FAIR else 1_000,
            variant=self._game,
        )
        order = MatchOrder(name=exam.probe_id, settings=what)
        (played,) = await exam.hall.play(exam, [order], _LIMIT_S * exam.terms.stretch)
        judge(played, may_default=self._game == _FORCED)


for _game in _GAMES:
    for _pace in Pace:
        probe.add(
            Probe(
                id=f"real-{_game.replace('_', '-')}-{_pace}",
                level=1,
                title=f"plays {_game} in pace {_pace} with a referee",
                demand="real matches end without refusals, strikes and substitute actions",
                place="the-other-games" if _game != "tichu" else "the-bomb-window",
                cure="run `referee play BOT greedy` with this game and pace, and look at the "
                "record that it names: `referee record show`",
                run=_Real(_game, _pace),
                limit_s=_LIMIT_S + 30,
            )
        )


@links(
    "cut-in-match",
    "comes back into a real match",
    demand="a bot whose link is cut in a match is back within the grace and plays on",
    place="the-stream",
    cure="dial again at once after a lost link, with the session token of the last Welcome",
    limit_s=_LIMIT_S + 30,
)
async def cut_in_match(exam: Exam) -> None:
    """The link is cut in the middle, by force."""
    what = settings(clock=_clock(exam), window_ms=1_000, rounds=3)
    order = MatchOrder(name=exam.probe_id, settings=what, cut_after=60)
    (played,) = await exam.hall.play(exam, [order], _LIMIT_S * exam.terms.stretch)
    judge(played)


@clocks(
    "delayed-match",
    "plays over a slow link",
    demand="150 ms of delay each way cost no strike",
    place="the-clock",
    cure="answer each frame in one frame and at once; answer pings at once, the lag is credited",
    limit_s=_LIMIT_S + 30,
    company=Company.ALONE,
)
async def delayed_match(exam: Exam) -> None:
    """A round in pace fast over the delay."""
    what = settings(clock=_TIGHT, window_ms=500, rounds=1)
    order = MatchOrder(name=exam.probe_id, settings=what, delay_s=0.15)
    (played,) = await exam.hall.play(exam, [order], _LIMIT_S * exam.terms.stretch)
    judge(played)


@clocks(
    "delayed-fair-match",
    "plays in pace fair over a slow link",
    demand="windows of 50 ms and 150 ms of delay each way cost no strike",
    place="pace-fair",
    cure="stand down without a bomb, and never take a window that is over for a fault",
    limit_s=_LIMIT_S + 30,
    company=Company.ALONE,
)
async def delayed_fair_match(exam: Exam) -> None:
    """A round in pace fair over the delay."""
    what = settings(pace=Pace.FAIR, clock=_TIGHT, window_ms=_WINDOW_MS, rounds=1)
    order = MatchOrder(name=exam.probe_id, settings=what, delay_s=0.15)
    (played,) = await exam.hall.play(exam, [order], _LIMIT_S * exam.terms.stretch)
    judge(played)
