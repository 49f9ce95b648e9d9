#!/usr/bin/env python3
"""stint compress: files, reports and errors. Usage: compress_test.py STINT (run by ctest)."""
import json
import lzma
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
CONV = HERE.parent / "data" / "conv.onnx"
LINEAR = HERE.parent / "data" / "linear.onnx"


class Compress(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "out.onnx"

    def stint(self, *arguments):
        return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True)

    def compress(self, model, *arguments, out=None):
        done = self.stint("compress", model, "-o", out or self.out, "--format", "json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fails(self, code, message, *arguments):
        done = self.stint("compress", *arguments, "-o", self.out)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertFalse(self.out.exists())

    def test_reports_zeros_by_layer(self):
        report = self.compress(CONV, "--prune", "layer:50%")
        self.assertEqual(report["parameters"], report["parameters_before"])
        self.assertEqual(report["zeros"], sum(layer["zeros"] for layer in report["layers"]))
        for layer in report["layers"]:
            self.assertAlmostEqual(layer["zeros"] / layer["weights"], 0.5, delta=0.5 / layer["weights"])

    def test_halves_bytes_of_weights(self):
        plain = self.compress(CONV, "--prune", "layer:0%")["bytes"]
        half = self.compress(CONV, "--quantize", "fp16")["bytes"]
        self.assertLess(half, 0.75 * plain)

    def test_result_runs_as_onnx_and_as_package(self):
        for out in (self.out, self.folder / "out.stint"):
            self.compress(CONV, "--prune", "layer:50%", out=out)
            done = self.stint("inspect", out, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([value["name"] for value in json.loads(done.stdout)["inputs"]], ["x"])

    def test_refuses_bad_ratios(self):
        for ratio in ("100%", "-5%", "1.5", "half", ""):
            self.fails(2, "expected 0% to less than 100%", CONV, "--prune", f"layer:{ratio}")

    def test_refuses_unknown_names(self):
        self.fails(2, "expected magnitude", CONV, "--prune", "random:50%")
        self.fails(2, "expected fp16", CONV, "--quantize", "int3")
        self.fails(2, "expected one of best, min-max, percentile, mse, or all or rule", CONV, "--quantize", "int8:max")

    def test_codes_go_into_packages_only(self):
        self.fails(2, "needs an output that ends in .stint", CONV, "--quantize", "4bit")
        out = self.folder / "codes.stint"
        self.compress(CONV, "--quantize", "4bit", out=out)
        done = self.stint("inspect", out, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_int8_needs_data(self):
        self.fails(2, "int8 needs --calibrate", CONV, "--quantize", "int8")

    def test_refuses_data_that_does_not_fit(self):
        rng = random.Random(1)
        batch = self.folder / "batch.bin.xz"
        rows = b"".join(bytes([i % 10]) + rng.randbytes(3072) for i in range(4))
        batch.write_bytes(lzma.compress(rows))
        for task in ((), ("--task", "cifar10")):
            self.fails(1, "the picture is [1,3,32,32]", CONV, "--quantize", "int8", "--data", batch, *task)
        table = self.folder / "rows.tsv"
        table.write_text("sentence\tlabel\n")
        for data, reason in ((table, "rows.tsv needs --task"), (self.folder / "none", "no such file or folder")):
            self.fails(2, reason, CONV, "--quantize", "int8", "--data", data)

    def test_refuses_what_is_no_memory(self):
        self.fails(2, "--memory", CONV, "--prune", "layer:50%", "--memory", "much")

    def test_says_what_memory_it_took(self):
        self.assertGreater(self.compress(CONV, "--prune", "layer:50%", "--memory", "600MB")["peak_rss_bytes"], 1 << 20)

    def test_refuses_a_model_whose_channels_are_all_held(self):
        self.fails(3, "no channel of the model can be taken out", LINEAR, "--prune", "channel:50%")

    def test_missing_model(self):
        self.fails(1, "none.onnx", self.folder / "none.onnx", "--prune", "layer:50%")

    def test_keeps_the_old_file_when_it_fails(self):
        self.out.write_text("old")
        done = self.stint("compress", LINEAR, "--prune", "channel:50%", "-o", self.out)
        self.assertEqual(done.returncode, 3)
        self.assertEqual(self.out.read_text(), "old")


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main()
