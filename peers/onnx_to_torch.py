"""An ONNX graph as a torch module: one torch call per node, eager.

Covers what the networks of bench/models and stint's exports of BERT-like models
use; anything else is named in an Unsupported error, such as pools that are not
padded alike at both ends.
"""

import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

from protocol import Unsupported


def pairs(node, name, rank, default):
    return list(node.get(name) or [default] * rank)


def both_paddings(node, rank):
    """Of the beginnings and of the ends."""
    pads = pairs(node, "pads", 2 * rank, 0)
    if node.get("auto_pad", b"NOTSET") not in (b"NOTSET", b"VALID"):
        raise Unsupported("auto_pad")
    return pads[:rank], pads[rank:]


def padding(node, rank):
    begins, ends = both_paddings(node, rank)
    if begins != ends:
        raise Unsupported(f"padding {begins + ends}: not symmetric")
    return begins


def conv(node):
    rank = len(node["kernel_shape"])
    call = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[rank]
    stride, dilation = pairs(node, "strides", rank, 1), pairs(
        node, "dilations", rank, 1)
    (begins, ends), groups = both_paddings(node, rank), node.get("group", 1)
    if begins == ends:
        return lambda x, w, b=None: call(x, w, b, stride, begins, dilation,
                                         groups)
    # Pairs of the last dimension come first.
    pads = [side for pair in zip(reversed(begins), reversed(ends))
            for side in pair]
    return lambda x, w, b=None: call(F.pad(x, pads), w, b, stride, 0, dilation,
                                     groups)


def max_pool(node):
    kernel, pads = node["kernel_shape"], padding(node, 2)
    stride = pairs(node, "strides", 2, 1)
    return lambda x: F.max_pool2d(x, kernel, stride, pads)


def average_pool(node):
    kernel, pads = node["kernel_shape"], padding(node, 2)
    stride = pairs(node, "strides", 2, 1)
    count = bool(node.get("count_include_pad", 0))
    return lambda x: F.avg_pool2d(x, kernel, stride, pads,
                                  count_include_pad=count)


def gemm(node):
    if node.get("alpha", 1.0) != 1.0 or node.get("beta", 1.0) != 1.0:
        raise Unsupported("Gemm with alpha or beta")
    left, right = node.get("transA", 0), node.get("transB", 0)

    def run(a, b, c=None):
        a = a.t() if left else a
        return F.linear(a, b if right else b.t(), c)
    return run


def batch_norm(node):
    epsilon = node.get("epsilon", 1e-5)
    return lambda x, scale, shift, mean, variance: F.batch_norm(
        x, mean, variance, scale, shift, eps=epsilon)


def layer_norm(node):
    axis, epsilon = node.get("axis", -1), node.get("epsilon", 1e-5)
    return lambda x, scale, shift=None: F.layer_norm(
        x, x.shape[axis:], scale, shift, epsilon)


def gather(node):
    axis = node.get("axis", 0)

    def run(data, index):
        if axis == 0 and data.dim() == 2 and index.dim() > 0:
            return F.embedding(index, data)
        flat = data.index_select(axis, index.reshape(-1))
        return flat.reshape(
            data.shape[:axis] + index.shape + data.shape[axis + 1:])
    return run


def reshape(node):
    def run(x, shape):
        sizes = shape.tolist()
        return x.reshape([x.shape[i] if size == 0 else size
                          for i, size in enumerate(sizes)])
    return run


def take_slice(node):
    def run(x, starts, ends, axes=None, steps=None):
        for i, (start, end) in enumerate(zip(starts.tolist(), ends.tolist())):
            axis = int(axes[i]) if axes is not None else i
            step = int(steps[i]) if steps is not None else 1
            index = [slice(None)] * x.dim()
            index[axis] = slice(start, end, step)
            x = x[tuple(index)]
        return x
    return run


def pad(node):
    if node.get("mode", b"constant") != b"constant":
        raise Unsupported(f"Pad with mode {node['mode'].decode()}")

    def run(x, pads, value=None, axes=None):
        sizes = pads.tolist()
        half = len(sizes) // 2
        order = axes.tolist() if axes is not None else range(half)
        both = [[0, 0] for _ in range(x.dim())]
        for i, axis in enumerate(order):
            both[axis] = [sizes[i], sizes[half + i]]
        # torch counts from the last dimension on.
        flat = [size for axis in reversed(both) for size in axis]
        return F.pad(x, flat, value=0.0 if value is None else float(value))
    return run


def unsqueeze(node):
    def run(x, axes):
        for axis in sorted(axes.tolist()):
            x = x.unsqueeze(axis)
        return x
    return run


def reduce_with(call):
    def make(node):
        keep = bool(node.get("keepdims", 1))

        def run(x, axes=None):
            dims = axes.tolist() if axes is not None else node.get("axes")
            return call(x, dims or list(range(x.dim())), keepdim=keep)
        return run
    return make


