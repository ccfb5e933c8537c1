"""What `referee serve` offers beside its streams."""

from pathlib import Path

import msgspec

from referee.app.service import Service
from referee.bootstrap.match_desk import MatchDesk
from referee.bootstrap.referee import Referee
from referee.bootstrap.registry_desk import RegistryDesk
from referee.match.values import Settings
from referee.ports import Audience
from referee.ports.services import Ladders, Services, TokenKeeper


class Offering(msgspec.Struct, frozen=True, kw_only=True):
    """An `Offer`: services with the settings of every match, over these ladders.

    `keeper` keeps tokens in a database too; `delay_tricks` is how far behind watchers are.
    `audience` is that of every match.
    """

    settings: Settings
    ladders: Ladders
    keeper: TokenKeeper | None
    records: Path | None
    may_share: bool
    delay_tricks: int
    audience: Audience | None

    def __call__(self, referee: Referee, service: Service) -> Services:
        """Return the services of this referee."""
        return Services(
            matches=MatchDesk(
                referee,
                service,
                self.settings,
                records=self.records,
                may_share=self.may_share,
                audience=self.audience,
            ),
            registry=RegistryDesk(service.reception.instances, self.keeper),
            ladders=self.ladders,
            delay_tricks=self.delay_tricks,
        )
