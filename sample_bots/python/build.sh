#!/bin/sh
# Nothing to build; look whether the library is there. PYTHON names the interpreter.
set -eu

called=$0
cd "$(dirname "$0")"
PYTHON=${PYTHON:-python3}
if ! command -v "$PYTHON" >/dev/null; then
    echo "error: there is no command $PYTHON; name the Python that has tichu_bot: PYTHON=/path/to/python $called" >&2
    exit 1
fi
if ! "$PYTHON" -c 'import grpc, tichu_bot._gen.tichu.referee.v1.referee_pb2' 2>/dev/null; then
    echo "error: $PYTHON has no tichu_bot; name the Python of the referee, which has it:" \
        "PYTHON=/path/to/python $called; or install it:" >&2
    if [ -f pyproject.toml ]; then
        echo "  $PYTHON -m pip install $PWD" >&2
    else # a copy, and the library is the referee's
        echo "  $PYTHON -m pip install tichu_referee-*.whl  # the referee's wheel, or the folder of its checkout" >&2
    fi
    exit 1
fi
