"""How GLUE scores predictions; every metric is a fraction of 1."""

import numpy as np


def accuracy(predictions, targets):
    return float(np.mean(np.asarray(predictions) == np.asarray(targets)))


def matthews(predictions, targets):
    p, t = np.asarray(predictions), np.asarray(targets)
    if p.std() == 0 or t.std() == 0:
        return 0.0
    return float(np.corrcoef(p, t)[0, 1])


def ranks(values):
    """Ranks from 0; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True,
                                   return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts + 1) / 2)[inverse]


def spearman(predictions, targets):
    return matthews(ranks(predictions), ranks(targets))
