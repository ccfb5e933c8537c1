"""Configuration files: TOML into checked values.

A key that does not exist is refused with the nearest one that does; every error names file and
line. What the values mean together is checked where they are used.
"""

from referee.config.sections import FaultsSection, MatchSection
from referee.config.serve import DEFAULT_ADDRESS, MOST_DELAY, STORE_NAME, ServeConfig, load_config
from referee.config.toml_file import place_in

__all__ = [
    "DEFAULT_ADDRESS",
    "MOST_DELAY",
    "STORE_NAME",
    "FaultsSection",
    "MatchSection",
    "ServeConfig",
    "load_config",
    "place_in",
]
