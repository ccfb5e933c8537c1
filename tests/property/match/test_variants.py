"""Whole matches of every game and variant, by bots at their worst and a referee that is killed.

Answers come in any order, late, twice or illegal; links lag; the referee is blocked and started
again. The invariants hold after every step, the facts replay to the same facts, and the points and
banks add up (`tests.simulation.chaos.audit`).
"""

import random

import pytest

from referee.match.facts import Bidden, CallMade, Dealt, Played, RoundEnded
from referee.match.inputs import Answer, Fault
from referee.match.values import MS, AskKind, CancelReason, Clock, Ending, Pace, Settings
from referee.rules.cards import DRAGON, PHOENIXES, SECOND_PACK, mask_of
from referee.rules.option_values import GsGoal, TieAtTarget, Variant
from referee.rules.options import (
    RuleOptions,
    columns,
    has_fixed_teams,
    options_dict,
    parse_options,
    player_seats,
    seats,
    team_of,
)
from referee.rules.phases import CallKind
from referee.rules.seating import order_of_ranks
from tests.property.rules.playing import random_options_of
from tests.simulation.chaos import LENIENT, Chaos, audit
from tests.simulation.mortal import Mortal, lives_on, open_asks
from tests.simulation.table import Table, random_match, random_policy, settings

PACES = pytest.mark.parametrize("pace", Pace)

GAMES: dict[str, dict[str, object]] = {
    "trichu": {"variant": "trichu", "rounds": 3},
    "trichu two gifts": {
        "variant": "trichu",
        "rounds": 3,
        "trichu_opponents_exchange": "two",
        "great_grand": True,
        "trichu_last_burns_points": True,
    },
    "tientsin": {"variant": "tientsin", "rounds": 1},
    "tientsin until a team is out": {
        "variant": "tientsin",
        "rounds": 1,
        "tientsin_end_when_team_out": True,
        "self_overtake": "any",
    },
    "five by rank": {"variant": "grand_seigneur", "seats": 5, "rounds": 2},
    "six, all to the first": {
        "variant": "grand_seigneur",
        "seats": 6,
        "rounds": 2,
        "gs_exchange": "all_to_first",
        "gs_return": "worst",
        "gs_best_order": "mahjong_last",
        "gs_seating": "alternating",
    },
    "seven, two Phoenixes": {
        "variant": "grand_seigneur",
        "seats": 7,
        "rounds": 2,
        "gs_two_phoenix_in_combo": True,
        "gs_dog": "one",
    },
    "twelve": {"variant": "grand_seigneur", "seats": 12, "rounds": 2},
    "chaos": {"chaos": True, "rounds": 2},
    "chaos of six": {"variant": "tientsin", "chaos": True, "rounds": 1},
    "refusing": {"refuse_call": True, "great_grand": True, "rounds": 3},
    "refusing, choosing until all gave": {
        "refuse_call": True,
        "rounds": 3,
        "exchange_rechoose": "until_all_gave",
    },
    "refusing in Trichu": {"variant": "trichu", "refuse_call": True, "rounds": 3},
    "refusing with six": {"variant": "tientsin", "refuse_call": True, "rounds": 2},
}


def what(rules: RuleOptions, pace: Pace, *, timed: bool = True) -> Settings:
    clock = Clock(base_ns=300 * MS, bank_ns=3_000 * MS, lag_cap_ns=90 * MS, lag_quota_ns=400 * MS)
    return settings(
        pace=pace, rules=rules, clock=clock if timed else None, window_ms=20, max_strikes=LENIENT
    )


@PACES
@pytest.mark.parametrize("name", GAMES)
def test_a_match_of_random_bots_is_played_and_replays(name: str, pace: Pace) -> None:
    seed = f"plain {name} {pace}"
    rules = parse_options(GAMES[name])
    table = random_match(settings(pace=pace, rules=rules), seed=seed)
    audit(table, seed)
    assert table.ended.ending is Ending.COMPLETED, f"{seed=}"
    assert table.refused == [], f"{seed=}: a random bot answers legally"
    assert_sat_by_rank(table, rules, seed)


QUICK = ("trichu", "tientsin", "five by rank", "chaos", "refusing", "refusing in Trichu")


@PACES
@pytest.mark.parametrize("name", QUICK)
def test_bots_at_their_worst_and_a_referee_that_is_killed_change_no_books(
    name: str, pace: Pace
) -> None:
    keeps_its_books(name, pace)


@pytest.mark.slow
@PACES
@pytest.mark.parametrize("name", [name for name in GAMES if name not in QUICK])
def test_at_their_worst_by_every_game_they_change_no_books(name: str, pace: Pace) -> None:
    keeps_its_books(name, pace)


def keeps_its_books(name: str, pace: Pace) -> None:
    """A killed match is replayed from its beginning, so a long one is killed less often."""
    seed = f"worst {name} {pace}"
    rules = parse_options(GAMES[name])
    kills = 1.0 if seats(rules) < 7 else 0.1
    chaos = Mortal(what(rules, pace, timed="six" not in name), seed=seed, kills=kills)
    lives_on(chaos)
    assert chaos.table.ended.ending is Ending.COMPLETED, f"{seed=}"
    assert_sat_by_rank(chaos.table, rules, seed)


