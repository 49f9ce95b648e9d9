"""Random sub-networks and random bits of a training step."""

from dataclasses import dataclass

import numpy as np

from training.encoder import SubNetwork, full_network, kept_layers
from training.planes import FULL

WIDTHS = (12, 9, 6, 3)  # heads
DEPTHS = (6, 5, 4, 3)  # layers
LOW_BITS = (2, 3, 4, 8)  # above 4 bits a code is hardly worse than the weight


@dataclass(frozen=True)
class Elastic:
    """The widths and depths that a network is trained for, largest first."""
    widths: tuple
    depths: tuple


def sub_networks(shape, elastic):
    """All of them, the full one first."""
    return [SubNetwork(w, kept_layers(shape.layers, d))
            for w in elastic.widths for d in elastic.depths]


def random_bits(shape, random, full_share):
    """Bits [layers, heads]: not coded, all at 2, all at 3, or mixed."""
    size = (shape.layers, shape.heads)
    kind = random.random()
    if kind < full_share:
        return np.full(size, FULL)
    if kind < full_share + 0.4 * (1 - full_share):
        return np.full(size, 2)
    if kind < full_share + 0.5 * (1 - full_share):
        return np.full(size, 3)
    return random.choice(LOW_BITS, size, p=(0.5, 0.25, 0.15, 0.1))


def draw(shape, elastic, random):
    """What a step trains: the full network and, if there is any, a smaller
    one, each with the bits of its shards."""
    drawn = [(full_network(shape), random_bits(shape, random, 0.3))]
    small = sub_networks(shape, elastic)[1:]
    if small:
        sub = small[random.integers(len(small))]
        drawn.append((sub, random_bits(shape, random, 0.4)))
    return drawn
