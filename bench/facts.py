#!/usr/bin/env python3
"""Prints the known facts of the study across the stack with this machine's numbers.

Usage: facts.py --data FOLDER [--stint PROGRAM] [--rows N]
FOLDER has cifar10/ and models/cifar10_resnet20.onnx. Times are those of single layers, the quickest of several runs by
`stint inspect --kernels`, one thread; accuracies those of `stint eval`. A line says what is claimed, what was found here,
and whether that agrees.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from bench.models.builder import Builder  # noqa: E402

IMAGES = ["--task", "cifar10", "--scale", "255", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225"]
REPEATS = 5


class Machine:
    def __init__(self, stint, folder):
        self.stint, self.folder = stint, folder

    def json(self, *words):
        done = subprocess.run([self.stint, *map(str, words), "--format", "json"], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"stint {' '.join(map(str, words))}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def layer(self, channels_in, channels_out, side, zeros=0.0, block=1):
        """An ONNX file of one 3x3 layer between two that keep its form; returns its path."""
        b = Builder("layer", 1)
        x = b.input("input", [1, channels_in, side, side])
        x = b.relu(b.conv(x, channels_in, channels_in, 1))
        y = b.relu(b.conv(x, channels_in, channels_out, 3))
        b.output(b.conv(y, channels_out, 16, 1), "y", [1, 16, side, side])
        model = b.model()
        for tensor in model.graph.initializer:
            w = numpy_helper.to_array(tensor)
            if w.ndim == 4 and w.shape[2] == 3 and zeros > 0:
                tensor.CopyFrom(numpy_helper.from_array(thinned(w, zeros, block), tensor.name))
        path = self.folder / f"l{channels_in}-{channels_out}-{side}-{zeros}-{block}.onnx"
        onnx.save(model, path)
        return path

    def time(self, path, *options):
        """us of the 3x3 layer."""
        best = None
        for _ in range(REPEATS):
            steps = self.json("inspect", path, "--kernels", "--threads", 1, *options)["steps"]
            convs = [s for s in steps if s["op"] in ("BlockedConv", "QuantizedConv", "Conv", "FusedConv")]
            best = min(best or 1e9, convs[1]["run_us"])
        return best

    def right(self, model, data, rows, *options):
        return 100 * self.json("eval", model, "--data", data, "--rows", rows, *IMAGES, *options)["value"]


def thinned(w, zeros, block):
    """Whole blocks of outputs at one input become 0."""
    random = np.random.default_rng(3)
    w = w.copy()
    for o in range(0, w.shape[0], block):
        w[o:o + block, random.random(w.shape[1:]) < zeros] = 0
    return w


class Facts:
    def __init__(self):
        self.agreed = self.counted = 0

    def say(self, claim, found, agrees):
        self.counted += 1
        self.agreed += bool(agrees)
        print(f"{'agrees     ' if agrees else 'contradicts'}  {claim}\n             here: {found}", flush=True)


def shapes(machine, facts):
    narrow, wide = machine.time(machine.layer(32, 32, 28)), machine.time(machine.layer(32, 33, 28))
    facts.say("33 channels cost 1.7x of 32", f"{wide / narrow:.2f}x", wide / narrow > 1.3)
    ratios = {}
    for channels, side in ((64, 56), (128, 28), (256, 14), (512, 7)):
        path = machine.layer(channels, channels, side)
        direct = machine.time(path, "--primitive", "direct")
        ratios[side] = direct / min(machine.time(path, "--primitive", p) for p in ("winograd2", "winograd4"))
    text = ", ".join(f"{side}x{side} {ratio:.2f}x" for side, ratio in ratios.items())
    facts.say("Winograd wins at 56x56 and 28x28, ties or loses at 7x7 (over direct)", text,
              min(ratios[56], ratios[28]) > 1.05 and ratios[7] < 1.05)


def sparse(machine, facts):
    for rows, name, low, high in ((1, "unstructured", 0.69, 0.91), (4, "4x1", 0.06, 0.53)):
        found = []
        for channels, side in ((64, 56), (128, 28), (256, 14)):
            dense = machine.time(machine.layer(channels, channels, side), "--primitive", "direct")
            even = next((z for z in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
                         if machine.time(machine.layer(channels, channels, side, z, rows), "--primitive", "sparse") < dense), None)
            found.append(even)
        text = ", ".join("never" if z is None else f"{100 * z:.0f} %" for z in found)
        facts.say(f"{name} sparsity pays against direct fp32 from {100 * low:.0f} to {100 * high:.0f} % zeros on (AVX-512)",
                  f"{text} (64 at 56x56, 128 at 28x28, 256 at 14x14)", all(z is not None and z <= high + 0.05 for z in found))


def bytes_against_sparse(machine, facts):
    path, thin = machine.layer(128, 128, 28), machine.layer(128, 128, 28, 0.7, 4)
    winograd = min(machine.time(path, "--primitive", p) for p in ("winograd2", "winograd4"))
    int8 = machine.time(path, "--precision", "int8", "--primitive", "direct")
    facts.say("int8 direct beats Winograd", f"int8 {int8:.0f} us, Winograd {winograd:.0f} us", int8 < winograd)
    integers = machine.time(path, "--precision", "int8", "--primitive", "winograd4")
    facts.say("int8 direct beats Winograd in integers", f"int8 {int8:.0f} us, Winograd {integers:.0f} us", int8 < integers)
    wide = machine.time(thin, "--primitive", "sparse")
    facts.say("70 % 4x1 loses against int8 on VNNI", f"sparse {wide:.0f} us, int8 {int8:.0f} us", wide > int8)
    old = ["--isa", "avx2"]
    sparse_old, int8_old = machine.time(thin, "--primitive", "sparse", *old), machine.time(path, "--precision", "int8", *old)
    facts.say("70 % 4x1 beats int8 on AVX2", f"sparse {sparse_old:.0f} us, int8 {int8_old:.0f} us", sparse_old < int8_old)


def accuracy(machine, facts, data, rows):
    model, test = data / "models" / "cifar10_resnet20.onnx", data / "cifar10" / "test_batch.bin.xz"
    repair = ["--data", data / "cifar10" / "data_batch_1.bin.xz", *IMAGES]
    whole = machine.right(model, test, rows)

    def compressed(*options):
        out = machine.folder / "c.onnx"
        machine.json("compress", model, "-o", out, *options)
        return machine.right(out, test, rows)
    int8 = compressed("--quantize", "int8:rule", *repair)
    facts.say("int8 post-training costs almost no accuracy on CIFAR ResNets", f"{whole:.2f} to {int8:.2f} %", whole - int8 < 0.5)
    once = compressed("--prune", "magnitude:50%")
    facts.say("one-shot pruning without repair is usable to about 50 %", f"{whole:.2f} to {once:.2f} % at 50 %", whole - once < 10)
    bare, repaired = compressed("--prune", "magnitude:70%"), compressed("--prune", "magnitude:70%", "--recover", "statistics", *repair)
    facts.say("matching means and variances recovers 10 to 30 points above 50 %",
              f"{bare:.2f} to {repaired:.2f} % at 70 %", repaired - bare >= 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--stint", default=str(ROOT / "build" / "stint"))
    parser.add_argument("--rows", type=int, default=2000)
    options = parser.parse_args()
    facts = Facts()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(options.stint, pathlib.Path(folder))
        shapes(machine, facts)
        sparse(machine, facts)
        bytes_against_sparse(machine, facts)
        accuracy(machine, facts, options.data, options.rows)
    print(f"{facts.agreed} of {facts.counted} agree")


if __name__ == "__main__":
    main()
