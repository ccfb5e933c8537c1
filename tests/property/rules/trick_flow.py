"""A second referee for what follows from a play, a pass, a collect or a gift, in every game.

Written from the rules' words alone: of the referee it reads what lies where before and after, and
says what must lie where, whose turn it is and in which phase. Which plays are legal it leaves to
others.
"""

from collections.abc import Sequence

import msgspec

from referee.rules.cards import DOG, DRAGON, MAHJONG, Seat, card_numbers, rank_of
from referee.rules.option_values import GsSeating, TientsinDogNoPartner, Variant
from referee.rules.phases import Phase
from referee.rules.round import Round

_DRAGONS = (DRAGON, DRAGON << 64)


class Expected(msgspec.Struct, kw_only=True):
    """What must be so after an action."""

    phase: Phase
    turn: Seat | None
    owner: Seat | None
    out: list[Seat]
    won: list[int]
    trick: int
    wish: int | None  # None = just named, so any


class Flow:
    """Follows one round action by action, and remembers who has passed since the last play."""

    def __init__(self, round_: Round) -> None:
        self._passed: list[Seat] = []
        self._order = turn_order(round_)
        options = round_.options
        sides = [seat % 2 for seat in range(round_.n)]
        if options.variant is Variant.TRICHU:
            sides = [0 if seat in (round_.dealer, 2) else 1 for seat in range(4)]
        self._sides = None if options.variant is Variant.GRAND_SEIGNEUR else sides

    def fault(self, before: Round, after: Round) -> str | None:
        """Return what is wrong with the step from one state to the next, None when it is right."""
        if before.phase not in (Phase.PLAY, Phase.CLOSING, Phase.DRAGON, Phase.DOG):
            return None
        if before.calls != after.calls:
            return None if _same_table(before, after) else "a call changed the table"
        expected = self._expected(before, after)
        for name in expected.__struct_fields__:
            value = getattr(expected, name)
            if getattr(after, name) != value and not (name == "wish" and value is None):
                return f"{name}: expected {value}, got {getattr(after, name)}"
        return None

    def _expected(self, before: Round, after: Round) -> Expected:
        moved = [Seat(s) for s in range(before.n) if before.hands[s] != after.hands[s]]
        if moved:
            (seat,) = moved
            return self._after_play(before, after, seat, before.hands[seat] ^ after.hands[seat])
        same = Expected(
            phase=Phase.PLAY,
            turn=before.turn,
            owner=before.owner,
            out=list(before.out),
            won=list(before.won),
            trick=before.trick,
            wish=before.wish,
        )
        if before.phase is Phase.DOG:
            assert before.turn is not None
            same.turn = after.turn
            assert after.turn in self._partners_with_cards(before, before.turn)
            return same
        if before.phase is Phase.PLAY:
            return self._after_pass(before, same)
        return self._after_taking(before, after, same)

    def _after_play(self, before: Round, after: Round, seat: Seat, cards: int) -> Expected:
        self._passed = []
        out = [*before.out, *([] if after.hands[seat] else [seat])]
        over, victory = self._is_over(before, out), self._is_victory(out)
        fulfilled = any(rank_of(n) == before.wish for n in card_numbers(cards & ~MAHJONG))
        expected = Expected(
            phase=Phase.PLAY,
            turn=None,
            owner=seat,
            out=out,
            won=list(before.won),
            trick=before.trick | cards,
            wish=None if cards & MAHJONG else 0 if fulfilled else before.wish,
        )
        if cards == DOG:
            expected.owner, expected.trick = None, 0
            if over or victory:
                expected.phase = Phase.ROUND_OVER
            else:
                expected.phase, expected.turn = self._after_dog(before, after, seat)
            return expected
        if not over and not victory:
            expected.turn = self._next(after, seat)
            return expected
        gift = cards == DRAGON and self._sides is not None and not victory
        if gift and before.options.dragon_last_trick_gift:
            expected.phase, expected.turn = Phase.DRAGON, seat
            return expected
        expected.phase = Phase.ROUND_OVER
        expected.won[seat] |= expected.trick
        expected.trick, expected.owner = 0, None
        return expected

    def _after_dog(self, before: Round, after: Round, seat: Seat) -> tuple[Phase, Seat]:
        """C4, H5, and the Dog of two packs."""
        heirs = self._partners_with_cards(after, seat)
        if len(heirs) == 2:
            return Phase.DOG, seat
        if heirs:
            return Phase.PLAY, heirs[0]
        if before.options.tientsin_dog_no_partner is TientsinDogNoPartner.LEFT:
            backwards = [Seat((seat - step) % 6) for step in range(1, 7)]
            return Phase.PLAY, next(s for s in backwards if after.hands[s])
        alone = before.options.variant in (Variant.TIENTSIN, Variant.GRAND_SEIGNEUR)
        return Phase.PLAY, self._next(after, seat if alone else self._partners(seat)[0])

    def _after_pass(self, before: Round, expected: Expected) -> Expected:
        assert before.turn is not None
        assert before.owner is not None
        self._passed.append(before.turn)
        others = [s for s in range(before.n) if before.hands[s] and s != before.owner]
        if sorted(self._passed) == others:
            expected.phase, expected.turn = Phase.CLOSING, None
        else:
            expected.turn = self._next(before, before.turn)
        return expected

    def _after_taking(self, before: Round, after: Round, expected: Expected) -> Expected:
        """The trick is collected, or given away."""
        owner = before.owner
        assert owner is not None
        assert before.table is not None
        given = before.phase is Phase.DRAGON
        if not given and before.table.cards == DRAGON and self._sides is not None:
            expected.phase, expected.turn = Phase.DRAGON, owner
            return expected
        taker = owner
        if given:
            assert self._sides is not None
            (taker,) = [s for s in range(before.n) if before.won[s] != after.won[s]]  # type: ignore[assignment]
            assert self._sides[taker] != self._sides[owner]
        expected.won[taker] |= before.trick
        expected.trick, expected.owner = 0, None
        self._passed = []
        if self._is_over(before, before.out):
            expected.phase, expected.turn = Phase.ROUND_OVER, None
        else:
            expected.turn = owner if before.hands[owner] else self._next(before, owner)
        return expected

    def _is_over(self, round_: Round, out: Sequence[Seat]) -> bool:
        if len(out) == round_.n - 1:
            return True
        if not round_.options.tientsin_end_when_team_out:
            return False
        assert self._sides is not None
        sides = [self._sides[seat] for seat in out]
        return 3 in (sides.count(0), sides.count(1))

    def _is_victory(self, out: Sequence[Seat]) -> bool:
        if self._sides is None:
            return False
        size = len(self._sides) // 2
        return len(out) == size and len({self._sides[seat] for seat in out}) == 1

    def _next(self, round_: Round, seat: Seat) -> Seat:
        at = self._order.index(seat) + 1
        circle = self._order[at:] + self._order[:at]
        return next(s for s in circle if round_.hands[s])

    def _partners(self, seat: Seat) -> list[Seat]:
        if self._sides is None:
            return []
        return [s for s in self._order if s != seat and self._sides[s] == self._sides[seat]]

    def _partners_with_cards(self, round_: Round, seat: Seat) -> list[Seat]:
        return [s for s in self._partners(seat) if round_.hands[s]]


def turn_order(round_: Round) -> list[Seat]:
    """Return the seats in turn order, from the rules' words (A2, G1, I2)."""
    n, ranks = round_.n, list(round_.ranks)
    if round_.options.variant is Variant.TRICHU:
        players = [Seat(0), Seat(1), Seat(3)]
        at = players.index(round_.dealer)
        soloist, one, other = players[at:] + players[:at]
        return [soloist, one, Seat(2), other]
    if not ranks:
        return list(map(Seat, range(n)))
    if round_.options.gs_seating is GsSeating.BY_RANK:
        return ranks
    circle = ranks[:1]
    for place, seat in enumerate(ranks[1:]):
        # left of the first is who plays after it, right of it who plays before it: from the end
        circle.insert(1 + (place + 1) // 2, seat)
    return circle


def _same_table(before: Round, after: Round) -> bool:
    names = ("hands", "won", "trick", "out", "owner", "wish")
    return all(getattr(before, name) == getattr(after, name) for name in names)
