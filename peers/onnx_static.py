"""An ONNX graph with fixed input shapes, for runtimes that do not read ONNX.

What depends on shapes alone (Shape, the integers computed from it, weights that
are transposed) is folded into constants, so that an importer sees only nodes
that compute, and constants where a runtime wants numbers.
"""

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator

from protocol import Unsupported

LARGE = 1024  # elements: no shape is computed from more


class StaticGraph:
    """inputs, outputs: names. constants: arrays by name. nodes: (op, attributes,
    input names with "" where left out, output name) in order."""

    def __init__(self, path, inputs):
        model = onnx.load(path)
        fix_shapes(model, inputs)
        constants = {tensor.name: numpy_helper.to_array(tensor)
                     for tensor in model.graph.initializer}
        declare_weights(model)
        while fold(model, constants):
            pass
        self.inputs = [value.name for value in model.graph.input
                       if value.name not in constants]
        self.outputs = [value.name for value in model.graph.output]
        self.constants = constants
        self.nodes = [(node.op_type, attributes(node), list(node.input),
                       node.output[0]) for node in model.graph.node]

    def check(self, makers):
        """Unsupported names the operators that an importer has no maker for."""
        unknown = {node[0] for node in self.nodes} - set(makers)
        if unknown:
            raise Unsupported(f"operators {', '.join(sorted(unknown))}")


def attributes(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def fix_shapes(model, inputs):
    shapes = {i["name"]: i["shape"] for i in inputs}
    for value in model.graph.input:
        if value.name not in shapes:
            continue
        dims = value.type.tensor_type.shape.dim
        for dim, size in zip(dims, shapes[value.name]):
            dim.ClearField("dim_param")
            dim.dim_value = size


def declare_weights(model):
    """Large weights become inputs, whose shapes are known: passes over the
    graph then copy no megabytes."""
    kept = []
    for tensor in model.graph.initializer:
        if int(np.prod(tensor.dims)) <= LARGE:
            kept.append(tensor)
            continue
        model.graph.input.append(helper.make_tensor_value_info(
            tensor.name, tensor.data_type, tensor.dims))
    kept = [onnx.TensorProto.FromString(t.SerializeToString()) for t in kept]
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)


def known_shapes(model, constants):
    """Shapes of all values that can be inferred, with what is folded so far."""
    small = onnx.ModelProto()
    small.CopyFrom(model)
    named = {tensor.name for tensor in small.graph.initializer}
    small.graph.initializer.extend(
        numpy_helper.from_array(array, name)
        for name, array in constants.items()
        if name not in named and array.size <= LARGE)
    graph = shape_inference.infer_shapes(small, data_prop=True).graph
    shapes = {name: list(array.shape) for name, array in constants.items()}
    for value in [*graph.value_info, *graph.input, *graph.output]:
        dims = value.type.tensor_type.shape.dim
        if value.type.tensor_type.HasField("shape") and all(
                dim.HasField("dim_value") for dim in dims):
            shapes[value.name] = [dim.dim_value for dim in dims]
    return shapes


def evaluate(node, model, constants):
    names = [name for name in node.input if name]
    graph = helper.make_graph(
        [node], "one",
        [helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(constants[name].dtype),
            constants[name].shape) for name in dict.fromkeys(names)],
        [onnx.ValueInfoProto(name=node.output[0])])
    one = helper.make_model(graph, opset_imports=model.opset_import,
                            ir_version=model.ir_version)
    feeds = {name: constants[name] for name in names}
    return np.asarray(ReferenceEvaluator(one).run(None, feeds)[0])


def fold(model, constants):
    """One pass; whether anything was folded."""
    shapes = known_shapes(model, constants)
    left = []
    for node in model.graph.node:
        if node.op_type == "Shape" and node.input[0] in shapes:
            constants[node.output[0]] = np.array(
                shapes[node.input[0]], np.int64)
        elif all(not name or name in constants for name in node.input):
            constants[node.output[0]] = evaluate(node, model, constants)
        else:
            left.append(node)
    folded = len(left) < len(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(left)
    return folded
