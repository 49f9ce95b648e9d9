#!/usr/bin/env python3
"""Prints how stint compares with other runtimes, beside the limits we set ourselves.

Usage: table.py --models DIR --minilm FOLDER [--stint PROGRAM] [--quick] [--only NAME]
DIR is what `python -m bench.models --out DIR` wrote. Every line is one `stint bench`: ratio = ours over the fastest
correct fp32 peer in the same run, with its 95 % interval. Exit code 1 when a limit is missed.
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = "onnxruntime,openvino"
# Models whose int8 also has to be this much faster than each peer's own int8.
OWN_INT8_FACTOR = {"minilm": 2, "bert-base": 2}


@dataclasses.dataclass
class Line:
    model: str
    limits: dict  # precision: largest ratio
    seq: int | None = None
    batch: int = 1
    threads: int = 2
    quick: bool = False


LINES = [
    Line("minilm", {"fp32": 0.65, "bf16": 0.20, "int8": 0.17}, seq=128, quick=True),
    Line("minilm", {"fp32": 0.60, "bf16": 0.35, "int8": 0.35}, seq=16),
    Line("bert-base", {"fp32": 0.67, "bf16": 0.16, "int8": 0.11}, seq=128),
    Line("resnet50", {"fp32": 0.80, "bf16": 0.30, "int8": 0.25}),
    Line("resnet18", {"fp32": 0.80, "bf16": 0.30, "int8": 0.25}),
    Line("mobilenet-v2", {"fp32": 0.75, "bf16": 0.60, "int8": 0.50}, quick=True),
    Line("efficientnet-b0", {"fp32": 0.75, "int8": 0.60}),
    Line("densenet121", {"fp32": 0.80, "bf16": 0.40}),
    Line("vgg16", {"fp32": 0.80, "bf16": 0.30, "int8": 0.25}),
    Line("minilm", {"fp32": 0.9}, seq=128, batch=64),
    Line("resnet50", {"fp32": 0.9}, batch=64),
    Line("mobilenet-v2", {"fp32": 0.9}, batch=64),
    Line("minilm", {"fp32": 0.9}, seq=128, threads=1),
    Line("minilm", {"fp32": 0.9}, seq=16, threads=1),
    *(Line(model, {"fp32": 0.9}, seq=128 if model == "bert-base" else None, threads=1)
      for model in ("bert-base", "resnet50", "resnet18", "mobilenet-v2", "efficientnet-b0", "densenet121", "vgg16")),
]


def run(line, path, options):
    command = [options.stint, "bench", path, "--against", PEERS, "--batch", line.batch, "--threads", line.threads,
               "--precision", ",".join(line.limits), "--rounds", options.rounds, "--seconds", options.seconds, "--format", "json"]
    if line.seq:
        command += ["--seq", line.seq]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(done.returncode)
    return json.loads(done.stdout)


def verdict(row, limit):
    """(what to print, whether the limit is kept)"""
    if row["ratio_to_best_peer"] is None:
        return f"{row['status']}: {row['reason'] or 'no peer to compare with'}", False
    kept = row["ratio_to_best_peer"] <= limit
    interval = "-" if row["ratio_low"] is None else f"{row['ratio_low']:.3f}, {row['ratio_high']:.3f}"
    return (f"{row['ratio_to_best_peer']:.3f} [{interval}]  "
            f"{'ok' if kept else 'over'}"), kept


def report(line, result):
    """Prints one model's lines; returns how many limits were missed."""
    size = f"{line.batch}x{line.seq}" if line.seq else str(line.batch)
    missed = 0
    rows = {(row["runtime"], row["precision"]): row for row in result["rows"]}
    noisy = result["noise"] is not None and result["noise"]["too_noisy"]
    for precision, limit in line.limits.items():
        row = rows["stint", precision]
        text, kept = verdict(row, limit)
        time = f"{row['p50_ms']:9.2f}" if row["p50_ms"] is not None else f"{'-':>9}"
        print(f"{line.model:16} {size:>7} {line.threads:>2} {precision:5} {time} {limit:6.2f}  {text}"
              f"{'  (noisy)' if noisy and row['p50_ms'] is not None else ''}", flush=True)
        missed += not kept
    return missed + report_own_int8(line, rows)


def report_own_int8(line, rows):
    factor = OWN_INT8_FACTOR.get(line.model)
    if factor is None or "int8" not in line.limits:
        return 0
    ours, missed = rows["stint", "int8"]["p50_ms"], 0
    for (runtime, precision), row in rows.items():
        if runtime == "stint" or precision != "int8" or row["p50_ms"] is None:
            continue
        found = f"{row['p50_ms'] / ours:.2f} times ours" if ours else "ours did not run"
        kept = ours is not None and row["p50_ms"] >= factor * ours
        print(f"{'':16} {runtime}'s int8 takes {row['p50_ms']:.2f} ms, {found}; at least {factor}  {'ok' if kept else 'over'}")
        missed += not kept
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=pathlib.Path, required=True)
    parser.add_argument("--minilm", type=pathlib.Path, required=True)
    parser.add_argument("--stint", default=str(ROOT / "build" / "stint"))
    parser.add_argument("--only", help="a model's name")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--quick", action="store_true", help="two lines, six short rounds")
    options = parser.parse_args()
    lines = [line for line in LINES if options.only in (None, line.model)]
    if options.quick:
        lines, options.rounds = [line for line in lines if line.quick], 6
        options.seconds = min(options.seconds, 0.25)
    print(f"{'model':16} {'batch':>7} {'th':>2} {'':5} {'ours ms':>9} {'limit':>6}  ratio to the best fp32 peer ({PEERS})")
    missed = 0
    for line in lines:
        path = options.minilm if line.model == "minilm" else options.models / f"{line.model}.onnx"
        missed += report(line, run(line, path, options))
    print(f"{missed} limits missed" if missed else "all limits kept")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
