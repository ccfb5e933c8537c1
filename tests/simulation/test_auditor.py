"""The auditor finds a lie of each kind that is told in a good transcript, and none in true ones."""

from collections.abc import Callable, Mapping

import pytest

from referee._gen.tichu.referee.v1 import card_pb2, match_pb2
from referee.match.values import Pace
from referee.rules.option_values import GrandOrder, SelfOvertake
from referee.rules.options import OPTION_ROWS, RuleOptions
from tests.simulation import lies_of_answers as answers
from tests.simulation import lies_of_events as events
from tests.simulation import lies_of_restarts as restarts
from tests.simulation import lies_of_times as times
from tests.simulation import transcripts
from tests.simulation.audit.auditor import audit, modelled
from tests.simulation.audit.cards import cards_in_text, mask_of
from tests.simulation.audit.findings import FindingCode as F
from tests.simulation.audit.position import Phase, Position
from tests.simulation.audit.rulebook import rulebook
from tests.simulation.audit.ruling import Ruling
from tests.simulation.audit.transcript import Transcript
from tests.simulation.service.playing import transcripts_of
from tests.simulation.service.tables import plan_of, played, settings_of

TRUE = [
    transcripts.good,
    transcripts.fast,
    transcripts.with_bombs,
    transcripts.with_silence,
    transcripts.with_a_cut_link,
    transcripts.with_a_new_stream,
    transcripts.with_a_pause,
    transcripts.with_a_restart,
]


@pytest.mark.parametrize("true", TRUE, ids=lambda true: true.__name__)
def test_a_true_transcript_yields_nothing(true: Callable[[], Transcript]) -> None:
    assert audit(true()) == []


LIES: dict[F, list[Callable[[], Transcript]]] = {
    F.EVENT_GAP: [events.a_seat_misses_an_event],
    F.EVENT_DIFFERS: [events.a_seat_hears_of_another_pass],
    F.PRIVATE_EVENT: [events.a_seat_is_dealt_the_hand_of_another],
    F.SEATING: [events.a_seat_is_told_another_window],
    F.NO_RESULT: [events.nobody_hears_of_the_end],
    F.TWO_RESULTS: [events.the_match_ends_twice],
    F.AFTER_END: [events.a_seat_is_asked_after_the_end],
    F.SNAPSHOT: [events.a_snapshot_miscounts],
    F.STREAM: [restarts.an_older_stream_is_fed, restarts.a_session_is_not_resumed],
    F.RETOLD: [
        restarts.an_open_ask_is_not_told_again,
        restarts.an_ask_is_told_again_as_another,
        restarts.a_new_stream_begins_without_a_snapshot,
    ],
    F.STILL: [
        restarts.something_is_told_in_a_pause,
        restarts.match_time_runs_on_in_a_pause,
        restarts.something_is_told_by_a_dead_referee,
        restarts.a_seat_is_told_before_all_are_back,
    ],
    F.UNKEPT: [restarts.an_event_is_told_before_it_is_kept, restarts.the_store_has_lost_facts],
    F.RESUMED: [
        restarts.the_epoch_is_that_of_the_first_process,
        restarts.a_clock_began_before_the_restart,
    ],
    F.LOST_ANSWER: [restarts.an_answer_is_kept_twice],
    F.DEAL: [events.a_card_is_dealt_twice, events.the_commitment_is_another],
    F.CALL: [events.a_decision_is_made_that_nobody_owes],
    F.EXCHANGE: [events.a_seat_receives_what_nobody_gave],
    F.CARDS: [events.a_hand_is_told_too_large],
    F.READING: [events.a_play_is_told_too_high],
    F.TURN: [events.the_wrong_seat_plays],
    F.TRICK: [events.a_trick_has_other_points],
    F.ROUND_END: [events.a_seat_goes_out_on_another_place],
    F.SCORE: [events.the_round_has_other_points],
    F.MATCH_END: [events.the_match_has_other_totals],
    F.ASK: [answers.a_follower_may_not_pass, answers.a_call_is_offered_that_the_seat_has_not],
    F.LISTED_PLAYS: [answers.a_legal_play_is_not_listed],
    F.PROVISIONAL: [answers.an_ask_is_not_provisional],
    F.BOMB_ASKS: [answers.a_seat_is_not_asked_for_bombs],
    F.HIDDEN_CARD: [events.a_snapshot_shows_a_foreign_hand, events.a_refusal_names_a_hidden_card],
    F.UNACKNOWLEDGED: [answers.an_answer_is_not_acknowledged],
    F.ACKNOWLEDGED_TWICE: [answers.an_answer_is_applied_twice],
    F.ACK_STATUS: [answers.a_first_answer_is_a_duplicate],
    F.WRONGLY_REFUSED: [answers.an_answer_in_time_is_too_late, answers.a_legal_answer_is_refused],
    F.WRONGLY_ACCEPTED: [answers.an_illegal_answer_is_accepted, answers.a_guess_is_accepted],
    F.REFUSAL_ALONE: [answers.a_refusal_stands_alone],
    F.NOT_AS_ANSWERED: [answers.another_play_than_the_one_decided],
    F.CLOCK: [times.more_time_was_used, times.a_bank_is_told_too_small],
    F.TIME_OUT: [times.the_base_time_was_longer],
    F.LAG: [times.more_lag_was_taken_off],
    F.CHARGES: [times.a_charge_is_recorded_too_small],
    F.RECORD: [times.the_record_has_another_play],
    F.LANDING: [times.another_bomb_landed],
    F.GRID: [times.the_window_was_longer],
    F.TOLD_APART: [times.a_seat_hears_later],
    F.ENDING: [
        times.a_bot_crashed_that_lives,
        times.the_referee_fails_by_itself,
        times.a_link_is_gone_and_the_match_goes_on,
    ],
    F.BLAME: [times.the_network_is_blamed],
    F.WINNER: [events.the_other_team_wins, times.the_team_that_failed_wins],
    F.AWARDED: [times.failing_pays],
    F.STRIKES: [times.the_record_has_no_strike],
    F.HANG: [times.the_time_stands_still],
}
BY_POSITION = {F.TOO_LOW, F.WISH}


