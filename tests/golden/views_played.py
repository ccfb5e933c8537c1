"""Views out of whole games, as JSON, with the answers of the sample bots' strategy to them."""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any, NamedTuple  # noqa: TID251 - plain values on their way to JSON

import strategy
from referee.match.inputs import (
    Answer,
    BombDecision,
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    ExchangeDecision,
    PassDecision,
    PlayDecision,
    SeatDecision,
)
from referee.match.step import Ask
from referee.match.values import MS, AskKind, Pace
from referee.rules.cards import card_numbers
from referee.rules.combinations import Combination
from referee.rules.exchanges import Forced
from referee.rules.notation import format_cards
from referee.rules.options import parse_options
from referee.rules.phases import CallKind
from referee.rules.views import PublicView
from stated import read_view, write_answer
from tests.golden.playthroughs import Dice
from tests.simulation.table import Table, settings
from tichu_bot.cards import points

Json = dict[str, Any]

GAMES: Mapping[str, Mapping[str, object]] = {
    "four players": {},
    "four players, a wish owed": {"wish_optional": False},
    "great grand": {"great_grand": True},
    "chaos": {"chaos": True},
    "calls refused": {"refuse_call": True},
    "trichu": {"variant": "trichu"},
    "tientsin": {"variant": "tientsin"},
    "grand seigneur of five": {"variant": "grand_seigneur", "seats": 5},
    "grand seigneur of eight": {"variant": "grand_seigneur", "seats": 8},
    "grand seigneur, worst returned": {
        "variant": "grand_seigneur",
        "seats": 7,
        "gs_return": "worst",
        "gs_two_phoenix_in_combo": True,
    },
}
ROUNDS = 3  # of each game; the exchange of Grand Seigneur begins with the second
SEEDS = 6  # matches of each game
ALIKE = 1  # views of a game kept that the same lines of the strategy decide
LONGEST = 2_000  # signs of a view; a full hand of two packs has hundreds of plays
BETS = (CallKind.TICHU, CallKind.GRAND, CallKind.GREAT_GRAND)


class Met(NamedTuple):
    """A view that was met in play, and which lines of the strategy decided it."""

    game: str
    view: Json
    answer: Json
    lines: frozenset[int]


def view_of(table: Table, ask: Ask) -> Json:
    """What the hand that decides knows, as the page of the sample bots states it."""
    known = table.machine.snapshot(ask.to).view
    public = table.public if known is None else known.public
    hand = 0
    if known is not None:
        hand = known.hand if ask.seat == ask.to else dict(known.open_hands).get(ask.seat, 0)
    partners, opponents = _sides(public, ask.seat)
    calls = {str(seat): str(call) for seat, call in enumerate(public.calls) if call in BETS}
    view: Json = {
        "ask": str(ask.kind),
        "seat": int(ask.seat),
        "partners": partners,
        "opponents": opponents,
        "hand": format_cards(hand),
        "counts": list(public.hand_counts),
        **_asked(ask),
        "leading": ask.leading,
        "table": None if public.table is None else _play(public.table),
        "owner": None if public.table is None or public.owner is None else int(public.owner),
        "trick_points": points(card_numbers(public.trick)),
        "calls": calls,
        "called": str(int(ask.seat)) in calls,
    }
    return {
        key: value for key, value in view.items() if value or (key in KEPT and value is not None)
    }


KEPT = ("seat", "hand", "owner")  # all else is left out where it is empty, false or 0


def _sides(public: PublicView, seat: int) -> tuple[list[int], list[int]]:
    order = [int(other) for other in public.order]
    at = order.index(seat)
    others = order[at + 1 :] + order[:at]
    teams = public.teams
    partners = [other for other in others if teams and teams[other] == teams[seat]]
    return partners, [other for other in others if other not in partners]


def _asked(ask: Ask) -> Json:
    return {
        "plays": [_play(play) for play in ask.plays],
        "may_pass": ask.may_pass,
        "may_call_tichu": ask.may_call_tichu,
        "choices": [str(choice) for choice in ask.choices],
        "slots": [
            {"to_seat": int(to), "count": size, "forced": forced is not Forced.FREE}
            for to, size, forced in ask.slots
        ],
        "seats": [int(seat) for seat in ask.seats],
        "why": "" if ask.why is None else str(ask.why),
    }


