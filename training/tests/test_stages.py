"""The stages from end to end on a tiny network, and resuming."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import torch

from training import adapt, finetune, safetensors
from training.encoder import Shape, forward
from training.glue import TASKS
from training.loop import Loop, Settings, learning_rate
from training.losses import label_loss, teacher_loss
from training.tests import tiny

STINT = os.environ.get("STINT")


class Killed(Exception):
    pass


class LoopTest(unittest.TestCase):
    def train(self, folder, kill_at=None):
        weights = tiny.classifier_weights()
        settings = Settings(epochs=2, tokens=40, checkpoint_seconds=0)

        def loss_of(batch, step):
            if step == kill_at:
                raise Killed()
            logits, _ = forward(tiny.SHAPE, weights, batch)
            return label_loss(TASKS["sst2"], logits, batch.targets, 0)

        with contextlib.redirect_stdout(io.StringIO()):
            loop = Loop(tiny.SHAPE, weights, tiny.examples(60), settings,
                        folder)
            return loop.run(loss_of, lambda _: {}), loop

    def test_resumes_as_if_never_killed(self):
        with tempfile.TemporaryDirectory() as one, \
                tempfile.TemporaryDirectory() as other:
            expected, loop = self.train(one)
            self.assertGreater(loop.steps, 12)
            for kill_at in (5, loop.steps - 3):
                with self.assertRaises(Killed):
                    self.train(other, kill_at)
            found, resumed = self.train(other)
        self.assertEqual(resumed.step, loop.step)
        for name, weight in expected.items():
            self.assertTrue(torch.equal(found[name], weight), name)

    def test_rate_rises_then_falls_to_zero(self):
        settings = Settings(rate=1.0, warmup=0.1)
        rates = [learning_rate(settings, i, 100) for i in range(101)]
        self.assertEqual(rates[9], 1.0)
        self.assertEqual(rates[100], 0.0)
        self.assertEqual(sorted(rates[:10]), rates[:10])
        self.assertEqual(sorted(rates[10:], reverse=True), rates[10:])


class LossTest(unittest.TestCase):
    def test_teacher_loss_is_least_at_the_teacher(self):
        teacher = torch.tensor([[1.0, -2.0], [0.5, 0.25]])
        best = teacher_loss(TASKS["sst2"], teacher, teacher)
        other = teacher_loss(TASKS["sst2"], teacher + torch.tensor([0.5, 0]),
                             teacher)
        self.assertLess(float(best), float(other))


class StagesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        tiny.write_base(self.path("base"))
        tiny.write_sst2(self.path("glue"), "train", tiny.examples(400))
        self.dev = tiny.write_sst2(self.path("glue"), "dev",
                                   tiny.examples(60, seed=2))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_stage(self, stage, *options):
        words = [stage.__name__, "sst2", "--base", self.path("base"),
                 "--data", self.path("glue"), "--root", self.folder.name,
                 "--threads", "1", "--tokens", "100", "--rate", "2e-3",
                 "--average", "0.9", *options]
        with mock.patch.object(sys, "argv", words), \
                contextlib.redirect_stdout(io.StringIO()):
            stage.main()

    def results(self, folder):
        with open(os.path.join(self.path(folder), "results.json")) as file:
            return json.load(file)

    def check_export(self, folder, score):
        """`stint eval` finds the same accuracy."""
        if not STINT:
            self.skipTest("no stint program in the variable STINT")
        done = subprocess.run(
            [STINT, "eval", folder, "--task", "sst2", "--data", self.dev,
             "--format", "json", "--threads", "1"],
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertAlmostEqual(found["correct"] / found["total"], score,
                               places=6)

    def test_fine_tunes_adapts_and_exports(self):
        self.run_stage(finetune, "--epochs", "6")
        plain = self.results("sst2-finetune")
        self.assertGreater(plain["dev"], 0.9)
        self.run_stage(adapt, "--epochs", "4", "--depths", "2,1")
        found = self.results("sst2-minilm")
        self.assertGreater(found["float32"], 0.9)
        self.assertGreater(found["bits"]["2"], 0.8)
        self.assertEqual(len(found["sub_networks"]), 8)
        path = os.path.join(self.path("sst2-minilm"), "config.json")
        with open(path) as file:
            config = json.load(file)
        self.assertEqual(config["elastic"]["layers"], {"2": [0, 1], "1": [0]})
        self.assertEqual(Shape.read(self.path("sst2-minilm")), tiny.SHAPE)
        weights = safetensors.load(os.path.join(self.path("sst2-minilm"),
                                                "model.safetensors"))
        self.assertEqual(weights["classifier.weight"].shape,
                         (2, tiny.SHAPE.hidden))
        self.check_export(self.path("sst2-minilm"), found["float32"])
