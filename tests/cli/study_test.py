#!/usr/bin/env python3
"""stint study framework-tax, energy and merge, with peers that need no package. Usage: study_test.py STINT (run by ctest)."""
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
LINEAR = HERE.parent / "data" / "linear.onnx"
BEHAVIORS = ("fake", "crash", "missing", "refuse", "hang", "quick", "queue", "line")


def small_files(most):
    """In a child: files grow to so many bytes; writing past that is an error, not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


class Study(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.peers = self.folder / "peers"
        self.peers.mkdir()
        for behavior in BEHAVIORS:
            (self.peers / f"{behavior}_peer.py").symlink_to(HERE / "fake_peer.py")
        self.environment = {**os.environ, "TMPDIR": str(self.folder)}

    def command(self, study, *arguments, rounds=2):
        return [STINT, "study", study, "--model", str(LINEAR), "--peers", str(self.peers), "--rounds", str(rounds), "--seconds", "0.01",
                "--batch", "1,2,4", "--threads", "1", "--format", "json", *map(str, arguments)]

    def run_command(self, command):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment)

    def study(self, study, *arguments, rounds=2):
        done = self.run_command(self.command(study, *arguments, rounds=rounds))
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

    def test_below_six_rounds_there_is_no_interval_in_any_format(self):
        for study in ("framework-tax", "energy"):
            for form in ("table", "md", "csv", "json"):
                command = [form if word == "json" else word for word in self.command(study, "--against", "fake")]
                done = self.run_command(command)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotRegex(done.stdout, r"(?i)\b(inf|nan)\b")
        self.assertIsNone(self.study("energy", "--against", "fake")["rows"][0]["p50_low_ms"])

    def test_a_floor_is_found_where_a_device_queues_and_nowhere_else(self):
        done = self.run_command([STINT, "study", "framework-tax", "--model", str(LINEAR), "--peers", str(self.peers), "--rounds", "1",
                                 "--against", "queue,line", "--seconds", "0.01", "--batch", "1,2,4,8,16,32,64", "--threads", "1",
                                 "--format", "json"])
        self.assertEqual(done.returncode, 0, done.stderr)
        hinges = {curve["runtime"]: curve["hinge"] for curve in json.loads(done.stdout)["curves"]}
        self.assertAlmostEqual(hinges["queue"]["floor_ms"]["value"], 6, delta=0.01)
        self.assertAlmostEqual(hinges["queue"]["crossover"]["value"], 8, delta=0.1)
        self.assertIsNone(hinges["line"]["floor_ms"])
        self.assertIsNone(hinges["line"]["crossover"])
        self.assertAlmostEqual(hinges["line"]["fixed_ms"]["value"], 2, delta=0.01)

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

    def test_energy_blocks_last_as_long_as_a_meter_needs_however_fast_a_run_is(self):
        log, over = self.folder / "log.csv", threading.Event()

        def meter():
            with log.open("w") as file:
                file.write("time_s,watts\n")
                while not over.wait(0.02):
                    file.write(f"{time.time()},10\n")
                    file.flush()
        thread = threading.Thread(target=meter)
        thread.start()
        time.sleep(0.1)
        try:
            done = self.run_command([STINT, "study", "energy", "--model", str(LINEAR), "--peers", str(self.peers), "--against", "quick",
                                     "--batch", "1", "--rounds", "1", "--seconds", "0.05", "--threads", "1", "--energy-log", str(log),
                                     "--db", str(self.folder / "energy.db")])
            self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            over.set()
            thread.join()
        with sqlite3.connect(self.folder / "energy.db") as database:
            notes = [row[0] for row in database.execute("SELECT value FROM fact WHERE name = 'energy_note'")]
            joules = [row[0] for row in database.execute("SELECT value FROM sample WHERE name = 'gross_joules'")]
            times = max(row[0] for row in database.execute("SELECT count(*) FROM sample WHERE name = 'run_ms' GROUP BY point"))
        self.assertEqual(len(joules), 3)
        self.assertFalse([note for note in notes if "too short" in note])
        self.assertLessEqual(times, 2000)
        self.assertLess(min(joules), 10 * 0.01)  # 10 W, for runs of 20 us and the gaps between requests

    def test_energy_without_a_meter_ranks_cpu_time(self):
        report = self.study("energy", "--against", "fake,missing", rounds=6)
        rows = {row["runtime"]: row for row in report["rows"]}
        if rows["stint"]["energy_grade"] == "E":
            self.assertEqual(report["metric"], "cpu_ms")
            self.assertIn("no joule was measured", report["note"])
        self.assertEqual({rows["fake"]["rank"], rows["stint"]["rank"]}, {1, 2})
        self.assertEqual(len(report["noise"]), 3)  # one A/A row per batch
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

    def test_a_model_that_a_peer_cannot_load_is_a_row_that_says_so(self):
        for study, rows in (("framework-tax", "curves"), ("energy", "rows")):
            report = self.study(study, "--against", "refuse,fake")
            refused = [row for row in report[rows] if row["runtime"] == "refuse"]
            self.assertEqual({row["status"] for row in refused}, {"unsupported"})
            self.assertIn("operator Gemm", refused[0]["reason"])
            self.assertTrue(all(row["status"] == "ok" for row in report[rows] if row["runtime"] in ("fake", "stint")))

    def test_a_peer_that_does_not_answer_is_a_row_that_says_so(self):
        report = self.study("energy", "--against", "hang,fake", "--timeout", "0.5")
        self.assertEqual({row["status"] for row in report["rows"] if row["runtime"] == "hang"}, {"timeout"})

    def test_a_full_disk_ends_the_study_and_keeps_its_points(self):
        database = self.folder / "full.db"
        command = self.command("framework-tax", "--against", "fake", "--db", database, "--resume")
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment,
                              preexec_fn=lambda: small_files(90000))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("full.db", done.stderr)
        kept = self.keys("full.db")
        self.assertGreater(len(kept), 0)
        report = self.study("framework-tax", "--against", "fake", "--db", database, "--resume")
        self.assertEqual(report["failed"], 0)
        self.assertEqual(len(self.keys("full.db")), report["points"])
        self.assertTrue(set(kept) <= set(self.keys("full.db")))

    def test_a_database_of_schema_1_is_brought_up_to_date(self):
        database = self.folder / "old.db"
        self.study("energy", "--against", "fake", "--db", database)
        before = self.keys("old.db")
        with sqlite3.connect(database) as old:
            old.executescript("PRAGMA legacy_alter_table = ON; ALTER TABLE point RENAME TO newer;"
                              "CREATE TABLE point (id INTEGER PRIMARY KEY, study, key, round, status, reason, finished);"
                              "INSERT INTO point SELECT id, study, key, round, status, reason, finished FROM newer;"
                              "DROP TABLE newer; DROP TABLE machine; PRAGMA user_version = 1")
        report = self.study("energy", "--against", "fake", "--db", database, "--resume")
        self.assertEqual(report["failed"], 0)
        self.assertEqual(self.keys("old.db"), before)

    def test_an_overhead_of_known_size_is_found_on_a_whole_curve(self):
        report = self.study("framework-tax", "--against", "fake", "--delay", "2000", "--batch", "1,2,4,8")
        found = {row["estimator"]: row["error"] for row in report["recovered"]}
        self.assertAlmostEqual(found["hinge"], 0, delta=0.1)
        self.assertAlmostEqual(found["shift"], 0, delta=0.1)

    def test_points_that_are_there_need_resume(self):
        database = self.folder / "twice.db"
        self.study("energy", "--against", "fake", "--db", database)
        self.fails(1, "--resume goes on", self.command("energy", "--against", "fake", "--db", database))
        with sqlite3.connect(database) as changed:
            changed.execute("PRAGMA user_version = 9")
        self.fails(3, "schema version 9, expected 3", self.command("energy", "--against", "fake", "--db", database, "--resume"))


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main()