def _play(play: Combination) -> Json:
    return {
        "cards": format_cards(play.cards),
        "kind": play.kind.name.lower(),
        "rank_halves": play.rank2,
    }


def answer_of(view: Json) -> tuple[Json, frozenset[int]]:
    """The strategy's answer to a view, and the lines of the strategy that ran for it."""
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != strategy.__file__:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    stated = read_view(view)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        answer = strategy.decide(stated)
    finally:
        sys.settrace(before)
    return write_answer(answer), frozenset(lines)


class Players:
    """Answer as the strategy does, and now and then otherwise, so that games differ."""

    def __init__(self, dice: Dice) -> None:
        self._dice = dice

    def decide(self, ask: Ask, view: Json) -> Decision:
        """What to answer."""
        dice = self._dice
        match ask.kind:
            case AskKind.CALL if dice.once_in(4):
                return CallDecision(choice=ask.choices[dice.below(len(ask.choices))])
            case AskKind.ACT if dice.once_in(5):
                return self._any_act(ask)
            case AskKind.EXCHANGE if ask.may_call_tichu and dice.once_in(12):
                return ExchangeDecision(gifts=(), tichu=True)
            case _:
                return self._as_the_strategy(ask, view)

    def _any_act(self, ask: Ask) -> Decision:
        dice = self._dice
        if ask.may_pass and (not ask.plays or dice.once_in(3)):
            return PassDecision()
        wish = 2 + dice.below(13) if ask.wish_required else None
        tichu = ask.may_call_tichu and dice.once_in(3)
        return PlayDecision(index=dice.below(len(ask.plays)), wish=wish, tichu=tichu)

    def _as_the_strategy(self, ask: Ask, view: Json) -> Decision:
        answer = strategy.decide(read_view(view))
        if "index" in answer and ask.kind is AskKind.BOMB:
            return BombDecision(index=answer["index"])
        if "index" in answer:
            tichu = answer.get("tichu", False)
            return PlayDecision(index=answer["index"], wish=answer.get("wish"), tichu=tichu)
        if "gifts" in answer:
            owed = zip(ask.slots, answer["gifts"], strict=True)
            return ExchangeDecision(gifts=tuple((int(slot[0]), cards) for slot, cards in owed))
        if "choice" in answer:
            return CallDecision(choice=CallKind(answer["choice"]))
        if "seat" in answer:
            return SeatDecision(seat=answer["seat"])
        if "decline" in answer:
            return DeclineDecision()
        return PassDecision() if "pass" in answer else DefaultDecision()


def kept() -> list[Met]:
    """The views that the vectors state: some of each game for every way through the strategy."""
    views: list[Met] = []
    seen: set[str] = set()
    alike: Counter[tuple[str, str | None, frozenset[int]]] = Counter()
    for one in met():
        text = json.dumps(one.view)
        way = one.game, one.view.get("why"), one.lines
        if text in seen or len(text) > LONGEST or alike[way] == ALIKE:
            continue
        alike[way] += 1
        seen.add(text)
        views.append(one)
    return views


def met() -> Iterator[Met]:
    """Every view that the matches bring, in their order."""
    for game, options in GAMES.items():
        for number in range(SEEDS):
            yield from _met_in(game, options, f"views {game} {number}")


def _met_in(game: str, options: Mapping[str, object], seed: str) -> Iterator[Met]:
    rules = parse_options({"rounds": ROUNDS, **options})
    table = Table(settings(pace=Pace.FAST, rules=rules, clock=None), seed=seed).start()
    dice = Dice(seed)
    players = Players(dice)
    asked: set[tuple[int, int]] = set()
    while not table.machine.over:
        waiting = [ask for seat in table.asked() for ask in table.machine.open_asks(seat)]
        waiting = [ask for ask in waiting if ask.answer is None]
        if not waiting:
            table.wait_until_due()
            continue
        ask = waiting[dice.below(len(waiting))]
        view = view_of(table, ask)
        if (ask.to, ask.id) not in asked:
            asked.add((ask.to, ask.id))
            yield Met(game, view, *answer_of(view))
        table.now += MS
        table.step(Answer(ask.to, ask.id, players.decide(ask, view)))
