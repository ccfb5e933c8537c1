"""What a Brettspielwelt log of a round comes to, by hand-made rounds: one oddity each."""

from collections.abc import Sequence

import pytest

from referee.formats.bsw import LogReader, Outcome, Verdict, judge, verdict_text
from referee.rules.options import parse_options
from tests.unit.formats.bsw_logs import RANK_TEXT, scripted_round


def suit(letter: str) -> str:
    """All thirteen cards of a suit: a bomb, when played together."""
    return " ".join(letter + rank for rank in RANK_TEXT[2:])


# A round of eight plays: the whole suit of jade after the Mah Jong is a straight from 1 to Ace.
HANDS = (f"Ma {suit('G')}", f"Hu {suit('S')}", f"Ph {suit('B')}", f"Dr {suit('R')}")
FIRST_TRICK = [f"0: Ma {suit('G')} ", "1 passt.", "2 passt.", "3 passt."]
SECOND_TRICK = ["1: Hu ", f"3: {suit('R')} ", "1 passt.", "2 passt.", "3 passt."]
THIRD_TRICK = ["3: Dr ", "1 passt.", "2 passt.", "Drache an: (2)carl"]
LAST_TRICK = [f"1: {suit('S')} "]
PLAY = [*FIRST_TRICK, *SECOND_TRICK, *THIRD_TRICK, *LAST_TRICK]
ROUND = scripted_round(HANDS, PLAY, "50 - 50")
PLAY_LINE = ROUND.index("---Rundenverlauf---") + 2  # number of the first line of the play
RESULT_LINE = len(ROUND)


def verdicts(lines: Sequence[str], options: dict[str, object] | None = None) -> list[Verdict]:
    text = [line + "\n" for line in lines]
    return list(judge(LogReader(), text, parse_options(options or {})))


def told(lines: Sequence[str], options: dict[str, object] | None = None) -> str:
    """The verdict on a single round, without its place."""
    [verdict] = verdicts(lines, options)
    return verdict_text(verdict).removeprefix("game 1 round 1: ")


def with_play(play: Sequence[str], result: str = "50 - 50", *calls: str) -> list[str]:
    return scripted_round(HANDS, play, result, calls=calls)


def changed(old: str, *new: str) -> list[str]:
    """The round with one line of its play replaced."""
    at = ROUND.index(next(line for line in ROUND[PLAY_LINE - 1 :] if line.startswith(old)))
    return [*ROUND[:at], *new, *ROUND[at + 1 :]]


def test_a_round_that_follows_the_rules_is_ok() -> None:
    assert told(ROUND) == "ok 50/50"


def test_points_that_do_not_follow_are_shown_beside_ours() -> None:
    assert told(with_play(PLAY, "60 - 40")) == "SCORE logged 60/40, ours 50/50"


def test_a_call_before_the_exchange_counts() -> None:
    assert told(with_play(PLAY, "150 - 50", "Tichu: (0)anna")) == "ok 150/50"
    assert told(with_play(PLAY, "250 - 50", "Grosses Tichu: (0)anna")) == "ok 250/50"


def test_a_failed_grand_beside_a_won_call_needs_its_option() -> None:
    lines = with_play(PLAY, "150 - 50", "Grosses Tichu: (2)carl", "Tichu: (0)anna")
    assert told(lines) == "SCORE logged 150/50, ours -50/50"
    assert told(lines, {"both_call_scoring": "bsw"}) == "ok 150/50"


def test_a_call_logged_directly_after_the_first_play_counts_as_before_it() -> None:
    play = [PLAY[0], "Tichu: (0)anna", "Tichu: (0)anna", *PLAY[1:]]
    assert told(with_play(play, "150 - 50")) == "ok 150/50"


def test_a_call_logged_between_play_and_wish_belongs_before_both() -> None:
    hands = [HANDS[0].replace("Ma", "Hu"), HANDS[1].replace("Hu", "Ma"), *HANDS[2:]]
    play = ["1: Ma ", "Tichu: (1)bert", "Wunsch:A", "2: BA ", f"3: {suit('R')} "]
    lines = scripted_round(hands, play, "0 - 0")
    assert told(lines).startswith(f"ILLEGAL line {len(lines)} F1:")


