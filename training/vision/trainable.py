"""An ONNX network whose convolutions and linear layers can be trained.

A batch norm stands behind every convolution while training, whatever the file
has: without one, deep networks hardly train, and exported files have theirs
folded. `fold` gives the file's own form back.
"""

import os
import sys

import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "..", "peers"))
from onnx_to_torch import MAKERS, TorchGraph  # noqa: E402

EPSILON = 1e-5


class NormedConv(torch.nn.Module):
    """call(x, weight) is the convolution without bias."""

    def __init__(self, call, weight, bias):
        super().__init__()
        self.call = call
        self.weight = torch.nn.Parameter(
            weight.to(memory_format=torch.channels_last))
        self.norm = torch.nn.BatchNorm2d(len(weight), eps=EPSILON)
        self.bias = bias  # of the file; counts in `keep_function` only
        self.measuring = False
        self.scale = 1.0  # of the filters, against those of the file

    def forward(self, x, *_):
        y = self.call(x, self.weight)
        if self.measuring:
            self.measure(y)
        return self.norm(y)

    @torch.no_grad()
    def level(self):
        """Gives every filter the length that random ones begin with. Since a
        norm follows, this only changes how fast they learn: those of a file
        whose norms are folded may be ten times as short."""
        length = self.weight.flatten(1).norm(dim=1).clamp_min(1e-12)
        self.scale = 2 ** 0.5 / length
        self.weight.mul_(self.scale.view(-1, 1, 1, 1))

    @torch.no_grad()
    def measure(self, y):
        """Makes the norm the identity (plus the bias) for values like y, but
        for the scale of the filters."""
        variance, mean = torch.var_mean(y.float(), (0, 2, 3), correction=0)
        self.norm.running_mean.copy_(mean)
        self.norm.running_var.copy_(variance)
        self.norm.weight.copy_((variance + EPSILON).sqrt() / self.scale)
        shift = mean / self.scale
        self.norm.bias.copy_(shift if self.bias is None else shift + self.bias)

    @torch.no_grad()
    def fold(self):
        """Weight and bias of one convolution that does the same."""
        norm = self.norm
        scale = norm.weight / (norm.running_var + EPSILON).sqrt()
        weight = self.weight * scale.view(-1, 1, 1, 1)
        return weight.contiguous(), norm.bias - norm.running_mean * scale


class Linear(torch.nn.Module):
    def __init__(self, call, weight, bias):
        super().__init__()
        self.call = call
        self.weight = torch.nn.Parameter(weight)
        self.bias = torch.nn.Parameter(
            torch.zeros(0) if bias is None else bias)

    def forward(self, x, *_):
        return self.call(x, self.weight, *([self.bias] if len(self.bias)
                                           else []))

    @torch.no_grad()
    def fold(self):
        return self.weight, self.bias


def strided_after(node, weight):
    """A depthwise convolution of stride 2 as one of stride 1 of which every
    other pixel is kept: the gradient of the former takes PyTorch's CPU kernels
    5 times as long (bf16, 144 channels, 32x32: 528 against 104 ms)."""
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    strides = attributes.get("strides", [1, 1])
    groups = attributes.get("group", 1)
    if weight.shape[1] != 1 or groups == 1 or strides == [1, 1]:
        return None
    call = MAKERS["Conv"]({**attributes, "strides": [1, 1]})
    down, across = strides
    return lambda x, w: call(x, w)[:, :, ::down, ::across].contiguous(
        memory_format=torch.channels_last)


def if_it_fits(pool):
    """Leaves images of one pixel alone: what remains of pictures that are
    smaller than the network was made for."""
    return lambda x: x if x.shape[-1] == 1 else pool(x)


class Trainable(TorchGraph):
    """Weights that are zero in the file stay zero where `keep_zeros`."""

    KINDS = {"Conv": NormedConv, "Gemm": Linear}

    def __init__(self, path, keep_zeros=False):
        self.layers_of_file = []  # (layer, names of its weights)
        super().__init__(path, torch.float32)
        self.layers = torch.nn.ModuleList(
            layer for layer, _ in self.layers_of_file)
        self.masks = [(layer.weight, (layer.weight != 0).float())
                      for layer in self.layers] if keep_zeros else []

    def add(self, node, dtype):
        super().add(node, dtype)
        if node.op_type == "Constant":
            return
        call, arguments, output = self.steps[-1]
        if node.op_type == "MaxPool":
            self.steps[-1] = (if_it_fits(call), arguments, output)
        if node.op_type not in self.KINDS:
            return
        values = [self.constants.get(name) for name in arguments[1:]]
        if len(values) == 1:
            values.append(None)
        if node.op_type == "Conv":
            call = strided_after(node, values[0]) or call
        layer = self.KINDS[node.op_type](call, *values)
        self.layers_of_file.append((layer, arguments[1:]))
        self.steps[-1] = (layer, arguments, output)

    def forward(self, pictures):
        return super().forward(pictures)[0]

    @torch.no_grad()
    def keep_function(self, pictures):
        """Sets the norms so that the network computes what the file does."""
        self.eval()
        convs = [layer for layer in self.layers if isinstance(layer, NormedConv)]
        for conv in convs:
            conv.level()
            conv.measuring = True
        self(pictures)
        for conv in convs:
            conv.measuring = False

    @torch.no_grad()
    def apply_masks(self):
        for weight, mask in self.masks:
            weight.mul_(mask)

    def groups(self, decay, shift_rate=1.0):
        """Parameters for an optimizer: only products decay; the others learn
        `shift_rate` times as fast."""
        weights = [layer.weight for layer in self.layers]
        known = {id(weight) for weight in weights}
        rest = [p for p in self.parameters() if id(p) not in known]
        return [{"params": weights, "weight_decay": decay, "rate_scale": 1.0},
                {"params": rest, "weight_decay": 0.0,
                 "rate_scale": shift_rate}]

    @torch.no_grad()
    def save(self, source, path, half=False):
        """Writes `source` with the trained weights; `half` rounds them to
        what a file of float16 would hold."""
        model = onnx.load(source)
        tensors = {t.name: t for t in model.graph.initializer}
        for layer, names in self.layers_of_file:
            for name, value in zip(names, layer.fold()):
                value = value.half().float() if half else value
                tensors[name].CopyFrom(
                    numpy_helper.from_array(value.numpy(), name))
        onnx.save(model, path + ".part")
        os.replace(path + ".part", path)


def loss_of(answers, labels, teacher_answers, smoothing, temperature=2.0):
    """Cross-entropy, and for 9 parts of 10 the teacher's softened answers."""
    plain = F.cross_entropy(answers, labels, label_smoothing=smoothing)
    if teacher_answers is None:
        return plain
    softened = F.kl_div(F.log_softmax(answers / temperature, 1),
                        F.log_softmax(teacher_answers / temperature, 1),
                        reduction="batchmean", log_target=True)
    return 0.1 * plain + 0.9 * temperature ** 2 * softened
