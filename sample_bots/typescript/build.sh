#!/bin/sh
# Install what the lock names, and build dist/.
set -eu

cd "$(dirname "$0")"
npm ci
npm run build
