"""Checks a written network against what is published of it."""

import math

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

PRODUCTS = ("Conv", "Gemm", "MatMul")
SIZES = {"batch": 1, "sequence": 128}


def products(model):
    return [n for n in model.graph.node if n.op_type in PRODUCTS]


def run(model, inputs):
    """All outputs, and all operands and results of products, by name."""
    weights = {
        w.name: numpy_helper.to_array(w) for w in model.graph.initializer}
    names = [v.name for v in model.graph.output]
    for node in products(model):
        names += [node.input[1], node.output[0]]
    wanted = [n for n in dict.fromkeys(names) if n not in weights]
    known = {v.name for v in model.graph.output}
    model.graph.output.extend(
        onnx.ValueInfoProto(name=n) for n in wanted if n not in known)
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"])
    return weights | dict(zip(wanted, session.run(wanted, inputs)))


def count_macs(model, values):
    """Multiplications of convolutions and matrix products."""
    macs = 0
    for node in products(model):
        second = values[node.input[1]].shape
        if node.op_type == "Conv":
            depth = math.prod(second[1:])
        elif node.op_type == "Gemm":
            depth = second[1]  # every Gemm here has transB=1
        else:
            depth = second[-2]
        macs += values[node.output[0]].size * depth
    return macs


def random_inputs(model):
    random = np.random.default_rng(0)
    inputs = {}
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        shape = [d.dim_value or SIZES[d.dim_param] for d in dims]
        if value.name == "input":
            inputs[value.name] = random.standard_normal(shape, np.float32)
        elif value.name == "input_ids":
            inputs[value.name] = random.integers(0, 30522, shape)
        else:
            inputs[value.name] = np.ones(shape, np.int64) * (
                value.name == "attention_mask")
    return inputs


def check(network, path):
    """Raises AssertionError on a disagreement; returns a line of figures."""
    onnx.checker.check_model(path, full_check=True)
    model = onnx.load(path)
    name = model.graph.output[0].name
    values = run(model, random_inputs(model))
    std = float(values[name].std())
    assert np.isfinite(values[name]).all(), f"{name} is not finite"
    assert 0.1 < std < 20, f"output std {std}"
    macs = count_macs(model, values)
    assert abs(macs / network.macs - 1) < 0.002, f"{macs} MACs"
    return (f"{network.name}: {network.parameters / 1e6:.2f} M parameters, "
            f"{macs / 1e9:.3f} G MACs, {len(model.graph.node)} nodes, "
            f"output std {std:.3g}")
