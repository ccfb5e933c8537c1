"""What a match brought, from its record (PROTOCOL 5)."""

import random
from collections.abc import Callable, Sequence

import msgspec
import pytest

from referee.formats.records import RecordError, read_record
from referee.formats.summary import FaultNote, MatchSummary
from referee.formats.summing import summarise
from referee.ladder.luck import luck_of
from referee.match.facts import Answered, Dealt, RoundEnded, Strike
from referee.match.inputs import (
    CallDecision,
    Decision,
    DeclineDecision,
    DefaultDecision,
    Fault,
    Faults,
    MalformedDecision,
)
from referee.match.step import Ask
from referee.match.values import AckStatus, AskKind, Blame, Ending, Pace
from referee.rules.cards import ONE_PACK, card_numbers
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from referee.rules.shuffle import shuffle
from tests.simulation.chaos import LENIENT, Chaos
from tests.simulation.table import Table, random_match, random_policy, settings
from tests.unit.formats.recorded import chained
from tests.unit.formats.summed import PLACE, lines_of, summed

PACK = card_numbers(ONE_PACK)
ONE, TWO = RuleOptions(rounds=1), RuleOptions(rounds=2)


def failed(*faults: Fault, rules: RuleOptions = ONE) -> Table:
    table = Table(settings(rules=rules)).start()
    table.step(Faults(faults=faults))
    return table


def fault(seat: int | None, ending: Ending = Ending.CRASHED, blame: Blame | None = None) -> Fault:
    return Fault(seat=None if seat is None else Seat(seat), ending=ending, blame=blame)


# --- answers


def test_answers_are_counted_by_seat_and_those_by_default_apart() -> None:
    """The bots of team 1 leave every second decision to the substitute action."""
    draw = random.Random("defaults")
    policy = random_policy(draw)

    def lazy(table: Table, ask: Ask) -> Decision:
        chosen = policy(table, ask)
        return DefaultDecision() if ask.seat % 2 and draw.random() < 0.5 else chosen

    table = Table(settings(rules=TWO), seed="defaults").start()
    table.play(lazy, draw)
    found = summed(table)
    answers, defaults = [0] * 4, [0] * 4
    for fact in table.facts:
        if isinstance(fact, Answered) and fact.status is not AckStatus.REFUSED:
            answers[fact.seat] += not isinstance(fact.decision, DeclineDecision)
            defaults[fact.seat] += isinstance(fact.decision, DefaultDecision)
    assert (found.answers, found.defaults) == (tuple(answers), tuple(defaults))
    assert min(defaults[1], defaults[3]) > 0
    assert max(defaults[0], defaults[2]) == 0
    assert found.leg is not None
    assert found.leg.answers == (answers[0] + answers[2], answers[1] + answers[3])
    assert found.leg.defaults == (0, defaults[1] + defaults[3])


# --- what counts


@pytest.mark.parametrize("pace", Pace)
def test_a_completed_leg_counts_what_its_rounds_brought(pace: Pace) -> None:
    table = random_match(settings(pace=pace, rules=TWO), seed=f"completed {pace}")
    found = summed(table)
    rounds = [fact.points for fact in table.facts if isinstance(fact, RoundEnded)]
    assert [one.points for one in found.rounds] == rounds
    assert found.leg is not None
    assert found.leg.points == tuple(map(sum, zip(*rounds, strict=True)))
    assert (found.leg.rounds, found.leg.rated, found.leg.faulty) == (2, True, ())
    assert (found.leg.ending, found.leg.blame) == ("completed", "none")
    assert (found.leg.match_id, found.leg.place) == ("m-test", PLACE)


@pytest.mark.parametrize(("seats", "entry"), [((0,), "adam"), ((3,), "zoe"), ((0, 2), "adam")])
def test_a_leg_that_one_team_ended_counts_the_worst_for_it(
    seats: Sequence[int], entry: str
) -> None:
    table = failed(*map(fault, seats))
    leg = summed(table).leg
    assert leg is not None
    assert leg.points == table.ended.awarded != ()
    assert (leg.rounds, leg.rated, leg.blame, leg.faulty) == (1, True, "bot", (entry,))


