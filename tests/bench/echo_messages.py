"""The messages of the echo, described here so that the protocol's own files stay free of them.

As in the protocol, every frame holds a list. `pad` brings a message to the size that the referee's
have; `number` comes back, so that the server knows that every ask was answered once.
"""

from collections.abc import Sequence
from typing import Protocol, cast

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

METHOD = "/tichu.bench.Echo/Run"
SERVICE, _, NAME = METHOD.removeprefix("/").partition("/")
STREAMS = 4  # clients, and seats of a unit

_UINT32 = descriptor_pb2.FieldDescriptorProto.TYPE_UINT32
_BYTES = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
_MESSAGE = descriptor_pb2.FieldDescriptorProto.TYPE_MESSAGE
_OPTIONAL = descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL
_REPEATED = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED


class Item(Protocol):
    """An ask or an answer."""

    unit: int
    number: int
    pad: bytes


class Items(Protocol):
    """The list of a frame."""

    def add(self, *, unit: int, number: int, pad: bytes) -> Item:
        """Add an item."""

    def __len__(self) -> int: ...


class Frame(Protocol):
    """A list of asks, or of answers."""

    @property
    def items(self) -> Items:
        """The list, to add to."""

    def SerializeToString(self) -> bytes:
        """Return the frame as bytes."""


def _frame_class() -> type[Frame]:
    file = descriptor_pb2.FileDescriptorProto(
        name="tichu/bench/echo.proto", package="tichu.bench", syntax="proto3"
    )
    item = file.message_type.add(name="Item")
    for number, (name, kind) in enumerate(
        (("unit", _UINT32), ("number", _UINT32), ("pad", _BYTES)), start=1
    ):
        item.field.add(name=name, number=number, type=kind, label=_OPTIONAL)
    frame = file.message_type.add(name="Frame")
    frame.field.add(
        name="items", number=1, type=_MESSAGE, label=_REPEATED, type_name=".tichu.bench.Item"
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    described = pool.FindMessageTypeByName("tichu.bench.Frame")
    return cast("type[Frame]", message_factory.GetMessageClass(described))


new_frame = _frame_class()


def parse(data: bytes) -> Sequence[Item]:
    """Return the items of a frame."""
    frame = new_frame()
    frame.ParseFromString(data)  # type: ignore[attr-defined]
    return cast("Sequence[Item]", frame.items)


def padding(size: int, *, unit: int = 100, number: int = 10_000) -> bytes:
    """Return what brings an item to `size` bytes in its frame, if it is smaller than that."""
    frame = new_frame()
    frame.items.add(unit=unit, number=number, pad=b"")
    bare = len(frame.SerializeToString())
    return bytes(max(0, size - bare - 2))  # the tag and length of the padding
