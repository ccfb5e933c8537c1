"""The lines to learn from: what was known, of every decision of every game, and no foreign card."""

import json
import random
from collections.abc import Iterator

import msgspec
import pytest

from referee.formats.exported_lines import Decided, all_decided, line_text
from referee.formats.records import Record, RecordError, read_record
from referee.match.dealing import dealt_round
from referee.match.facts import Answered, Dealt, Exchanged, Fact, MatchEnded, Played, RoundEnded
from referee.match.replay import Replayed, replay
from referee.match.values import AckStatus, AskKind, Pace
from referee.rules.cards import card_numbers
from referee.rules.notation import format_cards
from referee.rules.options import RuleOptions, parse_options
from referee.rules.seat import Seat
from tests.golden.views_played import KEPT
from tests.golden.views_played import view_of as stated_view
from tests.property.match.test_variants import GAMES
from tests.simulation.table import Table, random_policy, settings
from tests.unit.formats.recorded import record_lines

_GAMES: dict[str, dict[str, object]] = {
    **{name: GAMES[name] for name in GAMES if name not in ("twelve", "seven, two Phoenixes")},
    "tichu": {"rounds": 2},
}


def played(
    rules: RuleOptions, pace: Pace, seed: str
) -> tuple[Record, dict[tuple[int, int], object]]:
    """A record, and the view of each ask as it was put, by player and number."""
    rng = random.Random(seed)
    table = Table(settings(pace=pace, rules=rules), seed=seed).start()
    views: dict[tuple[int, int], object] = {}
    table.play(random_policy(rng), rng)
    record = read_record(record_lines(table.config, table.facts))
    for replayed in replay(record.config, record.facts):
        assert isinstance(replayed, Replayed)
        table.machine = replayed.machine
        for ask in replayed.step.asks:
            views[ask.to, ask.id] = stated_view(table, ask)
    return record, views


def stripped(view: dict[str, object]) -> dict[str, object]:
    """Without what is empty, false, 0 or null, as the page of the sample bots allows."""
    return {key: value for key, value in view.items() if value or key in KEPT}


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize("game", _GAMES)
def test_every_decision_has_the_view_that_the_sample_bots_state(game: str, pace: Pace) -> None:
    seed = f"lines {game} {pace}"
    record, views = played(parse_options(_GAMES[game]), pace, seed)
    taken = [
        fact
        for fact in record.facts
        if isinstance(fact, Answered) and fact.status is AckStatus.RECEIVED
    ]
    decided = list(all_decided(record.config, record.facts))
    assert [one.number for one in decided] == list(range(1, len(taken) + 1)), seed
    for one, fact in zip(decided, taken, strict=True):
        wanted = views[fact.seat, fact.ask]
        told = json.loads(json.dumps(one.view))
        if not told.get("plays") or one.view["ask"] != AskKind.ACT.value:
            told.pop("leading", None)
            assert isinstance(wanted, dict)
            wanted.pop("leading", None)
        assert stripped(told) == wanted, (seed, one.number)


def words(value: object) -> Iterator[str]:
    """All texts of a JSON value."""
    if isinstance(value, str):
        yield from value.split()
    elif isinstance(value, dict):
        for one in value.values():
            yield from words(one)
    elif isinstance(value, list):
        for one in value:
            yield from words(one)


@pytest.mark.parametrize("pace", Pace)
def test_no_line_names_a_card_of_another_hand(pace: Pace) -> None:
    seed = f"foreign {pace}"
    record, _ = played(RuleOptions(rounds=2), pace, seed)
    hands: list[int] = []
    played_cards: set[str] = set()
    decided = {one.number: one for one in all_decided(record.config, record.facts)}
    number = 0
    checked = 0
    for fact in record.facts:
        if isinstance(fact, Dealt):
            hands = list(dealt_round(fact, record.config.settings.rules).hands)
            played_cards = set()
        elif isinstance(fact, Exchanged):
            for giver, to, cards in fact.gifts:
                for card in cards:
                    hands[giver] &= ~(1 << card)
                    hands[to] |= 1 << card
        elif isinstance(fact, Played):
            played_cards |= {format_cards(1 << card) for card in fact.cards}
            for card in fact.cards:
                hands[fact.seat] &= ~(1 << card)
        elif isinstance(fact, Answered) and fact.status is AckStatus.RECEIVED:
            number += 1
            one = decided[number]
            if one.view["ask"] in ("call", "exchange"):
                continue  # the cards have not moved yet: the whole hand is compared above
            foreign = {
                format_cards(1 << card)
                for seat, hand in enumerate(hands)
                if seat != one.seat
                for card in card_numbers(hand)
            } - played_cards
            assert not foreign & set(words([one.view, one.choice])), (seed, number)
            checked += 1
    assert checked > 50


