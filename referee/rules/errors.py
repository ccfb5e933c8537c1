"""The three ways in which something other than a bot's mistake goes wrong."""


class RefereeBug(Exception):
    """The referee broke its own rules. Never caught below the runner; a bot cannot cause it."""


class ConfigError(ValueError):
    """An operator asked for something impossible. The message says what, where, and the cure."""


class NotationError(ValueError):
    """Text that is no card, combination, rank or position. The message names the token."""
