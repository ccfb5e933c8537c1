"""Finds every card in a message, wherever it stands: by the type of the field, not by its name."""

from collections.abc import Iterator
from typing import cast

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from referee._gen.tichu.referee.v1 import card_pb2

_CARD = card_pb2.Card.DESCRIPTOR
_Plan = tuple[tuple[str, ...], tuple[tuple[str, str, Descriptor], ...]]
_plans: dict[Descriptor, _Plan] = {}


def cards_within(message: Message, *, skip: str = "") -> Iterator[int]:
    """Every card number in a message and the messages in it, but for the field named `skip`."""
    yield from _cards(message, cast(Descriptor, message.DESCRIPTOR), skip)


def _cards(message: Message, kind: Descriptor, skip: str) -> Iterator[int]:
    single, nested = _plan(kind)
    for name in single:
        value = getattr(message, name)
        if isinstance(value, int):
            if value:
                yield value
        else:
            yield from value
    for name, label, below in nested:
        if name == skip:
            continue
        if label == "many":
            for item in getattr(message, name):
                yield from _cards(item, below, "")
        elif message.HasField(name):
            yield from _cards(getattr(message, name), below, "")


def _plan(kind: Descriptor) -> _Plan:
    """Which fields of a message are cards, and which messages in it can hold some."""
    plan = _plans.get(kind)
    if plan is None:
        cards = tuple(field.name for field in kind.fields if field.enum_type is _CARD)
        nested = tuple(
            (field.name, "many" if _repeated(field) else "one", field.message_type)
            for field in kind.fields
            if field.message_type is not None and _holds_cards(field.message_type, set())
        )
        plan = _plans[kind] = (cards, nested)
    return plan


def _repeated(field: FieldDescriptor) -> bool:
    return bool(field.is_repeated)


def _holds_cards(kind: Descriptor, above: set[str]) -> bool:
    if kind.full_name in above:
        return False
    return any(
        field.enum_type is _CARD
        or (
            field.message_type is not None
            and _holds_cards(field.message_type, above | {kind.full_name})
        )
        for field in kind.fields
    )
