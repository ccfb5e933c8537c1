"""A forked round: what comes of it depends on what its bots say, never on who says it first."""

import hashlib
import itertools
import random
from collections.abc import Callable, Sequence

import pytest

from referee.check.fork_table import ForkTable
from referee.check.fork_words import Words, in_turn
from referee.formats.imported import NO_SEED
from referee.match.inputs import (
    BombDecision,
    Deal,
    Decision,
    DefaultDecision,
    ExchangeDecision,
    PlayDecision,
)
from referee.match.step import Ask
from referee.match.values import AskId, AskKind, Pace
from referee.ports import AnswerIn, CallIn, Frame, ResignIn, StandDownIn
from referee.rules.options import parse_options
from referee.rules.phases import CallKind
from referee.rules.seat import Seat
from tests.simulation.positions import DECLINE, PASS, bombing, cards, decline_bets, playing
from tests.simulation.table import Table, settings

NUMBER = 1
SUITS, SINGLES = "jspr", "2345678JQKA"
NINES, TENS = "9j 9s 9p 9r", "Tj Ts Tp Tr"
Said = tuple[int, Frame]


def single(seat: int, rank: str) -> str:
    """The card of a rank that a seat has; no seat has two neighbours of one suit."""
    return f"{rank}{SUITS[(seat + SINGLES.index(rank)) % 4]}"


def window(pace: Pace, *, turn: str, other: str) -> Table:
    """Seat 0 has led its jack; seat 1 is on turn with one bomb, seat 3 holds the other."""
    held = [[single(seat, rank) for rank in SINGLES] for seat in range(4)]
    for seat, bomb in ((1, turn), (3, other)):
        held[2].append(held[seat].pop())
        held[seat] += bomb.split()
    held[0] += ["Mj", "Dg", "Ph"]
    held[2].append("Dr")
    order = [0] * 56
    for seat, texts in enumerate(held):
        order[seat::4] = cards(" ".join(texts))
    table = Table(settings(pace=pace))
    table.step(Deal(seed=NO_SEED, cards=tuple(order)))
    decline_bets(table)
    for seat in range(4):
        gifts = tuple(
            ((seat + step) % 4, cards(single(seat, rank))) for step, rank in enumerate("234", 1)
        )
        table.answer(seat, ExchangeDecision(gifts=gifts))
    table.act(0, playing(single(0, "J")))
    assert table.ask(1, AskKind.ACT).provisional
    assert Seat(3) in table.asked(AskKind.BOMB)
    return table


def forked(table: Table) -> ForkTable:
    """A continuation of what a table came to, all of it told."""
    fork = ForkTable(table.config, table.facts, number=NUMBER, legal_plays=set())
    told(fork)
    return fork


def told(fork: ForkTable) -> list[bytes]:
    return [fork.update(Seat(seat)) for seat in range(4)]


def frame(ask: Ask, decision: Decision, *more: AnswerIn, **words: object) -> Frame:
    answers = (AnswerIn(NUMBER, ask.id, decision), *more)
    return Frame(answers=answers, **words)  # type: ignore[arg-type]


def ask_of(fork: ForkTable, seat: int, kind: AskKind) -> Ask:
    return next(ask for ask in fork.owing if (ask.seat, ask.kind) == (seat, kind))


def go_on(fork: ForkTable, said: Sequence[Said]) -> list[bytes]:
    """Take what was said, and let time go on where it alone is waited for; return what is told."""
    for seat, one in said:
        fork.hear(Seat(seat), one)
    missing = fork.words.missing(fork.owing)
    fork.take([ask for ask in fork.owing if ask not in missing])
    while not fork.owing and fork.ended is None:
        fork.advance()
    return told(fork)