def test_a_late_call_is_illegal() -> None:
    play = [*FIRST_TRICK, *SECOND_TRICK, "Tichu: (1)bert", *THIRD_TRICK, *LAST_TRICK]
    assert told(with_play(play)).startswith(f"ILLEGAL line {PLAY_LINE + 9} A4: seat 1 calls Tichu")


def test_a_late_grand_is_illegal() -> None:
    play = ["Grosses Tichu: (0)anna", *PLAY]
    assert told(with_play(play)).startswith(f"ILLEGAL line {PLAY_LINE} A3: ")


def test_two_calls_of_one_player_are_illegal() -> None:
    lines = with_play(PLAY, "250 - 50", "Grosses Tichu: (0)anna", "Tichu: (0)anna")
    assert told(lines).startswith("ILLEGAL line 12 A5: ")


def test_a_call_after_the_round_is_illegal() -> None:
    assert told([*ROUND, "Tichu: (2)carl"]).startswith(f"ILLEGAL line {RESULT_LINE + 1} A4: ")


def test_the_dragon_given_to_the_own_team_is_illegal() -> None:
    lines = changed("Drache an", "Drache an: (1)bert")
    expected = f"ILLEGAL line {PLAY_LINE + 12} C5: the Dragon's trick goes to seat 1: BAD_RECIPIENT"
    assert told(lines) == expected


def test_a_dragon_that_is_not_given_away_is_illegal_at_the_next_play() -> None:
    play = [line for line in PLAY[:-1] if not line.startswith("Drache")]
    assert told(with_play([*play, "1: S2 "])).startswith(f"ILLEGAL line {PLAY_LINE + 12} C5: ")


def test_a_dragon_whose_owner_is_out_can_be_bombed_instead_of_given() -> None:
    assert told(changed("Drache an")) == "SCORE logged 50/50, ours 25/75"


def test_the_dragon_of_the_last_trick_is_given_directly_after_the_last_play() -> None:
    play = [*FIRST_TRICK, f"1: {suit('S')} ", "2 passt.", "3 passt.", "1 passt.", "1: Hu "]
    play += [f"3: {suit('R')} ", "2 passt.", "3 passt.", "3: Dr "]
    assert told(with_play([*play, "Drache an: (2)carl"])) == "ok 50/50"
    assert told(with_play(play)).startswith(f"ILLEGAL line {PLAY_LINE + len(play)} C5: ")


def test_a_bomb_of_the_next_leader_is_a_lead_or_falls_on_the_trick_as_the_result_says() -> None:
    play = [*FIRST_TRICK, f"1: {suit('S')} ", "2 passt.", "3 passt.", "1 passt.", "1: Hu "]
    play += [f"3: {suit('R')} ", "2 passt.", "3 passt.", "3: Dr ", "Drache an: (2)carl"]
    assert told(with_play(play, "50 - 50")) == "ok 50/50"
    assert told(with_play(play, "25 - 75")) == "ok 25/75"
    assert told(with_play(play, "30 - 70")) == "SCORE logged 30/70, ours 50/50"


def test_a_bomb_of_another_falls_on_the_trick_of_an_absent_owner() -> None:
    play = [*FIRST_TRICK, f"3: {suit('R')} ", "1 passt.", "2 passt.", "3 passt.", "3: Dr "]
    play += ["1 passt.", "2 passt.", "Drache an: (2)carl", f"1: {suit('S')} ", "2 passt."]
    play += ["1 passt.", "1: Hu "]
    assert told(with_play(play, "25 - 75")) == "ok 25/75"


