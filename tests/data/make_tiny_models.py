#!/usr/bin/env python3
"""Writes the tiny ONNX models that the command-line tests run (needs the onnx package)."""
import pathlib

import numpy as np
from onnx import TensorProto, helper, numpy_helper, save

HERE = pathlib.Path(__file__).resolve().parent


def write(name, nodes, weights, shape=(3,)):
    graph = helper.make_graph(nodes, name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", *shape])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(v, k) for k, v in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    save(model, HERE / f"{name}.onnx")


write("linear", [helper.make_node("Gemm", ["x", "w", "b"], ["h"], "gemm"), helper.make_node("Relu", ["h"], ["y"], "relu")],
      {"w": np.array([[1, -1], [2, 0], [0, 3]], np.float32), "b": np.array([0.5, -0.5], np.float32)})
write("unsupported", [helper.make_node("Frobnicate", ["x"], ["a"], "first"), helper.make_node("Frobnicate", ["a"], ["c"], "second"),
                      helper.make_node("Jabber", ["c"], ["y"], "third")], {})
write("conv", [helper.make_node("Conv", ["x", "w"], ["h"], "spread", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["h"], ["r"], "relu"),
               helper.make_node("Conv", ["r", "d"], ["y"], "scale", group=16)],
      {"w": np.ones((16, 16, 3, 3), np.float32), "d": np.full((16, 1, 1, 1), 0.5, np.float32)}, (16, 12, 12))
