"""What the teacher says of the training set."""

import torch

from training.encoder import forward


class Teacher:
    """Answers are computed when a batch first asks for them, then kept."""

    def __init__(self, shape, weights, count):
        self.shape = shape
        self.weights = {n: w.detach().clone() for n, w in weights.items()}
        outputs = weights["classifier.bias"].numel()
        self.known = torch.zeros(count, dtype=torch.bool)
        self.logits = torch.zeros(count, outputs)
        self.pooled = torch.zeros(count, shape.hidden)

    @torch.no_grad()
    def __call__(self, batch):
        """(logits, pooled states) of a batch."""
        rows = batch.rows
        if not self.known[rows].all():
            logits, pooled = forward(self.shape, self.weights, batch)
            self.logits[rows], self.pooled[rows] = logits, pooled
            self.known[rows] = True
        return self.logits[rows], self.pooled[rows]
