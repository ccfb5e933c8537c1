"""Legs of a board over real gRPC: the same cards, nothing that links them, sealed to the end."""

import asyncio
import hashlib
import os
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from referee.bootstrap import Isolation, Referee, RunningMatch
from referee.formats.records import Record
from referee.ladder.values import LegPlace
from referee.match.facts import MatchEnded
from referee.match.values import Ending
from referee.ports import StoreError
from referee.rules.errors import ConfigError
from referee.rules.options import RuleOptions
from tests.integration.ladder_legs import (
    LEG_1,
    LEG_2,
    SEATS,
    Ear,
    admitted,
    dealt,
    ears,
    ears_of,
    ladder,
    leave,
    leg_config,
    play_leg,
    record_of,
    recorded,
    records_in,
    setup,
    start_leg,
    token,
)
from tests.integration.serving import LIMIT_S, Bot
from tests.simulation.leaks.logs import heard
from tests.unit.formats.placed import place_of

ROOT = Path(__file__).resolve().parents[2]


def first_hand(ear: Ear) -> list[int]:
    """The cards of the first snapshot that shows any."""
    for update in ear.updates:
        for held in update.snapshot.hands:
            if held.cards:
                return sorted(held.cards)
    raise AssertionError("no hand was shown")


def seating(ear: Ear) -> Mapping[str, str]:
    """What a bot is told before its first card, by field."""
    (seated,) = [update for update in ear.updates if update.HasField("seating")]
    told = {field.name: str(value) for field, value in seated.seating.ListFields()}
    (began,) = [
        event.round_started
        for update in ear.updates
        for event in update.events
        if event.HasField("round_started")
    ]
    return {**told, **{f"round {d.name}": str(v) for d, v in began.ListFields()}}


def alike(one: Ear, other: Ear) -> set[str]:
    mine, yours = seating(one), seating(other)
    return {name for name in mine if mine[name] == yours.get(name)}


# --- two legs, one deal


async def test_two_legs_have_the_same_cards_and_seeds_by_seat_and_nothing_links_them(
    tmp_path: Path,
) -> None:
    async with ladder(tmp_path) as referee:
        legs, bots = {}, {}
        for number, place in enumerate((LEG_1, LEG_2, place_of(board=2)), 1):
            instances = admitted(referee, number)
            bots[number] = await ears(referee, number)
            legs[number] = await play_leg(referee, place, bots[number], instances)
        referee.unseal([leg.match_id for leg in legs.values()])
        records = [await recorded(leg) for leg in legs.values()]
    for seat in range(SEATS):
        first, second, other = (bots[number][seat] for number in (1, 2, 3))
        assert first_hand(first) == first_hand(second) != first_hand(other)
        # what a bot is told is as alike as in any two matches, but for what its luck is drawn from
        assert alike(first, second) - {"names"} == (alike(first, other) - {"names"}) | {"bot_seed"}
        assert {"match_id", "round commitment"} & alike(first, second) == set()
    assert [one.players[0].bot_seed for one in (record.config for record in records)][:2] == [
        records[0].config.players[0].bot_seed
    ] * 2
    assert [fact.seed for fact in dealt(records[0])] == [fact.seed for fact in dealt(records[1])]
    assert [record.header.place for record in records[:2]] == [LEG_1, LEG_2]
    tells_nothing_of_the_ladder(bots[1], records[1], LEG_1)
    tells_nothing_of_the_ladder(bots[2], records[0], LEG_2)
    for group in bots.values():
        await leave(group)


def tells_nothing_of_the_ladder(bots: Sequence[Ear], other: Record, place: LegPlace) -> None:
    """No frame names the ladder, the pairing, or anything that only the other leg is called."""
    marks = (place.event, place.pairing, place.deal, other.header.match_id, "sha256:", "'s owner")
    secret = [fact.seed for fact in dealt(other)]
    commitments = [fact.commitment for fact in dealt(other)]
    for bot in bots:
        for frame in bot.told:
            data, text = frame.SerializeToString(), str(frame)
            for mark in (*marks, *secret, *commitments):
                assert mark.encode() not in data, mark
                assert mark not in text, mark
            for raw in (*secret, *commitments):
                assert bytes.fromhex(raw) not in data


async def test_a_match_to_a_target_has_one_chain_of_deals_in_both_legs(tmp_path: Path) -> None:
    async with ladder(tmp_path) as referee:
        both = []
        for number, place in enumerate((LEG_1, LEG_2), 1):
            instances, bots = admitted(referee, number), await ears(referee, number)
            running = start_leg(referee, place, instances, rules=RuleOptions(rounds=3))
            await asyncio.wait_for(asyncio.gather(*(bot.play() for bot in bots)), 3 * LIMIT_S)
            await asyncio.wait_for(running.done, LIMIT_S)
            await leave(bots)
            both.append(running)
        referee.unseal([running.match_id for running in both])
        chains = [[fact.seed for fact in dealt(await recorded(running))] for running in both]
    assert chains[0] == chains[1]
    assert len(set(chains[0])) == 3


