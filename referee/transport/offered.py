"""The services beside the streams: which call is served by what."""

from __future__ import annotations  # the handler types are generic in the stubs only

from collections.abc import Sequence

import grpc

from referee._gen.tichu.referee.v1 import ladder_pb2, matches_pb2, registry_pb2
from referee.ports.services import Services
from referee.transport.calls import Calls
from referee.transport.ladders import LadderCalls
from referee.transport.matches import MatchCalls
from referee.transport.registry import RegistryCalls

_PACKAGE = "tichu.referee.v1"
LADDERS = f"{_PACKAGE}.LadderService"
MATCHES = f"{_PACKAGE}.MatchService"
REGISTRY = f"{_PACKAGE}.RegistryService"
OFFERED = (LADDERS, MATCHES, REGISTRY)


class OfferedServices:
    """Handlers over what a referee offers."""

    def __init__(self, services: Services, calls: Calls | None = None) -> None:
        self._calls = calls or Calls()
        self._ladders = LadderCalls(services.ladders, self._calls)
        self._matches = MatchCalls(
            services.matches, self._calls, delay_tricks=services.delay_tricks
        )
        self._registry = RegistryCalls(services.registry)

    def close(self) -> None:
        """End all who watch."""
        self._calls.close()

    def handlers(self) -> Sequence[grpc.GenericRpcHandler]:
        """Return the handlers of all calls, by service."""
        calls, ladders, matches, registry = (
            self._calls,
            self._ladders,
            self._matches,
            self._registry,
        )
        unary, stream = calls.unary, calls.stream
        of_ladders = {
            "ListLadders": unary(ladder_pb2.ListLaddersRequest, ladders.list_ladders),
            "GetStandings": unary(ladder_pb2.GetStandingsRequest, ladders.get_standings),
            "ListResults": unary(ladder_pb2.ListResultsRequest, ladders.list_results),
            "WatchStandings": stream(ladder_pb2.WatchStandingsRequest, ladders.watch_standings),
        }
        of_matches = {
            "CreateMatch": unary(matches_pb2.CreateMatchRequest, matches.create_match, writes=True),
            "CancelMatch": unary(matches_pb2.CancelMatchRequest, matches.cancel_match, writes=True),
            "ListMatches": unary(matches_pb2.ListMatchesRequest, matches.list_matches),
            "WatchMatch": stream(matches_pb2.WatchMatchRequest, matches.watch_match),
            "GetRecord": stream(matches_pb2.GetRecordRequest, matches.get_record),
        }
        of_registry = {
            "RegisterBot": unary(
                registry_pb2.RegisterBotRequest, registry.register_bot, writes=True
            ),
            "RotateTokens": unary(
                registry_pb2.RotateTokensRequest, registry.rotate_tokens, writes=True
            ),
            "ListBots": unary(registry_pb2.ListBotsRequest, registry.list_bots),
        }
        return [
            grpc.method_handlers_generic_handler(service, methods)
            for service, methods in (
                (LADDERS, of_ladders),
                (MATCHES, of_matches),
                (REGISTRY, of_registry),
            )
        ]
