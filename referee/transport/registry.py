"""RegistryService: register bots that dial in, and give them new tokens."""

from referee._gen.tichu.referee.v1 import registry_pb2
from referee.ports.services import Registry
from referee.transport.paging import no_page, size_of
from referee.wire.services import bot_of, key_of, page_token, token_of


class RegistryCalls:
    """The calls of the service."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    async def register_bot(
        self, request: registry_pb2.RegisterBotRequest
    ) -> registry_pb2.RegisterBotResponse:
        """Register a bot."""
        made = await self._registry.register(request.name, request.owner, request.processes)
        return registry_pb2.RegisterBotResponse(tokens=map(token_of, made))

    async def rotate_tokens(
        self, request: registry_pb2.RotateTokensRequest
    ) -> registry_pb2.RotateTokensResponse:
        """Replace tokens of a bot."""
        made = await self._registry.rotate(request.name, request.process)
        return registry_pb2.RotateTokensResponse(tokens=map(token_of, made))

    async def list_bots(
        self, request: registry_pb2.ListBotsRequest
    ) -> registry_pb2.ListBotsResponse:
        """Return a page of bots. Its token is the name of its last one."""
        size, bots = size_of(request.page_size), list(self._registry.bots())
        if request.page_token:
            after = key_of(request.page_token)
            if after is None:
                raise no_page()
            bots = [bot for bot in bots if bot.name > after]
        page = bots[:size]
        return registry_pb2.ListBotsResponse(
            bots=map(bot_of, page),
            next_page_token=page_token(page[-1].name) if len(bots) > size else "",
        )
