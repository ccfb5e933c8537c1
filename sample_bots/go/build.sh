#!/bin/sh
# Builds the bot, from any folder, and leaves it as ./bot beside this script.
set -eu
cd "$(dirname "$0")"
go generate .
go build -trimpath -o bot .
