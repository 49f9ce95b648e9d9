#!/usr/bin/env python3
"""stint device and what follows from it. Usage: device_test.py STINT (run by ctest)."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_test import DATA, npy, read_npy

STINT = None
MODEL = DATA / "conv.onnx"


class Device(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        npy(self.folder / "x.npy", [1, 16, 12, 12], [1] * (16 * 144))

    def stint(self, *arguments, code=0):
        done = subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, "XDG_CACHE_HOME": str(self.folder)})
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def reasons(self, *options):
        """Layer name to (kernel, reason)."""
        done = self.stint("inspect", MODEL, "--kernels", "--format", "json", "--threads", 1, *options)
        return {step["node"]: (step["kernel"].split("_")[0], step["reason"])
                for step in json.loads(done.stdout)["steps"] if "kernel" in step}

    def output(self, *options):
        done = self.stint("run", MODEL, "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, "--threads", 1, *options)
        return read_npy(self.folder / "y.npy"), done.stderr

    def test_profile_has_the_promised_keys_and_is_remembered(self):
        first = self.stint("device", "--format", "json").stdout
        profile = json.loads(first)
        for key in ("fp32_gflops", "int8_gops", "bf16_gflops", "dram_gbps"):
            self.assertGreater(profile[key], 0)
        self.assertGreaterEqual(profile["cores"], 1)
        self.assertIn(profile["isa"], ("sse2", "avx2", "avx512", "vnni", "bf16", "amx"))
        self.assertEqual([point["request_bytes"] for point in profile["io"]], [4096 << i for i in range(12)])
        self.assertGreater(profile["io_depth"], 1)
        self.assertEqual(len(profile["codes"]), 5 * 7)
        for line in profile["codes"]:
            self.assertEqual(line["rows"], [1, 4, 8, 16, 32, 64, 128, 256])
            self.assertEqual(line["ns"], sorted(line["ns"]))
        self.assertIn(profile["energy_meter"]["grade"], "AE")
        self.assertTrue(profile["energy_meter"]["source"])
        self.assertEqual(self.stint("device", "--format", "json").stdout, first)
        self.assertIn("GFLOP/s", self.stint("device").stdout)
        path = pathlib.Path(profile["file"])
        path.write_bytes(path.read_bytes()[:-3])
        again = self.stint("device", "--format", "json")
        self.assertIn("measuring again", again.stderr)
        self.assertEqual(json.loads(again.stdout)["isa"], profile["isa"])
        self.assertIn("2 files removed", self.stint("device", "--forget").stdout)
        self.assertFalse(path.exists())

    def test_tuned_layers_are_measured_and_others_default(self):
        self.assertEqual({reason for _, reason in self.reasons().values()}, {"default"})
        tuned = json.loads(self.stint("device", "--tune", MODEL, "--threads", 1, "--format", "json").stdout)["layers"]
        self.assertEqual([layer["layer"] for layer in tuned], ["1x16x12x12-16x12x12-k3x3-s1x1-d1x1-p1x1-g1-blocked"])
        times = tuned[0]["times_us"]
        self.assertLessEqual({"direct", "winograd2", "winograd4", "im2col", "implicit", "spatial"}, set(times))
        reasons = self.reasons()
        self.assertEqual(reasons["spread"][1], "measured")
        self.assertLessEqual(times[reasons["spread"][0]], 1.03 * min(times.values()) + 0.01)
        self.assertEqual(reasons["scale"], ("depthwise", "default"))
        self.assertEqual({reason for _, reason in self.reasons("--batch", 2).values()}, {"default"})

    def test_every_layer_says_what_decided_and_why_no_other_kernel_runs_it(self):
        layers = 0
        for model, precision in ((MODEL, "fp32"), (MODEL, "bf16"), (DATA / "linear.onnx", "fp32"), (DATA / "linear.onnx", "int8")):
            options = ("inspect", model, "--kernels", "--threads", 1, "--precision", precision)
            text = self.stint(*options).stdout
            for step in json.loads(self.stint(*options, "--format", "json").stdout)["steps"]:
                if "kernel" not in step:
                    continue
                layers += 1
                candidates = step["candidates"]
                self.assertEqual([c["kernel"] for c in candidates if "refused" not in c], [step["kernel"]])
                self.assertGreater(len(candidates), 1)
                self.assertIn(step["rule"], text)
                for candidate in candidates:
                    self.assertIn(candidate["kernel"], text)
                    self.assertIn(candidate.get("refused", ""), text)
        self.assertEqual(layers, 6)

    def test_every_forced_primitive_gives_the_same_answer(self):
        want, _ = self.output()
        for primitive in ("direct", "winograd2", "winograd4", "im2col", "implicit", "spatial"):
            got, words = self.output("--primitive", primitive)
            self.assertIn(f"{primitive} runs 1 of 2 convolutions", words)
            self.assertLess(max(abs(a - b) for a, b in zip(got, want)), 1e-3)
            self.assertEqual(self.reasons("--primitive", primitive)["spread"], (primitive, "forced"))

    def test_an_unknown_primitive_is_a_usage_error_that_lists_the_names(self):
        for command in (("run", MODEL, "--input", f"x={self.folder}/x.npy"), ("bench", MODEL), ("check", self.folder),
                        ("eval", MODEL, "--task", "sst2", "--data", "d")):
            words = self.stint(*command, "--primitive", "fft", code=2).stderr
            for name in ("direct", "pointwise", "winograd2", "winograd4", "depthwise", "first", "im2col", "implicit", "spatial"):
                self.assertIn(name, words)


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
