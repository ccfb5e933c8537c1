#!/bin/sh
# Nothing to build; look whether the library is there. PYTHON names the interpreter.
set -eu

cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
if ! "$PYTHON" -c 'import grpc, tichu_bot._gen.tichu.referee.v1.referee_pb2' 2>/dev/null; then
    echo "error: $PYTHON has no tichu_bot; install it: $PYTHON -m pip install $PWD" >&2
    exit 1
fi
