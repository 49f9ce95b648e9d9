#!/usr/bin/env python3
"""Writes src/model/ops/signatures.inc: what ONNX says of every operator's inputs and outputs.

Needs the onnx package (tools/packages-python.txt). Run it when a new ONNX release adds operators.
"""
import pathlib
import re

import onnx
from onnx import defs

# In the order of stint::DType.
DTYPES = (
    "float double float16 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool string "
    "int4 uint4 int2 uint2 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float8e8m0 float4e2m1 "
    "complex64 complex128").split()
UNLIMITED = 2147483647


def masks(types):
    """Bits of the element types per kind of value: tensor, sequence, optional."""
    found = {"tensor": 0, "seq": 0, "optional": 0}
    for text in types:
        kind, element = re.fullmatch(r"(\w+)\(.*?(\w+)\)+", text).groups()
        if element in DTYPES:
            found[kind] |= 1 << DTYPES.index(element)
    return found["tensor"], found["seq"], found["optional"]


def parameter(formal):
    option = formal.option.name
    kind = {"Single": "kOne", "Optional": "kMaybe", "Variadic": "kMany"}[option]
    if option == "Variadic" and not formal.is_homogeneous:
        kind = "kMixed"
    return kind, formal.type_str, masks(formal.types)


def row(schema):
    groups = []
    cells = []
    for formal in schema.inputs:
        kind, group, bits = parameter(formal)
        if group not in groups:
            groups.append(group)
        cells.append(f"{{{kind}, {groups.index(group)}, {', '.join(hex(b) for b in bits)}}}")
    if schema.name == "If":  # its captured values
        every = hex((1 << len(DTYPES)) - 1)
        cells.append(f"{{kMixed, {len(groups)}, {every}, {every}, {every}}}")
    outputs = 0 if schema.max_output == UNLIMITED else schema.max_output
    body = ", ".join(cells)
    return f'{{"{schema.name}", {schema.min_input}, {outputs}, {len(cells)}, {{{body}}}}},'


def main():
    schemas = [s for s in defs.get_all_schemas() if s.domain == "" and not s.deprecated]
    lines = [f"// Made by tools/generate_op_signatures.py from onnx {onnx.__version__}."]
    lines += [row(schema) for schema in sorted(schemas, key=lambda s: s.name)]
    target = pathlib.Path(__file__).resolve().parent.parent / "src/model/ops/signatures.inc"
    target.write_text("\n".join(lines) + "\n")
    print(f"{len(lines) - 1} operators, at most {max(len(s.inputs) for s in schemas)} inputs")


main()
