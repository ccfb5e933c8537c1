import msgspec
import pytest

from referee.cli.play_setup import PlayArguments, PlayPlan, plan_play
from referee.cli.play_text import (
    Outcome,
    conduct_line,
    head_line,
    head_lines,
    look_at,
    outcome_json,
    outcome_line,
    record_line,
    round_json,
    round_line,
)
from referee.formats.conduct import Conduct
from referee.formats.tally import CallResult, RoundSummary, SeatStrike
from referee.match.values import Blame, Ending
from referee.rules.seat import Seat

HOUSE = {"random": "tichu_bot.random", "greedy": "tichu_bot.greedy"}
PLAIN = RoundSummary(
    round=1,
    points=(35, 65),
    card_points=(35, 65),
    calls=(),
    double_victory=False,
    out=(Seat(1), Seat(0), Seat(3)),
    bombs=(0, 0, 0, 0),
    strikes=(),
    totals=(135, 265),
)
DONE = Outcome(match_id="m", ending=Ending.COMPLETED, totals=(135, 265), rounds=3, winner=1)


@pytest.fixture
def plan(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> PlayPlan:
    monkeypatch.chdir(tmp_path_factory.mktemp("play"))
    arguments = PlayArguments(bots=("random", "greedy"), rounds=3, seed="s", options=())
    return plan_play(arguments, house=HOUSE)


def test_the_first_line_says_who_plays_whom_and_how(plan: PlayPlan) -> None:
    assert head_line(plan) == (
        "random (seats 0, 2) against greedy (seats 1, 3), 3 rounds, clock 2s+60s, pace fast"
    )


@pytest.mark.usefixtures("plan")  # for its folder
def test_the_first_line_tells_times_that_are_not_the_usual_ones() -> None:
    arguments = PlayArguments(
        bots=("random", "greedy"), rounds=1, bases=("act=2500ms",), lag="none", clock="2s+60s"
    )
    told = head_line(plan_play(arguments, house=HOUSE))
    assert told.endswith(", 1 round, clock 2s+60s, act 2500ms, lag none, pace fast")


def game(*bots: str, variant: str, options: tuple[str, ...] = ()) -> PlayPlan:
    arguments = PlayArguments(bots=bots, variant=variant, options=options)
    return plan_play(arguments, house=HOUSE)


@pytest.fixture
def trichu(plan: PlayPlan) -> PlayPlan:
    return game("a=random", "b=random", "c=greedy", variant="trichu")


@pytest.fixture
def seigneur(plan: PlayPlan) -> PlayPlan:
    return game(*(f"{name}=random" for name in "abcde"), variant="grand_seigneur")


def test_a_game_without_teams_for_the_match_names_everybody_and_its_columns(
    trichu: PlayPlan, seigneur: PlayPlan
) -> None:
    assert list(head_lines(trichu)) == [
        "a (seat 0), b (seat 1) and c (seat 3), each for itself, 9 rounds, clock 2s+60s, "
        "pace fast, variant=trichu",
        "columns: a/0 : b/1 : Tisch/2 : c/3",
    ]
    (line,) = head_lines(seigneur)
    assert line.startswith("a (seat 0), b (seat 1), c (seat 2), d (seat 3) and e (seat 4), each")
    assert ", 4 rounds, " in line
    again = game(*["random"] * 5, variant="grand_seigneur", options=("gs_goal=first_again",))
    assert "until the first is first again" in head_line(again)


@pytest.mark.usefixtures("plan")  # for its folder
def test_the_first_line_of_tientsin_has_three_seats_a_team() -> None:
    (line,) = head_lines(game("random", "greedy", variant="tientsin"))
    assert line.startswith("random (seats 0, 2, 4) against greedy (seats 1, 3, 5), to 1000 points")
    summary = msgspec.structs.replace(PLAIN, points=(300, 0), double_victory=True, out=(Seat(4),))
    told = round_line(game("random", "greedy", variant="tientsin"), summary)
    assert told.endswith("triple victory of random")


def test_a_round_of_trichu_says_the_soloist_whose_team_is_his_and_the_tisch(
    trichu: PlayPlan,
) -> None:
    columns = (0, 200, 200, 0)
    summary = msgspec.structs.replace(
        PLAIN, round=2, points=columns, totals=columns, double_victory=True, out=(Seat(2),)
    )
    assert round_line(trichu, summary) == (
        "round  2      0 :   200 :   200 :     0   total     0 :   200 :   200 :     0   "
        "soloist b/1; double victory of b + Tisch"
    )
    opponents = msgspec.structs.replace(summary, out=(Seat(3), Seat(0)))
    assert round_line(trichu, opponents).endswith("double victory of a + c")
    won = msgspec.structs.replace(DONE, totals=(10, 20, 60, 30), winner=3)
    assert outcome_line(trichu, won) == "c won 10 : 20 : 60 : 30 after 3 rounds"
    told = msgspec.json.decode(outcome_json(trichu, won))
    assert (told["teams"], told["players"]) == ([], ["a", "b", "Tisch", "c"])


def test_a_round_of_grand_seigneur_is_the_order_of_going_out(seigneur: PlayPlan) -> None:
    ranks = tuple(map(Seat, (3, 0, 4, 1, 2)))
    summary = msgspec.structs.replace(PLAIN, points=(), totals=(), ranks=ranks, bombs=(0,) * 5)
    assert round_line(seigneur, summary) == "round  1  order d/3, a/0, e/4, b/1, c/2"
    over = msgspec.structs.replace(DONE, totals=(), winner=None, ranks=ranks)
    assert outcome_line(seigneur, over) == (
        "over after 3 rounds, the last in order d/3, a/0, e/4, b/1, c/2"
    )
    fault = msgspec.structs.replace(over, ending=Ending.CRASHED, seat=Seat(1), blame=Blame.BOT)
    assert outcome_line(seigneur, fault) == (
        "ended: crashed by b/1 (blame: bot), no score after 3 rounds; it counts for nothing"
    )


def test_a_call_that_was_refused_is_told(plan: PlayPlan) -> None:
    refused = msgspec.structs.replace(PLAIN, points=(0, -100), refused=Seat(2))
    assert round_line(plan, refused).endswith("   the call of random/2 was refused")


def test_a_plain_round_is_its_score(plan: PlayPlan) -> None:
    assert round_line(plan, PLAIN) == "round  1     35 :    65   total   135 :   265"


def test_a_round_tells_everything_out_of_the_ordinary(plan: PlayPlan) -> None:
    summary = msgspec.structs.replace(
        PLAIN,
        points=(-100, 200),
        double_victory=True,
        out=(Seat(1), Seat(3)),
        calls=(CallResult(seat=Seat(0), call="tichu", won=False, points=-100),),
        bombs=(0, 2, 0, 1),
        strikes=(SeatStrike(seat=Seat(2), why="late"),),
    )
    assert round_line(plan, summary).split("   ")[-1] == (
        "Tichu of random/0 lost -100; double victory of greedy; bombs: 2 by greedy/1, "
        "1 by greedy/3; strike for random/2: late"
    )


def test_the_result_names_the_winner(plan: PlayPlan) -> None:
    assert outcome_line(plan, DONE) == "greedy won 135 : 265 after 3 rounds"
    draw = msgspec.structs.replace(DONE, totals=(0, 0), rounds=1, winner=None)
    assert outcome_line(plan, draw) == "draw 0 : 0 after 1 round"


def test_a_fault_names_the_seat_and_the_blame(plan: PlayPlan) -> None:
    fault = msgspec.structs.replace(
        DONE, ending=Ending.CRASHED, winner=None, seat=Seat(2), blame=Blame.BOT
    )
    assert outcome_line(plan, fault) == (
        "ended: crashed by random/2 (blame: bot), 135 : 265 after 3 rounds"
    )


def test_what_counts_after_a_fault_of_one_team_is_told(plan: PlayPlan) -> None:
    fault = Outcome(
        match_id="m",
        ending=Ending.RESIGNED,
        totals=(35, 65),
        rounds=1,
        winner=1,
        seat=Seat(0),
        blame=Blame.BOT,
        failed=(Seat(0), Seat(2)),
        awarded=(-765, 865),
    )
    line = outcome_line(plan, fault)
    assert " by random/0 and random/2 (blame: bot), " in line
    assert line.endswith(", 35 : 65 after 1 round; greedy won; counts -765 : 865")
    told = msgspec.json.decode(outcome_json(plan, fault))
    assert (told["failed"], told["awarded"]) == ([0, 2], [-765, 865])


def test_where_both_teams_failed_all_are_named_and_nothing_counts(plan: PlayPlan) -> None:
    fault = msgspec.structs.replace(
        DONE,
        ending=Ending.NEVER_STARTED,
        winner=None,
        seat=Seat(0),
        blame=Blame.BOT,
        failed=(Seat(0), Seat(1), Seat(3)),
    )
    assert outcome_line(plan, fault) == (
        "ended: never_started by random/0, greedy/1 and greedy/3 (blame: bot), "
        "135 : 265 after 3 rounds; both teams failed: it counts for nothing"
    )


def test_a_match_without_a_score_says_so(plan: PlayPlan) -> None:
    failed = Outcome(
        match_id="m", ending=Ending.REFEREE_FAILED, totals=(), rounds=0, blame=Blame.REFEREE
    )
    assert outcome_line(plan, failed) == (
        "ended: referee_failed (blame: referee), no score after 0 rounds"
    )


def test_strikes_of_a_round_are_grouped_by_seat_and_reason(plan: PlayPlan) -> None:
    late = SeatStrike(seat=Seat(2), why="late")
    strikes = (late, SeatStrike(seat=Seat(0), why="MALFORMED"), *[late] * 8)
    summary = msgspec.structs.replace(PLAIN, strikes=strikes)
    assert round_line(plan, summary).split("   ")[-1] == (
        "strike for random/2: late x9; strike for random/0: MALFORMED"
    )


@pytest.mark.parametrize(
    ("conduct", "said"),
    [
        (Conduct(defaults=1), "1 ask answered by default"),
        (Conduct(defaults=12, refused=3), "12 asks answered by default, 3 answers refused"),
        (Conduct(strikes=("MALFORMED",) * 11), "11 strikes (MALFORMED x11)"),
        (Conduct(strikes=("late", "a\x1b", "late")), "3 strikes (late x2, a\\x1b)"),
    ],
)
def test_what_was_out_of_the_ordinary_is_counted(
    plan: PlayPlan, conduct: Conduct, said: str
) -> None:
    assert conduct_line(plan, 2, conduct) == f"random/2: {said}"


def test_the_command_that_shows_why_names_the_seat_that_ended_the_match(plan: PlayPlan) -> None:
    odd = (Conduct(), Conduct(defaults=1), Conduct(strikes=("late",) * 11), Conduct())
    played = msgspec.structs.replace(DONE, record="my records/m.jsonl", conduct=odd)
    assert look_at(played) == "referee record show 'my records/m.jsonl' --seat 1"
    assert look_at(msgspec.structs.replace(played, seat=Seat(2))).endswith(" --seat 2")
    assert look_at(msgspec.structs.replace(played, conduct=(Conduct(),) * 4)) == ""
    assert look_at(DONE) == ""


def test_a_record_is_named_where_there_is_one() -> None:
    written = msgspec.structs.replace(DONE, record="m.jsonl")
    assert (record_line(written), record_line(DONE)) == ("record: m.jsonl", "")


def test_json_holds_the_same_in_one_line_each(plan: PlayPlan) -> None:
    told = msgspec.json.decode(round_json(PLAIN))
    assert (told["type"], told["points"], told["out"]) == ("round", [35, 65], [1, 0, 3])
    match = msgspec.json.decode(outcome_json(plan, DONE))
    assert (match["type"], match["winner"], match["teams"]) == ("match", 1, ["random", "greedy"])
    assert match["again"] == "referee play random greedy --rounds 3 --seed s"
