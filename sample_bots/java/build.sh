#!/bin/sh
# Builds the bot into target/bot.jar and target/lib, which `run` starts.
set -eu
cd "$(dirname "$0")"
exec mvn -q -B -ntp --strict-checksums -DskipTests package
