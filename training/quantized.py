"""A network whose matrices are coded at given bits per layer and slice."""

import numpy as np
import torch

from training.encoder import ATTENTION, DOWN, PROJECTION, UP, layer_name
from training.planes import FULL, fit

ROW_PARTS = ATTENTION + (UP,)
COLUMN_PARTS = (PROJECTION, DOWN)


class StraightThrough(torch.autograd.Function):
    """The coded matrix forwards; its gradient is the matrix's backwards."""

    @staticmethod
    def forward(_, matrix, coded):
        return coded

    @staticmethod
    def backward(_, gradient):
        return gradient, None


def fit_network(shape, weights):
    """Name of each matrix to its codes; slices are heads."""
    codes = {}
    for layer in range(shape.layers):
        for part in ROW_PARTS + COLUMN_PARTS:
            name = layer_name(layer, part) + ".weight"
            codes[name] = fit(weights[name], shape.heads, part in ROW_PARTS)
    return codes


def uniform_bits(shape, bits):
    return np.full((shape.layers, shape.heads), bits)


def coded_network(shape, weights, codes, bits, sub):
    """The weights that `sub` uses, coded at bits [layers, heads]; FULL in all
    places gives the weights themselves."""
    if (bits == FULL).all():
        return weights
    coded = dict(weights)
    width = sub.heads * shape.head
    neurons = shape.neurons * sub.heads // shape.heads
    for layer in sub.layers:
        for part in ROW_PARTS + COLUMN_PARTS:
            name = layer_name(layer, part) + ".weight"
            size = neurons if part in (UP, DOWN) else width
            matrix = (weights[name][:size] if part in ROW_PARTS
                      else weights[name][:, :size])
            values = codes[name].apply(matrix, bits[layer, :sub.heads])
            coded[name] = StraightThrough.apply(matrix, values)
    return coded
