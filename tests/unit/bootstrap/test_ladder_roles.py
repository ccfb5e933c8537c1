"""Which process of a bot takes which seat of a ladder (PROTOCOL 1)."""

from itertools import combinations

import msgspec
import pytest

from referee.bootstrap.arena_roles import deal_tokens, log_tag, role_of, roles_of
from referee.bootstrap.setup import Isolation
from referee.ladder.values import Deals
from referee.ports.ladder import BotToken
from referee.rules.errors import ConfigError
from referee.rules.option_values import Variant
from tests.unit.bootstrap.ladders import AWAY, HERE, OTHER, ladder


def tokens(bot: str, count: int) -> list[BotToken]:
    return [
        BotToken(bot=bot, number=number, token_hash=f"{bot}{number}".encode(), created="")
        for number in range(1, count + 1)
    ]


def test_place_and_leg_each_have_a_process_of_their_own() -> None:
    plan = ladder((HERE, HERE))
    roles = [role_of(plan, "e0", place, leg) for place in (0, 1) for leg in (1, 2)]
    assert all(one != other for one, other in combinations(roles, 2))
    assert tuple(roles) == roles_of(plan, "e0")


def test_an_entry_of_tientsin_has_three_places_in_each_leg() -> None:
    plan = ladder((AWAY, AWAY, AWAY), (AWAY, OTHER, HERE), variant=Variant.TIENTSIN)
    assert len(roles_of(plan, "e0")) == len(set(roles_of(plan, "e0"))) == 6
    assert [role.bot for role in roles_of(plan, "e1")] == ["away"] * 2 + ["other"] * 2 + [
        "here"
    ] * 2
    dealt = deal_tokens(plan, {"away": tokens("away", 8), "other": tokens("other", 2)})
    assert sorted(map(len, dealt.values())) == [1] * 10


def test_in_a_field_nobody_meets_a_deal_twice_so_places_are_enough() -> None:
    plan = msgspec.structs.replace(ladder((HERE, HERE)), deals=Deals.FIELD)
    assert len(roles_of(plan, "e0")) == 2
    assert role_of(plan, "e0", 0, 1) == role_of(plan, "e0", 0, 7)


def test_with_isolation_none_a_bot_of_an_entry_is_one_role() -> None:
    plan = msgspec.structs.replace(ladder((HERE, HERE), (HERE, AWAY)), isolation=Isolation.NONE)
    assert len(roles_of(plan, "e0")) == 1
    assert len(roles_of(plan, "e1")) == 2
    assert not {*roles_of(plan, "e0")} & {*roles_of(plan, "e1")}


def test_no_token_plays_two_roles() -> None:
    plan = ladder((AWAY, AWAY), (AWAY, OTHER), (HERE, HERE))
    dealt = deal_tokens(plan, {"away": tokens("away", 8), "other": tokens("other", 2)})
    hashes = [one for of_role in dealt.values() for one in of_role]
    assert len(hashes) == len(set(hashes)) == 10
    of_away = [role for role in dealt if role.bot == "away"]
    assert len(of_away) == 6  # four of its own entry, and its place of the pair in both legs
    assert sorted(len(dealt[role]) for role in of_away) == [1, 1, 1, 1, 2, 2]


@pytest.mark.parametrize(("deals", "needed"), [(Deals.BOARD, 4), (Deals.FIELD, 2)])
def test_one_token_too_few_is_refused_with_what_is_missing(deals: Deals, needed: int) -> None:
    plan = msgspec.structs.replace(ladder((AWAY, AWAY)), deals=deals)
    assert len(deal_tokens(plan, {"away": tokens("away", needed)})) == needed
    with pytest.raises(
        ConfigError, match=r"referee token create away --instances 1 --ladder cup.toml$"
    ):
        deal_tokens(plan, {"away": tokens("away", needed - 1)})


def test_log_folders_of_one_bot_are_told_apart_by_nothing_that_a_bot_could_read() -> None:
    roles = roles_of(ladder((HERE, HERE)), "e0")
    tags = [log_tag(bytes(32), role, 1) for role in roles]
    assert len(set(tags)) == 4
    assert tags == [log_tag(bytes(32), role, 1) for role in roles]
    assert tags != [log_tag(bytes([1] * 32), role, 1) for role in roles]