def test_a_play_after_the_end_is_illegal_and_stray_clicks_are_not() -> None:
    stray = ["(2)carl passt.", "Wunsch:7", "(1)bert passt."]
    assert told([*ROUND[:-1], *stray, ROUND[-1], *stray]) == "ok 50/50"
    for lines in ([*ROUND[:-1], "(2)carl: B2 ", ROUND[-1]], [*ROUND, "(2)carl: B2 "]):
        line = lines.index("(2)carl: B2 ") + 1
        assert told(lines) == f"ILLEGAL line {line} F1: seat 2 plays 2p: WRONG_PHASE"


def test_an_ignored_wish_is_illegal() -> None:
    lines = with_play([PLAY[0], "Wunsch:3", *PLAY[1:]])
    assert told(lines) == f"ILLEGAL line {PLAY_LINE + 2} E3: seat 1 passes: MUST_FULFIL_WISH"


@pytest.mark.parametrize("wish", ["Wunsch:1", "Wunsch:Ma", "Wunsch:"])
def test_a_wish_for_no_rank_is_illegal(wish: str) -> None:
    assert told(with_play([PLAY[0], wish, *PLAY[1:]])).startswith(
        f"ILLEGAL line {PLAY_LINE + 1} E1: "
    )


def test_a_wish_without_the_mah_jong_is_illegal() -> None:
    lines = with_play([*FIRST_TRICK, "Wunsch:3", *PLAY[4:]])
    assert told(lines).startswith(f"ILLEGAL line {PLAY_LINE + 4} E1: ")


def test_a_play_out_of_turn_is_illegal() -> None:
    lines = changed("(1)bert: Hu", "(2)carl: B2 ")
    assert told(lines) == f"ILLEGAL line {PLAY_LINE + 4} C1: seat 2 plays 2p: NOT_YOUR_TURN"


def test_a_pass_out_of_turn_is_illegal() -> None:
    lines = with_play([PLAY[0], "2 passt.", *PLAY[1:]])
    assert told(lines).startswith(f"ILLEGAL line {PLAY_LINE + 1} C1: seat 2 passes")


def test_an_owner_who_goes_on_without_his_click_overtakes_himself() -> None:
    lines = with_play([*FIRST_TRICK, *SECOND_TRICK[:-1], *THIRD_TRICK, *LAST_TRICK])
    assert told(lines) == f"ILLEGAL line {PLAY_LINE + 8} C3: seat 3 plays Dr: NOT_YOUR_TURN"


def test_cards_that_are_not_held_or_named_twice_are_illegal() -> None:
    for cards, shown in (("Dr", "Dr"), ("S2 S2", "2s 2s")):
        lines = changed("(1)bert: Hu", f"(1)bert: {cards} ")
        line = f"ILLEGAL line {PLAY_LINE + 4} A2: seat 1 plays {shown}: CARDS_NOT_HELD"
        assert told(lines) == line


def test_a_card_dealt_twice_is_illegal_where_it_comes_up_again() -> None:
    lines = list(ROUND)
    first, again = lines[6].split()[-1], lines[7].split()[-1]
    lines[7] = lines[7].replace(again, first)
    assert told(lines).startswith("ILLEGAL line 8 A1: ")


def test_a_first_hand_that_is_not_in_the_whole_hand_is_illegal() -> None:
    lines = list(ROUND)
    lines[1], lines[2] = (
        "(0)anna " + lines[2].split(" ", 1)[1],
        "(1)bert " + lines[1].split(" ", 1)[1],
    )
    assert told(lines).startswith("ILLEGAL line 7 A2: ")


def test_a_gift_of_a_card_that_is_not_held_is_illegal() -> None:
    at = ROUND.index("Schupfen:") + 1
    lines = [*ROUND[:at], "(0)anna gibt: a: Dr - b: G2 - c: G3 - ", *ROUND[at + 1 :]]
    assert told(lines).startswith(f"ILLEGAL line {at + 1} A7: ")


@pytest.mark.parametrize("gone", ["(2)carl gibt", "(1)bert S"])
def test_a_missing_part_is_illegal_when_the_play_follows(gone: str) -> None:
    lines = [line for line in ROUND if not line.startswith(gone)]
    assert told(lines).startswith("ILLEGAL line 1 A")