def test_points_are_those_of_the_round_and_the_match() -> None:
    record, _ = played(RuleOptions(rounds=2), Pace.FAST, "points")
    ended = record.facts[-1]
    assert isinstance(ended, MatchEnded)
    rounds = {fact.round: fact.points for fact in record.facts if isinstance(fact, RoundEnded)}
    for one in all_decided(record.config, record.facts):
        line = json.loads(line_text("m", one, ended))
        assert tuple(line["round_points"]) == rounds[one.round]
        assert tuple(line["match_points"]) == ended.totals
        assert (line["side"], line["seat"]) == (one.seat % 2, one.seat)
        assert (line["match"], line["ending"]) == ("m", "completed")


def test_a_choice_reads_as_an_answer() -> None:
    record, _ = played(RuleOptions(rounds=2), Pace.FAST, "choices")
    kinds = set()
    for one in all_decided(record.config, record.facts):
        kinds.add(one.view["ask"])
        match one.view["ask"]:
            case "act" | "bomb":
                plays = one.view["plays"]
                assert isinstance(plays, list)
                index = one.choice.get("index")
                named = isinstance(index, int) and 0 <= index < len(plays)
                words = {"pass", "decline", "cards"} & set(one.choice)
                assert named or words, one.choice
            case "call":
                assert one.choice["choice"] in one.view["choices"]  # type: ignore[operator]
            case "exchange":
                assert isinstance(one.choice["gifts"], list)
                assert len(one.choice["gifts"]) == 3
            case "choose_seat":
                assert one.choice["seat"] in one.view["seats"]  # type: ignore[operator]
            case other:
                raise AssertionError(f"no kind of ask: {other}")
    assert {"act", "call", "exchange"} <= kinds


def test_no_more_than_a_round_is_held_at_a_time() -> None:
    record, _ = played(RuleOptions(rounds=4), Pace.FAST, "held")
    second = next(
        at for at, fact in enumerate(record.facts) if isinstance(fact, Dealt) and fact.round == 2
    )
    read = 0

    def facts() -> Iterator[Fact]:
        nonlocal read
        for fact in record.facts:
            read += 1
            yield fact

    lines = all_decided(record.config, facts())
    first = next(lines)
    assert (first.round, read) == (1, second + 1)


def test_a_hand_alone_keeps_the_numbers_of_all() -> None:
    record, _ = played(RuleOptions(rounds=1), Pace.FAIR, "alone")
    everybody = list(all_decided(record.config, record.facts))
    mine = list(all_decided(record.config, record.facts, seat=Seat(2)))
    assert mine == [one for one in everybody if one.seat == 2]
    assert mine
    assert isinstance(mine[0], Decided)


def test_facts_that_do_not_replay_are_named_by_their_line() -> None:
    record, _ = played(RuleOptions(rounds=1), Pace.FAST, "broken")
    at = next(i for i, fact in enumerate(record.facts) if isinstance(fact, RoundEnded))
    ended = record.facts[at]
    assert isinstance(ended, RoundEnded)
    wrong = msgspec.structs.replace(ended, points=(1, 2))
    facts = [*record.facts[:at], wrong, *record.facts[at + 1 :]]
    with pytest.raises(RecordError, match=f"line {at + 2}: the record does not replay"):
        list(all_decided(record.config, facts))
