#!/usr/bin/env bash
# Runs ctest in a build folder, then prints how many tests were skipped inside
# the test programs, and ctest's own summary last. The exit code is ctest's.
# Usage: tools/run_tests.sh BUILD_DIR [ctest argument...]
set -uo pipefail
build=$1
shift

summary=$(mktemp)
trap 'rm -f "$summary"' EXIT
# The summary begins at the line "N% tests passed"; it is held back.
ctest --test-dir "$build" --output-on-failure "$@" 2>&1 |
  awk -v summary="$summary" '
    /^[0-9]+% tests passed/ { held = 1 }
    held { print > summary; next }
    { print; fflush() }'
code=${PIPESTATUS[0]}

log=$build/Testing/Temporary/LastTest.log
# GoogleTest: "[  SKIPPED ] Suite.Name (0 ms)"; unittest: "OK (skipped=2)".
skipped=$(grep -ahoE '^\[  SKIPPED \] [^ ]+ \([0-9]+ ms\)$' "$log" |
          awk '{ print "  " $4 }')
python=$(grep -aoE '\(.*skipped=[0-9]+' "$log" | grep -oE '[0-9]+$' |
         awk '{ n += $1 } END { print n + 0 }')
count=$(( $(grep -c . <<< "$skipped") + python ))
[ -z "$skipped" ] || echo "$skipped"
echo "$count tests skipped"
cat "$summary"
exit "$code"
