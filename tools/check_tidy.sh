#!/usr/bin/env bash
# Runs clang-tidy-14 over the library's and the command line's sources, several
# at a time, with the flags of a build folder. Usage: tools/check_tidy.sh BUILD_DIR [path...]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$1
shift
[ $# -gt 0 ] || set -- src
git ls-files -z --cached --others --exclude-standard "$@" |
  grep -zE '\.cc$' | grep -zvE '_(test|bench|fuzz)\.cc$' |
  xargs -0 -r -n 4 -P "$(nproc)" \
    clang-tidy-14 -p "$build" --quiet --warnings-as-errors='*' 2> /dev/null
