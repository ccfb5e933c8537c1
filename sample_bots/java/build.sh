#!/bin/sh
# Builds the bot into target/bot.jar and target/lib, which `run` starts.
set -eu
cd "$(dirname "$0")"
# Maven resets the terminal's colours even when told to use none: what it says counts if it fails.
said=$(mvn -q -B -ntp -Dstyle.color=never --strict-checksums -DskipTests package 2>&1) || {
    printf '%s\n' "$said" >&2
    exit 1
}
