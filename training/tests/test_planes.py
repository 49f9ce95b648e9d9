import unittest

import numpy as np
import torch

from training.encoder import SubNetwork, full_network, layer_name
from training.planes import (BITS, FULL, LIMIT, Histograms, fit, nested_edges)
from training.quantized import coded_network, fit_network, uniform_bits
from training.tests import tiny

SHAPE = tiny.SHAPE


def matrix(rows=48, columns=96, seed=1):
    random = torch.Generator().manual_seed(seed)
    spread = 0.5 + torch.rand(rows, 1, generator=random)
    return spread * torch.randn(rows, columns, generator=random)


class PlanesTest(unittest.TestCase):
    def test_more_bits_are_better(self):
        weights = matrix(192, 384)
        for by_rows in (True, False):
            codes = fit(weights, 12, by_rows)
            errors = []
            for bits in BITS:
                off = codes.apply(weights, [bits] * 12) - weights
                errors.append(float((off ** 2).sum() / (weights ** 2).sum()))
            # Four cells of a normal distribution: 0.1175.
            self.assertAlmostEqual(errors[0], 0.1175, delta=0.006)
            self.assertAlmostEqual(errors[1], 0.0345, delta=0.003)
            for worse, better in zip(errors, errors[1:]):
                self.assertLess(better, worse)

    def test_codes_are_prefixes(self):
        random = np.random.default_rng(2)
        bins = random.normal(2040, 400, (3, 5000)).clip(0, 4079).astype(int)
        histograms = Histograms(bins, np.arange(3)[:, None],
                                np.ones(bins.shape), 3)
        levels = nested_edges(histograms, 3)
        for bits in BITS[1:]:
            self.assertTrue(np.array_equal(levels[bits][:, ::2],
                                           levels[bits - 1]))
            self.assertTrue((np.diff(levels[bits], axis=1) >= 0).all())

    def test_values_are_int8_and_outliers_exact(self):
        weights = matrix()
        weights[3, 5] = 40
        codes = fit(weights, 12, True)
        coded = codes.apply(weights, [2] * 12)
        self.assertEqual(float(coded[3, 5]), 40)
        units = (coded / codes.scales)[(weights / codes.scales).abs() <= LIMIT]
        torch.testing.assert_close(units, units.round(), atol=1e-3, rtol=0)
        self.assertLessEqual(float(units.abs().max()), 127.01)
        for row in range(0, 48, 4):  # a slice: four rows
            values = (coded / codes.scales)[row:row + 4]
            values = values[values.abs() <= LIMIT].round()
            self.assertLessEqual(len(values.unique()), 4)

    def test_slices_have_bits_of_their_own(self):
        weights = matrix()
        for by_rows in (True, False):
            codes = fit(weights, 12, by_rows)
            mixed = codes.apply(weights, [2] * 6 + [8] * 6)
            two, eight = (codes.apply(weights, [b] * 12) for b in (2, 8))
            if not by_rows:
                mixed, two, eight = mixed.T, two.T, eight.T
            half = mixed.shape[0] // 2
            self.assertTrue(torch.equal(mixed[:half], two[:half]))
            self.assertTrue(torch.equal(mixed[half:], eight[half:]))


class QuantizedTest(unittest.TestCase):
    def setUp(self):
        self.weights = {n: w.requires_grad_() for n, w
                        in tiny.classifier_weights().items()}
        self.codes = fit_network(SHAPE, self.weights)

    def test_full_bits_change_nothing(self):
        self.assertIs(coded_network(SHAPE, self.weights, self.codes,
                                    uniform_bits(SHAPE, FULL),
                                    full_network(SHAPE)), self.weights)

    def test_narrow_network_is_coded_like_the_full_one(self):
        bits = np.random.default_rng(1).choice(BITS, (SHAPE.layers,
                                                      SHAPE.heads))
        full = coded_network(SHAPE, self.weights, self.codes, bits,
                             full_network(SHAPE))
        narrow = coded_network(SHAPE, self.weights, self.codes, bits,
                               SubNetwork(3, (1,)))
        for name in tiny.parts_of_layer(1):
            found = narrow[name + ".weight"]
            rows, columns = found.shape
            self.assertTrue(torch.equal(
                found, full[name + ".weight"][:rows, :columns]))
            self.assertEqual(found.numel() * 4,
                             full[name + ".weight"].numel())

    def test_gradient_passes_straight_through(self):
        name = layer_name(0, "intermediate.dense") + ".weight"
        coded = coded_network(SHAPE, self.weights, self.codes,
                              uniform_bits(SHAPE, 2), full_network(SHAPE))
        factor = torch.randn_like(self.weights[name])
        (coded[name] * factor).sum().backward()
        self.assertTrue(torch.equal(self.weights[name].grad, factor))
        self.assertFalse(torch.equal(coded[name], self.weights[name]))
