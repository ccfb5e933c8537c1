#!/bin/sh
# Runs the tests; the last lines count them.
set -eu
cd "$(dirname "$0")"
exec mvn -B -ntp --strict-checksums test
