#!/bin/sh
# Builds and runs the tests; the last line is "N passed, N failed".
set -eu
cd "$(dirname "$0")"
cmake -S . -B build
cmake --build build --target bot_tests --parallel "$(nproc)"
exec build/bot_tests
