"""Which versions the entries of a ladder are played with, and whether they still may be."""

from collections.abc import Collection, Mapping, Sequence

from referee.bootstrap.ladder_advice import command
from referee.bootstrap.ladder_plan import RECORDS, BotPlan, EntryPlan, LadderPlan
from referee.ladder.partners import versions_by_entrant
from referee.ladder.rulings import Decided, joined_version
from referee.ladder.values import LegResult
from referee.launch.artefact import version_of
from referee.rules.errors import ConfigError

Versions = Mapping[str, tuple[str, ...]]  # by entry, then by place
GONE = "gone"  # instead of the version of an entry that plays no more and is not there


def versions_of(plan: LadderPlan, *, but: Collection[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return what is played now, by entry and place; "" for a bot that says its own in Hello.

    Entries in `but` are not played: theirs may be `GONE`. Raises `ConfigError` for another one
    that cannot be started, or has an artefact that cannot be read.
    """
    known: dict[BotPlan, str] = {}  # a check has an opponent that may be called as one of them
    found = {}
    for entry in plan.entries:
        try:
            found[entry.name] = entry_versions(plan, entry, known)
        except ConfigError as error:
            if entry.name not in but:
                raise with_cure(plan, entry.name, error) from None
            found[entry.name] = (GONE,) * len(entry.bots)
    return found


def refuse_missing(plan: LadderPlan, decided: Decided) -> None:
    """Raise `ConfigError` for an entry that is to play and is not there to be started."""
    for entry in plan.entries:
        if entry.missing and decided.plays(entry.name):
            raise with_cure(plan, entry.name, ConfigError(entry.missing))


def entry_versions(
    plan: LadderPlan, entry: EntryPlan, known: dict[BotPlan, str] | None = None
) -> tuple[str, ...]:
    """Return what an entry plays with now, by place, as `versions_of` does.

    `known` keeps the versions of bots that several entries have. Raises `ConfigError` that says
    what is not there.
    """
    if entry.missing:
        raise ConfigError(entry.missing)
    known = {} if known is None else known
    for bot in entry.bots:
        if bot not in known:
            known[bot] = "" if bot.argv is None else _version_of(plan, entry.name, bot)
    return tuple(known[bot] for bot in entry.bots)


def playing_versions(plan: LadderPlan, decided: Decided) -> dict[str, tuple[str, ...]]:
    """Return what is played now under rulings: whoever plays no more needs no files.

    Raises `ConfigError` as `versions_of` does.
    """
    return versions_of(plan, but={e.name for e in plan.entries if not decided.plays(e.name)})


def _version_of(plan: LadderPlan, entry: str, bot: BotPlan) -> str:
    try:
        return version_now(plan, bot)
    except ConfigError as error:
        raise ConfigError(f"entry {entry}: {error}") from None


def with_cure(plan: LadderPlan, entry: str, error: ConfigError) -> ConfigError:
    """Return what is said of files of an entry that are not there, and how to go on.

    Before anything was played nobody need rule, and what has a cure already needs no other.
    """
    if (plan.folder / RECORDS).is_dir():
        withdraw = command(plan, "withdraw", entry, reason="its files are gone")
        return ConfigError(f"{error}; bring it back, or go on without the entry: {withdraw}")
    cure = "" if ";" in str(error) else "; put it there, or write what starts the bot"
    return ConfigError(f"{error}{cure}")


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
    try:
        due, now = versions[entry][place], _version_of(plan, entry, bot)
    except ConfigError as error:
        raise with_cure(plan, entry, error) from None
    if now != due:
        raise ConfigError(
            f"entry {entry}: files of bot {bot.name} were changed while the {plan.kind} ran: it "
            f"played with version {short(due)}, and now it is {short(now)}; bring its files back"
            f"{_or_replace(plan, entry)}, then run the {plan.kind} again"
        )


def _or_replace(plan: LadderPlan, entry: str) -> str:
    """Return how to go on with another version."""
    return f", or say {command(plan, 'replace', entry, reason='a new version')}"


def fixed_versions(versions: Versions) -> dict[str, str]:
    """Return the version of each entry as a ruling names it; not of those that say their own."""
    return {name: joined_version(by_place) for name, by_place in versions.items() if all(by_place)}


def check_versions(
    plan: LadderPlan, versions: Versions, results: Sequence[LegResult], decided: Decided
) -> None:
    """Refuse an entry whose files are no longer those that its boards were played with.

    Raises `ConfigError` that names both versions. What a bot says of itself is not held to it.
    """
    played: dict[str, str] = {}
    for result in results:
        for side in result.place.sides:
            played |= versions_by_entrant(side)
    fixed = fixed_versions(versions)
    for entry in plan.entries:
        now = fixed.get(entry.name)
        due = decided.versions.get(entry.name, played.get(entry.name))
        if now is not None and due is not None and now != due and decided.plays(entry.name):
            raise ConfigError(
                f"entry {entry.name}: its {plan.played}s were played with version {short(due)}, "
                f"and now it is {short(now)}; bring its files back{_or_replace(plan, entry.name)}"
            )


_SHOWN = 20  # `sha256:` and 13 digits tell two versions apart


def short(version: str) -> str:
    """Return a version for people.

    >>> short("sha256:" + 64 * "a")
    'sha256:aaaaaaaaaaaaa...'
    """
    shown = [part if len(part) <= _SHOWN else f"{part[:_SHOWN]}..." for part in version.split("+")]
    return "+".join(shown)
