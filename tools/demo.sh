#!/usr/bin/env bash
# The demo behind `make demo`: the sentiment model of models/ answers within a
# budget, and again within a third of the memory.
set -euo pipefail
cd "$(dirname "$0")/.."
model=models/sst2-minilm.stint
texts=("a gripping , funny and deeply human film"
       "two hours of my life that nobody will give back")
for memory in 21MB 7MB; do
  echo "Within $memory of memory and 50 ms, storage as fast as it is here:"
  echo
  for text in "${texts[@]}"; do
    echo "\"$text\""
    build/stint run "$model" --text "$text" --memory "$memory" --latency 50ms
    echo
  done
done
echo "What a plan for 7 MB looks like, on storage of 80 MB/s:"
echo
build/stint plan "$model" --memory 7MB --storage 80MB/s,100us --seq 16
