"""Bytes of the protocol to domain values and back. Pure: no sockets, no clock, no match state.

Generated code stops here, in `transport` and in `check`. What a seat may know is written field by
field, from an allowlist; what a bot sends is checked field by field, so that nothing behind this
door meets a number that it does not know.
"""
