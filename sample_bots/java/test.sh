#!/bin/sh
# Runs the tests; the last lines count them.
set -eu
cd "$(dirname "$0")"
exec mvn -B -ntp -Dstyle.color=never --strict-checksums test
