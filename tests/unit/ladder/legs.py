"""Results of legs by hand, for tests of what counts and what is played next."""

from collections.abc import Iterable, Sequence

from referee.ladder.plans import BoardPlan
from referee.ladder.values import (
    FIELD,
    Deals,
    LegPlace,
    LegResult,
    Player,
    Ruling,
    RulingKind,
    Side,
    Unit,
)

EVENT = "cup"


def side(entry: str, version: str = "v1") -> Side:
    """An entry that its own owner runs, with one bot in both places."""
    player = Player(bot=entry, version=version)
    return Side(entry=entry, owner=f"owner of {entry}", players=(player, player))


def leg(
    plan: BoardPlan,
    number: int = 1,
    points: tuple[int, int] = (0, 0),
    *,
    rounds: int = 1,
    blame: str = "none",
    ending: str = "completed",
    rated: bool | None = None,
    faulty: tuple[str, ...] = (),
    versions: tuple[str, str] = ("v1", "v1"),
) -> LegResult:
    """The result of a leg of a board; `points` and `versions` by team. Rated by its blame."""
    is_field = plan.pairing == FIELD
    first, second = plan.tables[number - 1]
    return LegResult(
        place=LegPlace(
            event=EVENT,
            pairing=plan.pairing,
            board=plan.board,
            attempt=plan.attempt,
            leg=number,
            unit=Unit.BOARD,
            deals=Deals.FIELD if is_field else Deals.BOARD,
            sides=(side(first, versions[0]), side(second, versions[1])),
        ),
        match_id=match_id(plan, number),
        points=points,
        rounds=rounds,
        ending=ending,
        blame=blame,
        rated=blame in ("none", "bot") if rated is None else rated,
        faulty=faulty,
    )


def match_id(plan: BoardPlan, number: int) -> str:
    """An id that is like no other."""
    return f"{plan.pairing}.{plan.board}.{plan.attempt}.{number}"


def board(pairing: str, number: int, attempt: int = 1) -> BoardPlan:
    """A board of two entries."""
    low, high = pairing.split("~")
    return BoardPlan(
        pairing=pairing, board=number, attempt=attempt, tables=((low, high), (high, low))
    )


def deal(number: int, *tables: tuple[str, str]) -> BoardPlan:
    """A deal of a field."""
    return BoardPlan(pairing=FIELD, board=number, attempt=1, tables=tables)


def played(plan: BoardPlan, margin: int = 0) -> list[LegResult]:
    """All legs of a board, rated; the entry that sorts first is better by `margin` in each."""
    return [
        leg(plan, number, (margin, 0) if one < other else (0, margin))
        for number, (one, other) in enumerate(plan.tables, start=1)
    ]


def void(plan: BoardPlan) -> list[LegResult]:
    """All legs of a board, the last one ended by the referee."""
    return [
        *played(plan)[:-1],
        leg(plan, len(plan.tables), blame="referee", ending="referee_failed"),
    ]


def stopped(plan: BoardPlan) -> list[LegResult]:
    """All legs of a board that an order to stop ended."""
    return [
        leg(plan, number, ending="cancelled", rated=False)
        for number in range(1, len(plan.tables) + 1)
    ]


def ruling(kind: RulingKind, subject: str = "", *, number: int = 1, version: str = "") -> Ruling:
    """A ruling with its reason."""
    return Ruling(
        number=number,
        event=EVENT,
        kind=kind,
        subject=subject,
        reason="as the organiser says",
        at="2024-01-01T00:00:00Z",
        version=version,
    )


def owners_of(names: Iterable[str]) -> dict[str, str]:
    """Each entry with an owner of its own."""
    return {name: f"owner of {name}" for name in names}


def all_played(plans: Sequence[BoardPlan]) -> list[LegResult]:
    """The legs of many boards, all rated."""
    return [result for plan in plans for result in played(plan)]
