"""Dev scores of a network."""

import torch

from training.batches import collate, plain_batches
from training.encoder import forward

TOKENS = 2048  # of a batch


@torch.no_grad()
def outputs_of(shape, weights, examples, sub=None):
    """Logits of every example, in their order."""
    logits = torch.zeros(len(examples), weights["classifier.bias"].numel())
    for rows in plain_batches(examples, TOKENS):
        logits[rows] = forward(shape, weights, collate(examples, rows), sub)[0]
    return logits


def score(task, logits, examples):
    targets = [e.target for e in examples]
    if not task.labels:
        return task.metric(logits[:, 0].tolist(), targets)
    return task.metric(logits.argmax(1).tolist(), targets)


def dev_score(task, shape, weights, examples, sub=None):
    return score(task, outputs_of(shape, weights, examples, sub), examples)
