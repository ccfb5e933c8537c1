"""A seat is not an int: a NewType of its own, so that a rank never passes for one."""

from typing import NewType

Seat = NewType("Seat", int)  # 0..n-1 in turn order; after seat n plays n+1
