"""How a bot process ends."""

import enum


class ExitCode(enum.IntEnum):
    """Exit status of a bot process."""

    DONE = 0  # the referee closed for good in good order, or SIGTERM or SIGINT came
    BUG = 1  # an exception outside the strategy's methods
    SETTINGS = 2  # the environment or a flag is wrong; the last line says which
    GONE = 3  # no referee answers any more
    REFUSED = 4  # the referee will not have this process: token, version, or a broken protocol
