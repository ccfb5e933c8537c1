"""gRPC: the server, its streams, health, reflection. Nothing here knows a rule of the game."""

import os

_VERBOSITY = "GRPC_VERBOSITY"
if _VERBOSITY not in os.environ:
    # gRPC's core writes lines of its own to stderr; what they say is in our errors. Only while it
    # is imported: bots inherit our environment, and their logs are their own matter.
    os.environ[_VERBOSITY] = "NONE"
    import grpc

    del os.environ[_VERBOSITY]
    del grpc
