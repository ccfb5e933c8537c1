#!/bin/sh
# Compare proto/ with the last release (the highest tag vX.Y.Z) and fail on a change that breaks clients.
# Before the first release, and in a tree that is no clone, there is nothing to compare with.
set -eu

if [ ! -e .git ]; then
    echo "proto: not a clone, no release to compare with"
    exit 0
fi
tags=$(git tag --list 'v[0-9]*' --sort=-version:refname)
release=$(printf '%s\n' "$tags" | head -n 1)
if [ -z "$release" ]; then
    echo "proto: no release to compare with"
    exit 0
fi
.venv/bin/buf breaking proto --against ".git#tag=$release,subdir=proto"
echo "proto: nothing breaks clients of $release"
