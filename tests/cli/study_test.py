#!/usr/bin/env python3
"""stint study framework-tax, energy and merge, with peers that need no package. Usage: study_test.py STINT (run by ctest)."""
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
LINEAR = HERE.parent / "data" / "linear.onnx"
BEHAVIORS = ("fake", "crash", "missing")


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.peers = self.folder / "peers"
        self.peers.mkdir()
        for behavior in BEHAVIORS:
            (self.peers / f"{behavior}_peer.py").symlink_to(HERE / "fake_peer.py")
        self.environment = {**os.environ, "TMPDIR": str(self.folder)}

    def command(self, study, *arguments):
        return [STINT, "study", study, "--model", str(LINEAR), "--peers", str(self.peers), "--rounds", "2", "--seconds", "0.01",
                "--batch", "1,2,4", "--threads", "1", "--format", "json", *map(str, arguments)]

    def run_command(self, command):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment)

    def study(self, study, *arguments):
        done = self.run_command(self.command(study, *arguments))
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def keys(self, name):
        with sqlite3.connect(self.folder / name) as database:
            return sorted(row[0] for row in database.execute("SELECT key FROM point"))

    def fails(self, code, words, command):
        done = self.run_command(command)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)

    def test_tax_has_a_curve_per_runtime_and_failures_say_why(self):
        report = self.study("framework-tax", "--against", "fake,crash,missing")
        curves = {curve["runtime"]: curve for curve in report["curves"]}
        self.assertEqual(curves["fake"]["status"], "ok")
        self.assertEqual([point["batch"] for point in curves["fake"]["points"]], [1, 2, 4])
        self.assertEqual((curves["crash"]["status"], curves["missing"]["status"]), ("crashed", "missing"))
        self.assertIn("SIGILL", curves["crash"]["reason"])
        self.assertIn("stint:null", curves)
        self.assertGreater(curves["stint"]["kernels"], 0)
        self.assertEqual(report["failed"], 6)
        self.assertEqual(report["done"] + report["failed"], report["points"] - 12)  # later rounds of what failed

    def test_a_known_overhead_is_found_by_subtraction(self):
        report = self.study("framework-tax", "--against", "fake", "--delay", "2000")
        found = [row for row in report["recovered"] if row["estimator"] == "subtraction"]
        self.assertAlmostEqual(found[0]["error"], 0, delta=0.1)

    def test_killed_at_random_and_resumed_nothing_is_lost_or_doubled(self):
        self.study("framework-tax", "--against", "fake", "--db", self.folder / "whole.db")
        command = self.command("framework-tax", "--against", "fake", "--db", self.folder / "killed.db", "--resume")
        moments = random.Random(1)
        for _ in range(10):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
            time.sleep(moments.uniform(0.05, 0.6))
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.study("framework-tax", "--against", "fake", "--db", self.folder / "killed.db", "--resume")
        self.assertEqual(self.keys("killed.db"), self.keys("whole.db"))

    def test_parts_merge_into_the_whole(self):
        self.study("framework-tax", "--against", "fake", "--db", self.folder / "whole.db")
        for part in (1, 2):
            self.study("framework-tax", "--against", "fake", "--db", self.folder / f"{part}.db", "--shard", f"{part}/2")
        done = self.run_command([STINT, "study", "merge", str(self.folder / "1.db"), str(self.folder / "2.db"), "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["present"], 0)
        self.assertEqual(self.keys("1.db"), self.keys("whole.db"))

    def test_energy_without_a_meter_ranks_cpu_time(self):
        report = self.study("energy", "--against", "fake,missing")
        rows = {row["runtime"]: row for row in report["rows"]}
        if rows["stint"]["energy_grade"] == "E":
            self.assertEqual(report["metric"], "cpu_ms")
            self.assertIn("no joule was measured", report["note"])
        self.assertEqual({rows["fake"]["rank"], rows["stint"]["rank"]}, {1, 2})
        self.assertEqual(rows["missing"]["status"], "missing")

    def test_bad_input_is_named(self):
        self.fails(1, "no runtime 'nobody'", self.command("framework-tax", "--against", "nobody"))
        self.fails(1, "expected one of resnet50", [STINT, "study", "framework-tax", "--model", "alexnet", "--against", "fake"])
        self.fails(1, "no such file", [STINT, "study", "energy", "--model", "no.onnx"])
        damaged = self.folder / "damaged.db"
        damaged.write_bytes(b"x" * 5000)
        self.fails(1, "damaged.db", self.command("framework-tax", "--against", "fake", "--db", damaged))
        self.assertEqual(damaged.read_bytes(), b"x" * 5000)
        self.fails(1, "no such file", [STINT, "study", "merge", str(self.folder / "a.db"), str(self.folder / "b.db")])
        self.fails(2, "expected i/n", self.command("framework-tax", "--db", self.folder / "s.db", "--shard", "3/2"))

    def test_points_that_are_there_need_resume(self):
        database = self.folder / "twice.db"
        self.study("energy", "--against", "fake", "--db", database)
        self.fails(1, "--resume goes on", self.command("energy", "--against", "fake", "--db", database))
        with sqlite3.connect(database) as changed:
            changed.execute("PRAGMA user_version = 9")
        self.fails(3, "schema version 9, expected 2", self.command("energy", "--against", "fake", "--db", database, "--resume"))


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main()
