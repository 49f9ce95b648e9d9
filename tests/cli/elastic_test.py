#!/usr/bin/env python3
"""`stint plan` and `stint study elastic` on a small elastic file. Usage: elastic_test.py STINT (run by ctest)."""
import array
import json
import pathlib
import random
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

STINT = None
SMALL = pathlib.Path(__file__).resolve().parents[1] / "data" / "encoders" / "bert_classifier"
MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "sst2-minilm.stint"
SVG = "{http://www.w3.org/2000/svg}"


def stint(*arguments):
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True)


def write_larger_model(folder):
    """The small classifier with random weights, wide enough to have shards."""
    shutil.copytree(SMALL, folder)
    config = json.loads((SMALL / "config.json").read_text())
    config.update(hidden_size=128, num_attention_heads=4, intermediate_size=512)
    (folder / "config.json").write_text(json.dumps(config))
    content = (SMALL / "model.safetensors").read_bytes()
    header = json.loads(content[8:8 + struct.unpack("<Q", content[:8])[0]])
    wider = {8: 128, 16: 512}
    source, data, tensors = random.Random(1), b"", {}
    for name in sorted(header):
        if name == "__metadata__":
            continue
        shape = [wider.get(size, size) for size in header[name]["shape"]]
        count = 1
        for size in shape:
            count *= size
        norm = "LayerNorm.weight" in name
        values = array.array("f", (1.0 if norm else source.gauss(0, 0.08) for _ in range(count))).tobytes()
        tensors[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(tensors).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


class ElasticTest(unittest.TestCase):
    def test_times_of_a_machine_are_added_to_a_file(self):
        profiled = self.folder / "profiled.stint"
        before = self.packed.read_bytes()
        report = self.answer("pack", self.packed, "-o", profiled, "--profile")
        self.assertGreater(report["profiled"], 0)
        self.assertEqual(report["bytes"], profiled.stat().st_size)
        self.assertEqual(self.packed.read_bytes(), before)
        self.assertIn("costs", [s["name"] for s in self.answer("inspect", profiled)["sections"]])
        answers = [self.answer("run", file, "--text", "a b c")["answer"] for file in (self.packed, profiled)]
        self.assertEqual(answers[0], answers[1])
        plain = stint("pack", self.folder / "model", "-o", self.folder / "plain.stint", "--bits", "32", "--profile")
        self.assertEqual(plain.returncode, 2, plain.stderr)

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.packed = cls.folder / "m.stint"
        write_larger_model(cls.folder / "model")
        subprocess.run([STINT, "pack", cls.folder / "model", "-o", cls.packed], check=True, capture_output=True)
        cls.data = cls.folder / "dev.tsv"
        cls.data.write_text("sentence\tlabel\n" + "a b c\t1\nb c\t0\nc a\t1\n")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def answer(self, *arguments):
        done = stint(*arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


class Plan(ElasticTest):
    BUDGET = ("--latency", "1s", "--memory", "500MB", "--storage", "5MB/s,1ms", "--sequence", "8")

    def test_picture_has_a_box_per_layer_and_lane(self):
        path = self.folder / "plan.svg"
        plan = self.answer("plan", self.packed, *self.BUDGET, "--policy", "pipeline:3", "-o", path)
        boxes = [box.get("class") for box in ElementTree.parse(path).iter(SVG + "rect")]
        self.assertEqual(boxes.count("compute"), len(plan["plan"]))
        self.assertEqual(boxes.count("read"), sum(layer["stream_bytes"] > 0 for layer in plan["plan"]))
        self.assertGreater(boxes.count("read"), 0)
        texts = ["".join(text.itertext()) for text in ElementTree.parse(path).iter(SVG + "text")]
        self.assertIn("budget 1000.0 ms", texts)

    def test_variants_say_what_more_and_less_would_buy(self):
        plan = self.answer("plan", self.packed, *self.BUDGET)
        changes = [(v["change"], v["latency_ms"], v["memory_bytes"]) for v in plan["variants"]]
        self.assertEqual(changes, [("memory +1 MB", 1000, 501e6), ("memory -1 MB", 1000, 499e6),
                                   ("latency +1 ms", 1001, 500e6), ("latency -1 ms", 999, 500e6)])
        for variant in plan["variants"]:  # so large a budget that nothing changes
            self.assertEqual((variant["feasible"], variant["loss"]), (True, plan["loss"]))
        table = stint("plan", self.packed, *self.BUDGET).stdout
        self.assertRegex(table, r"what a little more or less would buy\n +change .*\n +memory \+1 MB ")

    def test_a_file_without_shards_has_nothing_to_vary(self):
        packed = self.folder / "small.stint"
        self.assertEqual(stint("pack", SMALL, "-o", packed).returncode, 0)
        self.assertEqual(self.answer("plan", packed, *self.BUDGET)["variants"], [])

    def test_without_a_budget_there_is_nothing_to_vary(self):
        self.assertEqual(self.answer("plan", self.packed, "--sequence", "8")["variants"], [])


class OneFile(unittest.TestCase):
    """All fidelities in one file cost little over the highest alone."""

    def test_is_at_most_1_08_of_its_highest_fidelity(self):
        done = stint("inspect", MODEL, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        elastic = json.loads(done.stdout)["elastic"]
        self.assertEqual(elastic["bits"], [2, 8])
        beside = 0  # what a file of 8-bit codes alone would not have
        for layer in elastic["layers"]:
            beside += layer["read_bytes"][-1] - layer["weights"]  # planes end at whole blocks
            blocks = len(layer["slices"]) * len(layer["matrices"])
            beside += blocks * sum(2 ** bits for bits in range(2, 8))  # dictionaries
            beside += 4 * sum(len(part["importance"]) for part in layer["slices"])
        size = MODEL.stat().st_size
        self.assertGreater(beside, 0)
        self.assertLessEqual(size, 1.08 * (size - beside))


class Study(ElasticTest):
    def study(self, *arguments):
        return ("study", "elastic", "--model", self.packed, "--data", self.data, "--max-length", "8",
                "--latency", "1s,10s", "--memory", "1MB,500MB", "--storage", "none", "--compute", "all",
                "--policy", "elastic,pipeline:2", *arguments)

    def test_runs_every_point_and_keeps_it(self):
        database, picture = self.folder / "a.db", self.folder / "a.svg"
        report = self.answer(*self.study("--db", database, "-o", picture))
        self.assertEqual((report["points"], report["done"], report["failed"], report["infeasible"]), (8, 8, 0, 4))
        self.assertEqual((report["only_others_feasible"], report["compared"]), ([], 2))
        for row in report["rows"]:
            if row["memory"] == "1MB":
                self.assertEqual((row["status"], row["exit_code"]), ("infeasible", 4))
                self.assertIn("memory", row["reason"])
            else:
                self.assertEqual((row["status"], row["total"]), ("ok", 3))
                self.assertLessEqual({"value", "correct", "predicted_ms", "run_ms_p50", "run_ms_p95", "peak_rss_bytes",
                                      "bytes_read", "cpu_ms", "missed"}, row.keys())
        rights = [row[0] for row in sqlite3.connect(database).execute("SELECT content FROM file WHERE name = 'right'")]
        self.assertEqual([len(right) for right in rights], [3] * (4 + 2))  # of points, of their two plans
        self.assertEqual(len(list(ElementTree.parse(picture).iter(SVG + "polyline"))), 2)

    def test_shared_answers_are_those_of_the_points_themselves(self):
        data = self.folder / "more.tsv"
        source = random.Random(2)
        texts = [" ".join(source.choices("abc", k=source.randint(1, 6))) for _ in range(24)]
        data.write_text("sentence\tlabel\n" + "".join(f"{text}\t{source.randint(0, 1)}\n" for text in texts))
        points = ("study", "elastic", "--model", self.packed, "--data", data, "--max-length", "8", "--latency", "1s,10s",
                  "--memory", "500MB", "--storage", "5MB/s,1ms", "--compute", "all",
                  "--policy", "elastic,sti,load-then-run,pipeline:2,pipeline:3,resident:3")
        found = {}
        for way in (("--exact",), ("--runs", "5")):
            database = self.folder / f"{len(way)}.db"
            rows = self.answer(*points, "--db", database, *way)["rows"]
            rights = dict(sqlite3.connect(database).execute(
                "SELECT point.key, content FROM file JOIN point ON point.id = file.point WHERE name = 'right'"))
            found[way[0]] = ([(r["latency"], r["policy"], r["value"], r["correct"], r["total"], r["bits_mean"]) for r in rows],
                             rights)
        self.assertEqual(found["--exact"][0], found["--runs"][0])
        self.assertEqual({total for *_, total, _ in found["--runs"][0]}, {24})
        whole = {right for right in found["--runs"][1].values() if len(right) == 24}
        self.assertEqual(whole, set(found["--exact"][1].values()))
        self.assertGreater(len(whole), 1)

    def test_goes_on_only_with_resume(self):
        database = self.folder / "b.db"
        first = self.answer(*self.study("--db", database))
        again = stint(*self.study("--db", database))
        self.assertEqual(again.returncode, 1)
        self.assertIn("has 8 points of this study; --resume", again.stderr)
        self.assertEqual(self.answer(*self.study("--db", database, "--resume"))["rows"], first["rows"])

    def test_table_has_points_and_summary(self):
        table = stint(*self.study()).stdout
        self.assertRegex(table, r"500MB +10s +pipeline:2 ")
        self.assertIn("In 0 conditions only another policy has a plan.", table)
        self.assertRegex(table, r"policy +mean_value +feasible")

    def test_quick_fills_the_lists_that_are_not_given(self):
        report = self.answer("study", "elastic", "--quick", "--model", self.packed, "--data", self.data, "--policy", "elastic",
                             "--max-length", "8", "--memory", "none")
        self.assertEqual([row["latency"] for row in report["rows"]], ["20ms", "80ms"])

    def test_what_is_missing_is_said(self):
        for arguments, code, word in ((("--data", "no.tsv", "--model", self.packed), 1, "no.tsv"),
                                      (("--data", self.data, "--model", "no.stint"), 1, "no.stint"),
                                      (("--data", self.data, "--model", self.packed, "--resume"), 2, "--db")):
            done = stint("study", "elastic", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
