#!/usr/bin/env bash
# `make search`: a small semantic search with all-MiniLM-L6-v2, which it fetches,
# over the sentences in examples/.
set -euo pipefail
cd "$(dirname "$0")/.."
model=$(tools/fetch_minilm.sh)
queries=("Where can I buy a loaf?"
         "birds that catch fish"
         "medical care that costs nothing")
echo "Three queries over the $(wc -l < examples/sentences.txt) sentences of examples/sentences.txt:"
echo
build/examples/semantic_search "$model" examples/sentences.txt "${queries[@]}"
