#!/bin/sh
# Print a Python that `make setup` can build .venv with: 3.11 or newer, with venv and ensurepip.
# PYTHON=/path/to/python names one; otherwise the usual names on PATH are tried in turn.
set -u

new_enough='import sys; sys.exit(sys.version_info < (3, 11))'
has_venv='import ensurepip, venv'
without_venv=

for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
    # A shim of a version manager is on PATH even when its version is not installed: run it.
    "$name" -c "$new_enough" >/dev/null 2>&1 || continue
    if "$name" -c "$has_venv" >/dev/null 2>&1; then
        command -v "$name"
        exit 0
    fi
    without_venv=$name
done

if [ -n "$without_venv" ]; then
    echo "error: $without_venv cannot make virtual environments: its venv module is missing" >&2
    echo "hint: Debian and Ubuntu: apt-get install python3-venv" >&2
else
    echo "error: no Python 3.11 or newer here (tried: ${PYTHON:-python3, python3.14 to python3.11})" >&2
    echo "hint: Debian 12, Ubuntu 24.04: apt-get install python3 python3-venv; macOS: brew install python3" >&2
    echo "hint: or name one: make setup PYTHON=/path/to/python3" >&2
fi
exit 1
