#!/usr/bin/env bash
# The demo behind `make demo`: embeds a sentence with all-MiniLM-L6-v2 and
# prints the answer, load time, run time and peak memory.
set -euo pipefail
cd "$(dirname "$0")/.."
model=$(tools/fetch_minilm.sh)
exec build/stint run "$model" --text "A network that runs within its budget."
