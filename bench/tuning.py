#!/usr/bin/env python3
"""What `stint tune` gives: a table of networks tuned here, in Markdown.

Usage: tuning.py MODEL.onnx... [--threads N] [--budget 60s] [--rounds N] [--stint PROGRAM]
Each model is tuned from nothing, in a folder of its own. Times are those of the last step of `stint tune`, in which
untuned, default and tuned networks run in turns; the last column is one `stint bench` of the tuned network: ours over
the faster of the peers in the same run, with its 95 % interval. Exit code 1 when a tuned network is slower than untuned.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = "onnxruntime,openvino"


def answer(command, cache):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, "XDG_CACHE_HOME": cache})
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}")
    return json.loads(done.stdout)


def tuned(model, options):
    """What tuning said, and our row beside the peers."""
    run = ["--threads", options.threads, "--format", "json"]
    with tempfile.TemporaryDirectory() as cache:
        tune = answer([options.stint, "tune", model, "--budget", options.budget, *run], cache)
        bench = answer([options.stint, "bench", model, "--against", PEERS, "--rounds", options.rounds, *run], cache)
    return tune, next(row for row in bench["rows"] if row["runtime"] == "stint")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--budget", default="60s")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--stint", default=ROOT / "build" / "stint")
    options = parser.parse_args()
    print(f"| batch 1, threads: {options.threads} | untuned | default | tuned | tuned / untuned | over peers | seconds |")
    print("|---|---|---|---|---|---|---|")
    shares = []
    for model in options.models:
        tune, ours = tuned(model, options)
        shares.append(tune["tuned_ms"] / tune["untuned_ms"])
        print(f"| {model.stem} | {tune['untuned_ms']:.3g} | {tune['default_ms']:.3g} | {tune['tuned_ms']:.3g} | {shares[-1]:.2f} "
              f"| {ours['ratio_to_best_peer']:.2f} [{ours['ratio_low']:.2f}, {ours['ratio_high']:.2f}] | {tune['seconds']:.0f} |",
              flush=True)
    print(f"\ntuned / untuned: mean {statistics.mean(shares):.2f}, largest {max(shares):.2f}")
    return int(max(shares) > 1)


if __name__ == "__main__":
    sys.exit(main())
