"""Brettspielwelt logs of rounds that the tests play themselves.

`played_round` lets chance play a round on the rules core and writes it down as the server would.
`scripted_round` writes a round from four hands and the lines of its play. Both write cards and the
place of the Phoenix by the format's description, not with the reader's tables.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from referee.rules.cards import DOG, DRAGON, MAHJONG, PHOENIX, Seat, card_numbers, pack, rank_of
from referee.rules.combinations import Combination, Kind
from referee.rules.options import DEFAULT_OPTIONS, RuleOptions
from referee.rules.phases import CallKind, Phase
from referee.rules.round import Round

NAMES = ("anna", "bert", "carl", "dora")
ODD_NAMES = ("", "(2)x: S2 - y", "a: b passt.", " gibt: (1) Ma Hu ")
SEATS = tuple(Seat(number) for number in range(4))
RANK_TEXT = ("", "", "2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A")
_SPECIALS = {DOG: "Hu", PHOENIX: "Ph", DRAGON: "Dr", MAHJONG: "Ma"}


@dataclass(frozen=True, kw_only=True)
class Log:
    """The lines of one round without their ends, and the points of the two teams."""

    lines: list[str]
    scores: tuple[int, int]


def card_text(number: int) -> str:
    special = _SPECIALS.get(1 << number)
    return special or "GSBR"[number % 4] + RANK_TEXT[rank_of(number)]


def _cards_text(numbers: Sequence[int]) -> str:
    return "".join(f"{card_text(number)} " for number in numbers)


def _descending(cards: int) -> list[int]:
    return sorted(card_numbers(cards), key=rank_of, reverse=True)


def printed(play: Combination) -> list[int]:
    """Return a play's cards with the Phoenix put where it says what it stands for."""
    naturals = _descending(play.cards & ~PHOENIX)
    if not play.cards & PHOENIX:
        return naturals
    phoenix = card_numbers(PHOENIX)[0]
    ranks = [rank_of(number) for number in naturals]
    if play.kind is Kind.FULL_HOUSE:
        at = ranks.index(play.phoenix_rank)
    elif play.kind is Kind.STRAIGHT:
        at = sum(rank > play.phoenix_rank for rank in ranks)
    else:
        at = len(naturals) // 2
    return [*naturals[:at], phoenix, *naturals[at:]]


class _Table:
    """A round in the hands of chance, with its log."""

    def __init__(
        self,
        rng: random.Random,
        order: Sequence[int],
        options: RuleOptions,
        names: Sequence[str],
        *,
        racing: bool,
    ) -> None:
        self.rng, self.names, self.racing = rng, names, racing
        self.round = Round.deal(order, dealer=Seat(0), options=options)
        self.lines: list[str] = []

    def _who(self, seat: Seat) -> str:
        return f"({seat}){self.names[seat]}"

    def begin(self) -> None:
        self.lines.append("---------------Gr.Tichukarten------------------")
        self._write_hands(self.round.dealt_first)
        self.lines.append("---------------Startkarten------------------")
        self._write_hands(self.round.hands)
        for seat in SEATS:
            grand = self.rng.random() < 0.1
            self.round.call(seat, CallKind.GRAND if grand else CallKind.NO_GRAND)
            if grand:
                self.lines.append(f"Grosses Tichu: {self._who(seat)} ")
        self._call_tichu(0.1)
        self._exchange()

    def _write_hands(self, hands: Sequence[int]) -> None:
        for seat in SEATS:
            self.lines.append(f"{self._who(seat)} {_cards_text(_descending(hands[seat]))}")

    def _call_tichu(self, chance: float) -> None:
        seat = self.rng.choice(SEATS)
        if self.rng.random() < chance and self.round.call(seat, CallKind.TICHU) is None:
            self.lines += [f"Tichu: {self._who(seat)}"] * self.rng.choice((1, 1, 2))

    def _exchange(self) -> None:
        self.lines.append("Schupfen:")
        for seat in SEATS:
            given = self.rng.sample(card_numbers(self.round.hands[seat]), 3)
            self.round.exchange(seat, [1 << number for number in given])
            gifts = (
                f"{self.names[(seat + at) % 4]}: {card_text(number)} - "
                for at, number in enumerate(given, start=1)
            )
            self.lines.append(f"{self._who(seat)} gibt: {''.join(gifts)}")
        self.lines.append("BOMBE: (0)x (3) ")
        self.lines.append("---------------Rundenverlauf------------------")

    def act(self) -> None:
        """Let one thing happen."""
        self._call_tichu(0.03)
        if self.round.phase is Phase.DRAGON:
            self._give()
        elif not self._bomb():
            self._close() if self.round.phase is Phase.CLOSING else self._take_turn()

    def _bomb(self) -> bool:
        for seat in SEATS:
            if seat != self.round.turn and self.rng.random() < 0.3:
                bombs = self.round.legal_bombs(seat)
                if bombs:
                    self._play(seat, self.rng.choice(bombs))
                    return True
        return False

    def _close(self) -> None:
        owner = self.round.owner
        assert owner is not None
        if self.round.hands[owner]:
            self.lines.append(f"{self._who(owner)} passt.")
        self.round.collect()

    def _give(self) -> None:
        giver = self.round.turn
        assert giver is not None
        to = self.rng.choice(self.round.dragon_recipients(giver))
        self.round.give_dragon(giver, to)
        self.lines.append(f"Drache an: {self._who(to)}")

    def _take_turn(self) -> None:
        seat = self.round.turn
        assert seat is not None
        plays = self.round.every_play(seat)
        if self.round.may_pass(seat) and (not plays or self.rng.random() < 0.3):
            self.round.pass_turn(seat)
            self.lines.append(f"{self._who(seat)} passt.")
        else:
            self._play(seat, self.rng.choice(plays))

    def _play(self, seat: Seat, play: Combination) -> None:
        late = []
        if self.racing and self.rng.random() < 0.5:
            late = [f"Tichu: {self._who(seat)}"]
            late *= self.round.call(seat, CallKind.TICHU) is None
        wish = self.rng.choice((None, *range(2, 15))) if play.cards & MAHJONG else None
        refusal = self.round.play(
            seat, play.cards, phoenix_rank=play.phoenix_rank or None, wish=wish
        )
        assert refusal is None
        self.lines.append(f"{self._who(seat)}: {_cards_text(printed(play))}")
        if wish:
            self.lines.append(f"Wunsch:{RANK_TEXT[wish]}")
        self.lines += late


