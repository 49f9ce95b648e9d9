"""Nested codes of 2 to 8 bits, simulated: what a weight is worth at b bits.

The same steps as src/weights/planes, so that training sees what a package will
hold: one scale per output channel of a matrix; a matrix is cut into slices (one
head, 1/12 of the neurons), each with an int8 dictionary per bits; the cells of
b + 1 bits lie within those of b bits; about one weight in a thousand lies
beyond the grid and stays exact. Here every level cuts cells by Lloyd's
algorithm, the store cuts levels 6 to 8 together, which differs by little.
"""

from dataclasses import dataclass

import numpy as np
import torch

LARGEST = 127  # of the int8 grid
LIMIT = LARGEST + 0.5  # weights beyond this many grid units are outliers
STEPS = 16  # bins per grid unit
BINS = (2 * LARGEST + 1) * STEPS
OUTLIERS, MOST_OUTLIERS = 0.001, 0.01
GRID_RATIO = 1.1  # of the grid to that of plain int8 rows
TRIM = 4  # spreads beyond which a weight does not count for the spread
ROUNDS = 60
BITS = (2, 3, 4, 5, 6, 7, 8)
FULL = 32  # bits of a weight that is not coded


def channel_scales(matrix):
    """Grid units of the rows of a matrix [outputs, inputs]."""
    size = np.abs(matrix)
    spread = np.sqrt(np.mean(size ** 2, 1, keepdims=True))
    inner = size <= TRIM * spread
    spread = np.sqrt(np.sum(size ** 2 * inner, 1, keepdims=True)
                     / np.maximum(1, inner.sum(1, keepdims=True)))
    spread = np.maximum(spread, 1e-12)
    units = size / spread
    plain = np.sqrt(np.mean(units.max(1) ** 2))
    few, most = np.quantile(units, (1 - OUTLIERS, 1 - MOST_OUTLIERS))
    reach = max(most, min(few, GRID_RATIO * plain))
    return (spread[:, 0] * reach / LIMIT).astype(np.float32)


class Histograms:
    """Prefix sums over the bins of several slices, weighted by importance."""

    def __init__(self, bins, slices, importance, count):
        flat = (slices * BINS + bins).ravel()
        counts = np.bincount(flat, importance.ravel(), count * BINS)
        counts = counts.reshape(count, BINS)
        centers = (np.arange(BINS) + 0.5) / STEPS - LIMIT
        self.count = self.prefix(counts)
        self.sum = self.prefix(counts * centers)

    @staticmethod
    def prefix(values):
        return np.pad(np.cumsum(values, 1), ((0, 0), (1, 0)))

    def means(self, edges):
        """Of the cells between edges [slices, cells + 1]; of an empty cell its
        middle."""
        count = np.diff(np.take_along_axis(self.count, edges, 1), axis=1)
        total = np.diff(np.take_along_axis(self.sum, edges, 1), axis=1)
        middle = (edges[:, 1:] + edges[:, :-1]) / (2 * STEPS) - LIMIT
        return np.where(count > 0, total / np.maximum(count, 1e-30), middle)


def nearest_edge(x):
    return np.clip(np.rint((x + LIMIT) * STEPS), 0, BINS).astype(np.int64)


def settle(histograms, edges, free):
    """Lloyd's algorithm on the edges in `free`, the others stay."""
    for _ in range(ROUNDS):
        means = histograms.means(edges)
        moved = edges.copy()
        moved[:, free] = nearest_edge(
            0.5 * (means[:, free - 1] + means[:, free]))
        # A cell that is cut nowhere useful stays inside its neighbors.
        moved = np.maximum.accumulate(moved, 1)
        if np.array_equal(moved, edges):
            break
        edges = moved
    return edges


def nested_edges(histograms, slices):
    """Bits to edges [slices, 2^bits + 1]."""
    share = np.arange(1, 4) / 4
    total = histograms.count[:, -1:]
    edges = np.zeros((slices, 5), np.int64)
    edges[:, 4] = BINS
    for i in range(slices):
        edges[i, 1:4] = np.searchsorted(histograms.count[i],
                                        share * total[i, 0])
    levels = {2: settle(histograms, edges, np.arange(1, 4))}
    for bits in BITS[1:]:
        coarse = levels[bits - 1]
        edges = np.zeros((slices, 2 * coarse.shape[1] - 1), np.int64)
        edges[:, ::2] = coarse
        edges[:, 1::2] = np.clip(nearest_edge(histograms.means(coarse)),
                                 coarse[:, :-1], coarse[:, 1:])
        levels[bits] = settle(histograms, edges,
                              np.arange(1, edges.shape[1], 2))
    return levels


@dataclass
class Codes:
    """How a matrix is coded. `tables`: bits to the value of every bin, in grid
    units [slices, BINS]; a slice is a range of rows, or of columns."""
    scales: torch.Tensor  # [outputs, 1]
    tables: dict
    by_rows: bool
    length: int  # rows or columns of the whole matrix

    def slice_numbers(self, shape):
        """The slice of each weight, broadcast against a matrix of `shape`."""
        slices = next(iter(self.tables.values())).shape[0]
        each = self.length // slices
        if self.by_rows:
            return torch.arange(shape[0])[:, None] // each
        return torch.arange(shape[1])[None, :] // each

    @torch.no_grad()
    def apply(self, matrix, bits):
        """The matrix (or its first slices) with bits[i] bits in slice i."""
        scales = self.scales[:matrix.shape[0]]
        units = matrix / scales
        bins = ((units + LIMIT) * STEPS).clamp_(0, BINS - 1).to(torch.int64)
        bins += self.slice_numbers(matrix.shape) * BINS
        table = torch.cat([self.tables[int(b)][i]
                           for i, b in enumerate(bits)])
        coded = table.take(bins) * scales
        return torch.where(units.abs() > LIMIT, matrix, coded)


def fit(matrix, slices, by_rows):
    """Codes of a matrix [outputs, inputs]."""
    values = matrix.detach().numpy()
    scales = channel_scales(values)[:, None]
    units = values / scales
    bins = np.clip((units + LIMIT) * STEPS, 0, BINS - 1).astype(np.int64)
    length = values.shape[0 if by_rows else 1]
    number = np.arange(length) // (length // slices)
    number = number[:, None] if by_rows else number[None, :]
    importance = np.where(np.abs(units) > LIMIT, 0, scales ** 2)
    histograms = Histograms(bins, number, importance, slices)
    tables = {}
    for bits, edges in nested_edges(histograms, slices).items():
        means = np.clip(np.rint(histograms.means(edges)), -LARGEST, LARGEST)
        table = np.repeat(means.ravel(), np.diff(edges, axis=1).ravel())
        tables[bits] = torch.from_numpy(
            table.reshape(slices, BINS).astype(np.float32))
    return Codes(torch.from_numpy(scales), tables, by_rows, length)
