#!/bin/sh
# Builds the bot, from any folder, and leaves it as ./bot beside this script.
set -eu
cd "$(dirname "$0")"
cmake -S . -B build
cmake --build build --target bot --parallel "$(nproc)"
install -m 755 build/bot bot
