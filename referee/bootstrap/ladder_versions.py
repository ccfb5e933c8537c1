"""Which versions the entries of a ladder are played with, and whether they still may be."""

from collections.abc import Mapping, Sequence

from referee.bootstrap.ladder_plan import LadderPlan
from referee.ladder.rulings import Decided
from referee.ladder.rulings import version_of as of_side
from referee.ladder.values import LegResult, Player, Side
from referee.launch.artefact import version_of
from referee.rules.errors import ConfigError

Versions = Mapping[str, tuple[str, str]]  # by entry, then by place


def versions_of(plan: LadderPlan) -> dict[str, tuple[str, str]]:
    """Return what is played now, by entry and place; "" for a bot that says its own in Hello.

    Raises `ConfigError` for an artefact that cannot be read.
    """
    known: dict[str, str] = {}
    for entry in plan.entries:
        for bot in entry.bots:
            if bot.argv is None:
                known[bot.name] = ""
            elif bot.name not in known:
                known[bot.name] = version_of(
                    bot.argv, bot.artefact, image=bot.image, left_out=(plan.folder,)
                )
    return {
        entry.name: (known[entry.bots[0].name], known[entry.bots[1].name]) for entry in plan.entries
    }


def check_versions(
    plan: LadderPlan, versions: Versions, results: Sequence[LegResult], decided: Decided
) -> None:
    """Refuse an entry whose files are no longer those that its boards were played with.

    Raises `ConfigError` that names both versions. What a bot says of itself is not held to it.
    """
    played: dict[str, str] = {}
    for result in results:
        for side in result.place.sides:
            played[side.entry] = of_side(side)
    for entry in plan.entries:
        first, second = versions[entry.name]
        due = decided.versions.get(entry.name, played.get(entry.name))
        if due is None or not first or not second or not decided.plays(entry.name):
            continue
        bots = [Player(bot=bot.name, version="") for bot in entry.bots]
        now = of_side(_side(entry.name, entry.owner, bots, (first, second)))
        if now != due:
            raise ConfigError(
                f"entry {entry.name}: its boards were played with version {short(due)}, and now it "
                f"is {short(now)}; bring its files back, or say referee ladder replace"
            )


def _side(entry: str, owner: str, bots: Sequence[Player], versions: tuple[str, str]) -> Side:
    one, other = (
        Player(bot=bot.bot, version=version) for bot, version in zip(bots, versions, strict=True)
    )
    return Side(entry=entry, owner=owner, players=(one, other))


_SHOWN = 20  # `sha256:` and 13 digits tell two versions apart


def short(version: str) -> str:
    """Return a version for people.

    >>> short("sha256:" + 64 * "a")
    'sha256:aaaaaaaaaaaaa...'
    """
    shown = [part if len(part) <= _SHOWN else f"{part[:_SHOWN]}..." for part in version.split("+")]
    return "+".join(shown)
