#!/bin/sh
# Builds the bot: an executable `bot` in this folder.
set -eu
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}
cargo build --release --locked
cp "$target/release/bot" bot.new
mv bot.new bot # also while the old one runs