def owner(fork: ForkTable) -> Seat | None:
    view = fork._machine.snapshot(Seat(0)).view
    assert view is not None
    return view.public.owner


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize(("turn", "other", "lands"), [(NINES, TENS, 3), (TENS, NINES, 1)])
def test_the_strongest_bomb_lands_in_every_order_of_arrival(
    pace: Pace, turn: str, other: str, lands: int
) -> None:
    table = window(pace, turn=turn, other=other)
    found = []
    for order in itertools.permutations(forked(table).owing):
        fork = forked(table)
        answer: dict[int, Decision] = {1: playing(turn), 3: bombing(other)}
        said = [(ask.to, frame(ask, answer.get(ask.seat, DECLINE))) for ask in order]
        found.append(go_on(fork, said))
        assert owner(fork) == lands
    assert len(found) >= 2
    assert all(one == found[0] for one in found)


def test_the_seat_on_turn_is_the_first_and_then_bombs_in_turn_order() -> None:
    kinds = [AskKind.BOMB, AskKind.BOMB, AskKind.ACT, AskKind.BOMB]
    asks = [
        Ask(seat=Seat(seat), to=Seat(seat), id=AskId(5 - seat), kind=kind)
        for seat, kind in enumerate(kinds)
    ]
    assert [ask.seat for ask in in_turn(asks)] == [2, 3, 0, 1]
    assert in_turn(asks[:2]) == asks[:2]


def test_what_a_player_says_before_its_answer_counts_before_it() -> None:
    fork = forked(window(Pace.FAST, turn=NINES, other=TENS))
    act = ask_of(fork, 1, AskKind.ACT)
    call = CallIn(NUMBER, 7, None, CallKind.TICHU)
    said = [
        (3, frame(ask_of(fork, 3, AskKind.BOMB), DECLINE)),
        (1, Frame(calls=[call])),
        (1, frame(act, playing(single(1, "Q")))),
    ]
    go_on(fork, said)
    assert fork._machine._state.current.calls[1] is CallKind.TICHU


def test_what_stands_beside_an_answer_counts_after_all_answers() -> None:
    """As in a match: an answer of a frame is read before a call of it, which is too late."""
    fork = forked(window(Pace.FAST, turn=NINES, other=TENS))
    act = ask_of(fork, 1, AskKind.ACT)
    call = CallIn(NUMBER, 7, None, CallKind.TICHU)
    bomb = (3, frame(ask_of(fork, 3, AskKind.BOMB), DECLINE))
    go_on(fork, [bomb, (1, frame(act, playing(single(1, "Q")), calls=[call]))])
    assert fork._machine._state.current.calls[1] is None


def test_what_a_player_says_unasked_is_heard_with_the_answers_of_the_others() -> None:
    fork = forked(window(Pace.FAST, turn=NINES, other=TENS))
    said = [
        (3, frame(ask_of(fork, 3, AskKind.BOMB), DECLINE)),
        (2, Frame(calls=[CallIn(NUMBER, 7, None, CallKind.TICHU)])),
        (1, frame(ask_of(fork, 1, AskKind.ACT), PASS)),
    ]
    go_on(fork, said)
    assert fork._machine._state.current.calls[2] is CallKind.TICHU


def test_a_refused_act_is_corrected_before_the_bombs_of_others_are_taken() -> None:
    fork = forked(window(Pace.FAST, turn=TENS, other=NINES))
    act = ask_of(fork, 1, AskKind.ACT)
    bomb = (3, frame(ask_of(fork, 3, AskKind.BOMB), bombing(NINES)))
    go_on(fork, [bomb, (1, frame(act, playing("2j 2s")))])
    assert owner(fork) == 0
    assert fork.words.missing(fork.owing) == [act]
    go_on(fork, [(1, frame(act, playing(TENS)))])
    assert owner(fork) == 1


@pytest.mark.parametrize(
    "instead",
    [Frame(stand_downs=[StandDownIn(NUMBER, 1, None)]), Frame(resigns=[ResignIn(NUMBER, 1)])],
)
def test_who_stands_down_or_resigns_needs_no_answer(instead: Frame) -> None:
    fork = forked(window(Pace.FAST, turn=TENS, other=NINES))
    bomb = ask_of(fork, 3, AskKind.BOMB)
    assert fork.words.missing([bomb]) == [bomb]
    fork.hear(Seat(3), instead)
    assert fork.words.missing([bomb]) == []
    go_on(fork, [(1, frame(ask_of(fork, 1, AskKind.ACT), PASS))])
    assert owner(fork) == 0
    assert (fork.ended is not None) == bool(instead.resigns)