def test_a_result_before_the_end_is_illegal() -> None:
    lines = [*ROUND[:-2], ROUND[-1]]
    assert told(lines).startswith(f"ILLEGAL line {RESULT_LINE - 1} F1: ")


def test_a_move_that_cannot_be_read_is_named_where_it_stands() -> None:
    for garbled in ("(1)bert: Hx ", "(7)bert: Hu ", "(1)bert Hu"):
        lines = changed("(1)bert: Hu", garbled)
        assert told(lines).startswith(f"ILLEGAL line {PLAY_LINE + 4} "), garbled
        assert "cannot be read" in told(lines)


def test_a_round_without_its_result_is_unfinished_wherever_it_stops() -> None:
    for end in range(1, len(ROUND)):
        assert told(ROUND[:end]) == "UNFINISHED", end


@pytest.mark.parametrize(
    "lines",
    [
        [*ROUND[:-2], ROUND[-1]],  # the result before the end
        [*ROUND, "(2)carl: B2"],  # a play after it
        [*ROUND[:-2], "(1)bert: R9"],  # not held
        [*ROUND[: PLAY_LINE - 1], "(3)dora: Dr"],  # out of turn, and the start of no bomb
    ],
    ids=["result", "after the end", "not held", "out of turn"],
)
def test_a_last_line_without_its_end_is_still_judged(lines: Sequence[str]) -> None:
    text = "\n".join(lines).splitlines(keepends=True)
    [verdict] = judge(LogReader(), text, parse_options({}))
    assert verdict.fault is not None
    assert verdict.fault.line == len(lines)


def test_a_match_that_is_played_on_is_illegal_from_the_next_round() -> None:
    won = with_play(PLAY, "150 - 50", "Tichu: (0)anna")
    assert [v.outcome for v in verdicts(won * 7)] == [Outcome.OK] * 7
    last = verdicts(won * 8)[-1]
    line = 7 * len(won) + 1
    assert verdict_text(last) == (
        f"game 1 round 8: ILLEGAL line {line} F4: the match was over after round 7 with 1050 : 350"
    )
    assert verdicts(won * 8, {"target": 1200})[-1].outcome is Outcome.OK


def test_an_exact_tie_at_the_target_is_played_on() -> None:
    outcomes = [verdict.outcome for verdict in verdicts(ROUND * 2, {"target": 50})]
    assert outcomes == [Outcome.OK, Outcome.OK]


def test_a_game_that_ended_starts_the_count_anew() -> None:
    game = [*ROUND, *ROUND, "", "--END GAME--", ""]
    places = [(v.game, v.number, v.outcome) for v in verdicts(game * 2 + ["--END GAME--"] + ROUND)]
    ok = Outcome.OK
    assert places == [(1, 1, ok), (1, 2, ok), (2, 1, ok), (2, 2, ok), (3, 1, ok)]


def test_the_rest_is_read_after_a_broken_round() -> None:
    broken = changed("(1)bert: Hu", "(2)carl: B2 ")
    found = verdicts([*broken, *ROUND, *ROUND[:-4], *ROUND])
    assert [verdict.outcome for verdict in found] == [
        Outcome.ILLEGAL,
        Outcome.OK,
        Outcome.UNFINISHED,
        Outcome.OK,
    ]


def test_a_round_whose_heading_is_lost_does_not_spoil_the_one_before() -> None:
    for lost in (1, 6, 11):
        found = verdicts([*ROUND, *ROUND[lost:], *ROUND])
        assert [verdict.outcome for verdict in found] == [
            Outcome.OK,
            Outcome.ILLEGAL,
            Outcome.OK,
        ], lost


def test_a_file_without_its_head_is_read_from_the_first_whole_round() -> None:
    for cut in (1, 6, 11, 20):
        reader = LogReader()
        lines = [line + "\n" for line in [*ROUND[cut:], *ROUND]]
        [verdict] = judge(reader, lines, parse_options({}))
        assert (verdict.outcome, verdict.number) == (Outcome.OK, 1)
        assert reader.unread > 0
        assert reader.first_unread == 1