# --- sealed


async def test_the_record_of_leg_1_is_on_disk_after_unseal_and_not_before(tmp_path: Path) -> None:
    async with ladder(tmp_path, metrics_port=0) as referee:
        with heard() as lines:
            seats = admitted(referee, 1), admitted(referee, 2)
            first = await ears(referee, 1)
            leg_1 = await play_leg(referee, LEG_1, first, seats[0])
            second = await ears(referee, 2)
            leg_2 = start_leg(referee, LEG_2, seats[1])
            _, ask = await second[0].ask()
            assert ask.ask_id >= 1
            with pytest.raises(ConfigError, match="still runs"):
                referee.unseal([leg_1.match_id])
            totals = leg_1.done.result().totals
            assert (records_in(tmp_path), leg_1.recorded.done()) == (set(), False)
            assert not [line for line in lines if str(list(totals)) in str(line)]
            assert not {"points", "totals", "strikes", "rounds"} & {
                k for line in lines for k in line
            }
            assert counted(await asyncio.to_thread(page_of, referee)) == []
            leg_2.cancel()
            await asyncio.wait_for(leg_2.done, LIMIT_S)
            referee.unseal([leg_1.match_id, leg_2.match_id])
            one, two = await recorded(leg_1), await recorded(leg_2)
            (said,) = [
                line
                for line in lines
                if line["event"] == "match unsealed" and line["match"] == leg_1.match_id
            ]
            assert said["totals"] == list(totals)
            assert counted(await asyncio.to_thread(page_of, referee)) != []
    last = [record.facts[-1] for record in (one, two)]
    assert [fact.ending for fact in last if isinstance(fact, MatchEnded)] == [
        Ending.COMPLETED,
        Ending.CANCELLED,
    ]
    assert records_in(tmp_path) == {f"{leg.match_id}.jsonl" for leg in (leg_1, leg_2)}
    await leave([*first, *second])


def page_of(referee: Referee) -> str:
    with urllib.request.urlopen(
        f"http://{referee.metrics_address}/metrics", timeout=LIMIT_S
    ) as page:
        data: bytes = page.read()
    return data.decode()


def counted(page: str) -> list[str]:
    """Lines that count kinds, codes and reasons, as far as they are not 0."""
    kinds = ("referee_asks_", "referee_answers_", "referee_refusals_", "referee_strikes_")
    seen = (*kinds, "referee_decision_seconds")
    lines = [line for line in page.splitlines() if line.startswith(seen) and "_created" not in line]
    return [line for line in lines if float(line.rpartition(" ")[2]) != 0]


async def test_folders_and_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    home = tmp_path / "spring.ladder"
    old = os.umask(0)
    try:
        referee = await Referee.start(
            setup(
                tmp_path,
                record_dir=home / "records",
                store=home / "referee.db",
                listen=(f"unix:{tmp_path}/r.sock",),
            )
        )
        bots = await ears_of(referee)
        leg = await play_leg(referee, LEG_1, bots, admitted(referee, 1))
        modes = {
            file.name: file.stat().st_mode & 0o777 for file in home.iterdir() if file.is_file()
        }
        referee.unseal([leg.match_id])
        path = await asyncio.wait_for(leg.recorded, LIMIT_S)
        assert path.stat().st_mode & 0o777 == 0o600
        assert set(modes.values()) == {0o600}, modes
        assert (home / "records").stat().st_mode & 0o777 == 0o700
        await referee.stop(0.2)
        await leave(bots)
    finally:
        os.umask(old)


async def test_a_referee_that_stops_writes_what_is_sealed(tmp_path: Path) -> None:
    referee = await Referee.start(setup(tmp_path))
    seats = admitted(referee, 1), admitted(referee, 2)
    bots = await ears(referee, 1)
    leg_1 = await play_leg(referee, LEG_1, bots, seats[0])
    leg_2 = start_leg(referee, LEG_2, seats[1])
    assert records_in(tmp_path) == set()
    await referee.stop(0.2)
    assert leg_1.recorded.done()
    assert leg_2.recorded.done()
    assert {(await recorded(leg)).header.match_id for leg in (leg_1, leg_2)} == {
        leg_1.match_id,
        leg_2.match_id,
    }
    await leave(bots)
    async with ladder(tmp_path) as again:
        assert again.resumed == 0
    assert len(records_in(tmp_path)) == 2


async def test_a_record_that_cannot_be_written_by_the_end_is_told_and_the_next_start_has_it(
    tmp_path: Path,
) -> None:
    referee = await Referee.start(setup(tmp_path))
    instances, bots = admitted(referee, 1), await ears_of(referee)
    leg = await play_leg(referee, LEG_1, bots, instances)
    folder = tmp_path / "records"
    folder.rmdir()
    folder.write_text("in the way")
    referee.unseal([leg.match_id])
    await referee.stop(0.2)
    with pytest.raises(StoreError, match=f"match {leg.match_id}: no record: "):
        leg.recorded.result()
    assert referee.unfinished is not None
    await leave(bots)
    folder.unlink()
    async with ladder(tmp_path) as again:
        record = record_of(folder / f"{again.match_name(LEG_1)}.jsonl")
        assert record.header.place == LEG_1


