#!/usr/bin/env bash
# Runs every libFuzzer program for some seconds under ASan and UBSan, starting
# from the seeds in tests/fuzz/<name>. New inputs are kept in build-asan/corpus,
# a failing one in build-asan. Usage: tools/fuzz.sh SECONDS [RUNS]; with RUNS, as
# many inputs made from the seeds alone with a fixed random seed, so that what a
# change must pass does not depend on luck.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1
runs=${2:-}

for program in build-asan/*_fuzz; do
  [ -x "$program" ] || continue
  name=$(basename "$program" _fuzz)
  corpus=build-asan/corpus/$name
  repeatable=()
  if [ -n "$runs" ]; then
    corpus=$(mktemp -d)
    repeatable=(-seed=1 "-runs=$runs")
  fi
  mkdir -p "$corpus"
  seeds=()
  [ -d "tests/fuzz/$name" ] && seeds=("tests/fuzz/$name")
  log=build-asan/$name.log
  # One input may take 10 s and 1 GB: more is a hang or a huge allocation.
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
      -artifact_prefix="build-asan/$name-" -print_final_stats=1 \
      "${repeatable[@]}" "$corpus" "${seeds[@]}" > "$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/.*executed_units: *//p' "$log") inputs, ok"
  else
    tail -n 40 "$log"
    echo "fuzz $name: FAILED, see $log"
    exit 1
  fi
done
