"""A StaticGraph in TensorFlow calls.

Pictures are kept with channels last, which is what TensorFlow's CPU kernels
want: a value is (tensor, whether its channels are last).
"""

import numpy as np
import tensorflow as tf

from onnx_static import StaticGraph
from protocol import Unsupported

TO_LAST, TO_FIRST = [0, 2, 3, 1], [0, 3, 1, 2]


def last(value):
    tensor, is_last = value
    return tensor if is_last else tf.transpose(tensor, TO_LAST)


def first(value):
    tensor, is_last = value
    return tf.transpose(tensor, TO_FIRST) if is_last else tensor


def padding(node):
    top, left, bottom, right = node.get("pads") or [0] * 4
    return [[0, 0], [top, bottom], [left, right], [0, 0]]


def strides(node):
    return [1, *(node.get("strides") or [1, 1]), 1]


def depthwise(weight, step, pads):
    """(call, padding): explicit padding of this op crashes the optimizer of
    TensorFlow 2.21, so what SAME does not mean is padded before."""
    same = [[0, 0], *([size // 2] * 2 for size in weight.shape[2:]), [0, 0]]
    if step == [1, 1, 1, 1] and pads == same:
        return tf.nn.depthwise_conv2d, "SAME"
    return (lambda x, kernel, step, _: tf.nn.depthwise_conv2d(
        tf.pad(x, pads), kernel, step, "VALID")), None


def conv(node, constants):
    weight = constants[1]  # [out, in / groups, height, width]
    if any(d != 1 for d in node.get("dilations") or []):
        raise Unsupported("Conv with dilations")
    groups, step, pads = node.get("group", 1), strides(node), padding(node)
    if groups == weight.shape[0] and groups > 1:
        kernel = tf.constant(weight.transpose(2, 3, 0, 1))
        call, pads = depthwise(weight, step, pads)
    elif groups == 1:
        kernel, call = tf.constant(weight.transpose(2, 3, 1, 0)), tf.nn.conv2d
    else:
        raise Unsupported(f"Conv with {groups} groups")

    def run(x, w, b=None):
        y = call(last(x), kernel, step, pads)
        return (y if b is None else tf.nn.bias_add(y, first(b)), True)
    return run


def max_pool(node, constants):
    kernel, step, pads = node["kernel_shape"], strides(node), padding(node)

    def run(x):
        x = tf.pad(last(x), pads, constant_values=-np.inf)
        return tf.nn.max_pool2d(x, kernel, step, "VALID"), True
    return run


def mean_pool(node, constants):
    return lambda x: (tf.reduce_mean(last(x), [1, 2], keepdims=True), True)


def flatten(node, constants):
    return lambda x: (tf.reshape(first(x), [x[0].shape[0], -1]), False)


def gemm(node, constants):
    left, right = bool(node.get("transA", 0)), bool(node.get("transB", 0))

    def run(a, b, c=None):
        y = tf.matmul(first(a), first(b), left, right)
        return (y if c is None else y + first(c), False)
    return run


def layer_norm(node, constants):
    if node.get("axis", -1) != -1:
        raise Unsupported("LayerNormalization of several axes")
    epsilon = node.get("epsilon", 1e-5)

    def run(x, scale, shift=None):
        mean, variance = tf.nn.moments(first(x), [-1], keepdims=True)
        return tf.nn.batch_normalization(
            first(x), mean, variance, None if shift is None else first(shift),
            first(scale), epsilon), False
    return run


def elementwise(call):
    """Of one or two values; the layout stays where all have it."""
    def make(node, constants):
        def run(*values):
            is_last = all(value[1] for value in values)
            get = (lambda value: value[0]) if is_last else first
            return call(*[get(value) for value in values]), is_last
        return run
    return make


def clip(node, constants):
    low, high = float(constants[1]), float(constants[2])
    return lambda x, *limits: (tf.clip_by_value(x[0], low, high), x[1])


def with_constant(call):
    """call(x, numbers): the second input is a constant."""
    def make(node, constants):
        numbers = [int(n) for n in np.ravel(constants[1])]
        return lambda x, _: (call(first(x), numbers), False)
    return make


def reshape(x, sizes):
    return tf.reshape(x, [x.shape[i] if size == 0 else size
                          for i, size in enumerate(sizes)])


def unsqueeze(x, axes):
    for axis in sorted(axes):
        x = tf.expand_dims(x, axis)
    return x


def plain(make_call):
    """make_call(node) -> call on channels-first tensors."""
    def make(node, constants):
        call = make_call(node)
        return lambda *values: (call(*[first(v) for v in values]), False)
    return make


MAKERS = {
    "Conv": conv, "MaxPool": max_pool, "GlobalAveragePool": mean_pool,
    "Flatten": flatten, "Gemm": gemm, "LayerNormalization": layer_norm,
    "Clip": clip, "Reshape": with_constant(reshape),
    "Unsqueeze": with_constant(unsqueeze),
    "Relu": elementwise(tf.nn.relu), "Add": elementwise(tf.add),
    "Mul": elementwise(tf.multiply), "Sub": elementwise(tf.subtract),
    "Div": elementwise(tf.divide), "Erf": elementwise(tf.math.erf),
    "Sqrt": elementwise(tf.sqrt), "Tanh": elementwise(tf.tanh),
    "Sigmoid": elementwise(tf.sigmoid), "Identity": elementwise(tf.identity),
    "MatMul": plain(lambda node: tf.matmul),
    "Softmax": plain(lambda node: lambda x: tf.nn.softmax(
        x, node.get("axis", -1))),
    "Gelu": plain(lambda node: lambda x: tf.nn.gelu(
        x, node.get("approximate", b"none") == b"tanh")),
    "Transpose": plain(lambda node: lambda x: tf.transpose(x, node["perm"])),
    "Gather": plain(lambda node: lambda x, i: tf.gather(
        x, i, axis=node.get("axis", 0))),
    "Cast": plain(lambda node: lambda x: tf.cast(
        x, {1: tf.float32, 6: tf.int32, 7: tf.int64, 9: tf.bool}[node["to"]])),
    "Where": plain(lambda node: tf.where),
}


class TensorFlowGraph:
    """call(*inputs) in the order of the graph's inputs -> outputs."""

    def __init__(self, path, inputs):
        graph = StaticGraph(path, inputs)
        graph.check(MAKERS)
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.constants = {name: (tf.constant(array), False)
                          for name, array in graph.constants.items()}
        self.steps = [
            (MAKERS[op](node, [graph.constants.get(name) for name in names]),
             names, output) for op, node, names, output in graph.nodes]

    def call(self, *inputs):
        values = dict(self.constants)
        values.update({name: (x, False)
                       for name, x in zip(self.inputs, inputs)})
        for call, names, output in self.steps:
            values[output] = call(*[values[n] if n else None for n in names])
        return [first(values[name]) for name in self.outputs]
