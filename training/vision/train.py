"""Trains a network for CIFAR-10, or fine-tunes a compressed one.

  python -m training.vision.train NET.onnx -o TRAINED.onnx
  python -m training.vision.train PRUNED.onnx -o TUNED.onnx --finetune --teacher TRAINED.onnx

Everything random of a step comes from (seed, step), everything else is in the
checkpoint beside the output: a run killed at any step continues.
"""

import argparse
import json
import os
import time

import torch

from training import checkpoint
from training.vision import cifar10
from training.vision.first_weights import ease
from training.vision.trainable import Trainable, loss_of

CHECKPOINT_SECONDS = 120


def arguments(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m training.vision.train", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", help="ONNX file: shape, and first weights")
    parser.add_argument("-o", "--out", required=True)
    parser.add_argument("--data", default="../shared/data/cifar10")
    parser.add_argument("--stages", default="20:5,26:2,32:3",
                        help="side of the pictures : epochs, in order")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=0.1, help="at its peak")
    parser.add_argument("--warmup", type=float, default=0.2,
                        help="share of the steps")
    parser.add_argument("--decay", type=float, default=5e-4)
    parser.add_argument("--smoothing", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finetune", action="store_true",
                        help="start from what the file computes; zeros stay")
    parser.add_argument("--free-zeros", action="store_true",
                        help="with --finetune: zeros are weights like others")
    parser.add_argument("--bytes", action="store_true",
                        help="the network takes pixels of 0 to 255 as they "
                             "are; a teacher takes normalized ones all the same")
    parser.add_argument("--ease", action="store_true",
                        help="whitening and identities as first weights; for "
                             "plain chains of convolutions")
    parser.add_argument("--shift-rate", type=float, default=1.0,
                        help="rate of biases and norms over that of products")
    parser.add_argument("--teacher", help="ONNX file whose answers are learnt")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-bf16", action="store_true")
    parser.add_argument("--most-steps", type=int, default=0, help="for tests")
    return parser.parse_args(words)


def plan(stages, pictures, batch):
    """Side of the pictures of every step."""
    per_epoch = pictures // batch
    sides = []
    for stage in stages.split(","):
        side, epochs = stage.split(":")
        sides += [int(side)] * round(float(epochs) * per_epoch)
    return sides, per_epoch


def rate_at(options, step, steps):
    """Linear up, then linear down to zero."""
    warm = max(1, round(options.warmup * steps))
    if step < warm:
        return options.rate * (step + 1) / warm
    return options.rate * (steps - step) / max(1, steps - warm)


class Run:
    """Pictures and labels of `train_set` are learnt, those of `test_set` only
    counted."""

    def __init__(self, options, train_set, test_set):
        self.options, self.train, self.test = options, train_set, test_set
        self.inputs = (cifar10.as_they_are if options.bytes
                       else cifar10.normalized)
        self.network = Trainable(
            options.network, options.finetune and not options.free_zeros)
        self.teacher = None
        some = self.train[0][:2000]
        if options.teacher:
            self.teacher = Trainable(options.teacher)
            self.teacher.keep_function(cifar10.normalized(some))
        if options.finetune:
            self.network.keep_function(self.inputs(some))
        if options.ease:
            ease(self.network, self.inputs(some))
        self.sides, self.per_epoch = plan(
            options.stages, len(self.train[0]), options.batch)
        self.optimizer = torch.optim.SGD(
            self.network.groups(options.decay, options.shift_rate),
            lr=options.rate, momentum=0.9, nesterov=True)
        self.step, self.seconds, self.order, self.order_of = 0, 0.0, None, -1
        self.path = options.out + ".checkpoint"
        self.resume()

    def settings(self):
        names = ("network", "stages", "batch", "rate", "warmup", "decay",
                 "smoothing", "seed", "finetune", "teacher", "ease",
                 "shift_rate", "free_zeros", "bytes")
        return {name: getattr(self.options, name) for name in names}

    def resume(self):
        state = checkpoint.load(self.path)
        if state is None:
            return
        # Checkpoints from before --bytes are of networks without it.
        if {"bytes": False, **state["settings"]} != self.settings():
            raise SystemExit(f"{self.path}: made with other settings: "
                             f"{state['settings']}")
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step, self.seconds = state["step"], state["seconds"]

    def save(self):
        checkpoint.save(self.path, {
            "settings": self.settings(), "step": self.step,
            "seconds": self.seconds, "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict()})

    def batch_of(self, step):
        """Pictures of full size, moved, and their labels."""
        epoch, place = divmod(step, self.per_epoch)
        if epoch != self.order_of:
            random = torch.Generator().manual_seed(
                self.options.seed * 1000 + epoch)
            self.order = torch.randperm(len(self.train[0]), generator=random)
            self.order_of = epoch
        size = self.options.batch
        rows = self.order[place * size:(place + 1) * size]
        random = torch.Generator().manual_seed(
            self.options.seed * 1_000_000 + step)
        return (cifar10.augmented(self.train[0][rows], random),
                self.train[1][rows])

    def autocast(self):
        return torch.autocast("cpu", dtype=torch.bfloat16,
                              enabled=not self.options.no_bf16)

    def learn(self):
        moved, labels = self.batch_of(self.step)
        pictures = self.inputs(cifar10.reduced(moved, self.sides[self.step]))
        self.network.train()
        taught = None
        with self.autocast():
            if self.teacher:  # which knows pictures of full size only
                with torch.no_grad():
                    taught = self.teacher(cifar10.normalized(moved)).float()
            answers = self.network(pictures)
        loss = loss_of(answers.float(), labels, taught, self.options.smoothing)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        rate = rate_at(self.options, self.step, len(self.sides))
        for group in self.optimizer.param_groups:
            group["lr"] = rate * group["rate_scale"]
        self.optimizer.step()
        self.network.apply_masks()
        self.step += 1
        return loss.item()

    @torch.no_grad()
    def right(self):
        """Pictures of the test set that are told right."""
        self.network.eval()
        right = 0
        for pictures, labels in zip(self.test[0].split(500),
                                    self.test[1].split(500)):
            with self.autocast():
                answers = self.network(self.inputs(pictures))
            right += int((answers.argmax(1) == labels).sum())
        return right

    def log(self, entry):
        text = json.dumps(entry)
        print(text, flush=True)
        with open(self.options.out + ".log", "a") as file:
            file.write(text + "\n")

    def run(self):
        start = saved = time.monotonic()
        start -= self.seconds
        steps = self.options.most_steps or len(self.sides)
        losses = []
        if self.options.finetune and self.step == 0:
            self.log({"step": 0, "right": self.right()})
        while self.step < steps:
            losses.append(self.learn())
            self.seconds = time.monotonic() - start
            if self.step % 100 == 0:
                self.log({"step": self.step, "of": len(self.sides),
                          "loss": round(sum(losses) / len(losses), 4),
                          "seconds": round(self.seconds)})
                losses = []
            if self.step % self.per_epoch == 0:
                self.log({"step": self.step, "right": self.right()})
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                self.save()
                saved = time.monotonic()
        self.save()
        self.network.save(self.options.network, self.options.out, half=True)
        self.log({"step": self.step, "right": self.right(),
                  "out": self.options.out})


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    Run(options, cifar10.load(options.data, cifar10.TRAIN),
        cifar10.load(options.data, cifar10.TEST)).run()


if __name__ == "__main__":
    main()
