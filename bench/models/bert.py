"""BERT-base, uncased (Devlin et al., 2018), with pooler."""

import numpy as np
from onnx import TensorProto

LAYERS, HEADS, HIDDEN, FEED_FORWARD = 12, 12, 768, 3072
VOCABULARY, POSITIONS, TYPES = 30522, 512, 2
HEAD = HIDDEN // HEADS
EPSILON = 1e-12
# As BERT is initialized.
STD = 0.02


def table(b, rows):
    return b.weight(b.normal((rows, HIDDEN), STD))


def dense(b, x, in_features, out_features):
    weight = b.weight(b.normal((in_features, out_features), STD))
    bias = b.weight(b.normal(out_features, STD))
    return b.add(bias, b.node("MatMul", x, weight))


def layer_norm(b, x):
    scale = b.weight(1 + b.normal(HIDDEN, STD))
    shift = b.weight(b.normal(HIDDEN, STD))
    return b.node("LayerNormalization", x, scale, shift, axis=-1,
                  epsilon=EPSILON)


def dimension(b, x, axis):
    """One entry of a shape as a vector [1]."""
    size = b.node("Gather", b.node("Shape", x), b.constant(axis), axis=0)
    return b.node("Unsqueeze", size, b.constant([0]))


def embeddings(b, ids, types):
    length = dimension(b, ids, 1)
    positions = b.weight(np.arange(POSITIONS)[None], trained=False)
    positions = b.node("Slice", positions, b.constant([0]), length,
                       b.constant([1]), b.constant([1]))
    x = b.add(b.node("Gather", table(b, VOCABULARY), ids),
              b.node("Gather", table(b, TYPES), types))
    x = b.add(x, b.node("Gather", table(b, POSITIONS), positions))
    return layer_norm(b, x)


def additive_mask(b, mask):
    """[batch,1,1,n]: 0 where a token is, elsewhere the lowest float."""
    mask = b.node("Unsqueeze", mask, b.constant([1]))
    mask = b.node("Unsqueeze", mask, b.constant([2]))
    mask = b.node("Cast", mask, to=TensorProto.FLOAT)
    absent = b.node("Sub", b.constant(1, "float32"), mask)
    lowest = b.constant(np.finfo(np.float32).min, "float32")
    return b.node("Mul", absent, lowest)


def split_heads(b, x, order):
    """[batch, n, hidden] to [batch, n, heads, head], transposed to `order`."""
    shape = b.node("Concat", dimension(b, x, 0), dimension(b, x, 1),
                   b.constant([HEADS]), b.constant([HEAD]), axis=0)
    return b.node("Transpose", b.node("Reshape", x, shape), perm=order)


def attention(b, x, mask):
    query = split_heads(b, dense(b, x, HIDDEN, HIDDEN), [0, 2, 1, 3])
    key = split_heads(b, dense(b, x, HIDDEN, HIDDEN), [0, 2, 3, 1])
    value = split_heads(b, dense(b, x, HIDDEN, HIDDEN), [0, 2, 1, 3])
    scores = b.node("MatMul", query, key)
    scores = b.node("Div", scores, b.constant(HEAD ** 0.5, "float32"))
    weights = b.node("Softmax", b.add(scores, mask), axis=-1)
    y = b.node("MatMul", weights, value)
    y = b.node("Transpose", y, perm=[0, 2, 1, 3])
    shape = b.node("Concat", dimension(b, y, 0), dimension(b, y, 1),
                   b.constant([HIDDEN]), axis=0)
    return dense(b, b.node("Reshape", y, shape), HIDDEN, HIDDEN)


def gelu(b, x):
    y = b.node("Erf", b.node("Div", x, b.constant(2 ** 0.5, "float32")))
    y = b.add(y, b.constant(1, "float32"))
    return b.node("Mul", b.node("Mul", x, y), b.constant(0.5, "float32"))


def encoder_layer(b, x, mask):
    x = layer_norm(b, b.add(attention(b, x, mask), x))
    y = gelu(b, dense(b, x, HIDDEN, FEED_FORWARD))
    y = dense(b, y, FEED_FORWARD, HIDDEN)
    return layer_norm(b, b.add(y, x))


def pooler(b, x):
    first = b.node("Gather", x, b.constant(0), axis=1)
    weight = b.weight(b.normal((HIDDEN, HIDDEN), STD))
    bias = b.weight(b.normal(HIDDEN, STD))
    return b.node("Tanh", b.node("Gemm", first, weight, bias, transB=1))


def bert_base(b):
    shape = ["batch", "sequence"]
    ids, mask, types = (b.input(name, shape, TensorProto.INT64) for name in (
        "input_ids", "attention_mask", "token_type_ids"))
    x, added = embeddings(b, ids, types), additive_mask(b, mask)
    for _ in range(LAYERS):
        x = encoder_layer(b, x, added)
    b.output(x, "last_hidden_state", [*shape, HIDDEN])
    b.output(pooler(b, x), "pooler_output", ["batch", HIDDEN])
