import os
import tempfile
import unittest

import numpy as np
import torch

from training import safetensors
from training.batches import collate, epoch_batches
from training.glue import TASKS, read_examples
from training.metrics import accuracy, matthews, spearman
from training.tests import tiny
from training.word_pieces import WordPieces


class GlueTest(unittest.TestCase):
    def test_reads_what_was_written(self):
        pieces = WordPieces({w: i for i, w in enumerate(tiny.WORDS)})
        written = tiny.examples(20)
        with tempfile.TemporaryDirectory() as folder:
            tiny.write_sst2(folder, "dev", written)
            found = read_examples(TASKS["sst2"], folder, "dev", pieces)
        self.assertEqual([e.target for e in found],
                         [e.target for e in written])
        # A text that begins with a continuation piece reads differently.
        same = [f.ids == w.ids for f, w in zip(found, written)]
        whole = [7 not in w.ids for w in written]
        self.assertTrue(all(s for s, w in zip(same, whole) if w))


class BatchesTest(unittest.TestCase):
    def test_every_row_once_and_few_tokens(self):
        examples = tiny.examples(200)
        lists = epoch_batches(examples, 40, seed=3, epoch=0)
        self.assertEqual(sorted(r for rows in lists for r in rows),
                         list(range(200)))
        for rows in lists:
            self.assertLessEqual(collate(examples, rows).ids.numel(), 40)

    def test_order_depends_on_seed_and_epoch_alone(self):
        examples = tiny.examples(200)
        first = epoch_batches(examples, 40, seed=3, epoch=1)
        self.assertEqual(first, epoch_batches(examples, 40, 3, 1))
        self.assertNotEqual(first, epoch_batches(examples, 40, 3, 2))
        self.assertNotEqual(first, epoch_batches(examples, 40, 4, 1))


class MetricsTest(unittest.TestCase):
    def test_known_values(self):
        self.assertEqual(accuracy([1, 0, 1, 1], [1, 1, 1, 1]), 0.75)
        self.assertAlmostEqual(matthews([1, 1, 0, 0], [1, 0, 0, 0]),
                               1 / np.sqrt(3))
        self.assertEqual(matthews([1, 1], [0, 1]), 0)
        self.assertAlmostEqual(spearman([1, 2, 2, 9], [1, 5, 5, 6]), 1)
        self.assertAlmostEqual(spearman([1, 2, 3], [3, 2, 1]), -1)


class SafetensorsTest(unittest.TestCase):
    def test_round_trip(self):
        tensors = {"b": torch.randn(3, 4), "a": torch.randn(5)}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "x.safetensors")
            safetensors.save(path, tensors)
            found = safetensors.load(path)
            self.assertEqual(os.listdir(folder), ["x.safetensors"])
        self.assertEqual(found.keys(), tensors.keys())
        for name, tensor in tensors.items():
            self.assertTrue(torch.equal(found[name], tensor))