@pytest.mark.parametrize(
    ("code", "lie"),
    [(code, lie) for code, lies in LIES.items() for lie in lies],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_it_finds(code: F, lie: Callable[[], Transcript]) -> None:
    assert code in {finding.code for finding in audit(lie())}


def test_every_finding_code_has_a_lie() -> None:
    assert set(LIES) | BY_POSITION == set(F)


# --- rules, in positions by hand


def judged(at: Position, rows: Mapping[str, str] | None = None, **event: object) -> set[F]:
    """What the rules say about one event in a position."""
    found: set[F] = set()
    ruling = Ruling(rulebook(rows or {}), lambda code, text: found.add(code))
    ruling.at = at
    ruling.apply([match_pb2.Event(**event)] * 4)  # type: ignore[arg-type]
    return found


def on_turn(hand: str, *, wish: int = 0) -> Position:
    """Seat 1 is on turn; a single 9 of seat 0 lies on the table."""
    ruling = Ruling(rulebook({}), lambda code, text: None)
    ruling.at = Position(
        round=1,
        phase=Phase.PLAY,
        hands=[cards_in_text("9j 2j 3j"), cards_in_text(hand), 0, cards_in_text("4j 5j")],
        counts=[3, len(hand.split()), 5, 2],
        turn=0,
    )
    nine = match_pb2.Played(seat=0, play=play("9j", match_pb2.PLAY_KIND_SINGLE, 18), cards_left=2)
    ruling.apply([match_pb2.Event(played=nine)] * 4)
    ruling.at.wish = wish
    return ruling.at


def play(
    cards: str, kind: match_pb2.PlayKind.ValueType, halves: int, phoenix: int | None = None
) -> match_pb2.Play:
    mask = cards_in_text(cards)
    numbers = [card for card in range(60) if mask >> card & 1]
    return match_pb2.Play(
        cards=[card_pb2.Card.ValueType(card) for card in numbers],
        kind=kind,
        rank_halves=halves,
        phoenix_rank=phoenix,
    )


def test_a_lower_single_does_not_beat_the_table() -> None:
    played = match_pb2.Played(seat=1, play=play("8s", match_pb2.PLAY_KIND_SINGLE, 16), cards_left=1)
    assert judged(on_turn("8s Ts"), played=played) == {F.TOO_LOW}


def test_a_bound_hand_may_neither_pass_nor_play_past_the_wish() -> None:
    king = match_pb2.Played(seat=1, play=play("Ks", match_pb2.PLAY_KIND_SINGLE, 26), cards_left=1)
    assert judged(on_turn("Ts Ks", wish=10), played=king) == {F.WISH}
    assert judged(on_turn("Ts Ks", wish=10), passed=match_pb2.Passed(seat=1)) == {F.WISH}
    assert judged(on_turn("8s Ks", wish=8), passed=match_pb2.Passed(seat=1)) == set()


def test_the_phoenix_is_half_a_rank_above_the_table() -> None:
    right = match_pb2.Played(seat=1, play=play("Ph", match_pb2.PLAY_KIND_SINGLE, 19), cards_left=1)
    wrong = match_pb2.Played(seat=1, play=play("Ph", match_pb2.PLAY_KIND_SINGLE, 20), cards_left=1)
    assert judged(on_turn("Ph Ks"), played=right) == set()
    assert judged(on_turn("Ph Ks"), played=wrong) == {F.READING}


def test_a_bomb_out_of_turn_is_legal_on_cards() -> None:
    at = on_turn("8s Ks")
    at.hands[2], at.counts[2] = cards_in_text("7j 7s 7p 7r 2s"), 5
    bomb = match_pb2.Played(
        seat=2, play=play("7j 7s 7p 7r", match_pb2.PLAY_KIND_BOMB, 14), cards_left=1
    )
    assert judged(at, played=bomb) == set()


@pytest.mark.parametrize(
    ("exempt", "wish", "due"),
    [
        ("never", 3, {F.WISH}),
        ("never", 4, set()),
        ("out_of_turn_only", 3, set()),
    ],
)
def test_out_of_turn_a_bomb_with_the_rank_goes_first_where_none_is_free(
    exempt: str, wish: int, due: set[F]
) -> None:
    at = on_turn("8s Ks", wish=wish)
    at.hands[2], at.counts[2] = cards_in_text("7j 7s 7p 7r 3j 3s 3p 3r 4j"), 9
    bomb = match_pb2.Played(
        seat=2, play=play("7j 7s 7p 7r", match_pb2.PLAY_KIND_BOMB, 14), cards_left=5
    )
    assert judged(at, {"wish_bomb_exempt": exempt}, played=bomb) == due


# --- what the runner asks


def test_every_value_of_every_option_is_modelled() -> None:
    assert not modelled({"exchange_rechoose": "as they like"})
    for name, row in OPTION_ROWS.items():
        for value in row.values:
            told = str(getattr(value, "value", value)).lower()
            assert modelled({name: told}), (name, told)


def test_cards_in_texts_are_read_in_every_notation() -> None:
    assert cards_in_text("5j, Ph and CARD_STAR_10") == mask_of([20, 2, 43])
    assert cards_in_text("just 5 cards and a jar") == 0


@pytest.mark.parametrize(
    "rules",
    [
        RuleOptions(rounds=1, self_overtake=SelfOvertake.ANY),
        RuleOptions(rounds=1, grand_order=GrandOrder.BY_SEAT),
        RuleOptions(rounds=1, bomb_after_all_pass=False),
    ],
    ids=["self_overtake", "grand_order", "bomb_after_all_pass"],
)
@pytest.mark.parametrize("pace", list(Pace))
def test_other_options_yield_nothing(rules: RuleOptions, pace: Pace) -> None:
    plan = plan_of(settings_of(rules=rules, pace=pace), name="options")
    assert audit(transcripts_of(played(plan))[0]) == []
