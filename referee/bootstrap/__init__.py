"""Where everything meets: one referee in this process, from its setup to its end."""

from referee.bootstrap.logs import configure_logs
from referee.bootstrap.referee import Referee
from referee.bootstrap.running import RunningMatch
from referee.bootstrap.setup import Isolation, IssuedInstance, RefereeSetup, TablePlan

__all__ = [
    "Isolation",
    "IssuedInstance",
    "Referee",
    "RefereeSetup",
    "RunningMatch",
    "TablePlan",
    "configure_logs",
]
