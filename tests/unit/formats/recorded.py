"""Records of matches that the tests play in virtual time."""

import random
from collections.abc import Sequence

from referee.formats.records import chain_next, chain_start, header_line, trailer_line
from referee.match.facts import Fact, encode_fact
from referee.match.values import MatchConfig
from tests.simulation.table import Table, random_policy, settings


def record_lines(config: MatchConfig, facts: Sequence[Fact]) -> list[bytes]:
    """The lines of a finished record, without newlines."""
    return chained(
        [header_line(config, practice=True, isolation="ISOLATED"), *map(encode_fact, facts)]
    )


def chained(lines: Sequence[bytes]) -> list[bytes]:
    """Header and facts with the trailer that fits them, whatever they say."""
    chain = chain_start(lines[0])
    for line in lines[1:]:
        chain = chain_next(chain, line)
    return [*lines, trailer_line(len(lines) - 1, chain)]


def played(seed: str = "recorded") -> list[bytes]:
    """A record of a one-round match between random bots."""
    rng = random.Random(seed)
    table = Table(settings(), seed=seed).start()
    table.play(random_policy(rng), rng)
    return record_lines(table.config, table.facts)