def test_words_of_another_continuation_are_not_heard() -> None:
    fork = forked(window(Pace.FAST, turn=TENS, other=NINES))
    words = Words(NUMBER + 1)
    act = ask_of(fork, 1, AskKind.ACT)
    words.hear(Seat(1), frame(act, PASS, resigns=[ResignIn(NUMBER, 1)]))
    assert words.missing([act]) == [act]
    assert words.beside([]) == []


def test_an_answer_that_comes_before_its_ask_is_none() -> None:
    fork = forked(window(Pace.FAST, turn=TENS, other=NINES))
    act, bomb = ask_of(fork, 1, AskKind.ACT), ask_of(fork, 3, AskKind.BOMB)
    ahead = [AnswerIn(NUMBER, AskId(bomb.id + more), DECLINE) for more in (1, 2)]
    go_on(fork, [(3, frame(bomb, DECLINE, *ahead)), (1, frame(act, playing(single(1, "Q"))))])
    assert [ask.to for ask in fork.words.missing(fork.owing)] == [ask.to for ask in fork.owing]
    assert Seat(3) in [ask.to for ask in fork.owing]


# --- whole rounds


def decision(fork: ForkTable, ask: Ask, seed: str) -> Decision:
    """What a bot says that draws from what it is asked alone, and bombs whenever it can."""
    view = fork._machine.snapshot(ask.to).view
    told_ = "" if view is None else repr((view.hand, view.public.trick))
    drawn = hashlib.sha256(f"{seed}|{ask.seat}|{ask.kind}|{told_}".encode()).digest()[0]
    if ask.kind is AskKind.BOMB and ask.plays:
        return BombDecision(index=drawn % len(ask.plays))
    if ask.kind is AskKind.ACT and ask.plays and drawn % 4:
        bombs = [at for at, play in enumerate(ask.plays) if play.is_bomb]
        return PlayDecision(index=bombs[-1] if bombs else drawn % len(ask.plays))
    return DefaultDecision()


def played(
    table: Table, seed: str, mix: Callable[[list[Said]], None]
) -> tuple[tuple[int, ...], list[list[bytes]]]:
    """Play a round to its end, all that is said coming in the order that `mix` makes."""
    fork = ForkTable(table.config, table.facts, number=NUMBER, legal_plays=set())
    players = [Seat(seat) for seat in range(fork._machine.seats) if Seat(seat) in fork._players]
    updates = []
    while fork.points is None:
        updates.append([fork.update(seat) for seat in players])
        said: list[Said] = [(ask.to, frame(ask, decision(fork, ask, seed))) for ask in fork.owing]
        if not said:
            fork.advance()
            continue
        mix(said)
        for seat, one in said:
            fork.hear(Seat(seat), one)
        assert not fork.words.missing(fork.owing)
        fork.take(fork.owing)
    return fork.points, updates


@pytest.mark.parametrize("pace", Pace)
@pytest.mark.parametrize(
    "options",
    [
        {"rounds": 1},
        {"rounds": 1, "refuse_call": True, "great_grand": True},
        {"variant": "trichu", "rounds": 3},
        {"variant": "tientsin"},
    ],
)
def test_a_round_is_the_same_in_every_order_of_arrival(
    options: dict[str, object], pace: Pace
) -> None:
    seed = f"round {sorted(options)} {pace}"
    table = Table(settings(pace=pace, rules=parse_options(options)), seed=seed).start()
    rng = random.Random(seed)
    first, again = (played(table, seed, mix) for mix in (list.reverse, rng.shuffle))
    assert first[0], seed
    assert again == first, seed
