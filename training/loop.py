"""The training loop of every stage: schedule, optimizer, average, checkpoints.

Everything random of a step comes from (seed, step), everything else is in the
checkpoint: a run killed at any step continues as if nothing had happened.
"""

import json
import math
import os
import time
from dataclasses import asdict, dataclass

import torch

from training import checkpoint
from training.averages import Average
from training.batches import collate, epoch_batches

WORD_EMBEDDINGS = "bert.embeddings.word_embeddings.weight"


@dataclass
class Settings:
    epochs: float = 3
    tokens: int = 512  # of a batch, padding included
    rate: float = 8e-5  # peak learning rate
    warmup: float = 0.06  # share of the steps
    layer_decay: float = 0.95  # of the learning rate, per layer downwards
    weight_decay: float = 0.01
    clip: float = 1.0  # norm of the gradient
    average: float = 0.999
    dropout: float = 0.1
    smoothing: float = 0.05  # of labels
    seed: int = 1
    checkpoint_seconds: float = 120
    evaluations: int = 2  # per epoch
    most_steps: int = 0  # stop early, for tests; 0: never


def layer_of(name, layers):
    """0 for embeddings, 1 for the first layer, ..., layers + 1 for the head."""
    if name.startswith("bert.embeddings."):
        return 0
    if name.startswith("bert.encoder.layer."):
        return 1 + int(name.split(".")[3])
    return layers + 1


def parameter_groups(weights, layers, settings):
    """One group per layer and per kind: biases and norms do not decay."""
    groups = {}
    for name, weight in weights.items():
        if not weight.requires_grad:
            continue
        decays = weight.dim() == 2
        key = (layer_of(name, layers), decays)
        groups.setdefault(key, []).append(weight)
    return [{"params": group,
             "scale": settings.layer_decay ** (layers + 1 - layer),
             "weight_decay": settings.weight_decay if decays else 0.0}
            for (layer, decays), group in sorted(groups.items(),
                                                 key=lambda item: item[0])]


def learning_rate(settings, step, steps):
    """Linear up, then linear down to zero."""
    warm = max(1, round(settings.warmup * steps))
    if step < warm:
        return settings.rate * (step + 1) / warm
    return settings.rate * max(0.0, (steps - step) / max(1, steps - warm))


class Loop:
    """loss_of(batch, step) gives the loss; evaluate(weights) a dictionary of
    scores for the log. Weights that must not change have no gradient."""

    def __init__(self, shape, weights, examples, settings, folder):
        self.shape, self.weights = shape, weights
        self.examples, self.settings, self.folder = examples, settings, folder
        for name, weight in weights.items():
            weight.requires_grad_(name != WORD_EMBEDDINGS)
        groups = parameter_groups(weights, shape.layers, settings)
        self.trained = [w for group in groups for w in group["params"]]
        self.optimizer = torch.optim.AdamW(groups, lr=settings.rate,
                                           betas=(0.9, 0.98), foreach=True)
        self.average = Average(weights, settings.average)
        self.step, self.seconds = 0, 0.0
        self.path = os.path.join(folder, "checkpoint.pt")
        self.plan_steps()
        self.resume()

    def plan_steps(self):
        self.epoch_lengths = []
        whole = math.ceil(self.settings.epochs)
        for epoch in range(whole):
            self.epoch_lengths.append(len(self.batches_of(epoch)))
        self.steps = round(sum(self.epoch_lengths) * self.settings.epochs
                           / whole)

    def batches_of(self, epoch):
        s = self.settings
        return epoch_batches(self.examples, s.tokens, s.seed, epoch)

    def resume(self):
        state = checkpoint.load(self.path)
        if state is None:
            return
        if state["settings"] != asdict(self.settings):
            raise SystemExit(f"{self.path}: made with other settings: "
                             f"{state['settings']}")
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(state["weights"][name])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average.restore(state["average"])
        self.step, self.seconds = state["step"], state["seconds"]
        self.log({"resumed": self.step})

    def save(self):
        checkpoint.save(self.path, {
            "settings": asdict(self.settings), "step": self.step,
            "seconds": self.seconds, "weights": self.weights,
            "optimizer": self.optimizer.state_dict(),
            "average": self.average.state()})

    def log(self, entry):
        text = json.dumps(entry)
        print(text, flush=True)
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, "log.jsonl"), "a") as file:
            file.write(text + "\n")

    def remaining_batches(self):
        """(rows, is evaluated afterwards) from the current step on."""
        step = 0
        for epoch, length in enumerate(self.epoch_lengths):
            every = max(1, length // self.settings.evaluations)
            if step + length > self.step:
                lists = self.batches_of(epoch)
                for i in range(max(0, self.step - step), length):
                    yield lists[i], (i + 1) % every == 0
            step += length

    def update(self, loss):
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(
            [w for w in self.trained if w.grad is not None],
            self.settings.clip)
        rate = learning_rate(self.settings, self.step, self.steps)
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["scale"]
        self.optimizer.step()
        self.average.update(self.weights)
        self.step += 1
        return float(norm)

    def run(self, loss_of, evaluate):
        """Trains to the end; returns the averaged weights."""
        clock = time.monotonic()
        start, saved, losses = clock - self.seconds, clock, []
        for rows, evaluated in self.remaining_batches():
            if self.step >= (self.settings.most_steps or self.steps):
                break
            loss = loss_of(collate(self.examples, rows), self.step)
            norm = self.update(loss)
            losses.append(float(loss))
            self.seconds = time.monotonic() - start
            if self.step % 100 == 0:
                self.log({"step": self.step, "of": self.steps,
                          "loss": round(sum(losses) / len(losses), 4),
                          "norm": round(norm, 2),
                          "seconds": round(self.seconds)})
                losses = []
            if evaluated:
                self.log({"step": self.step, **evaluate(self.average.weights)})
            if time.monotonic() - saved > self.settings.checkpoint_seconds:
                self.save()
                saved = time.monotonic()
        self.save()
        return self.average.weights
