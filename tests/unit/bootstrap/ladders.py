"""Plans of ladders that nobody plays."""

from pathlib import Path

from referee.bootstrap.ladder_plan import BotPlan, EntryPlan, LadderPlan, SchedulePlan
from referee.ladder.schedule import ScheduleKind
from referee.match.values import Settings
from referee.rules.option_values import Variant
from referee.rules.options import RuleOptions

AWAY, OTHER = BotPlan(name="away", argv=None), BotPlan(name="other", argv=None)
HERE = BotPlan(name="here", argv=("bot",))


def ladder(*pairs: tuple[BotPlan, ...], variant: Variant = Variant.TICHU) -> LadderPlan:
    entries = [
        EntryPlan(name=f"e{number}", owner=f"o{number}", bots=bots)
        for number, bots in enumerate(pairs)
    ]
    return LadderPlan(
        event="cup",
        entries=tuple(entries),
        settings=Settings(rules=RuleOptions(variant=variant, rounds=1)),
        schedule=SchedulePlan(kind=ScheduleKind.ROUND_ROBIN, boards=1),
        folder=Path("cup.ladder"),
        database="sqlite:///cup.db",
    )
