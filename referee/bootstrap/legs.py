"""What a match must be to be a leg of a ladder, which is sealed."""

from referee.formats.leg_places import place_fault
from referee.ladder.values import LegPlace
from referee.match.values import MatchConfig
from referee.ports import Audience
from referee.rules.errors import ConfigError


def check_leg(
    config: MatchConfig, place: LegPlace, *, name: str, board: str | None, audience: Audience | None
) -> None:
    """Raise `ConfigError` for a match that cannot be the leg at this place, which has a `name`."""
    match_id = config.match_id
    if fault := place_fault(place, config.settings.rules):
        raise ConfigError(f"match {match_id}: its place in the ladder: {fault}")
    if match_id != name:
        raise ConfigError(
            f"match {match_id}: a leg of a ladder is named {name}, so that nobody can tell which "
            "are of one board"
        )
    if audience is not None or board is not None:
        raise ConfigError(
            f"match {match_id}: a leg of a ladder is sealed and belongs to its deal; give neither "
            "an audience nor a board"
        )
