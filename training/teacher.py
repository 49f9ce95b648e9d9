"""What the teacher says of the training set, computed once and kept."""

import torch

from training import checkpoint
from training.batches import collate, plain_batches
from training.encoder import forward

TOKENS = 1024  # of a batch
SAVE_EVERY = 200  # batches


@torch.no_grad()
def teacher_states(shape, weights, examples, path):
    """(logits [examples, outputs], pooled states [examples, hidden], half
    precision). A killed computation continues where its file ends."""
    lists = plain_batches(examples, TOKENS)
    state = checkpoint.load(path) or {
        "done": 0,
        "logits": torch.zeros(len(examples),
                              weights["classifier.bias"].numel()),
        "pooled": torch.zeros(len(examples), shape.hidden,
                              dtype=torch.float16)}
    while state["done"] < len(lists):
        rows = lists[state["done"]]
        logits, pooled = forward(shape, weights, collate(examples, rows))
        state["logits"][rows] = logits
        state["pooled"][rows] = pooled.to(torch.float16)
        state["done"] += 1
        if state["done"] % SAVE_EVERY == 0 or state["done"] == len(lists):
            checkpoint.save(path, state)
    return state["logits"], state["pooled"]