async def test_a_referee_without_records_says_that_there_will_be_none(tmp_path: Path) -> None:
    async with ladder(tmp_path, record_dir=None) as referee:
        instances, bots = admitted(referee, 1), await ears_of(referee)
        leg = await play_leg(referee, LEG_1, bots, instances)
        referee.unseal([leg.match_id])
        with pytest.raises(StoreError, match="no record: this referee keeps no records"):
            await asyncio.wait_for(leg.recorded, LIMIT_S)
        await leave(bots)


# --- what is refused


async def test_a_token_hash_that_is_admitted_twice_is_one_instance(tmp_path: Path) -> None:
    async with ladder(tmp_path) as referee:
        mine = hashlib.sha256(b"mine").digest()
        one = referee.admit_instance("ann/1", "ann", mine)
        assert referee.admit_instance("ann/1", "ann", mine) == one
        assert referee.admit_instance("bob", "bob", bytes(32)) != one
        async with Bot(referee.addresses[0], "mine") as bot:
            await bot.hello()
            await referee.wait_ready(one, LIMIT_S)
            assert referee.admit_instance("ann/1", "ann", mine) == one
            await referee.wait_ready(one, LIMIT_S)  # it is still there
        for wrong in (b"", b"mine", bytes(31), bytes(33)):
            with pytest.raises(ConfigError, match=rf"a hash of {len(wrong)} bytes; 32 are needed"):
                referee.admit_instance("x", "x", wrong)
        async with Bot(referee.addresses[0], "guess") as bot:
            await bot.send_bytes(b"")
            assert await bot.read() is None


async def test_a_leg_that_makes_no_sense_is_refused_in_one_line(tmp_path: Path) -> None:
    async with ladder(tmp_path) as referee:
        instances = admitted(referee, 1)
        good = leg_config(referee, LEG_1)
        wrong = place_of(board=0)
        refused = [
            (leg_config(referee, LEG_2), {"place": LEG_1}, "a leg of a ladder is named"),
            (leg_config(referee, wrong), {"place": wrong}, "its place in the ladder: board: 0"),
            (good, {"place": LEG_1, "board": "b"}, "give neither an audience nor a board"),
            (good, {"place": LEG_1, "audience": Silent()}, "give neither an audience nor a board"),
        ]
        for config, rest, text in refused:
            with pytest.raises(ConfigError, match=text) as error:
                referee.start_match(config, instances, **rest)  # type: ignore[arg-type]
            assert "\n" not in str(error.value)
        referee.start_match(good, instances, place=LEG_1)
        with pytest.raises(ConfigError, match=r"sits in .* of the same board"):
            referee.start_match(leg_config(referee, LEG_2), instances, place=LEG_2)


class Silent:
    """An audience that says nothing."""

    def tell(self, match_id: str, facts: object) -> None:
        """Take what everybody may know."""


async def test_isolation_none_may_seat_one_process_in_both_legs(tmp_path: Path) -> None:
    async with ladder(tmp_path, isolation=Isolation.NONE) as referee:
        instances, bots = admitted(referee, 1), await ears_of(referee)
        legs = [await play_leg(referee, place, bots, instances) for place in (LEG_1, LEG_2)]
        assert records_in(tmp_path) == set()
        referee.unseal([leg.match_id for leg in legs])
        for leg in legs:
            assert (await recorded(leg)).header.isolation == "none"
        await leave(bots)


async def test_eight_boards_at_once_are_all_on_record(tmp_path: Path) -> None:
    async with ladder(tmp_path) as referee:
        legs: list[RunningMatch] = []
        bots: dict[int, list[Ear]] = {}
        instances = {leg: admitted(referee, leg) for leg in (1, 2)}
        for leg in (1, 2):
            bots[leg] = [Ear(referee.addresses[0], token(leg, seat)) for seat in range(SEATS)]
            for ear in bots[leg]:
                await ear.hello(max_matches=8)
        for board in range(1, 9):
            legs += [
                start_leg(referee, place_of(board=board, leg=leg), instances[leg]) for leg in (1, 2)
            ]
        everyone = [*bots[1], *bots[2]]
        playing = [asyncio.create_task(on(bot)) for bot in everyone]
        await asyncio.wait_for(asyncio.gather(*(leg.done for leg in legs)), 6 * LIMIT_S)
        assert records_in(tmp_path) == set()
        for board in range(8):
            referee.unseal(leg.match_id for leg in legs[2 * board : 2 * board + 2])
        records = [await recorded(leg) for leg in legs]
    for one, two in zip(records[::2], records[1::2], strict=True):
        assert dealt(one)[0].seed == dealt(two)[0].seed
    assert len({dealt(record)[0].seed for record in records}) == 8
    await asyncio.gather(*playing)
    await leave(everyone)


async def on(bot: Bot) -> None:
    """Play to the end of the stream."""
    while await bot.play_along() is not None:
        pass
