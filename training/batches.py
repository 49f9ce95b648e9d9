"""Batches of examples of similar length with about the same number of tokens.

Little is padded, and a long text weighs more than a short one: a batch of
whole sentences holds fewer of them than a batch of phrases.
"""

from dataclasses import dataclass

import numpy as np
import torch


@dataclass
class Batch:
    rows: torch.Tensor  # [batch] numbers of the examples
    ids: torch.Tensor  # [batch, length]
    types: torch.Tensor  # [batch, length]
    mask: torch.Tensor  # [batch, length] bool, true at tokens
    targets: torch.Tensor  # [batch] float


def collate(examples, rows):
    length = max(len(examples[r].ids) for r in rows)
    ids = np.zeros((len(rows), length), np.int64)
    types = np.zeros_like(ids)
    mask = np.zeros((len(rows), length), bool)
    for i, r in enumerate(rows):
        n = len(examples[r].ids)
        ids[i, :n], types[i, :n] = examples[r].ids, examples[r].types
        mask[i, :n] = True
    targets = np.array([examples[r].target for r in rows], np.float32)
    return Batch(torch.tensor(rows), torch.from_numpy(ids),
                 torch.from_numpy(types), torch.from_numpy(mask),
                 torch.from_numpy(targets))


def split_by_tokens(examples, order, tokens):
    """Cuts `order` into runs of at most `tokens` tokens, padding included."""
    lists, current, longest = [], [], 0
    for r in order:
        longest = max(longest, len(examples[r].ids))
        if current and longest * (len(current) + 1) > tokens:
            lists.append(current)
            current, longest = [], len(examples[r].ids)
        current.append(int(r))
    if current:
        lists.append(current)
    return lists


def epoch_batches(examples, tokens, seed, epoch):
    """Row numbers per batch in random order; the same for the same seed and
    epoch, so that a resumed run sees what the killed one would have seen."""
    random = np.random.default_rng([seed, epoch])
    lengths = np.array([len(e.ids) for e in examples])
    order = np.argsort(lengths + random.random(len(examples)), kind="stable")
    lists = split_by_tokens(examples, order, tokens)
    random.shuffle(lists)
    return lists


def plain_batches(examples, tokens):
    """Batches for an evaluation, by length."""
    order = np.argsort([len(e.ids) for e in examples], kind="stable")
    return split_by_tokens(examples, order, tokens)
