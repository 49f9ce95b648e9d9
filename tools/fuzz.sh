#!/usr/bin/env bash
# Runs every libFuzzer program for some seconds under ASan and UBSan, starting
# from the seeds in tests/fuzz/<name>. New inputs are kept in build-fuzz/corpus,
# a failing one in build-fuzz. Usage: tools/fuzz.sh SECONDS
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=$1

for program in build-fuzz/*_fuzz; do
  [ -x "$program" ] || continue
  name=$(basename "$program" _fuzz)
  corpus=build-fuzz/corpus/$name
  mkdir -p "$corpus"
  seeds=()
  [ -d "tests/fuzz/$name" ] && seeds=("tests/fuzz/$name")
  log=build-fuzz/$name.log
  # One input may take 10 s and 1 GB: more is a hang or a huge allocation.
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
      -artifact_prefix="build-fuzz/$name-" -print_final_stats=1 \
      "$corpus" "${seeds[@]}" > "$log" 2>&1; then
    echo "fuzz $name: $(sed -n 's/.*executed_units: *//p' "$log") inputs, ok"
  else
    tail -n 40 "$log"
    echo "fuzz $name: FAILED, see $log"
    exit 1
  fi
done
