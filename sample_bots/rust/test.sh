#!/bin/sh
# Runs the tests, with what the build has compiled.
set -eu
cd "$(dirname "$0")"
cargo test --release --locked
