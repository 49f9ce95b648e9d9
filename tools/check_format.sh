#!/usr/bin/env bash
# Fails when clang-format-14 would change a tracked C++ file. With --fix it
# changes them instead.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
git ls-files -z --cached --others --exclude-standard '*.cc' '*.h' |
  xargs -0 -r clang-format-14 "${mode[@]}"
