"""An exponential moving average of weights, which is what gets exported."""

import torch


class Average:
    """After step t the average forgets with min(decay, (1 + t) / (10 + t)), so
    that the beginning is forgotten soon."""

    def __init__(self, weights, decay):
        self.decay = decay
        self.steps = 0
        self.weights = {n: w.detach().clone() for n, w in weights.items()}

    @torch.no_grad()
    def update(self, weights):
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        for name, average in self.weights.items():
            if weights[name].requires_grad:
                average.lerp_(weights[name], 1 - decay)

    def state(self):
        return {"steps": self.steps, "weights": self.weights}

    def restore(self, state):
        self.steps, self.weights = state["steps"], state["weights"]
