"""Nothing that is told at the start of a match says that two matches are legs of one board.

Two legs have the same deal and swapped seats (DESIGN 3 and 4). What the bots of an entry are told
in both is as different as in two matches of two boards, and as alike.
"""

import hashlib
from collections.abc import Mapping

from referee._gen.tichu.referee.v1 import match_pb2
from referee.app.seeds import EventSeeds
from referee.match.step import RoundStarted
from referee.match.values import MatchConfig, Player, Settings
from referee.ports import SeatingIn
from referee.rules.options import RuleOptions
from referee.rules.seat import Seat
from referee.rules.shuffle import commit
from referee.wire.codec import WireCodec

SEEDS = EventSeeds(bytes(range(32)))
CODEC = WireCodec()
ONE_BOARD, OTHER_BOARD = hashlib.sha256(b"a board").digest(), hashlib.sha256(b"another").digest()
NAMES = ("north", "east", "north", "east")
PAIRS = 2_000


def told(match_id: str, seat: int, deal_seed: bytes, *, swapped: bool = False) -> match_pb2.Update:
    """What a seat gets before its first card."""
    names = NAMES[1:] + NAMES[:1] if swapped else NAMES
    players = tuple(
        Player(name=name, bot_seed=SEEDS.bot_seed(match_id, Seat(at)).hex())
        for at, name in enumerate(names)
    )
    config = MatchConfig(
        match_id=match_id, settings=Settings(rules=RuleOptions(rounds=1)), players=players
    )
    begin = RoundStarted(
        round=1,
        dealer=Seat(0),
        commitment=commit(match_id, deal_seed),
        totals=(0, 0),
        order=tuple(map(Seat, range(4))),
        teams=(0, 1, 0, 1),
    )
    events = [event for event in CODEC.events(1, [begin], 4) if isinstance(event, bytes)]
    parts = [CODEC.seating_part(SeatingIn(config=config, seat=Seat(seat)))]
    update = CODEC.update(1, [*parts, CODEC.event_part(events)])
    return match_pb2.Update.FromString(update[2:] if update[1] < 128 else update[3:])


def fields(update: match_pb2.Update) -> Mapping[str, object]:
    """Each value that is told, by its name."""
    started = update.events[0].round_started
    seating = {name.name: str(value) for name, value in update.seating.ListFields()}
    seating["seat"] = str(update.seating.seat)  # 0 is not listed
    return {**seating, **{f"round.{d.name}": str(v) for d, v in started.ListFields()}}


def alike(one: match_pb2.Update, other: match_pb2.Update) -> set[str]:
    """The names of what is the same in both."""
    mine, yours = fields(one), fields(other)
    return {name for name in mine if mine[name] == yours.get(name)}


def test_an_update_holds_seating_and_commitment() -> None:
    update = told("m-000001", 0, ONE_BOARD)
    assert update.seating.match_id == "m-000001"
    assert len(update.seating.bot_seed) == 32
    assert len(update.events[0].round_started.commitment) == 32


def test_the_seatings_of_two_legs_are_as_alike_as_those_of_two_boards() -> None:
    """Leg 1 has the entry at seats 0 and 2, leg 2 at 1 and 3; its instances see no more."""
    for seat in (0, 2):
        leg = told("m-000001", seat, ONE_BOARD)
        for other in (1, 3):
            same_board = told("m-000002", other, ONE_BOARD, swapped=True)
            new_board = told("m-000002", other, OTHER_BOARD, swapped=True)
            assert alike(leg, same_board) == alike(leg, new_board)
            differ = set(fields(leg)) - alike(leg, same_board)
            assert differ == {"match_id", "seat", "names", "bot_seed", "round.commitment"}


def test_a_commitment_is_salted_by_the_match_and_hides_the_seed() -> None:
    """Exactly: its input is the label, the match's name and the seed, and nothing of the board."""
    for match_id in ("m-000001", "m-000002"):
        salted = b"tichu-commit" + match_id.encode() + ONE_BOARD
        assert commit(match_id, ONE_BOARD) == hashlib.sha256(salted).digest()
    assert commit("m-000001", ONE_BOARD) != commit("m-000002", ONE_BOARD)
    assert ONE_BOARD not in commit("m-000001", ONE_BOARD)


def distance(one: bytes, other: bytes) -> int:
    """In how many bits two values differ."""
    return (int.from_bytes(one, "big") ^ int.from_bytes(other, "big")).bit_count()


def test_commitments_of_two_legs_are_as_far_apart_as_any_two() -> None:
    """Of 256 bits 128 differ on average; six standard errors of the mean are 1.1 bits."""
    legs, boards = 0, 0
    for number in range(PAIRS):
        mine, next_ = (f"m-{2 * number + leg:06d}" for leg in (1, 2))
        seed, other = (hashlib.sha256(b"%d %d" % (number, i)).digest() for i in (0, 1))
        legs += distance(commit(mine, seed), commit(next_, seed))
        boards += distance(commit(mine, seed), commit(next_, other))
    assert abs(legs / PAIRS - 128) < 1.1
    assert abs(boards / PAIRS - 128) < 1.1


def test_bot_seeds_differ_in_every_seat_and_match_and_say_nothing_of_the_deal() -> None:
    ids = [f"m-{number:06d}" for number in range(500)]
    seeds = [SEEDS.bot_seed(match_id, Seat(seat)) for match_id in ids for seat in range(4)]
    deals = [SEEDS.deal_seed(match_id, round_) for match_id in ids for round_ in (0, 1, 2, 3)]
    assert len({*seeds, *deals}) == len(seeds) + len(deals)
    apart = sum(distance(one, other) for one, other in zip(seeds, deals, strict=True))
    assert abs(apart / len(seeds) - 128) < 1.1


def test_names_that_run_into_each_other_are_no_way_to_the_same_seed() -> None:
    """`m|1` in round 1 and `m` with something of that kind behind it are two inputs."""
    parts = ("m", "m|1", "m|1|1", "m|1|1|1", "|")
    seeds = {SEEDS.deal_seed(part, number) for part in parts for number in (1, 11)}
    assert len(seeds) == 2 * len(parts)
