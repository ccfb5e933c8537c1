#!/bin/sh
# Build the sample bots (`tools/bots.sh build`) or run the tests of each (`tools/bots.sh test`).
# A language whose tool chain is not here is named, with what it needs, and left out; with ALL=1 that is an error.
# A build that fails is one in any case. BOTS="go rust" takes these alone.
set -u

cd "$(dirname "$0")/.." || exit 1
script=${1:?"say what to do: build or test"}.sh
PYTHON=${PYTHON:-$PWD/.venv/bin/python} # a language of its own here: the bot needs the library
export PYTHON

has() { # has COMMAND...: the first that is missing is noted
    for command; do
        command -v "$command" >/dev/null 2>&1 || { lacks="no command '$command'" && return 1; }
    done
}

# at_least WANTED TEXT: the first number with a point in TEXT, or its first number, is that or newer.
at_least() {
    found=$(printf '%s\n' "$2" | sed -n 's/[^0-9]*\([0-9][0-9]*\(\.[0-9][0-9]*\)\{0,1\}\).*/\1/p' | head -n 1)
    newest=$(printf '%s\n%s\n' "$1" "${found:-0}" | sort -t . -k 1,1n -k 2,2n | tail -n 1)
    [ "$newest" = "${found:-0}" ] || { lacks="version ${found:-unknown}" && return 1; }
}

# Each: what it needs, then whether that is here.
needs_python() { needs="Python 3.11 or newer with tichu_bot: make setup" && has "$PYTHON"; }
needs_go() { needs="Go 1.26 or newer" && has go && at_least 1.26 "$(go version)"; }
needs_rust() { needs="Rust 1.88 or newer, with cargo" && has cargo && at_least 1.88 "$(cargo --version)"; }
needs_java() {
    needs="a JDK from 17 on, and Maven 3.8 or newer"
    # Maven prints escape codes, with numbers in them, before its name.
    has javac mvn && at_least 17 "$(javac -version 2>&1)" && at_least 3.8 "$(mvn --version | sed -n 's/.*Maven //p')"
}
needs_typescript() { needs="Node.js 20 or newer, with npm" && has node npm && at_least 20 "$(node --version)"; }
needs_cpp() {
    needs="g++, CMake 3.25 or newer and gRPC; Debian: apt-get install g++ make cmake pkg-config libgrpc++-dev"
    needs="$needs libprotobuf-dev protobuf-compiler protobuf-compiler-grpc nlohmann-json3-dev libssl-dev"
    has g++ make cmake pkg-config protoc grpc_cpp_plugin && at_least 3.25 "$(cmake --version)" &&
        { pkg-config --exists grpc++ protobuf || { lacks="no grpc++ or protobuf" && false; }; }
}

missing=0 failed=''
for language in ${BOTS:-python go rust java typescript cpp}; do
    folder=sample_bots/$language
    if [ ! -f "$folder/$script" ]; then
        echo "error: no $folder/$script; languages: python go rust java typescript cpp" >&2
        exit 2
    fi
    if ! "needs_$language"; then
        missing=$((missing + 1))
        echo "$language: left out, $lacks; it needs $needs" >&2
        continue
    fi
    echo "$language: $folder/$script"
    sh "$folder/$script" || failed="$failed $language"
done

if [ -n "$failed" ]; then
    echo "error: failed:$failed" >&2
    exit 1
fi
if [ "$missing" -gt 0 ] && [ "${ALL:-0}" != 0 ]; then
    echo "error: $missing left out, and ALL=1 asks for all" >&2
    exit 1
fi
