#!/usr/bin/env python3
"""--device opencl:0 against the CPU, and what goes wrong.

Usage: opencl_test.py STINT DATA_FOLDER [MODELS...] (run by ctest). With models (.onnx files), only
those are compared. Exit code 77 means skipped: there is no OpenCL device.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import cli_test
from cli_test import DATA, npy, read_npy

SKIPPED = 77
LIMIT = 1e-3  # difference over the largest output
STINT = None
MODELS = []
QUANTIZED = None


def run(*arguments, **environment):
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True,
                          env={**os.environ, **environment})


def devices():
    return json.loads(run("device", "--opencl", "--format", "json").stdout)


class OpenCl(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    assert_fails = cli_test.CommandLine.assert_fails

    def inputs(self, model, batch=1):
        """A file of random numbers for the model's first input, and its option."""
        first = json.loads(run("inspect", model, "--format", "json").stdout)["inputs"][0]
        shape = [size if isinstance(size, int) and size > 0 else batch for size in first["shape"]]
        count = 1
        for size in shape:
            count *= size
        numbers = random.Random(1)
        npy(self.folder / "x.npy", shape, [numbers.uniform(-1, 1) for _ in range(count)])
        return f"{first['name']}={self.folder}/x.npy"

    def outputs(self, model, option, device):
        folder = self.folder / model.stem / device
        done = run("run", model, "--input", option, "--output-dir", folder, "--device", device, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {path.name: read_npy(path) for path in folder.iterdir()}, json.loads(done.stdout.splitlines()[0])

    def compare(self, model):
        option = self.inputs(model)
        expected, cpu = self.outputs(model, option, "cpu")
        found, opencl = self.outputs(model, option, "opencl:0")
        self.assertEqual(sorted(expected), sorted(found))
        for name, want in expected.items():
            largest = max(map(abs, want))
            worst = max(abs(a - b) for a, b in zip(want, found[name])) / largest
            print(f"{model.stem} {name}: {worst:.1e} of the largest output; run cpu {cpu['run_ms']:.1f} ms, opencl:0 "
                  f"{opencl['run_ms']:.1f} ms; peak memory {cpu['peak_rss_bytes'] / 1e6:.0f} MB, "
                  f"{opencl['peak_rss_bytes'] / 1e6:.0f} MB", flush=True)
            self.assertEqual(len(want), len(found[name]))
            self.assertLess(worst, LIMIT)

    def test_answers_are_those_of_the_cpu(self):
        for model in MODELS:
            with self.subTest(model=model.stem):
                self.compare(model)

    def test_devices_are_listed(self):
        listed = devices()["opencl"]
        self.assertEqual([device["name"] for device in listed], [f"opencl:{i}" for i in range(len(listed))])
        self.assertIn("opencl:0", run("device", "--opencl").stdout)

    def test_a_device_that_is_not_there_names_those_that_are(self):
        self.assert_fails(run("run", DATA / "conv.onnx", "--input", self.inputs(DATA / "conv.onnx"),
                              "--device", "opencl:99"), 3, "opencl:99", "there is opencl:0")

    def test_an_unknown_device_is_a_usage_error(self):
        done = run("run", DATA / "conv.onnx", "--input", "x=x.npy", "--device", "foo")
        self.assertEqual(done.returncode, 2)
        self.assertIn("device 'foo', expected cpu or opencl:N", done.stderr)

    def test_without_a_driver_one_line_says_so(self):
        nothing = {"OCL_ICD_VENDORS": str(self.folder)}
        option = self.inputs(DATA / "conv.onnx")
        self.assert_fails(run("run", DATA / "conv.onnx", "--input", option, "--device", "opencl:0", **nothing),
                          3, "opencl:0", "no OpenCL driver")
        self.assertIn("none", run("device", "--opencl", **nothing).stdout)

    def test_operators_without_a_kernel_are_named(self):
        if not QUANTIZED.exists():
            self.skipTest(f"{QUANTIZED} is not there")
        done = run("run", QUANTIZED, "--input", self.inputs(QUANTIZED), "--device", "opencl:0")
        self.assert_fails(done, 3, "OpenCL has no kernel for node 'input_Conv_0_QuantizeLinear' (QuantizeLinear)",
                          "more")

    def test_budgets_and_other_precisions_are_refused(self):
        option = self.inputs(DATA / "conv.onnx")
        for extra in (("--precision", "int8"), ("--memory", "100MB"), ("--primitive", "direct")):
            self.assert_fails(run("run", DATA / "conv.onnx", "--input", option, "--device", "opencl:0", *extra),
                              1, "opencl:0", "runs in fp32")

    def test_compiled_kernels_are_kept_and_forgotten(self):
        cache = {"XDG_CACHE_HOME": str(self.folder)}
        option = self.inputs(DATA / "conv.onnx")
        self.assertEqual(run("run", DATA / "conv.onnx", "--input", option, "--device", "opencl:0", **cache).returncode, 0)
        kept = [path.name for path in (self.folder / "stint").iterdir()]
        self.assertEqual(len([name for name in kept if name.startswith("opencl-")]), 1, kept)
        self.assertEqual(run("device", "--forget", **cache).returncode, 0)
        self.assertFalse(any(path.name.startswith("opencl-") for path in (self.folder / "stint").iterdir()))

    def test_a_profile_has_every_step(self):
        option = self.inputs(DATA / "conv.onnx")
        trace = self.folder / "trace.json"
        done = run("run", DATA / "conv.onnx", "--input", option, "--device", "opencl:0", "--profile", trace)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Conv", trace.read_text())


if __name__ == "__main__":
    STINT, data = sys.argv[1], pathlib.Path(sys.argv[2])
    given = [pathlib.Path(path) for path in sys.argv[3:]]
    found = devices()
    if not found["opencl"]:
        print("skipped: no OpenCL device;", found.get("opencl_note", "no driver (ICD) is installed"))
        sys.exit(SKIPPED)
    QUANTIZED = data / "models" / "imagenet_mobilenetv2_12_qdq.onnx"
    small = [data / "models" / f"{name}.onnx" for name in (
        "cifar10_resnet8_mlperf_tiny", "cifar10_resnet20", "cifar10_resnet56", "imagenet_squeezenet1_1",
        "imagenet_mcunet_in3", "imagenet_tiny_darknet")]
    MODELS = given or [DATA / "conv.onnx"] + [model for model in small if model.exists()]
    only = ["OpenCl.test_answers_are_those_of_the_cpu"] if given else []
    unittest.main(argv=[sys.argv[0], "-v", *only])