@pytest.mark.slow
@PACES
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("number", range(8))
def test_a_match_by_any_options_that_make_sense_keeps_the_books(
    variant: Variant, number: int, pace: Pace
) -> None:
    seed = f"any options {variant} {number} {pace}"
    rng = random.Random(seed)
    options = random_options_of(variant, rng)
    number_of_rounds = 3 if variant is Variant.TRICHU else 2
    short = {"rounds": number_of_rounds, "target": 1000, "tie_at_target": TieAtTarget.PLAY_ON.value}
    by_rounds = options.gs_goal is GsGoal.ROUNDS
    rules = parse_options({**options_dict(options), **short}) if by_rounds else options
    kills = 1.0 if seats(rules) < 7 else 0.1
    chaos = Mortal(what(rules, pace, timed=number % 4 > 0), seed=seed, kills=kills)
    chaos.play(max_steps=200_000)
    audit(chaos.table, f"{seed} {rules}")


@PACES
@pytest.mark.parametrize("name", GAMES)
def test_a_bot_that_fails_at_any_moment_ends_the_match_and_gains_nothing(
    name: str, pace: Pace
) -> None:
    """In bets, bids, refusals, exchange and windows: what is awarded fits the game."""
    rules = parse_options(GAMES[name])
    for number in range(12):
        seed = f"fails {name} {pace} {number}"
        chaos = Chaos(what(rules, pace), seed=seed)
        chaos.run(steps=chaos.rng.choice((0, 4, 12, 30, 80, 300)))
        if chaos.table.machine.over:
            continue
        player = chaos.rng.choice(player_seats(rules))
        chaos.table.step(Fault(seat=player, ending=Ending.CRASHED))
        audit(chaos.table, seed)
        ended = chaos.table.ended
        assert (ended.seat, len(ended.awarded)) == (player, columns(rules)), f"{seed=}"
        if has_fixed_teams(rules):
            loser = team_of(rules, player)
            assert ended.winner == 1 - loser, f"{seed=}"
            assert ended.awarded[loser] < ended.awarded[1 - loser], f"{seed=}"
        elif ended.awarded:
            assert ended.winner != player, f"{seed=}"
            gains = [a - b for a, b in zip(ended.awarded, ended.totals, strict=True)]
            assert gains[player] == min(gains) < max(gains), f"{seed=}"


@PACES
@pytest.mark.parametrize("name", QUICK)
def test_every_order_of_arrival_gives_the_same_match(name: str, pace: Pace) -> None:
    """Up to the first lead: who answers first changes no event, no hand and no score."""
    rules = parse_options(GAMES[name])
    seed = f"arrival {name} {pace}"
    told = [_told_up_to_the_lead(rules, pace, seed, order) for order in range(6)]
    for other in told[1:]:
        assert other == told[0], f"{seed=}"


def _told_up_to_the_lead(rules: RuleOptions, pace: Pace, seed: str, order: int) -> list[object]:
    """What everybody is told; each hand decides by its own dice, and they answer in any order."""
    table = Table(what(rules, pace), seed=seed).start()
    rng = random.Random(f"{seed} {order}")
    while not any(ask.kind is AskKind.ACT for ask in table.asks):
        waiting = open_asks(table)
        if not waiting:
            break
        ask = rng.choice(waiting)
        number = sum(one.seat == ask.seat for one in table.asks if one.id < ask.id)
        policy = random_policy(random.Random(f"{seed} {ask.seat} {number}"))
        table.step(Answer(ask.to, ask.id, policy(table, ask)))
    return [told for told in table.events if not isinstance(told, RoundEnded)]


def assert_sat_by_rank(table: Table, rules: RuleOptions, seed: str) -> None:
    """I1, I2: the last deals, and the seats follow the ranks of the round before."""
    deals = [fact for fact in table.facts if isinstance(fact, Dealt)]
    ends = [fact for fact in table.facts if isinstance(fact, RoundEnded)]
    if rules.variant is not Variant.GRAND_SEIGNEUR:
        assert all((deal.order, deal.ranks) == ((), ()) for deal in deals), f"{seed=}"
        return
    assert (deals[0].order, deals[0].ranks) == ((), ()), f"{seed=}"
    numbers = tuple(range(table.machine.seats))
    for end, deal in zip(ends, deals[1:], strict=False):
        order = order_of_ranks(end.ranks, rules)
        assert (deal.order or numbers) == order, f"{seed=} {deal}"
        assert (deal.ranks, deal.dealer) == (end.ranks, end.ranks[-1]), f"{seed=} {deal}"


# --- what a match must come to for the tests above to mean anything


def test_every_kind_of_event_of_the_variants_is_met() -> None:
    """A call refused, one let stand, a lead made void by one, bids, two Phoenixes in one play."""
    met = set()
    for name, options in GAMES.items():
        for number in range(6):
            seed = f"met {name} {number}"
            table = random_match(settings(rules=parse_options(options)), seed=seed)
            met |= {word for fact in table.facts for word in words_of(fact)}
            met |= {gone.reason.value for gone in table.cancelled}
    assert met >= {"bidden", "refused", "stands", "two Phoenixes", "dragon on dragon"}
    assert CancelReason.CALLED.value in met


def words_of(fact: object) -> set[str]:
    match fact:
        case Bidden():
            return {"bidden"}
        case RoundEnded(refused=caller) if caller is not None:
            return {"refused"}
        case CallMade(call=CallKind.ACCEPT):
            return {"stands"}
        case Played() if fact.second_phoenix_rank:
            assert mask_of(fact.cards) & PHOENIXES == PHOENIXES
            return {"two Phoenixes"}
        case Played() if mask_of(fact.cards) == DRAGON << SECOND_PACK:
            return {"dragon on dragon"}
        case _:
            return set()


@PACES
def test_the_same_match_told_twice_is_the_same(pace: Pace) -> None:
    """Chaos takes everything from its seed, so a failure can be repeated."""
    rules = parse_options(GAMES["refusing in Trichu"])
    one, two = (Chaos(what(rules, pace), seed="twice") for _ in range(2))
    one.play()
    two.play()
    assert one.table.facts == two.table.facts
