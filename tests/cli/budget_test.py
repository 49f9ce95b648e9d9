#!/usr/bin/env python3
"""Elastic files and budgets as a person and a script see them. Usage: budget_test.py STINT (run by ctest)."""
import array
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

STINT = None
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
WIDTH, FFN, LAYERS, HEADS = 64, 256, 2, 4


def stint(*arguments):
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True)


def read_npy(path):
    content = path.read_bytes()
    return list(array.array("f", content[10 + int.from_bytes(content[8:10], "little"):]))


def write_encoder(folder):
    """A classifier with seeded weights that is large enough for shards, trained (it says) for three parts of itself."""
    small = DATA / "encoders" / "bert_classifier"
    shutil.copytree(small, folder)
    config = json.loads((small / "config.json").read_text())
    config.update(hidden_size=WIDTH, intermediate_size=FFN, num_hidden_layers=LAYERS, num_attention_heads=HEADS)
    config["elastic"] = {"widths": [4, 2], "depths": [2, 1], "layers": {"1": [0], "2": [0, 1]}, "slices": HEADS}
    (folder / "config.json").write_text(json.dumps(config))
    old = (small / "model.safetensors").read_bytes()
    size = struct.unpack("<Q", old[:8])[0]
    source, numbers = random.Random(1), array.array("f")
    header = {}
    for name, entry in sorted(json.loads(old[8:8 + size]).items()):
        if name == "__metadata__":
            continue
        shape = [{8: WIDTH, 16: FFN}.get(d, d) for d in entry["shape"]]
        count = shape[0] * (shape[1] if len(shape) == 2 else 1)
        norm = "LayerNorm.weight" in name
        begin = 4 * len(numbers)
        numbers.extend(1.0 if norm else source.gauss(0, 0.1) for _ in range(count))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [begin, 4 * len(numbers)]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + numbers.tobytes())


