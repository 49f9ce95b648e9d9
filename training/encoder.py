"""A BERT encoder with a classifier, as a function of a dictionary of weights.

The weights carry the names of a Hugging Face BertForSequenceClassification, so
that an export writes the dictionary as it is. A sub-network uses the first
heads, the first neurons and some layers of the same weights; a quantized
network is the same function on other matrices.
"""

import json
import math
import os
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F

from training import safetensors

ATTENTION = ("attention.self.query", "attention.self.key",
             "attention.self.value")
PROJECTION = "attention.output.dense"
UP, DOWN = "intermediate.dense", "output.dense"


@dataclass(frozen=True)
class Shape:
    """What config.json says of the network."""
    hidden: int
    layers: int
    heads: int
    neurons: int
    eps: float = 1e-12

    @property
    def head(self):
        return self.hidden // self.heads

    @staticmethod
    def read(folder):
        with open(os.path.join(folder, "config.json")) as file:
            c = json.load(file)
        return Shape(c["hidden_size"], c["num_hidden_layers"],
                     c["num_attention_heads"], c["intermediate_size"],
                     c["layer_norm_eps"])


@dataclass(frozen=True)
class SubNetwork:
    """`heads` heads and the same share of neurons of the layers `layers`."""
    heads: int
    layers: tuple


def full_network(shape):
    return SubNetwork(shape.heads, tuple(range(shape.layers)))


def kept_layers(layers, depth):
    """Which layers a network of `depth` layers keeps (DynaBERT's rule)."""
    return tuple(i * layers // depth for i in range(depth))


def layer_name(index, part):
    return f"bert.encoder.layer.{index}.{part}"


def load_pretrained(folder, outputs, seed):
    """Weights of an encoder without classifier; the classifier is random."""
    weights = {}
    path = os.path.join(folder, "model.safetensors")
    for name, tensor in safetensors.load(path).items():
        if tensor.dtype == torch.float32:
            weights["bert." + name.removeprefix("bert.")] = tensor
    if "bert.classifier.weight" in weights:  # an export of ours
        for part in ("weight", "bias"):
            weights["classifier." + part] = weights.pop(
                "bert.classifier." + part)
        return weights
    random = torch.Generator().manual_seed(seed)
    hidden = weights["bert.pooler.dense.bias"].numel()
    weights["classifier.weight"] = 0.02 * torch.randn(outputs, hidden,
                                                      generator=random)
    weights["classifier.bias"] = torch.zeros(outputs)
    return weights


class Dropout:
    """Dropout whose random bits come from NumPy, 2.6x faster than torch's."""

    def __init__(self, rate, seed):
        self.random = np.random.default_rng(seed)
        self.limit = round(rate * 256)  # of 256

    def __call__(self, x):
        if self.limit == 0:
            return x
        bits = self.random.integers(0, 256, x.numel(), np.uint8)
        scale = 256 / (256 - self.limit)
        keep = np.where(bits >= self.limit, np.float32(scale), np.float32(0))
        return x * torch.from_numpy(keep).view_as(x)


def no_dropout(x):
    return x


def linear(weights, name, x, rows=None, columns=None):
    """x times the first rows and columns of a matrix, plus its bias."""
    matrix = weights[name + ".weight"][:rows, :columns]
    return F.linear(x, matrix, weights[name + ".bias"][:rows])


def norm(weights, name, x, eps):
    return F.layer_norm(x, x.shape[-1:], weights[name + ".weight"],
                        weights[name + ".bias"], eps)


def attention(shape, weights, index, query, x, bias, heads, head_gate):
    """What the tokens `query` [batch, queries, hidden] see in x [batch,
    length, hidden]; bias [batch, 1, 1, length]."""
    batch, queries, _ = query.shape
    width = heads * shape.head
    q, k, v = (linear(weights, layer_name(index, part), y, rows=width)
               .view(batch, -1, heads, shape.head).transpose(1, 2)
               for part, y in zip(ATTENTION, (query, x, x)))
    scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(shape.head)
    context = torch.matmul(torch.softmax(scores + bias, -1), v)
    if head_gate is not None:
        context = context * head_gate[index].view(1, -1, 1, 1)
    context = context.transpose(1, 2).reshape(batch, queries, width)
    return linear(weights, layer_name(index, PROJECTION), context,
                  columns=width)


def embed(shape, weights, batch):
    words = weights["bert.embeddings.word_embeddings.weight"]
    x = F.embedding(batch.ids, words)
    length = batch.ids.shape[1]
    x = x + weights["bert.embeddings.position_embeddings.weight"][:length]
    x = x + F.embedding(
        batch.types, weights["bert.embeddings.token_type_embeddings.weight"])
    return norm(weights, "bert.embeddings.LayerNorm", x, shape.eps)


def forward(shape, weights, batch, sub=None, dropout=no_dropout,
            head_gate=None):
    """Logits [batch, outputs] and the pooled state [batch, hidden] before the
    classifier. `head_gate` [layers, heads] multiplies what heads give."""
    sub = sub or full_network(shape)
    neurons = shape.neurons * sub.heads // shape.heads
    x = dropout(embed(shape, weights, batch))
    bias = (~batch.mask)[:, None, None, :] * -1e9
    for i in sub.layers:
        # After the last layer only the first token counts.
        query = x[:, :1] if i == sub.layers[-1] else x
        y = attention(shape, weights, i, query, x, bias, sub.heads, head_gate)
        x = norm(weights, layer_name(i, "attention.output.LayerNorm"),
                 query + dropout(y), shape.eps)
        y = F.gelu(linear(weights, layer_name(i, UP), x, rows=neurons))
        y = linear(weights, layer_name(i, DOWN), y, columns=neurons)
        x = norm(weights, layer_name(i, "output.LayerNorm"), x + dropout(y),
                 shape.eps)
    pooled = torch.tanh(linear(weights, "bert.pooler.dense", x[:, 0]))
    return linear(weights, "classifier", dropout(pooled)), pooled
