#!/usr/bin/env python3
"""Writes src/convert/onnx/schema_versions.inc: every ONNX operator with the opset versions that changed it.

Needs the onnx package (tools/packages-python.txt). Run it when a new ONNX release adds an opset.
"""
import collections
import pathlib

import onnx
from onnx import defs

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")

versions = collections.defaultdict(set)
for schema in defs.get_all_schemas_with_history():
    if schema.domain in DOMAINS:
        versions[schema.domain, schema.name].add(schema.since_version)

lines = [f"// Made by tools/generate_onnx_versions.py from onnx {onnx.__version__}."]
for (domain, name), since in sorted(versions.items()):
    lines.append(f'{{"{domain}", "{name}", {{{", ".join(map(str, sorted(since)))}}}}},')
target = pathlib.Path(__file__).resolve().parent.parent / "src/convert/onnx/schema_versions.inc"
target.write_text("\n".join(lines) + "\n")
print(f"{len(lines) - 1} operators, newest opset {defs.onnx_opset_version()}")
