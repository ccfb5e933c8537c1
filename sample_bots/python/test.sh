#!/bin/sh
# Run the tests. PYTHON names the interpreter, which needs the library; see build.sh.
set -eu

cd "$(dirname "$0")"
"${PYTHON:-python3}" -m unittest -q test_bot
