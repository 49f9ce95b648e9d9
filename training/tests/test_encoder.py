import math
import unittest

import torch

from training.batches import collate
from training.encoder import (DOWN, PROJECTION, Dropout, SubNetwork, forward,
                              full_network, kept_layers, layer_name)
from training.importance import move_to_front, score_parts
from training.glue import TASKS
from training.tests import tiny

SHAPE = tiny.SHAPE


def reference(weights, ids):
    """One text, one number at a time where it matters: no batch, no mask, all
    tokens through all layers."""
    def linear(name, x):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(name, x):
        x = x - x.mean(-1, keepdim=True)
        x = x / torch.sqrt((x * x).mean(-1, keepdim=True) + SHAPE.eps)
        return x * weights[name + ".weight"] + weights[name + ".bias"]

    emb = "bert.embeddings."
    x = norm(emb + "LayerNorm",
             weights[emb + "word_embeddings.weight"][list(ids)]
             + weights[emb + "position_embeddings.weight"][:len(ids)]
             + weights[emb + "token_type_embeddings.weight"][0])
    for i in range(SHAPE.layers):
        base = f"bert.encoder.layer.{i}."
        q, k, v = (linear(base + "attention.self." + n, x)
                   for n in ("query", "key", "value"))
        heads = []
        for h in range(SHAPE.heads):
            at = slice(h * SHAPE.head, (h + 1) * SHAPE.head)
            scores = q[:, at] @ k[:, at].T / math.sqrt(SHAPE.head)
            heads.append(torch.softmax(scores, -1) @ v[:, at])
        y = linear(base + "attention.output.dense", torch.cat(heads, 1))
        x = norm(base + "attention.output.LayerNorm", x + y)
        y = linear(base + "intermediate.dense", x)
        y = 0.5 * y * (1 + torch.erf(y / math.sqrt(2)))
        x = norm(base + "output.LayerNorm", x + linear(base + "output.dense",
                                                       y))
    return linear("classifier", torch.tanh(linear("bert.pooler.dense", x[0])))


class EncoderTest(unittest.TestCase):
    def setUp(self):
        self.weights = tiny.classifier_weights()
        self.examples = tiny.examples(5)
        self.batch = collate(self.examples, range(5))
        self.logits, _ = forward(SHAPE, self.weights, self.batch)

    def test_equals_the_reference(self):
        for example, logits in zip(self.examples, self.logits):
            expected = reference(self.weights, example.ids)
            torch.testing.assert_close(logits, expected, atol=1e-4, rtol=1e-4)

    def test_narrow_network_is_the_full_one_without_later_slices(self):
        cut = {n: w.clone() for n, w in self.weights.items()}
        for i in range(SHAPE.layers):
            cut[layer_name(i, PROJECTION) + ".weight"][:, 3 * SHAPE.head:] = 0
            cut[layer_name(i, DOWN) + ".weight"][:, SHAPE.neurons // 4:] = 0
        expected, _ = forward(SHAPE, cut, self.batch)
        found, _ = forward(SHAPE, self.weights, self.batch,
                           SubNetwork(3, full_network(SHAPE).layers))
        torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-5)
        self.assertFalse(torch.allclose(found, self.logits, atol=1e-3))

    def test_kept_layers(self):
        self.assertEqual(kept_layers(6, 6), (0, 1, 2, 3, 4, 5))
        self.assertEqual(kept_layers(6, 4), (0, 1, 3, 4))
        self.assertEqual(kept_layers(6, 3), (0, 2, 4))

    def test_dropout_keeps_the_mean(self):
        x = torch.ones(1000, 100)
        y = Dropout(0.25, 5)(x)
        self.assertAlmostEqual(float(y.mean()), 1, delta=0.02)
        self.assertAlmostEqual(float((y == 0).float().mean()), 0.25,
                               delta=0.01)
        self.assertTrue(torch.equal(y, Dropout(0.25, 5)(x)))


class ImportanceTest(unittest.TestCase):
    def test_useless_parts_go_last_and_nothing_changes(self):
        weights = tiny.classifier_weights()
        projection = weights[layer_name(0, PROJECTION) + ".weight"]
        projection[:, 4 * SHAPE.head:5 * SHAPE.head] = 0
        weights[layer_name(1, DOWN) + ".weight"][:, 7] = 0
        examples = tiny.examples(30)
        heads, neurons = score_parts(TASKS["sst2"], SHAPE, weights, examples,
                                     tokens=64)
        self.assertEqual(int(heads[0].argmin()), 4)
        self.assertEqual(int(neurons[1].argmin()), 7)
        moved = move_to_front(SHAPE, weights, heads, neurons)
        batch = tiny.batch()
        torch.testing.assert_close(forward(SHAPE, moved, batch)[0],
                                   forward(SHAPE, weights, batch)[0],
                                   atol=1e-4, rtol=1e-4)
        last = moved[layer_name(0, PROJECTION) + ".weight"][:, -SHAPE.head:]
        self.assertEqual(float(last.abs().max()), 0)
