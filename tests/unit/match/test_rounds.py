"""What is told when a round begins, when the lead changes hands, and when it ends (A2, C4, F)."""

import pytest

from referee.match.facts import Dealt, LeadHanded, RoundEnded, TrickTaken, WentOut
from referee.match.inputs import Tick
from referee.match.step import PlayedEvent, RoundStarted
from referee.match.values import AckStatus, Pace
from referee.rules.option_values import BothCallScoring
from referee.rules.options import RuleOptions
from referee.rules.phases import CallKind
from referee.rules.shuffle import commit
from tests.simulation.positions import at, playing
from tests.simulation.table import Table, random_match, settings

PACES = pytest.mark.parametrize("pace", Pace)


def test_a_round_begins_with_its_dealer_commitment_and_totals() -> None:
    table = Table(settings(), match_id="m-7").start()
    (fact,) = [fact for fact in table.facts if isinstance(fact, Dealt)]
    event = table.events[0]
    assert isinstance(event, RoundStarted)
    assert (event.round, event.dealer, event.totals) == (1, 0, (0, 0))
    assert event.commitment == commit("m-7", bytes.fromhex(fact.seed))
    assert fact.commitment == event.commitment.hex()


def test_no_event_tells_the_deal_seed() -> None:
    """It would tell every hand."""
    table = Table(settings()).start()
    (fact,) = [fact for fact in table.facts if isinstance(fact, Dealt)]
    assert fact.seed not in repr(table.events)


def test_the_next_round_is_dealt_by_who_was_first_out_with_the_totals_so_far() -> None:
    table = random_match(settings(rules=RuleOptions(rounds=2)), seed="two rounds")
    first, second = [event for event in table.events if isinstance(event, RoundStarted)]
    out = next(event for event in table.events if isinstance(event, WentOut))
    ended = next(event for event in table.events if isinstance(event, RoundEnded))
    assert (first.round, second.round) == (1, 2)
    assert (second.dealer, second.totals) == (out.seat, ended.totals)
    assert first.commitment != second.commitment


@PACES
def test_the_dog_hands_the_lead_to_the_partner(pace: Pace) -> None:
    """C4: at once, and everybody is told."""
    table = at(settings(pace=pace), "Dg 3j", "3s 4s", "3p 4p", "3r 4r")
    table.act(0, playing("Dg"))
    event = table.events[-1]
    assert isinstance(event, LeadHanded)
    assert (event.seat, event.to) == (0, 2)
    assert table.ask(2).leading


@pytest.mark.parametrize(("hands", "out", "to"), [(("Dg 3j", "3s", "", "3r 4r"), (2,), 3)])
def test_the_dog_of_a_seat_whose_partner_is_out_goes_on_to_the_next(
    hands: tuple[str, ...], out: tuple[int, ...], to: int
) -> None:
    table = at(settings(), *hands, out=out)
    table.act(0, playing("Dg"))
    assert table.ask(to).leading


def test_the_round_may_end_with_the_dog() -> None:
    """C4."""
    table = at(settings(), "Dg", "3s 4s", "", "3r 4r", out=(2,))
    table.act(0, playing("Dg"))
    assert table.told()[-3:] == ["WentOut", "RoundEnded", "MatchEnded"]
    assert "LeadHanded" not in table.told()


def test_a_play_is_told_with_its_reading_its_wish_and_the_cards_left() -> None:
    table = at(settings(), "Mj 2j 3j 4j Ph 9j", "3s 4s", "3p 4p", "3r 4r")
    table.act(0, playing("Mj 2j 3j 4j Ph=5", wish=9))
    event = next(event for event in table.events if isinstance(event, PlayedEvent))
    assert (event.play.phoenix_rank, event.wish, event.cards_left) == (5, 9, 1)


def test_a_trick_is_told_with_who_took_it_and_its_points() -> None:
    table = at(settings(), "Kj 2j 3j", "3s 4s", "3p 4p", "3r 4r")
    table.act(0, playing("Kj"))
    event = next(event for event in table.events if isinstance(event, TrickTaken))
    assert (event.seat, event.points) == (0, 10)


def test_seats_that_go_out_are_told_in_their_order() -> None:
    table = at(settings(), "Kj", "3s 4s", "Aj", "3r 4r")
    table.act(0, playing("Kj"))
    table.act(2, playing("Aj"))
    places = [(e.seat, e.place) for e in table.events if isinstance(e, WentOut)]
    assert places == [(0, 1), (2, 2)]


def ended(*, scoring: BothCallScoring = BothCallScoring.INDEPENDENT) -> RoundEnded:
    """Seat 0 goes out first; it and both its neighbours had called."""
    rules = RuleOptions(rounds=1, both_call_scoring=scoring)
    calls = [(0, CallKind.TICHU), (1, CallKind.TICHU), (2, CallKind.GRAND)]
    table = at(settings(rules=rules), "Kj", "As", "4p", "3r 4r", calls=calls)
    for seat, card in enumerate(("Kj", "As", "4p")):
        table.act(seat, playing(card))
    return next(fact for fact in table.facts if isinstance(fact, RoundEnded))


def test_calls_are_told_with_who_won_them_and_what_they_brought() -> None:
    """F3: only the caller himself, first out, wins his call."""
    assert ended().calls == (
        (0, CallKind.TICHU, True, 100),
        (1, CallKind.TICHU, False, -100),
        (2, CallKind.GRAND, False, -200),
    )


def test_both_call_scoring_bsw_forgives_a_failed_grand_beside_a_won_call() -> None:
    assert ended(scoring=BothCallScoring.BSW).calls[2] == (2, CallKind.GRAND, False, 0)


def test_points_are_card_points_and_calls() -> None:
    fact = ended()
    assert sum(fact.card_points) == 100
    assert fact.points == (fact.card_points[0] - 100, fact.card_points[1] - 100)
    assert fact.totals == fact.points


def test_a_double_victory_is_told_without_card_points() -> None:
    table = at(settings(), "Kj", "3s 4s", "Aj", "3r 4r")
    table.act(0, playing("Kj"))
    table.act(2, playing("Aj"))
    fact = next(fact for fact in table.facts if isinstance(fact, RoundEnded))
    assert (fact.double_victory, fact.points, fact.card_points) == (True, (200, 0), ())


def test_between_rounds_calls_and_standing_down_are_refused() -> None:
    """A4: not after the round. The machine waits for a deal."""
    table = at(settings(rules=RuleOptions(rounds=2)), "Kj", "3s 4s", "Aj", "3r 4r")
    table.act(0, playing("Kj"))
    deal = table._deal
    table._deal = lambda: table.machine.step(Tick(), table.now)  # type: ignore[method-assign]
    table.act(2, playing("Aj"))
    assert table.machine.needs_deal
    assert table.call(1) is AckStatus.REFUSED
    assert table.refused[-1].code == "WRONG_PHASE"
    assert table.stand_down(1) is AckStatus.REFUSED
    table._deal = deal  # type: ignore[method-assign]
