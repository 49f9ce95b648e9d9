#!/usr/bin/env python3
"""Writes src/convert/onnx/schema_versions.inc: every ONNX operator with the opset versions that changed
it and how many inputs each of them requires.

Needs the onnx package (tools/packages-python.txt). Run it when a new ONNX release adds an opset.
"""
import collections
import pathlib

import onnx
from onnx import defs

DOMAINS = ("", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training")



def required_inputs(schema):
    """Inputs before the first that may be left out."""
    options = [formal.option.name for formal in schema.inputs]
    return next((i for i, option in enumerate(options) if option != "Single"), len(options))


versions = collections.defaultdict(dict)
for schema in defs.get_all_schemas_with_history():
    if schema.domain in DOMAINS:
        versions[schema.domain, schema.name][schema.since_version] = required_inputs(schema)

lines = [f"// Made by tools/generate_onnx_versions.py from onnx {onnx.__version__}."]
for (domain, name), since in sorted(versions.items()):
    cells = ", ".join(f"{{{version}, {inputs}}}" for version, inputs in sorted(since.items()))
    lines.append(f'{{"{domain}", "{name}", {{{cells}}}}},')
target = pathlib.Path(__file__).resolve().parent.parent / "src/convert/onnx/schema_versions.inc"
target.write_text("\n".join(lines) + "\n")
print(f"{len(lines) - 1} operators, newest opset {defs.onnx_opset_version()}")
