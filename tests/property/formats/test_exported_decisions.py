"""Every decision of a match, of every game, becomes a question that asks the same again."""

import random
from itertools import islice

import msgspec
import pytest

from referee.check.asking_lines import Asked
from referee.check.positions import Posed
from referee.formats.exported_decisions import decisions_of
from referee.formats.records import Record, read_record
from referee.formats.suites import parse_suite_line
from referee.match.facts import Answered, Passed
from referee.match.replay import Difference, replay
from referee.match.step import Ask, Event, RoundStarted
from referee.match.values import AckStatus, AskKind, Pace
from referee.ports import AnswerIn
from referee.rules.options import RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.property.match.test_variants import GAMES
from tests.simulation.table import Table, random_policy, settings
from tests.unit.formats.recorded import record_lines

_FEW, _MANY = 50, 2_000  # of a match; with twelve seats a round has a thousand
_PLAIN: dict[str, dict[str, object]] = {
    "tichu": {"rounds": 2},
    "great grand, own tricks overtaken": {
        "rounds": 1,
        "great_grand": True,
        "self_overtake": "any",
        "bomb_after_all_pass": False,
    },
    "no Grand": {"rounds": 1, "grand_allowed": False},
}
_ALL = {**GAMES, **_PLAIN}
_QUICK = [game for game in _ALL if game not in ("twelve", "seven, two Phoenixes")]


def _record(rules: RuleOptions, pace: Pace, seed: str) -> Record:
    rng = random.Random(seed)
    table = Table(settings(pace=pace, rules=rules), seed=seed).start()
    table.play(random_policy(rng), rng)
    return read_record(record_lines(table.config, table.facts))


def _answered(record: Record) -> list[tuple[Ask, Answered, list[Event]]]:
    """The accepted answers of a record, each with its ask and the events of its round before."""
    asks: dict[tuple[Seat, int], Ask] = {}
    told: list[Event] = []
    found = []
    for replayed in replay(record.config, record.facts):
        assert not isinstance(replayed, Difference)
        for fact in replayed.step.facts:
            if isinstance(fact, Answered) and fact.status is AckStatus.RECEIVED:
                found.append((asks[fact.seat, fact.ask], fact, [*told]))
        for event in replayed.step.events:
            told = [] if isinstance(event, RoundStarted) else [*told, _timeless(event)]
        asks |= {(ask.to, ask.id): ask for ask in replayed.step.asks}
    return found


def _timeless(event: Event) -> Event:
    if isinstance(event, Passed):
        return Passed(at=0, seat=event.seat)  # nobody is told that it was forced
    return msgspec.structs.replace(event, at=0) if hasattr(event, "at") else event


def _told(posed: Posed) -> list[Event]:
    """What a question tells of its round."""
    return [event for event in posed.events if not isinstance(event, RoundStarted)]


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("game", _QUICK)
def test_decisions_of_a_record_ask_the_same_again(game: str, pace: Pace) -> None:
    _ask_again(game, pace, most=_FEW)


@pytest.mark.slow
@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("game", _ALL)
def test_every_decision_of_a_record_asks_the_same_again(game: str, pace: Pace) -> None:
    _ask_again(game, pace, most=_MANY)


def _ask_again(game: str, pace: Pace, *, most: int) -> None:
    seed = f"export {game} {pace}"
    record = _record(parse_options(_ALL[game]), pace, seed)
    answered = _answered(record)
    decided = list(decisions_of(record))
    assert [one.number for one in decided] == list(range(1, len(answered) + 1)), seed
    kinds = set()
    step = max(1, len(decided) // most)
    for one in islice(decided, 0, None, step):
        ask, fact, events = answered[one.number - 1]
        text = one.text()
        asked = Asked(parse_suite_line(text.encode()))
        again = asked.posed.ask
        where = f"{seed}: {text}"
        assert (again.seat, again.to, again.kind) == (ask.seat, ask.to, ask.kind), where
        assert again.plays == ask.plays, where
        assert again.choices == ask.choices, where
        assert (again.slots, again.seats, again.why) == (ask.slots, ask.seats, ask.why), where
        assert (again.may_pass, again.leading) == (ask.may_pass, ask.leading), where
        assert (again.judged, again.wish) == (ask.judged, ask.wish), where
        if ask.kind is AskKind.ACT:
            assert again.may_call_tichu == ask.may_call_tichu, where
        assert again.wish_required == ask.wish_required, where
        story = _told(asked.posed)
        if (ask.provisional and ask.leading) or ask.kind is AskKind.CHOOSE_SEAT:
            story = [*story[: len(events)]]
        assert story == events, where
        asked.answer(AnswerIn(1, again.id, fact.decision))
        assert (asked.settled, asked.fault) == (True, None), where
        kinds.add(ask.kind)
    assert AskKind.ACT in kinds or record.config.settings.rules.refuse_call, seed
