"""Puts ONNX graphs together: one method per layer, seeded weights.

Methods take and return names of values. Weights are normal with the variance
that keeps activations near 1 (He), times a gain, so that no activation becomes
infinite or denormal however deep the network is.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8


class Builder:
    def __init__(self, name, seed):
        self.name = name
        self.random = np.random.default_rng(seed)
        self.parameters = 0  # published ones: see `conv_norm`
        self.buffers = 0     # statistics of batch norms
        self._nodes, self._weights = [], []
        self._inputs, self._outputs = [], []

    # Graph

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self._inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, value, name, shape):
        self._nodes.append(helper.make_node("Identity", [value], [name]))
        self._outputs.append(
            helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))

    def node(self, op, *inputs, **attributes):
        """Adds a node with one output and returns the output's name."""
        number = len(self._nodes)
        output = f"{op.lower()}_{number}_out"
        self._nodes.append(helper.make_node(
            op, inputs, [output], f"{op}_{number}", **attributes))
        return output

    def weight(self, array, trained=True):
        """Adds an initializer; `trained` ones count as parameters."""
        array = np.asarray(array)
        name = f"weight_{len(self._weights)}"
        self._weights.append(numpy_helper.from_array(array, name))
        if trained:
            self.parameters += array.size
        return name

    def constant(self, value, dtype="int64"):
        """A Constant node, as exporters write scalars, axes and shapes."""
        return self.node(
            "Constant", value=numpy_helper.from_array(np.array(value, dtype)))

    def normal(self, shape, std):
        return self.random.standard_normal(shape, np.float32) * np.float32(std)

    def model(self):
        graph = helper.make_graph(
            self._nodes, self.name, self._inputs, self._outputs, self._weights)
        return helper.make_model(
            graph, ir_version=IR_VERSION, producer_name="stint bench/models",
            opset_imports=[helper.make_opsetid("", OPSET)])

    # Layers of convolutional networks

    def conv(self, x, in_channels, out_channels, kernel, *, stride=1, groups=1,
             gain=2.0, bias=True):
        """Convolution that keeps the size (up to the stride)."""
        fan_in = in_channels // groups * kernel * kernel
        shape = (out_channels, in_channels // groups, kernel, kernel)
        inputs = [x, self.weight(self.normal(shape, (gain / fan_in) ** 0.5))]
        if bias:
            inputs.append(self.weight(self.normal(out_channels, 0.01)))
        return self.node(
            "Conv", *inputs, dilations=[1, 1], group=groups,
            kernel_shape=[kernel, kernel], pads=[kernel // 2] * 4,
            strides=[stride, stride])

    def conv_norm(self, x, in_channels, out_channels, kernel, **options):
        """A convolution without bias and its batch norm, folded into one.

        Scale and shift of the norm are two parameters per channel, the folded
        bias is one; the published count has two.
        """
        self.parameters += out_channels
        return self.conv(x, in_channels, out_channels, kernel, **options)

    def batch_norm(self, x, channels):
        """A batch norm that cannot be folded."""
        scale = self.weight(1 + self.normal(channels, 0.05))
        shift = self.weight(self.normal(channels, 0.05))
        mean = self.weight(self.normal(channels, 0.05), trained=False)
        variance = self.weight(
            np.exp(self.normal(channels, 0.1)), trained=False)
        self.buffers += 2 * channels
        return self.node(
            "BatchNormalization", x, scale, shift, mean, variance,
            epsilon=1e-5, momentum=0.9)

    def relu(self, x):
        return self.node("Relu", x)

    def relu6(self, x):
        low, high = self.constant(0, "float32"), self.constant(6, "float32")
        return self.node("Clip", x, low, high)

    def silu(self, x):
        return self.node("Mul", x, self.node("Sigmoid", x))

    def add(self, a, b):
        return self.node("Add", a, b)

    def max_pool(self, x, kernel, stride, pad=0):
        return self.node("MaxPool", x, kernel_shape=[kernel] * 2,
                         strides=[stride] * 2, pads=[pad] * 4)

    def average_pool(self, x, kernel, stride):
        return self.node("AveragePool", x, kernel_shape=[kernel] * 2,
                         strides=[stride] * 2)

    def classifier(self, x, features, classes=1000):
        """Mean over the picture, then a linear layer to the output `logits`."""
        x = self.node("Flatten", self.node("GlobalAveragePool", x), axis=1)
        self.output(self.linear(x, features, classes), "logits",
                    ["batch", classes])

    def linear(self, x, in_features, out_features, gain=1.0):
        weight = self.normal(
            (out_features, in_features), (gain / in_features) ** 0.5)
        bias = self.weight(self.normal(out_features, 0.01))
        return self.node("Gemm", x, self.weight(weight), bias, transB=1)

    def picture(self, side=224):
        """The input of the networks for ImageNet; side 32 for CIFAR-10."""
        return self.input("input", ["batch", 3, side, side])
