#!/bin/sh
# Builds and runs the tests, from any folder; arguments go to `go test`.
set -eu
cd "$(dirname "$0")"
go generate .
go vet ./...
go test "$@" ./...
