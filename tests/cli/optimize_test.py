#!/usr/bin/env python3
"""stint optimize: rows, limits and errors. Usage: optimize_test.py STINT DATA (run by ctest); skips without DATA."""
import json
import lzma
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

STINT = DATA = None
HERE = pathlib.Path(__file__).resolve().parent


class Optimize(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.model = DATA / "models" / "cifar10_resnet8_mlperf_tiny.onnx"
        self.test = self.first_rows("test_batch", 300)
        self.train = self.first_rows("data_batch_1", 32)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def first_rows(self, name, count):
        """A file of its own, so that it is all there is to evaluate."""
        path = self.folder / f"{name}.bin.xz"
        with lzma.open(DATA / "cifar10" / path.name) as file:
            path.write_bytes(lzma.compress(file.read(count * 3073)))
        return path

    def optimize(self, *arguments, model=None, data=None, tune="0s"):
        # Pictures of this network are bytes as they are.
        return subprocess.run(
            [STINT, "optimize", model or self.model, "--data", data or self.test, "--calibrate", self.train, "--task", "cifar10",
             "--calibrate-rows", "32", "--format", "json", "--tune-budget", tune, *map(str, arguments)],
            capture_output=True, text=True, env=self.environment)

    def test_finds_something_faster_that_is_right_as_often(self):
        out = self.folder / "fast.onnx"
        done = self.optimize("--min-accuracy", "80", "-o", out, tune="3s")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        rows = {row["name"]: row for row in report["rows"]}
        self.assertEqual([row["ms"] for row in report["rows"]], sorted(row["ms"] for row in report["rows"]))
        best = rows[report["best"]]
        self.assertGreaterEqual(best["accuracy"], 0.8)
        self.assertLessEqual(best["ms"], rows["fp32"]["ms"])
        self.assertIn("int8", rows)
        self.assertTrue(report["kernels"])
        schedules = list((self.folder / "cache" / "stint").rglob("*schedules*"))
        self.assertTrue(schedules, "nothing was tuned")
        self.assertTrue(any(not row["plain"] for row in report["rows"]))
        right = subprocess.run([STINT, "eval", out, "--data", self.test, "--task", "cifar10", "--format", "json", "--precision", best["precision"]], capture_output=True, text=True)
        self.assertAlmostEqual(json.loads(right.stdout)["value"], best["accuracy"], delta=0.004)

    def test_narrower_layers_in_float_are_tuned_too(self):
        """In AVX2 float is faster than int8: what little accuracy leaves has layers that the network did not have."""
        done = self.optimize("--min-accuracy", "20", "--isa", "avx2", "--threads", "1", tune="4s")
        self.assertEqual(done.returncode, 0, done.stderr)
        trials = sqlite3.connect(self.folder / "cache" / "stint" / "trials.db")
        layers = {name for name, in trials.execute("SELECT DISTINCT layer FROM trial")}
        channels = {tuple(int(side.split("x")[at]) for side, at in zip(name.split("-"), [1, 0])) for name in layers}
        whole = {(3, 16), (16, 16), (16, 32), (32, 32), (32, 64), (64, 64)}
        self.assertLessEqual(whole, channels)
        self.assertTrue(channels - whole, "only layers of the network as given were tuned")

    def test_says_when_nothing_will_do(self):
        out = self.folder / "fast.onnx"
        done = self.optimize("--min-accuracy", "100", "-o", out)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("nothing that was tried keeps all limits", done.stderr)
        self.assertFalse(out.exists())

    def test_the_choice_can_be_trained_further(self):
        out, trainable = self.folder / "fast.onnx", self.folder / "trainable.onnx"
        done = self.optimize("--min-accuracy", "30", "--rows", "100", "-o", out, "--trainable", trainable)
        self.assertEqual(done.returncode, 0, done.stderr)
        fast, floats = ([json.loads(subprocess.run([STINT, "inspect", path, "--format", "json"], capture_output=True).stdout)
                         for path in (out, trainable)])
        self.assertEqual(fast["macs"], floats["macs"])
        self.assertLess(floats["macs"], 12501632)  # of the whole network
        self.assertIn("DequantizeLinear", fast["operators"])
        self.assertNotIn("DequantizeLinear", floats["operators"])

    def test_data_and_an_accuracy_are_enough(self):
        done = subprocess.run([STINT, "optimize", self.model, "--data", self.train, "--min-accuracy", "100", "--tune-budget", "0s"],
                              capture_output=True, text=True, env=self.environment)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        self.assertIn("int8", done.stdout)

    def test_latency_is_a_limit(self):
        done = self.optimize("--min-accuracy", "10", "--rows", "20", "--latency", "1us")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual({row["fails"] for row in json.loads(done.stdout)["rows"]}, {"latency"})
        done = self.optimize("--min-accuracy", "10", "--latency", "soon")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("soon", done.stderr)
        self.assertEqual(self.optimize("--min-accuracy", "10", "--latency", "0ms").returncode, 1)

    def test_memory_is_that_of_a_process_of_its_own(self):
        done = self.optimize("--min-accuracy", "10", "--rows", "50", "--memory", "200MB")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        for row in rows:
            self.assertGreater(row["peak_rss_bytes"], 2e6, row["name"])
            self.assertLess(row["peak_rss_bytes"], 60e6, row["name"])
        least = min(row["peak_rss_bytes"] for row in rows)
        done = self.optimize("--min-accuracy", "10", "--rows", "50", "--memory", f"{least // 2000}kB")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual({row["fails"] for row in json.loads(done.stdout)["rows"]}, {"memory"})

    def test_bad_input(self):
        linear = HERE.parent / "data" / "linear.onnx"
        self.assertEqual(self.optimize("--min-accuracy", "120").returncode, 2)
        self.assertNotEqual(self.optimize("--min-accuracy", "80", model=linear).returncode, 0)
        missing = self.optimize("--min-accuracy", "80", data=self.folder / "none.bin.xz")
        self.assertEqual(missing.returncode, 1)
        self.assertIn("none.bin.xz", missing.stderr)
        self.assertEqual(self.optimize("--min-accuracy", "80", "--trainable", "out.stint").returncode, 2)

    def test_data_of_an_unknown_kind_needs_a_task(self):
        table = self.folder / "dev.tsv"
        table.write_text("a")
        for data, reason in ((table, "needs --task"), (self.folder / "none", "no such file or folder")):
            done = subprocess.run([STINT, "optimize", self.model, "--data", data, "--min-accuracy", "80"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    STINT, DATA = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
    if not (DATA / "cifar10").exists():
        print(f"no test data in {DATA}")
        sys.exit(77)
    unittest.main()
