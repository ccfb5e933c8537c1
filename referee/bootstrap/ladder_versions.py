"""Which versions the entries of a ladder are played with, and whether they still may be."""

from collections.abc import Mapping, Sequence

from referee.bootstrap.ladder_plan import BotPlan, LadderPlan
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
    known: dict[BotPlan, str] = {}  # a check has an opponent that may be called as one of them
    for entry in plan.entries:
        for bot in entry.bots:
            if bot not in known:
                known[bot] = "" if bot.argv is None else version_now(plan, bot)
    return {entry.name: (known[entry.bots[0]], known[entry.bots[1]]) for entry in plan.entries}


def version_now(plan: LadderPlan, bot: BotPlan) -> str:
    """Return the version that a bot which is started here has now; it may take seconds.

    Raises `ConfigError` for an artefact that cannot be read.
    """
    assert bot.argv is not None
    return version_of(bot.argv, bot.artefact, image=bot.image, left_out=(plan.folder,))


def check_unchanged(plan: LadderPlan, versions: Versions, entry: str, bot: BotPlan) -> None:
    """Refuse to start a bot whose files were changed since this run began.

    Raises `ConfigError` that names the entry, both versions and the cure.
    """
    which = next(one for one in plan.entries if one.name == entry)
    place = [one.name for one in which.bots].index(bot.name)
    due, now = versions[entry][place], version_now(plan, bot)
    if now != due:
        raise ConfigError(
            f"entry {entry}: files of bot {bot.name} were changed while the ladder ran: it played "
            f"with version {short(due)}, and now it is {short(now)}; bring its files back, or say "
            f"referee ladder replace {entry}, then run the ladder again"
        )


def fixed_versions(versions: Versions) -> dict[str, str]:
    """Return the version of each entry as a ruling names it; not of those that say their own."""
    return {
        name: of_side(Side(entry=name, owner="", players=(_player(first), _player(second))))
        for name, (first, second) in versions.items()
        if first and second
    }


def _player(version: str) -> Player:
    return Player(bot="", version=version)


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
    fixed = fixed_versions(versions)
    for entry in plan.entries:
        now = fixed.get(entry.name)
        due = decided.versions.get(entry.name, played.get(entry.name))
        if now is not None and due is not None and now != due and decided.plays(entry.name):
            raise ConfigError(
                f"entry {entry.name}: its boards were played with version {short(due)}, and now it "
                f"is {short(now)}; bring its files back, or say referee ladder replace"
            )


_SHOWN = 20  # `sha256:` and 13 digits tell two versions apart


def short(version: str) -> str:
    """Return a version for people.

    >>> short("sha256:" + 64 * "a")
    'sha256:aaaaaaaaaaaaa...'
    """
    shown = [part if len(part) <= _SHOWN else f"{part[:_SHOWN]}..." for part in version.split("+")]
    return "+".join(shown)