class Budgets(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.model = self.folder / "model"
        write_encoder(self.model)

    def pack_encoder(self):
        packed = self.folder / "encoder.stint"
        done = stint("pack", self.model, "-o", packed)
        self.assertEqual(done.returncode, 0, done.stderr)
        return packed

    def assert_fails(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_an_elastic_file_runs_within_budgets(self):
        packed = self.pack_encoder()
        full = json.loads(stint("run", packed, "--text", "a b c", "--format", "json").stdout)
        self.assertEqual((full["precision"], full["plan"]["bits_mean"], full["plan"]["regime"]), ("codes", 8.0, "resident"))
        streamed = stint("run", packed, "--text", "a b c", "--policy", "pipeline:8", "--storage", "200MB/s,100us",
                         "--output-dir", self.folder / "s", "--format", "json")
        self.assertGreater(json.loads(streamed.stdout)["plan"]["stream_bytes"], 0, streamed.stderr)
        stint("run", packed, "--text", "a b c", "--output-dir", self.folder / "r")
        for output in (self.folder / "r").iterdir():
            self.assertEqual(read_npy(output), read_npy(self.folder / "s" / output.name))
        limited = json.loads(stint("run", packed, "--text", "a b c", "--memory", "60MB", "--format", "json").stdout)
        self.assertLessEqual(limited["peak_rss_bytes"], 60e6)

    def test_plan_explains_and_says_what_would_do(self):
        packed = self.pack_encoder()
        plan = json.loads(stint("plan", packed, "--memory", "60MB", "--sequence", "8", "--format", "json").stdout)
        for key in ("feasible", "predicted_ms", "predicted_peak_rss_bytes", "bits_mean", "layers", "width", "preload_bytes",
                    "stream_bytes", "regime"):
            self.assertIn(key, plan)
        self.assertIn("layer", stint("plan", packed, "--sequence", "8").stdout)
        for budget in (["--latency", "1us"], ["--memory", "1MB"]):
            self.assert_fails(stint("plan", packed, *budget, "--sequence", "8"), 4)
        self.assert_fails(stint("plan", packed, "--latency", "1us", "--sequence", "8"), 4, "would do")
        self.assert_fails(stint("plan", packed, "--policy", "best"), 1, "best", "elastic")
        self.assert_fails(stint("plan", packed, "--memory", "lots"), 1, "lots")
        energy = stint("plan", packed, "--energy", "1J")
        if energy.returncode == 0:  # this machine has a meter
            self.assertRegex(energy.stderr, "at the [0-9.]+ W measured")
        else:
            self.assert_fails(energy, 1, "energy meter", "--watts")
        self.assert_fails(stint("plan", DATA / "linear.onnx", "--memory", "60MB"), 1, "stint pack")
        self.assert_fails(stint("run", DATA / "linear.onnx", "--text", "x", "--latency", "20ms"), 1, "stint pack")

    def test_policies_of_32_bits_run_the_plain_package(self):
        packed, full = self.pack_encoder(), self.folder / "full.stint"
        self.assertEqual(stint("pack", self.model, "-o", full, "--bits", "32").returncode, 0)
        expected = stint("run", full, "--text", "a b c", "--output-dir", self.folder / "e")
        self.assertEqual(expected.returncode, 0, expected.stderr)
        for policy in ("resident:32", "pipeline:32"):
            run = ["run", packed, "--text", "a b c", "--policy", policy]
            self.assert_fails(stint(*run), 1, policy, "--full")
            done = stint(*run, "--full", full, "--output-dir", self.folder / policy, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads(done.stdout)["plan"]
            self.assertEqual((plan["policy"], plan["bits_mean"]), (policy, 32.0))
            self.assertEqual(plan["stream_bytes"] > 0, policy == "pipeline:32")
            for output in (self.folder / "e").iterdir():
                self.assertEqual(read_npy(output), read_npy(self.folder / policy / output.name))
            shown = stint("plan", packed, "--policy", policy, "--full", full, "--sequence", "8", "--format", "json")
            self.assertEqual(json.loads(shown.stdout)["policy"], policy, shown.stderr)
            self.assert_fails(stint(*run, "--full", full, "--memory", "1MB"), 4, policy)
        self.assert_fails(stint("run", packed, "--text", "a", "--policy", "pipeline:32", "--full", packed), 1, "plain")
        other = self.folder / "other.stint"
        stint("pack", DATA / "linear.onnx", "-o", other, "--bits", "32")
        self.assert_fails(stint("run", packed, "--text", "a", "--policy", "pipeline:32", "--full", other), 1, "another model")

    def test_a_missed_latency_is_counted_and_said(self):
        packed, plan = self.pack_encoder(), self.folder / "p.txt"
        # Nothing is planned with a saved plan: the latency is only watched.
        run = ["run", packed, "--text", "a b c", "--plan", plan]
        self.assertEqual(json.loads(stint(*run, "--format", "json").stdout)["missed"], 0)
        self.assertIn("missed the latency in 1 of 1 runs", stint(*run, "--latency", "1us").stdout)
        self.assertEqual(json.loads(stint(*run, "--latency", "1us", "--format", "json").stdout)["missed"], 1)
        self.assertNotIn("missed", stint(*run, "--latency", "10s").stdout)
        data = self.folder / "dev.tsv"
        data.write_text("sentence\tlabel\n" + "".join(f"a b c\t{i % 2}\n" for i in range(8)))
        done = stint("eval", packed, "--task", "sst2", "--data", data, "--plan", plan, "--latency", "1us", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["missed"], 8, done.stderr)

    def test_importance_is_measured_kept_and_drawn(self):
        data = self.folder / "dev.tsv"
        data.write_text("sentence\tlabel\n" + "".join(f"a b c {word}\t{i % 2}\n" for i, word in enumerate("abcdefgh")))
        packed = self.folder / "m.stint"
        done = stint("pack", self.model, "-o", packed, "--calibrate", data, "--task", "sst2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir() if "importance" in p.name], [])
        picture = self.folder / "i.svg"
        shown = stint("inspect", packed, "--importance", picture)
        self.assertIn("importance", shown.stdout, shown.stderr)
        self.assertIn("layer 0, slice 0", picture.read_text())
        networks = json.loads(stint("inspect", packed, "--format", "json").stdout)["elastic"]["sub_networks"]
        self.assertEqual([(n["blocks"], n["slices"]) for n in networks], [([0], 4), ([0], 2), ([0, 1], 2)])
        self.assertTrue(all(n["loss"] > 0 for n in networks), networks)
        self.assert_fails(stint("inspect", self.pack_encoder(), "--importance", picture), 1, "--calibrate")


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main(verbosity=2)