VOID: list[tuple[tuple[Fault, ...], str, tuple[str, ...]]] = [
    ((fault(0), fault(1)), "bot", ("adam", "zoe")),
    ((fault(2, Ending.DISCONNECTED, Blame.UNKNOWN),), "unknown", ("adam",)),
    ((fault(2, Ending.DISCONNECTED, Blame.NETWORK),), "network", ()),
    ((fault(2, Ending.DISCONNECTED, Blame.REFEREE),), "referee", ()),
    ((fault(None, Ending.REFEREE_FAILED),), "referee", ()),
    ((fault(None, Ending.STORE_FAILED),), "referee", ()),
    ((fault(None, Ending.CANCELLED),), "none", ()),
]


@pytest.mark.parametrize(("faults", "blame", "faulty"), VOID)
def test_a_leg_that_counts_for_nothing_is_not_rated(
    faults: tuple[Fault, ...], blame: str, faulty: tuple[str, ...]
) -> None:
    leg = summed(failed(*faults)).leg
    assert leg is not None
    assert (leg.rated, leg.blame, leg.faulty, leg.rounds) == (False, blame, faulty, 1)


def test_an_abandoned_leg_that_nobody_dragged_is_not_rated() -> None:
    table = random_match(settings(rules=ONE, max_actions=5), seed="abandoned")
    leg = summed(table).leg
    assert leg is not None
    assert (leg.ending, leg.blame, leg.rated, leg.faulty) == ("abandoned", "none", False, ())


def test_the_worst_of_two_rounds_counts_as_two_rounds() -> None:
    leg = summed(failed(fault(1), rules=TWO)).leg
    assert leg is not None
    assert (leg.points, leg.rounds) == ((800, -800), 2)


def test_the_worst_of_a_match_to_a_target_counts_as_the_rounds_that_it_takes() -> None:
    """Else one crash would weigh as much as all other boards of a pairing."""
    leg = summed(failed(fault(1), rules=RuleOptions(target=1000))).leg
    assert leg is not None
    assert (leg.points, leg.rounds) == ((1200, -1200), 3)


def test_a_fault_between_two_rounds_counts_the_finished_ones_too() -> None:
    rules = RuleOptions(target=500)
    table = Table(settings(rules=rules), seed="between").start()
    rng = random.Random("between")
    policy = random_policy(rng)
    table._deal = lambda: table.step(fault(0))  # type: ignore[method-assign]
    table.play(policy, rng)
    found = summed(table)
    assert found.leg is not None
    margin = found.leg.points[1] - found.leg.points[0]
    first = found.rounds[0].points
    assert len(found.rounds) == 1
    assert margin == first[1] - first[0] + 800 * (found.leg.rounds - 1)


def test_a_match_of_no_ladder_has_no_leg() -> None:
    found = summed(random_match(settings(), seed="friendly"), place=None)
    assert (found.place, found.leg) == (None, None)
    assert found.players == ("bot 0", "bot 1", "bot 2", "bot 3")


# --- rounds, bets, refusals


def test_luck_is_that_of_the_hands_that_were_dealt() -> None:
    table = random_match(settings(rules=TWO), seed="luck")
    dealt = [fact for fact in table.facts if isinstance(fact, Dealt)]
    for fact, found in zip(dealt, summed(table).rounds, strict=True):
        hands = [0, 0, 0, 0]
        for place, card in enumerate(shuffle(bytes.fromhex(fact.seed), PACK)):
            hands[(fact.dealer + place) % 4] |= 1 << card
        assert found.luck == luck_of(hands)


def test_a_round_that_was_not_finished_brings_no_points_and_no_bets() -> None:
    table = Table(settings(rules=TWO), seed="cut").start()
    for seat in range(4):
        choice = table.ask(seat, AskKind.CALL).choices[0]
        assert choice is CallKind.GRAND
        table.answer(seat, CallDecision(choice=choice))
    table.step(fault(0))
    found = summed(table)
    assert (found.rounds, found.calls) == ((), ())


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("pace", Pace)
def test_bets_and_refusals_are_those_of_the_facts(pace: Pace, number: int) -> None:
    seed = f"bets {pace} {number}"
    chaos = Chaos(settings(pace=pace, rules=TWO, max_strikes=LENIENT), seed=seed)
    chaos.play()
    facts = chaos.table.facts
    found = summed(chaos.table)
    made = [
        (int(seat), call.value, won)
        for fact in facts
        if isinstance(fact, RoundEnded)
        for seat, call, won, _ in fact.calls
    ]
    assert sum(one.made for one in found.calls) == len(made), seed
    for one in found.calls:
        bets = [won for seat, call, won in made if (seat, call) == (one.seat, one.call)]
        assert (one.made, one.won) == (len(bets), sum(bets)), seed
    refused = [
        fact.seat
        for fact in facts
        if isinstance(fact, Answered) and fact.status is AckStatus.REFUSED
    ]
    assert found.refused == tuple(refused.count(Seat(seat)) for seat in range(4)), seed


