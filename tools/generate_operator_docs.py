#!/usr/bin/env python3
"""Writes docs/operators.md: the ONNX operators that stint imports, their versions, and the element types that pass.

Usage: generate_operator_docs.py STINT CASES   (CASES: the unpacked ONNX backend tests)
Versions come from `stint operators`. Types are those of the first input in conformance cases of one operator that pass.
"""
import collections
import json
import pathlib
import subprocess
import sys

stint, cases = sys.argv[1], pathlib.Path(sys.argv[2])


def lines(*arguments):
    done = subprocess.run([stint, *map(str, arguments), "--format", "json"], capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


types = collections.defaultdict(set)
passed = collections.Counter()
for suite in ("node", "simple", "pytorch-converted", "pytorch-operator"):
    for row in lines("check", cases / suite):
        if row.get("status") != "passed":
            continue
        for report in lines("inspect", cases / suite / row["case"] / "model.onnx"):
            if report["nodes"] == 1 and report.get("inputs"):
                name = next(iter(report["operators"]))
                types[name].add(report["inputs"][0]["type"])
                passed[name] += 1

out = ["# Supported operators", "",
       "Made by `tools/generate_operator_docs.py`. *Versions* are the opset versions that changed the operator's definition and",
       "that stint imports; an operator whose version or attribute is not known is reported, never guessed. *Proven types*",
       "are the element types of the first input in the ONNX backend cases of that operator alone that pass; most",
       "operators take more, since reference evaluation covers every numeric type.", ""]
domain = None
for op in lines("operators"):
    if op["domain"] != domain:
        domain = op["domain"]
        out += ["", f"## {domain or 'ai.onnx'}", "", "| operator | versions | proven types | cases |", "|---|---|---|---|"]
    versions = ", ".join(map(str, op["versions"])) or "any"
    name = op["operator"]
    known = (sorted(types[name]), passed[name]) if domain == "" else ([], 0)
    out.append(f"| {name} | {versions} | {' '.join(known[0])} | {known[1] or ''} |")
pathlib.Path(__file__).resolve().parents[1].joinpath("docs/operators.md").write_text("\n".join(out) + "\n")
