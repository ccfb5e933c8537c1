"""Which process of a bot may take which seat: instances by entry, place and leg (PROTOCOL 1)."""

import hmac
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import cycle
from typing import NamedTuple

from referee.bootstrap.ladder_advice import token_command
from referee.bootstrap.ladder_plan import BotPlan, LadderPlan
from referee.bootstrap.setup import Isolation
from referee.ladder.movements import Entry
from referee.ladder.partners import entrant_at, entrants_of
from referee.ladder.values import Deals
from referee.ports.ladder import BotToken
from referee.rules.errors import ConfigError

ANY = -1  # place or leg: with isolation none a process takes all of them


class Role(NamedTuple):
    """What a process is kept for. In a field every table is leg 1: no entry meets a deal twice."""

    entry: str
    bot: str
    place: int
    leg: int


def role_of(plan: LadderPlan, entry: str, place: int, leg: int) -> Role:
    """Return the role of a seat: `place` from 0 in its entry, in a leg of a board.

    An entrant that is put together with another one has one process, whatever its place.
    """
    alone = len(entrants_of(entry)) > 1
    entry, place = entrant_at(entry, place), 0 if alone else place
    bot = next(one for one in plan.entries if one.name == entry).bots[place].name
    if plan.isolation is Isolation.NONE:
        return Role(entry, bot, ANY, ANY)
    return Role(entry, bot, place, 1 if plan.deals is Deals.FIELD else leg)


def roles_of(plan: LadderPlan, entry: str) -> tuple[Role, ...]:
    """Return all roles of an entry, each once, in the order of places and legs."""
    legs = range(1, 2 if plan.deals is Deals.FIELD else plan.sides + 1)
    places = range(1 if plan.tournament is Entry.SINGLE else plan.places)
    found = [role_of(plan, entry, place, leg) for place in places for leg in legs]
    return tuple(dict.fromkeys(found))


def bot_of(plan: LadderPlan, role: Role) -> BotPlan:
    """Return the bot of a role."""
    entry = next(one for one in plan.entries if one.name == role.entry)
    return next(bot for bot in entry.bots if bot.name == role.bot)


def bot_words(bot: str, entry: str) -> str:
    """Return what a bot of an entry is called in news.

    >>> bot_words("deep", "zoe"), bot_words("zoe", "zoe")
    ('deep of zoe', 'the bot of zoe')
    """
    return f"{'the bot' if bot == entry else bot} of {entry}"


def deal_tokens(
    plan: LadderPlan, tokens: Mapping[str, Sequence[BotToken]]
) -> dict[Role, tuple[bytes, ...]]:
    """Return the hashes of the tokens with which bots dial in, by role.

    The tokens of a bot go round its roles in all entries, so that each has one and no process has
    two. Raises `ConfigError` where there are too few.
    """
    roles: dict[str, list[Role]] = {}
    for entry in plan.entries:
        for role in roles_of(plan, entry.name):
            if bot_of(plan, role).argv is None:
                roles.setdefault(role.bot, []).append(role)
    dealt: dict[Role, tuple[bytes, ...]] = {}
    for bot, wanted in roles.items():
        have = sorted(tokens.get(bot, ()), key=lambda token: token.number)
        if len(have) < len(wanted):
            noun = "process" if len(wanted) == 1 else "processes"
            raise ConfigError(
                f"bot {bot}: it dials in with {len(wanted)} {noun} here, and {len(have)} have a "
                f"token; {token_command(plan, bot, len(wanted) - len(have))}"
            )
        for role, token in zip(cycle(wanted), have, strict=False):
            dealt[role] = (*dealt.get(role, ()), token.token_hash)
    return dealt


def log_tag(secret: bytes, role: Role, number: int) -> str:
    """Return the name of the log folder of a process: the same in each run, and it tells nothing.

    A bot sees it, and may know neither its place nor its leg.
    """
    text = f"logs|{role.entry}|{role.bot}|{role.place}|{role.leg}|{number}"
    return hmac.new(secret, text.encode(), sha256).hexdigest()[:8]