# --- faults


@pytest.mark.parametrize("pace", Pace)
def test_every_strike_is_noted_with_the_ask_that_was_missed(pace: Pace) -> None:
    seed = f"strikes {pace}"
    chaos = Chaos(settings(pace=pace, rules=ONE, max_strikes=LENIENT), seed=seed)
    chaos.play()
    kinds = {(ask.seat, ask.id): ask.kind.value for ask in chaos.table.asks}
    strikes = [fact for fact in chaos.table.facts if isinstance(fact, Strike)]
    assert strikes, seed
    assert summed(chaos.table).faults == tuple(
        FaultNote(
            seat=fact.seat,
            round=1,
            at_ms=fact.at // 1_000_000,
            ask=fact.ask,
            kind=kinds[fact.seat, fact.ask],
            why=fact.why,
        )
        for fact in strikes
    )


def test_a_crash_is_noted_with_the_last_ask_that_the_seat_got() -> None:
    table = Table(settings()).start()
    table.now += 1_234_000_000
    table.step(fault(3))
    note = FaultNote(
        seat=3, round=1, at_ms=1234, ask=1, kind="call", why="crashed", ended_match=True
    )
    assert summed(table).faults == (note,)


def test_a_bot_that_never_came_was_asked_nothing() -> None:
    table = Table(settings())
    table.step(fault(1, Ending.NEVER_STARTED))
    (note,) = summed(table).faults
    assert (note.round, note.ask, note.kind, note.why) == (0, 0, "", "never_started")


def test_a_forfeit_is_noted_with_the_ask_of_its_last_strike() -> None:
    table = Table(settings(max_strikes=0)).start()
    for _ in range(3):
        table.answer(2, MalformedDecision(text="cards: none"))
    strike, end = summed(table).faults
    assert (strike.seat, strike.ask, strike.why) == (2, 1, "MALFORMED")
    assert (end.seat, end.ask, end.why) == (2, 1, "forfeit_illegal")
    assert (strike.ended_match, end.ended_match) == (False, True)


def test_each_of_several_seats_is_noted_with_its_own_ending() -> None:
    table = failed(fault(2, Ending.DISCONNECTED), fault(0))
    notes = [(note.seat, note.why) for note in summed(table).faults]
    assert notes == [(0, "crashed"), (2, "disconnected")]


@pytest.mark.parametrize("blame", [Blame.NETWORK, Blame.REFEREE])
def test_a_link_that_was_not_lost_by_its_bot_is_no_fault_of_it(blame: Blame) -> None:
    assert summed(failed(fault(2, Ending.DISCONNECTED, blame))).faults == ()


# --- what is refused


def cut(lines: list[bytes]) -> list[bytes]:
    return lines[:-1]


def half(lines: list[bytes]) -> list[bytes]:
    return lines[: len(lines) // 2]


@pytest.mark.parametrize(("broken", "why"), [(cut, "trailer"), (half, "does not end")])
def test_a_record_that_was_cut_is_refused_with_its_line(
    broken: Callable[[list[bytes]], list[bytes]], why: str
) -> None:
    lines = broken(lines_of(random_match(settings(), seed="cut")))
    with pytest.raises(RecordError, match=why) as caught:
        summarise(read_record(lines))
    assert caught.value.line == len(lines) + 1


def test_a_record_with_another_score_is_refused_with_its_line() -> None:
    lines = lines_of(random_match(settings(), seed="forged"))[:-1]
    at = next(n for n, line in enumerate(lines) if b'"t":"round_ended"' in line)
    told = msgspec.json.decode(lines[at])
    told["points"] = [1, 2]
    lines[at] = msgspec.json.encode(told, order="sorted")
    with pytest.raises(RecordError, match="differs") as caught:
        summarise(read_record(chained(lines)))
    assert caught.value.line == at + 1


@pytest.mark.parametrize("pace", Pace)
def test_the_same_record_gives_the_same_summary(pace: Pace) -> None:
    table = random_match(settings(pace=pace, rules=TWO), seed=f"same {pace}")
    found = summed(table)
    assert found == summed(table) == summarise(read_record(lines_of(table)))
    assert msgspec.json.decode(msgspec.json.encode(found), type=MatchSummary) == found
