"""What every `LadderStore` keeps: one suite over memory, SQLite and PostgreSQL."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import msgspec
import pytest

from referee.formats.summary import MatchSummary, RoundPoints
from referee.ladder.values import LegResult, Ruling, RulingKind, Unit
from referee.ports.ladder import LadderStore, LadderStoreError, StoredEntry
from referee.rules.errors import RefereeBug
from referee.store.ladder.memory import MemoryLadderStore
from referee.store.ladder.schema import open_ladder_store
from tests.integration.postgres import PostgresServer
from tests.unit.store.ladder.matches import EVENT, boards, entry, place, side, summary, token

Open = Callable[[], Awaitable[LadderStore]]


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Open]:
    """Opens stores over one place; what is kept in one is there in the next."""
    opened: list[LadderStore] = []
    memory = MemoryLadderStore()
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        url = server.url(server.new_database())
    else:
        url = f"sqlite:///{tmp_path}/ladder.db"

    async def new() -> LadderStore:
        if request.param == "memory":
            return memory
        opened.append(await open_ladder_store(url))
        return opened[-1]

    yield new
    for one in opened:
        await one.close()


@pytest.fixture
async def store(house: Open) -> LadderStore:
    return await house()


def leg(of: MatchSummary) -> LegResult:
    assert of.leg is not None
    return of.leg


def ruling(number: int = 1, *, event: str = EVENT, reason: str = "cheated") -> Ruling:
    return Ruling(
        number=number,
        event=event,
        kind=RulingKind.DISQUALIFY,
        subject="zoe",
        reason=reason,
        at="2026-03-01T12:00:00Z",
    )


async def test_a_new_store_has_nothing(store: LadderStore) -> None:
    assert await store.entries(EVENT) == ()
    assert await store.results(EVENT) == ()
    assert await store.summaries(EVENT, "adam.a") == ()
    assert await store.rulings(EVENT) == ()
    assert await store.tokens() == ()


# --- matches


async def test_a_match_comes_back_as_it_was_added(house: Open) -> None:
    added = boards(12)
    assert any(one.faults for one in added)
    store = await house()
    assert all([await store.add_match(one) for one in added])
    for again in (store, await house()):
        assert await again.results(EVENT) == tuple(map(leg, added))
        assert await again.summaries(EVENT, "zoe.b") == tuple(added)


async def test_a_match_is_kept_once_whatever_is_added_under_its_key(store: LadderStore) -> None:
    first = summary()
    changed = msgspec.structs.replace(leg(first), points=(1, 2), match_id="other")
    other = msgspec.structs.replace(first, leg=changed, match_id="other", faults=())
    assert await store.add_match(first)
    assert not await store.add_match(first)
    assert not await store.add_match(other)
    assert await store.summaries(EVENT, "adam.a") == (first,)


async def test_teams_of_three_come_back_beside_those_of_two(store: LadderStore) -> None:
    two, three = summary(), summary(place(board=2, bots="abc"))
    kept = (
        entry("adam"),
        msgspec.structs.replace(
            entry("zoe"), bots=("zoe.a", "zoe.b", "zoe.c"), versions=(("v1", "v2", "v1"),)
        ),
    )
    await store.keep_entries(kept)
    assert await store.add_matches((two, three)) == 2
    assert await store.entries(EVENT) == kept
    assert await store.results(EVENT) == (leg(two), leg(three))
    assert await store.summaries(EVENT, "zoe.c") == (three,)


async def test_three_that_meet_come_back_with_one_bot_each(store: LadderStore) -> None:
    sides = tuple(side(name, bots="a") for name in ("adam", "eve", "zoe"))
    at = msgspec.structs.replace(place(), sides=sides, pairing="adam~eve~zoe")
    counts = (5, 6, 0, 7)
    met = msgspec.structs.replace(
        leg(summary()), place=at, points=(60, 40, 40), answers=(5, 6, 7), defaults=(5, 6, 7)
    )
    added = msgspec.structs.replace(
        summary(),
        place=at,
        leg=met,
        rounds=(RoundPoints(round=1, points=(60, 40, 60, 40), luck=0.0),),
        refused=counts,
        answers=counts,
        defaults=counts,
    )
    kept = msgspec.structs.replace(entry("adam"), bots=("adam.a",), versions=(("v1",), ("v2",)))
    await store.keep_entries([kept])
    assert await store.add_match(added)
    assert await store.entries(EVENT) == (kept,)
    assert await store.results(EVENT) == (met,)
    assert await store.summaries(EVENT, "zoe.a") == (added,)


async def test_what_is_as_empty_or_as_large_as_can_be_comes_back(store: LadderStore) -> None:
    full = summary()
    bare = msgspec.structs.replace(full, rounds=(), faults=(), times=(), calls=())
    large = summary(place(board=2**53, attempt=2**40))
    bills = tuple(
        msgspec.structs.replace(one, thinking_ms=2**53, asks=2**33) for one in large.times
    )
    lucks = tuple(
        RoundPoints(round=number, points=(-(2**40), 2**40), luck=luck)
        for number, luck in enumerate((0.1 + 0.2, -1e-300, 1.7976931348623157e308), 1)
    )
    large = msgspec.structs.replace(large, times=bills, rounds=lucks)
    for one in (bare, large):
        assert await store.add_match(one)
    assert await store.summaries(EVENT, "adam.a") == (bare, large)


NAMES = ("Ärger", "a'b\"; DROP TABLE bots; --", "50% {x} :name $1 ?", "日本")


@pytest.mark.parametrize("name", NAMES)
async def test_a_name_is_only_a_name(store: LadderStore, name: str) -> None:
    one = summary(place("adam", name, event=name))
    await store.keep_entries([entry(name, event=name, version=name)])
    await store.add_match(one)
    await store.add_ruling(ruling(event=name, reason=f"{name}\nand more"))
    await store.add_tokens([token(name)])
    assert await store.entries(name) == (entry(name, event=name, version=name),)
    assert await store.summaries(name, f"{name}.a") == (one,)
    assert (await store.rulings(name))[0].reason == f"{name}\nand more"
    assert await store.tokens(name) == (token(name),)


async def test_results_stand_in_the_order_of_their_keys(store: LadderStore) -> None:
    places = [
        place(first, second, board=board, attempt=attempt, leg=leg_number)
        for first, second in (("Zed", "adam"), ("adam", "zoe"), ("adam", "Ätna"))
        for board, attempt, leg_number in ((10, 1, 1), (2, 1, 2), (2, 1, 1), (2, 2, 1), (2, 10, 1))
    ]
    for at in places:
        await store.add_match(summary(at))
    keys = [one.place.key for one in await store.results(EVENT)]
    assert keys == sorted(at.key for at in places)
    assert [one.place.key for one in map(leg, await store.summaries(EVENT, "adam.a"))] == keys


async def test_a_bot_is_found_in_every_seat_and_in_its_event_alone(store: LadderStore) -> None:
    with_adam = [summary(place("adam", "zoe")), summary(place("adam", "zoe", leg=2))]
    without = summary(place("eve", "zoe"))
    elsewhere = summary(place("adam", "zoe", event="autumn"))
    for one in (*with_adam, without, elsewhere):
        await store.add_match(one)
    for bot in ("adam.a", "adam.b"):
        assert await store.summaries(EVENT, bot) == tuple(with_adam)
        assert await store.summaries("autumn", bot) == (elsewhere,)
    assert await store.summaries(EVENT, "zoe.a") == (*with_adam, without)
    assert await store.summaries(EVENT, "adam") == ()


async def test_legs_of_one_board_that_differ_in_kind_are_refused(store: LadderStore) -> None:
    first = summary()
    await store.add_match(first)
    with pytest.raises(LadderStoreError, match="adam~zoe/1, attempt 1: its legs differ"):
        await store.add_match(summary(place(leg=2, unit=Unit.MATCH)))
    assert await store.results(EVENT) == (leg(first),)
    assert await store.add_match(summary(place(board=2, unit=Unit.MATCH)))


async def test_a_match_of_no_ladder_is_our_mistake(store: LadderStore) -> None:
    one = summary()
    for wrong in (
        msgspec.structs.replace(one, leg=None),
        msgspec.structs.replace(one, place=place(board=2)),
        msgspec.structs.replace(one, match_id="other"),
        msgspec.structs.replace(one, players=one.players[:3]),
    ):
        with pytest.raises(RefereeBug):
            await store.add_match(wrong)
    assert await store.results(EVENT) == ()


async def test_many_at_once_are_as_one_after_the_other(store: LadderStore) -> None:
    added = boards(32)
    kept = await asyncio.gather(*(store.add_match(one) for one in (*added, *reversed(added))))
    assert sum(kept) == len(added)
    assert await store.results(EVENT) == tuple(map(leg, added))
    assert await store.summaries(EVENT, "adam.a") == tuple(added)


# --- entries


async def test_entries_come_by_name_with_what_was_kept_last(store: LadderStore) -> None:
    await store.keep_entries([entry("zoe"), entry("Bob"), entry("adam")])
    await store.keep_entries([entry("adam", event="autumn")])
    later = StoredEntry(event=EVENT, name="zoe", owner="x", bots=("new", "zoe.b"), house=True)
    await store.keep_entries([later])
    kept = msgspec.structs.replace(later, versions=(("sha256:1", "sha256:1"),))
    assert await store.entries(EVENT) == (entry("Bob"), entry("adam"), kept)


async def test_versions_are_kept_once_in_the_order_in_which_they_came(store: LadderStore) -> None:
    for version in ("b", "a", "b", "c", "a"):
        await store.keep_entries([entry(version=version)])
    (kept,) = await store.entries(EVENT)
    assert kept.versions == (("b", "b"), ("a", "a"), ("c", "c"))


async def test_entries_kept_at_once_lose_no_version(house: Open) -> None:
    stores = [await house() for _ in range(4)]
    names = [f"v{number}" for number in range(12)]
    await asyncio.gather(
        *(
            stores[number % 4].keep_entries([entry("zoe", version=name), entry(version=name)])
            for number, name in enumerate(names)
        )
    )
    for kept in await stores[0].entries(EVENT):
        assert sorted(kept.versions) == sorted((name, name) for name in names)


async def test_nothing_to_keep_is_no_mistake(store: LadderStore) -> None:
    await store.keep_entries([])
    await store.add_tokens([])
    assert await store.entries(EVENT) == ()


# --- rulings


async def test_a_ruling_is_kept_once_and_rulings_stand_in_order(store: LadderStore) -> None:
    for number in (10, 2, 1):
        assert await store.add_ruling(ruling(number))
    assert not await store.add_ruling(ruling(2))
    assert not await store.add_ruling(ruling(2, reason="another"))
    assert await store.add_ruling(ruling(2, event="autumn"))
    assert await store.rulings(EVENT) == (ruling(1), ruling(2), ruling(10))


async def test_a_cleared_event_is_gone_and_nothing_else(store: LadderStore) -> None:
    for event in (EVENT, "autumn"):
        await store.keep_entries([entry(event=event)])
        await store.add_ruling(ruling(event=event))
        for one in boards(2, event=event):
            await store.add_match(one)
    await store.add_tokens([token()])
    await store.clear_event(EVENT)
    await store.clear_event("never")
    assert await store.entries(EVENT) == ()
    assert await store.rulings(EVENT) == ()
    assert await store.summaries(EVENT, "adam.a") == ()
    assert await store.summaries("autumn", "adam.a") == tuple(boards(2, event="autumn"))
    assert await store.rulings("autumn") == (ruling(event="autumn"),)
    assert await store.tokens() == (token(),)
    assert await store.add_match(summary(place(unit=Unit.MATCH)))  # its boards too


async def test_an_event_is_replaced_as_a_whole_and_nothing_else(store: LadderStore) -> None:
    for event in (EVENT, "autumn"):
        await store.keep_entries([entry("gone", event=event, version="old")])
        await store.add_ruling(ruling(event=event))
        await store.add_match(summary(place(event=event, board=9)))
    await store.claim_event(EVENT, "mine")
    await store.add_tokens([token()])
    new, rules = boards(2), [ruling(1, reason="another"), ruling(2)]
    await store.replace_event(EVENT, entries=[entry("new")], summaries=new, rulings=rules)
    assert [one.name for one in await store.entries(EVENT)] == ["new"]
    assert await store.summaries(EVENT, "adam.a") == tuple(new)
    assert await store.rulings(EVENT) == tuple(rules)
    assert [one.name for one in await store.entries("autumn")] == ["gone"]
    assert len(await store.results("autumn")) == len(await store.rulings("autumn")) == 1
    assert await store.tokens() == (token(),)
    assert await store.ladder_of(EVENT) == "mine"


async def test_what_cannot_be_replaced_stays_as_it_was(store: LadderStore) -> None:
    await store.keep_entries([entry()])
    await store.add_ruling(ruling())
    for one in boards(3):
        await store.add_match(one)
    differ = [*boards(1), summary(place(board=7)), summary(place(board=7, leg=2, unit=Unit.MATCH))]
    with pytest.raises(LadderStoreError, match="its legs differ"):
        await store.replace_event(EVENT, entries=[entry("new")], summaries=differ, rulings=[])
    assert await store.entries(EVENT) == (entry(),)
    assert await store.rulings(EVENT) == (ruling(),)
    assert await store.summaries(EVENT, "adam.a") == tuple(boards(3))


async def test_whoever_reads_sees_all_legs_of_a_board_or_none(house: Open) -> None:
    store, other = await house(), await house()

    async def add() -> None:
        added = boards(20)
        for first, second in zip(added[::2], added[1::2], strict=True):
            assert await store.add_matches([first, second]) == 2

    adding = asyncio.ensure_future(add())
    while not adding.done():
        legs = Counter(one.place.deal for one in await other.results(EVENT))
        assert set(legs.values()) <= {2}
        await asyncio.sleep(0)
    await adding
    assert len(await other.results(EVENT)) == 40


async def test_of_matches_that_cannot_all_be_kept_none_is(store: LadderStore) -> None:
    first, second = boards(1)
    assert await store.add_match(second)
    differ = summary(place(board=2, leg=2, unit=Unit.MATCH))
    with pytest.raises(LadderStoreError, match="its legs differ"):
        await store.add_matches([first, summary(place(board=2)), differ])
    assert await store.results(EVENT) == (leg(second),)
    assert await store.add_matches([first, second]) == 1
    assert await store.add_matches([]) == 0


async def test_the_digest_of_each_record_is_kept(store: LadderStore) -> None:
    unknown = msgspec.structs.replace(summary(place(board=9)), digest="")
    await store.add_matches([*boards(2), unknown, *boards(1, event="autumn")])
    due = {one.match_id: one.digest for one in (*boards(2), unknown)}
    assert await store.digests(EVENT) == due
    assert await store.digests("winter") == {}


async def test_whoever_reads_sees_an_event_before_or_after_it_was_replaced(house: Open) -> None:
    store, other = await house(), await house()
    for one in boards(20):
        await store.add_match(one)
    replacing = asyncio.ensure_future(
        store.replace_event(EVENT, entries=[], summaries=boards(30), rulings=[])
    )
    seen = {40}
    while not replacing.done():
        seen.add(len(await other.results(EVENT)))
        await asyncio.sleep(0)
    await replacing
    assert seen <= {40, 60}
    assert len(await other.results(EVENT)) == 60


# --- whose an event is


async def test_an_event_is_of_the_ladder_that_claimed_it_first(house: Open) -> None:
    one, other = await house(), await house()
    assert await one.ladder_of(EVENT) is None
    names = [f"ladder {number}" for number in range(6)]
    claims = [(one, other)[n % 2].claim_event(EVENT, name) for n, name in enumerate(names)]
    owners = set(await asyncio.gather(*claims))
    assert len(owners) == 1
    owner = owners.pop()
    assert owner in names
    assert await one.claim_event(EVENT, "late") == await other.ladder_of(EVENT) == owner
    assert await other.claim_event("autumn", "late") == "late"
    await one.clear_event(EVENT)
    assert await other.claim_event(EVENT, "late") == "late"


# --- tokens


async def test_tokens_come_by_bot_and_number(store: LadderStore) -> None:
    await store.add_tokens([token("zoe", 10), token("zoe", 2), token("Bob")])
    await store.add_tokens([token("adam")])
    assert await store.tokens() == (
        token("Bob"),
        token("adam"),
        token("zoe", 2),
        token("zoe", 10),
    )
    assert await store.tokens("zoe") == (token("zoe", 2), token("zoe", 10))
    assert await store.tokens("nobody") == ()


async def test_a_token_that_is_revoked_is_gone_and_no_other(store: LadderStore) -> None:
    await store.add_tokens([token("zoe", 1), token("zoe", 2), token("adam", 2)])
    assert await store.revoke_token("zoe", 2)
    assert not await store.revoke_token("zoe", 2)
    assert await store.tokens() == (token("adam", 2), token("zoe", 1))


async def test_of_tokens_all_are_kept_or_none(store: LadderStore) -> None:
    await store.add_tokens([token("adam", 2)])
    same_hash = msgspec.structs.replace(token("zoe", 1), token_hash=token("adam", 2).token_hash)
    for taken in (token("adam", 2), same_hash):
        with pytest.raises(LadderStoreError, match="kept already"):
            await store.add_tokens([token("adam", 1), taken, token("zoe", 3)])
    assert await store.tokens() == (token("adam", 2),)


# --- the end


async def test_what_is_cancelled_is_kept_as_a_whole_or_not_at_all(house: Open) -> None:
    seed = random.randrange(2**32)
    draw = random.Random(seed)
    store = await house()
    for one in boards(40):
        adding = asyncio.ensure_future(store.add_match(one))
        for _ in range(draw.randrange(30)):
            await asyncio.sleep(0)
        adding.cancel()
        await asyncio.wait([adding])
    await store.add_ruling(ruling())  # queues behind a write that could not be called back
    kept = await store.summaries(EVENT, "adam.a")
    for one in kept:
        assert one.place is not None, f"{seed=}"
        assert one == summary(one.place), f"{seed=}"
    again = [await store.add_match(one) for one in boards(40)]
    assert sum(again) + len(kept) == len(again), f"{seed=}"
    assert await store.summaries(EVENT, "adam.a") == tuple(boards(40)), f"{seed=}"


async def test_a_store_may_be_closed_twice_and_finishes_what_was_begun(house: Open) -> None:
    store = await house()
    adding = [asyncio.ensure_future(store.add_match(one)) for one in boards(5)]
    assert all(await asyncio.gather(*adding))
    await store.close()
    await store.close()
    assert len(await (await house()).results(EVENT)) == len(adding)


async def test_a_number_that_no_database_holds_is_refused_in_words(store: LadderStore) -> None:
    one = summary(place(board=2**63))
    if isinstance(store, MemoryLadderStore):
        assert await store.add_match(one)
        return
    with pytest.raises(LadderStoreError, match=r"^database [^\n]*$"):
        await store.add_match(one)
    assert await store.results(EVENT) == ()
