"""Summaries of matches that nobody played: each is full of values that follow from its key."""

import random

from referee.formats.summary import CallCount, FaultNote, MatchSummary, RoundPoints, TimeBill
from referee.ladder.values import (
    Deals,
    LegPlace,
    LegResult,
    Player,
    Side,
    Unit,
    pairing_of,
)
from referee.ports.ladder import BotToken, StoredEntry

EVENT = "spring"
KINDS = ("CALL", "EXCHANGE", "ACT", "CHOOSE_SEAT", "BOMB")


def side(entry: str, *, version: str = "sha256:1", bots: str = "ab") -> Side:
    """An entry of two bots, or of as many as named; `adam` has `adam.a` and `adam.b`."""
    players = tuple(Player(bot=f"{entry}.{end}", version=version) for end in bots)
    return Side(entry=entry, owner=f"owner of {entry}", players=players)


def place(
    first: str = "adam",
    second: str = "zoe",
    *,
    event: str = EVENT,
    board: int = 1,
    attempt: int = 1,
    leg: int = 1,
    unit: Unit = Unit.BOARD,
    bots: str = "ab",
) -> LegPlace:
    sides = (side(first, bots=bots), side(second, bots=bots))
    return LegPlace(
        event=event,
        pairing=pairing_of(first, second),
        board=board,
        attempt=attempt,
        leg=leg,
        unit=unit,
        deals=Deals.BOARD,
        sides=sides if leg == 1 else (sides[1], sides[0]),
    )


def summary(at: LegPlace | None = None) -> MatchSummary:
    """What a leg at this place brought; the same for the same place."""
    at = at or place()
    draw = random.Random(f"{at.event}|{at.pairing}|{at.board}|{at.attempt}|{at.leg}")
    rounds = draw.randint(1, 3)
    faults = draw.choice((0, 0, 1, 3))
    match_id = f"{draw.getrandbits(64):016x}"
    count = random.Random(match_id)
    seats = sum(len(one.players) for one in at.sides)
    answers = [count.randint(20, 40) for _ in range(seats)]
    defaults = [count.randint(0, 5) for _ in range(seats)]
    leg = LegResult(
        place=at,
        match_id=match_id,
        points=(draw.randint(-300, 400), draw.randint(-300, 400)),
        rounds=rounds,
        ending="FORFEITED" if faults else "COMPLETED",
        blame="BOT" if faults else "NONE",
        rated=draw.random() < 0.9,
        faulty=(at.sides[1].entry, at.sides[0].entry)[: min(faults, 2)],
        answers=(sum(answers[::2]), sum(answers[1::2])),
        defaults=(sum(defaults[::2]), sum(defaults[1::2])),
    )
    return MatchSummary(
        match_id=match_id,
        practice=draw.random() < 0.5,
        isolation="declared",
        players=tuple(at.sides[seat % 2].players[seat // 2].bot + "!" for seat in range(seats)),
        place=at,
        leg=leg,
        rounds=tuple(
            RoundPoints(
                round=number,
                points=(draw.randint(-225, 400), draw.randint(-225, 400)),
                luck=draw.gauss(0, 50),
            )
            for number in range(1, rounds + 1)
        ),
        faults=tuple(_fault(draw) for _ in range(faults)),
        times=tuple(_bill(draw, seat, kind) for seat in range(4) for kind in KINDS),
        calls=tuple(
            CallCount(seat=seat, call=call, made=draw.randint(1, 3), won=draw.randint(0, 1))
            for seat in range(4)
            for call in ("tichu", "grand")
        ),
        refused=tuple(draw.randint(0, 5) for _ in range(seats)),
        answers=tuple(answers),
        defaults=tuple(defaults),
        digest=count.randbytes(32).hex(),
    )


def _fault(draw: random.Random) -> FaultNote:
    return FaultNote(
        seat=draw.randrange(4),
        round=1,
        at_ms=draw.randrange(10**7),
        ask=draw.randrange(100),
        kind=draw.choice((*KINDS, "")),
        why="TIMEOUT",
        ended_match=draw.random() < 0.5,
    )


def _bill(draw: random.Random, seat: int, kind: str) -> TimeBill:
    return TimeBill(
        seat=seat,
        kind=kind,
        asks=draw.randint(1, 40),
        thinking_ms=draw.randrange(10**6),
        network_ms=draw.randrange(10**4),
        referee_ms=draw.randrange(10**4),
        charged_ms=draw.randrange(10**5),
        longest_ms=draw.randrange(10**5),
        timed_out=draw.randint(0, 2),
    )


def boards(count: int, *, event: str = EVENT) -> list[MatchSummary]:
    """Both legs of so many boards, in the order of their keys."""
    return [
        summary(place(event=event, board=board, leg=leg))
        for board in range(1, count + 1)
        for leg in (1, 2)
    ]


def entry(name: str = "adam", *, event: str = EVENT, version: str = "sha256:1") -> StoredEntry:
    return StoredEntry(
        event=event,
        name=name,
        owner=f"owner of {name}",
        bots=(f"{name}.a", f"{name}.b"),
        versions=((version, version),),
    )


def token(bot: str = "adam", number: int = 1) -> BotToken:
    created = "2026-03-01T12:00:00Z"
    token_hash = random.Random(f"{bot}|{number}").randbytes(32)
    return BotToken(bot=bot, number=number, token_hash=token_hash, created=created)
