#!/usr/bin/env python3
"""Prints what plans get out of the bytes of so many bits, beside uniform bits of the same bytes.

Usage: plan_quality.py [--data GLUE] [--stint PROGRAM] [--work DIR] [--rows N] TASK=MODEL...
MODEL is a folder, packed once per source of calibration text (sentences of QNLI and of RTE, without labels), or a .stint
file with importance, taken as it is. Between whole bits uniform is the line between its neighbors. Exit code 1 when the
mean over all lies below uniform, or one of them more than half a point.
"""
import argparse
import gzip
import json
import math
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = {"sst2": "SST-2", "rte": "RTE", "mrpc": "MRPC", "cola": "CoLA", "stsb": "STS-B"}
PAIRS = {"rte", "mrpc"}
SOURCES = {"qnli": ("QNLI/dev.tsv.gz", 1, 2), "rte": ("RTE/train.tsv.gz", 1, 2)}
BITS = (2.0, 2.25, 2.5, 2.75, 3.0, 3.5, 4.0, 5.0)


def write_lines(source, pairs, options):
    """Texts of a source as plain lines, in an order that a seed gives."""
    name, first, second = SOURCES[source]
    path = options.work / f"{source}{'-pairs' if pairs else ''}.txt"
    with gzip.open(options.data / name, "rt", encoding="utf-8") as file:
        rows = [line.rstrip("\r\n").split("\t") for line in file][1:]
    random.Random(7).shuffle(rows)
    texts = [f"{row[first]}\t{row[second]}" if pairs else row[second] for row in rows[:options.calibrate_rows]]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")
    return path


def packages_of(task, model, options):
    """(name of the source, file)."""
    if model.suffix == ".stint":
        return [("own", model)]
    packages = []
    for source in SOURCES:
        packed = options.work / f"{task}-{source}.stint"
        if not packed.exists():
            lines = write_lines(source, task in PAIRS, options)
            subprocess.run([options.stint, "pack", model, "-o", packed, "--calibrate", lines, "--calibrate-rows",
                            str(options.calibrate_rows)], check=True, capture_output=True)
        packages.append((source, packed))
    return packages


def evaluate(packed, task, policy, options):
    data = options.data / FOLDERS[task] / "dev.tsv.gz"
    command = [options.stint, "eval", packed, "--task", task, "--data", data, "--max-length", "128", "--policy", policy,
               "--threads", str(options.threads), "--format", "json"]
    if options.rows:
        command += ["--rows", str(options.rows)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["value"]


def compare(packed, task, options):
    """Leads over uniform by bits, printed as they come."""
    low, high = math.floor(BITS[0]), math.ceil(BITS[-1])
    uniform = {b: evaluate(packed, task, f"resident:{b}", options) for b in range(low, high + 1)}
    leads = []
    for bits in BITS:
        below, above = math.floor(bits), math.ceil(bits)
        line = uniform[below] + (uniform[above] - uniform[below]) * (bits - below)
        ours = evaluate(packed, task, f"mean:{bits:g}", options)
        leads.append(ours - line)
        print(f"  {bits:4g}  {line:.4f}  {ours:.4f}  {leads[-1]:+.4f}", flush=True)
    return leads


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data" / "glue")
    parser.add_argument("--stint", default=str(ROOT / "build" / "stint"))
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".cache" / "plan_quality")
    parser.add_argument("--rows", type=int, default=0, help="of dev; 0: all")
    parser.add_argument("--calibrate-rows", type=int, default=128, help="[%(default)s]")
    parser.add_argument("--threads", type=int, default=2, help="[%(default)s]")
    parser.add_argument("models", nargs="+", metavar="TASK=MODEL", help=f"tasks: {', '.join(FOLDERS)}")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    leads = []
    for task, model in (pair.split("=", 1) for pair in options.models):
        for source, packed in packages_of(task, pathlib.Path(model), options):
            print(f"{task}, importance from {source}\n  bits  uniform ours    lead")
            leads += compare(packed, task, options)
    mean = sum(leads) / len(leads)
    print(f"mean lead {mean:+.4f}, least {min(leads):+.4f}")
    return 0 if mean >= 0 and min(leads) >= -0.005 else 1


if __name__ == "__main__":
    sys.exit(main())
