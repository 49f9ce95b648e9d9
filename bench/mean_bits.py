#!/usr/bin/env python3
"""Prints what our plan gets out of the bytes of 2.5 bits, beside the line between all shards at 2 and all at 3 bits.

Usage: mean_bits.py [--folders DIR] [--data GLUE] [--stint PROGRAM] [--bits 2.5] [task...]
Of each task, DIR/TASK-finetune/export (training/README.md) is packed with importance from its training data, and
evaluated on dev; SST-2 is the project's own package. Exit code 1 when the mean over the tasks is not above the line.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
GLUE = {"sst2": "SST-2", "rte": "RTE", "mrpc": "MRPC", "cola": "CoLA", "stsb": "STS-B"}


def package_of(task, options):
    """A packed model with importance; packed only once."""
    if task == "sst2":
        return ROOT / "models" / "sst2-minilm.stint"
    packed = options.folders / f"{task}.stint"
    if not packed.exists():
        subprocess.run([options.stint, "pack", options.folders / f"{task}-finetune" / "export", "-o", packed, "--calibrate",
                        options.data / GLUE[task] / "train.tsv.gz", "--task", task, "--calibrate-rows", str(options.rows)],
                       check=True, capture_output=True)
    return packed


def evaluate(packed, task, policy, options):
    done = subprocess.run([options.stint, "eval", packed, "--task", task, "--data", options.data / GLUE[task] / "dev.tsv.gz",
                           "--max-length", "128", "--policy", policy, "--format", "json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def values_of(task, options):
    """(value at fewer bits, ours, at more bits), and the metric."""
    packed = package_of(task, options)
    low, high = math.floor(options.bits), math.ceil(options.bits)
    answers = [evaluate(packed, task, policy, options)
               for policy in (f"resident:{low}", f"mean:{options.bits:g}", f"resident:{high}")]
    sizes = [answer["plan"]["preload_bytes"] for answer in answers]
    share = (sizes[1] - sizes[0]) / (sizes[2] - sizes[0])
    if share > options.bits - low + 1e-9:
        raise SystemExit(f"{task}: {sizes[1]} bytes are more than those of {options.bits} bits")
    return [answer["value"] for answer in answers], answers[0]["metric"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folders", type=pathlib.Path, default=ROOT / ".cache" / "training")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data" / "glue")
    parser.add_argument("--stint", default=str(ROOT / "build" / "stint"))
    parser.add_argument("--bits", type=float, default=2.5)
    parser.add_argument("--rows", type=int, default=128, help="of training data, for importance [%(default)s]")
    parser.add_argument("tasks", nargs="*", metavar="task", help=f"of {', '.join(GLUE)}; default: all")
    options = parser.parse_args()
    if options.bits == int(options.bits):
        parser.error("--bits must lie between two whole numbers")
    low = math.floor(options.bits)
    print(f"{'task':6} {'metric':10} {low} bits  ours at {options.bits:g}  line   {low + 1} bits")
    leads = []
    for task in options.tasks or GLUE:
        (fewer, ours, more), metric = values_of(task, options)
        line = fewer + (more - fewer) * (options.bits - low)
        leads.append(ours - line)
        print(f"{task:6} {metric:10} {fewer:.4f}  {ours:.4f}       {line:.4f} {more:.4f}", flush=True)
    lead = sum(leads) / len(leads)
    print(f"mean over {len(leads)} tasks: {lead:+.4f} beside the line")
    return 0 if lead > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