def cast(node):
    dtype = getattr(torch, str(helper.tensor_dtype_to_np_dtype(node["to"])))
    # A model in bf16 keeps its own type of floats.
    if dtype == torch.float32:
        return lambda x: x.to(torch.get_default_dtype())
    return lambda x: x.to(dtype)


def flatten(node):
    axis = node.get("axis", 1)
    if axis != 1:
        raise Unsupported(f"Flatten with axis {axis}")
    return lambda x: torch.flatten(x, 1)


def concat(node):
    axis = node["axis"]
    return lambda *parts: torch.cat(parts, axis)


def gelu(node):
    form = "tanh" if node.get("approximate", b"none") == b"tanh" else "none"
    return lambda x: F.gelu(x, approximate=form)


def normalize(node):
    axis, p = node.get("axis", -1), node.get("p", 2)
    return lambda x: F.normalize(x, p, axis, eps=0)


def plain(call):
    return lambda node: call


MAKERS = {
    "Add": plain(torch.add), "Sub": plain(torch.sub), "Mul": plain(torch.mul),
    "Div": plain(torch.div), "MatMul": plain(torch.matmul),
    "Relu": plain(F.relu), "Sigmoid": plain(torch.sigmoid),
    "Tanh": plain(torch.tanh), "Erf": plain(torch.erf),
    "Sqrt": plain(torch.sqrt), "Pow": plain(torch.pow),
    "Where": plain(torch.where), "Identity": plain(lambda x: x),
    "Clip": plain(torch.clamp),
    "GlobalAveragePool": plain(lambda x: F.adaptive_avg_pool2d(x, 1)),
    "Shape": plain(lambda x: torch.tensor(x.shape)),
    "Softmax": lambda node: (
        lambda x, axis=node.get("axis", -1): torch.softmax(x, axis)),
    "Transpose": lambda node: (
        lambda x, order=node["perm"]: x.permute(order)),
    "ReduceSum": reduce_with(torch.sum), "ReduceMean": reduce_with(torch.mean),
    "Conv": conv, "MaxPool": max_pool, "AveragePool": average_pool,
    "Gemm": gemm, "BatchNormalization": batch_norm,
    "LayerNormalization": layer_norm, "Gather": gather, "Reshape": reshape,
    "Slice": take_slice, "Unsqueeze": unsqueeze, "Cast": cast,
    "Pad": pad, "Flatten": flatten, "Concat": concat, "Gelu": gelu,
    "LpNormalization": normalize,
}


def to_torch(array, dtype):
    tensor = torch.from_numpy(array.copy())
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


class TorchGraph(torch.nn.Module):
    """forward(*inputs) in the order of the graph's inputs -> outputs."""

    def __init__(self, path, dtype):
        super().__init__()
        graph = onnx.load(path).graph
        unknown = {n.op_type for n in graph.node} - set(MAKERS) - {"Constant"}
        if unknown:
            raise Unsupported(f"operators {', '.join(sorted(unknown))}")
        self.constants = {
            tensor.name: to_torch(numpy_helper.to_array(tensor), dtype)
            for tensor in graph.initializer}
        self.inputs = [value.name for value in graph.input
                       if value.name not in self.constants]
        self.outputs = [value.name for value in graph.output]
        self.steps = []
        for node in graph.node:
            self.add(node, dtype)
        self.dropped = self.last_uses()

    def add(self, node, dtype):
        attributes = {a.name: helper.get_attribute_value(a)
                      for a in node.attribute}
        if node.op_type == "Constant":
            value = numpy_helper.to_array(attributes["value"])
            self.constants[node.output[0]] = to_torch(value, dtype)
            return
        # An input that is left out keeps its place as None.
        call, inputs = MAKERS[node.op_type](attributes), list(node.input)
        if node.op_type == "Clip" and set(inputs[1:]) <= {
                "", *self.constants}:
            call, inputs = self.clip_by_numbers(inputs[1:]), inputs[:1]
        self.steps.append((call, inputs, node.output[0]))

    def clip_by_numbers(self, names):
        """Bounds as numbers: as tensors they cost several passes over x. Two of
        them are a hardtanh, whose gradient is one pass instead of four."""
        bounds = [self.constants[n].item() if n else None for n in names]
        if not any(bound is not None for bound in bounds):
            return lambda x: x
        if None in bounds or len(bounds) < 2:
            return lambda x: torch.clamp(x, *bounds)
        return lambda x: F.hardtanh(x, *bounds)

    def last_uses(self):
        """By step, the values that nothing reads after it."""
        seen, dropped = {"", *self.constants, *self.outputs}, []
        for _, arguments, _ in reversed(self.steps):
            dropped.append(set(arguments) - seen)
            seen.update(arguments)
        return dropped[::-1]

    def forward(self, *inputs):
        values = dict(self.constants)
        values.update(zip(self.inputs, inputs))
        values[""] = None
        for (call, arguments, output), dropped in zip(self.steps, self.dropped):
            values[output] = call(*[values[name] for name in arguments])
            for name in dropped:
                del values[name]
        return [values[name] for name in self.outputs]
