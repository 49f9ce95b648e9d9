#!/usr/bin/env python3
"""Tokens per second of stint beside Hugging Face tokenizers, one thread each.

usage: tokenizer_bench.py BENCH_PROGRAM TOKENIZER_FOLDER TEXT_FILE [ROUNDS]

The two take turns, so that both see the same machine. Hugging Face runs its
fastest call (encode_batch_fast: no offsets, one call for all lines); its thread
pool is off. Exits with 1 when the numbers of ids differ.
"""

import os
import statistics
import subprocess
import sys
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from tokenizers import Tokenizer


def main():
    program, folder, path = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 7
    tokenizer = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    with open(path, encoding="utf-8", newline="\n") as f:
        lines = f.read().removesuffix("\n").split("\n")
    ours, theirs, ratios = [], [], []
    for _ in range(rounds):
        output = subprocess.check_output([program, folder, path], text=True)
        our_ids, seconds = output.split()
        ours.append(int(our_ids) / float(seconds))
        start = time.perf_counter()
        encodings = tokenizer.encode_batch_fast(lines)
        elapsed = time.perf_counter() - start
        their_ids = sum(len(e.ids) for e in encodings)
        theirs.append(their_ids / elapsed)
        ratios.append(ours[-1] / theirs[-1])
    print(f"{len(lines)} lines, {their_ids} ids, {rounds} rounds, medians")
    print(f"stint        {statistics.median(ours) / 1e6:8.2f} M ids/s")
    print(f"tokenizers   {statistics.median(theirs) / 1e6:8.2f} M ids/s")
    print(f"ratio        {statistics.median(ratios):8.2f} "
          f"({min(ratios):.2f} to {max(ratios):.2f})")
    if int(our_ids) != their_ids:
        sys.exit(f"ids: stint {our_ids}, tokenizers {their_ids}")


if __name__ == "__main__":
    main()
