"""Places in a ladder, for tests."""

import msgspec

from referee.ladder.values import Deals, LegPlace, Player, Side, Unit


def side(entry: str) -> Side:
    """An entry of one bot with its own copy."""
    one = Player(bot=entry, version=f"sha256:{entry}")
    return Side(entry=entry, owner=f"{entry}'s owner", players=(one, one))


def place_of(**changes: object) -> LegPlace:
    """A leg of the first board of adam and zoe; in leg 2 they have each other's seats."""
    sides = (side("adam"), side("zoe"))
    place = LegPlace(
        event="spring",
        pairing="adam~zoe",
        board=1,
        attempt=1,
        leg=1,
        unit=Unit.BOARD,
        deals=Deals.BOARD,
        sides=sides if changes.get("leg", 1) == 1 else sides[::-1],
    )
    return msgspec.structs.replace(place, **changes)


def table_of(number: int, **changes: object) -> LegPlace:
    """A table of a deal that a field meets."""
    sides = (side(f"e{2 * number}"), side(f"e{2 * number + 1}"))
    fields = {"leg": number, "pairing": "field", "deals": Deals.FIELD, "sides": sides, **changes}
    return place_of(**fields)
