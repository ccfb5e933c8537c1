#!/bin/sh
# Build, and run the tests; build.sh has installed what they need.
set -eu

cd "$(dirname "$0")"
npm test