def _shuffled(rng: random.Random, options: RuleOptions) -> list[int]:
    order = pack(options)
    rng.shuffle(order)
    return order


def _full_of_bombs(rng: random.Random) -> list[int]:
    """An order that deals three bombs of four cards to every seat."""
    ranks = rng.sample(range(2, 15), 13)
    hands = [
        [4 * rank + suit for rank in ranks[3 * seat : 3 * seat + 3] for suit in range(4)]
        for seat in SEATS
    ]
    rest = [*card_numbers(DOG | PHOENIX | DRAGON | MAHJONG)]
    rest += [4 * ranks[12] + suit for suit in range(4)]
    rng.shuffle(rest)
    for seat in SEATS:
        hands[seat] += rest[2 * seat : 2 * seat + 2]
        rng.shuffle(hands[seat])
    return [hands[seat][at] for at in range(14) for seat in SEATS]


def played_round(
    rng: random.Random,
    *,
    names: Sequence[str] = NAMES,
    options: RuleOptions = DEFAULT_OPTIONS,
    racing: bool = False,
    bombs: bool = False,
) -> Log:
    """Play a round by chance; `racing` logs calls behind the caller's own first play."""
    order = _full_of_bombs(rng) if bombs else _shuffled(rng, options)
    table = _Table(rng, order, options, names, racing=racing)
    table.begin()
    while table.round.phase is not Phase.ROUND_OVER:
        table.act()
    first, second = table.round.round_score
    return Log(lines=[*table.lines, f"Ergebnis: {first} - {second}"], scores=(first, second))


def scripted_round(
    hands: Sequence[str], play: Sequence[str], result: str, *, calls: Sequence[str] = ()
) -> list[str]:
    """Return a log in which each seat holds, after the exchange, the hand named here.

    `play` lines begin with the seat: `0: Ma`, `1 passt.`; other lines are taken as they are.
    """
    final = [hand.split() for hand in hands]
    # Seat p has the first three cards of each other hand to give, one to every seat.
    gifts = {(p, q): final[q][(q - p) % 4 - 1] for p in range(4) for q in range(4) if p != q}
    before = [
        [card for card in final[p] if card not in {gifts[q, p] for q in range(4) if q != p}]
        + [gifts[p, q] for q in range(4) if q != p]
        for p in range(4)
    ]
    lines = ["---Gr.Tichukarten---"]
    lines += [f"({seat}){NAMES[seat]} {' '.join(before[seat][:8])} " for seat in range(4)]
    lines += ["---Startkarten---"]
    lines += [f"({seat}){NAMES[seat]} {' '.join(before[seat])} " for seat in range(4)]
    lines += [*calls, "Schupfen:"]
    for seat in range(4):
        others = [(seat + step) % 4 for step in (1, 2, 3)]
        given = "".join(f"{NAMES[other]}: {gifts[seat, other]} - " for other in others)
        lines.append(f"({seat}){NAMES[seat]} gibt: {given}")
    lines.append("---Rundenverlauf---")
    lines += [
        f"({line[0]}){NAMES[int(line[0])]}{line[1:]}" if line[0] in "0123" else line
        for line in play
    ]
    return [*lines, f"Ergebnis: {result}"]
