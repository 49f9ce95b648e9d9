"""A StaticGraph as a symbol of MXNet 1.9."""

import mxnet as mx
import numpy as np

from onnx_static import StaticGraph
from protocol import Unsupported

S = mx.sym


def symmetric(node):
    pads = node.get("pads") or [0] * 4
    if pads[:2] != pads[2:]:
        raise Unsupported(f"padding {pads}: not symmetric")
    return tuple(pads[:2])


def conv(node, constants):
    weight = constants[1]
    options = dict(
        kernel=tuple(weight.shape[2:]), num_filter=weight.shape[0],
        stride=tuple(node.get("strides") or [1, 1]), pad=symmetric(node),
        dilate=tuple(node.get("dilations") or [1, 1]),
        num_group=node.get("group", 1))

    def run(x, w, b=None):
        if b is None:
            return S.Convolution(x, w, no_bias=True, **options)
        return S.Convolution(x, w, b, **options)
    return run


def max_pool(node, constants):
    options = dict(kernel=tuple(node["kernel_shape"]), pad=symmetric(node),
                   stride=tuple(node.get("strides") or [1, 1]))
    return lambda x: S.Pooling(x, pool_type="max", **options)


def mean_pool(node, constants):
    return lambda x: S.Pooling(x, kernel=(1, 1), global_pool=True,
                               pool_type="avg")


def gemm(node, constants):
    if node.get("transA", 0) or not node.get("transB", 0):
        raise Unsupported("Gemm but x * transposed weight")
    width = constants[1].shape[0]
    return lambda x, w, b: S.FullyConnected(x, w, b, num_hidden=width)


def matmul(node, constants):
    weight = constants[1]
    if weight is not None and weight.ndim == 2:
        return lambda x, w: S.FullyConnected(
            x, S.transpose(w), no_bias=True, flatten=False,
            num_hidden=weight.shape[1])
    return S.linalg.gemm2


def layer_norm(node, constants):
    if node.get("axis", -1) != -1:
        raise Unsupported("LayerNormalization of several axes")
    epsilon = node.get("epsilon", 1e-5)
    return lambda x, scale, shift: S.LayerNorm(x, scale, shift, eps=epsilon)


def clip(node, constants):
    low, high = float(constants[1]), float(constants[2])
    return lambda x, *limits: S.clip(x, low, high)


def reshape(node, constants):
    shape = tuple(int(n) for n in constants[1])
    return lambda x, _: S.reshape(x, shape)


def unsqueeze(node, constants):
    axes = sorted(int(n) for n in np.ravel(constants[1]))

    def run(x, _):
        for axis in axes:
            x = S.expand_dims(x, axis=axis)
        return x
    return run


def gather(node, constants):
    axis = node.get("axis", 0)
    return lambda x, i: S.take(x, i, axis=axis)


def cast(node, constants):
    kind = {1: "float32", 6: "int32", 7: "int64"}[node["to"]]
    return lambda x: S.cast(x, kind)


def gelu(node, constants):
    return lambda x: S.LeakyReLU(x, act_type="gelu")


def plain(call):
    return lambda node, constants: call


MAKERS = {
    "Conv": conv, "MaxPool": max_pool, "GlobalAveragePool": mean_pool,
    "Gemm": gemm, "MatMul": matmul, "LayerNormalization": layer_norm,
    "Clip": clip, "Reshape": reshape, "Unsqueeze": unsqueeze,
    "Gather": gather, "Cast": cast, "Gelu": gelu,
    "Flatten": plain(S.flatten), "Relu": plain(S.relu),
    "Add": plain(S.broadcast_add), "Sub": plain(S.broadcast_sub),
    "Mul": plain(S.broadcast_mul), "Div": plain(S.broadcast_div),
    "Erf": plain(S.erf), "Sqrt": plain(S.sqrt), "Tanh": plain(S.tanh),
    "Sigmoid": plain(S.sigmoid), "Identity": plain(S.identity),
    "Softmax": lambda node, constants: (
        lambda x, axis=node.get("axis", -1): S.softmax(x, axis=axis)),
    "Transpose": lambda node, constants: (
        lambda x, order=tuple(node["perm"]): S.transpose(x, order)),
}


def make_block(path, inputs):
    """(block, input names, output names): a hybridized block."""
    graph = StaticGraph(path, inputs)
    graph.check(MAKERS)
    values = {name: S.var(name) for name in graph.inputs}
    parameters = {}
    for op, node, names, output in graph.nodes:
        call = MAKERS[op](node, [graph.constants.get(n) for n in names])
        for name in names:
            if name and name not in values:
                values[name] = S.var(name)
                array = graph.constants[name]
                # Scalars are vectors of one here.
                parameters[name] = array.reshape(array.shape or (1,))
        values[output] = call(*[values[n] for n in names if n])
    symbol = S.Group([values[name] for name in graph.outputs])
    block = mx.gluon.SymbolBlock(symbol, [S.var(n) for n in graph.inputs])
    used = set(symbol.list_arguments())
    for name, parameter in block.collect_params().items():
        if name in used:
            array = parameters[name]
            parameter.dtype = array.dtype
            parameter.shape = array.shape
            parameter.initialize(mx.init.Zero(), ctx=mx.cpu())
            parameter.set_data(mx.nd.array(array, dtype=array.dtype))
    block.hybridize(static_alloc=True, static_shape=True)
    return block, graph.inputs, graph.outputs
