"""Dev scores of a trained elastic network: per sub-network, per bits."""

import numpy as np

from training.encoder import full_network
from training.evaluate import dev_score
from training.planes import BITS, FULL
from training.quantized import coded_network, fit_network, uniform_bits
from training.sampling import sub_networks


def score_at(task, shape, weights, codes, examples, bits, sub=None):
    """`bits` for all shards."""
    sub = sub or full_network(shape)
    coded = coded_network(shape, weights, codes, uniform_bits(shape, bits), sub)
    return dev_score(task, shape, coded, examples, sub)


def sub_name(sub):
    return f"{sub.heads} heads, {len(sub.layers)} layers"


def quick_scores(task, shape, weights, examples):
    """Enough to follow a training."""
    codes = fit_network(shape, weights)
    return {f"dev_{bits}": round(score_at(task, shape, weights, codes,
                                          examples, bits), 4)
            for bits in (FULL, 2)}


def all_scores(task, shape, weights, examples, elastic):
    """Full network at every fidelity; every sub-network in float32, at 3 and
    at 2 bits."""
    codes = fit_network(shape, weights)
    scores = {"float32": score_at(task, shape, weights, codes, examples, FULL),
              "bits": {b: score_at(task, shape, weights, codes, examples, b)
                       for b in BITS}}
    scores["sub_networks"] = {
        sub_name(sub): {
            str(b): score_at(task, shape, weights, codes, examples, b, sub)
            for b in (FULL, 3, 2)}
        for sub in sub_networks(shape, elastic)}
    scores["mean_over_sub_networks"] = {
        str(b): float(np.mean([s[str(b)]
                               for s in scores["sub_networks"].values()]))
        for b in (FULL, 3, 2)}
    return scores
