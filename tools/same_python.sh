#!/bin/sh
# Fail where PYTHON names another Python than the one that .venv was made with.
set -u

python=.venv/bin/python
[ -n "${PYTHON:-}" ] && [ -x "$python" ] || exit 0

which='import sys; print(sys.version.split()[0], getattr(sys, "_base_executable", ""))'
base='import os, sys; print(os.path.realpath(sys._base_executable), sys.version_info[:3])'
has=$("$python" -c "$base" 2>/dev/null)
asked=$("$PYTHON" -c "$base" 2>/dev/null) || exit 0 # find_python.sh says what is wrong with it
[ "$has" = "$asked" ] && exit 0
echo "error: .venv was made with another Python ($("$python" -c "$which"))" >&2
echo "hint: \`make clean\` first, then: make setup PYTHON=$PYTHON" >&2
exit 1
