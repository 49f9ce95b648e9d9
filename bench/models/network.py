"""What is known of a network before it is built."""

import dataclasses
from collections.abc import Callable

from bench.models.builder import Builder


@dataclasses.dataclass(frozen=True)
class Network:
    """A definition with its published size.

    `parameters` counts scale and shift of batch norms that the export folds;
    `macs` are for one input: a picture of side x side or 128 tokens.
    """

    name: str
    define: Callable[[Builder], None]
    parameters: int
    macs: float
    side: int = 224  # of a picture

    def build(self, seed=0):
        """The finished Builder."""
        builder = Builder(self.name, seed)
        self.define(builder)
        return builder
