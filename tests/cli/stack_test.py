#!/usr/bin/env python3
"""stint study across-stack: devices, points that run alike, emulation. Usage: stack_test.py STINT DATA (run by ctest).

Exit code 77 means skipped: DATA is not there. Without an OpenCL device, the tests of one are skipped.
"""
import json
import lzma
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77
STINT = DATA = None
# A program of this very machine is as good as another to test what is done with one.
NO_EMULATOR = "/usr/bin/env"


def opencl_devices():
    done = subprocess.run([STINT, "device", "--opencl", "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout)


class Stack(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.database = self.folder / "stack.db"
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.test = self.first_rows("test_batch", 40)
        self.train = self.first_rows("data_batch_1", 16)

    def first_rows(self, name, count):
        path = self.folder / f"{name}.bin.xz"
        with lzma.open(DATA / "cifar10" / path.name) as file:
            path.write_bytes(lzma.compress(file.read(count * 3073)))
        return path

    def command(self, *arguments):
        # Pictures of this network are bytes as they are. Timing is for the tests that ask for rounds of it.
        if "--rounds" not in arguments:
            arguments = (*arguments, "--rounds", "1")
        return [STINT, "study", "across-stack", "--model", str(DATA / "models" / "cifar10_resnet8_mlperf_tiny.onnx"), "--data",
                str(self.test), "--calibrate", str(self.train), "--format", "json", *map(str, arguments)]

    def run_study(self, *arguments, **environment):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              env={**self.environment, **environment})

    def study(self, *arguments):
        done = self.run_study(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def rows(self, report, *axes):
        return {tuple(row[axis] for axis in axes): row for row in report["rows"]}

    def text_report(self):
        done = subprocess.run([STINT, "report", str(self.database), "-o", str(self.folder / "r.html"), "--format", "json"],
                              capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "r.html").read_text()

    def need_opencl(self):
        found = opencl_devices()
        if not found["opencl"]:
            self.skipTest(f"no OpenCL device; {found.get('opencl_note', 'no driver (ICD) is installed')}")
        return found["opencl"][0]

    def test_a_device_runs_one_point_per_compression_and_says_what_it_cannot(self):
        device = self.need_opencl()
        report = self.study("--compute", "avx2-1thread,opencl:0", "--compress", "none,int8,bf16", "--primitive", "direct,im2col",
                            "--code", "untuned", "--db", self.database)
        rows = self.rows(report, "compute", "compression", "primitive", "code")
        on_device = {key[1:]: row for key, row in rows.items() if key[0] == "opencl:0"}
        self.assertEqual(set(on_device), {(what, "auto", "default") for what in ("none", "int8", "bf16")})
        self.assertEqual(len(rows), 3 + 6)
        none = on_device["none", "auto", "default"]
        self.assertEqual(none["status"], "ok")
        self.assertEqual(none["value"], rows["avx2-1thread", "none", "direct", "untuned"]["value"])
        self.assertGreater(none["run_ms_p50"], 0)
        for what, reason in (("int8", "QuantizeLinear"), ("bf16", "fp32")):
            row = on_device[what, "auto", "default"]
            self.assertEqual(row["status"], "unsupported")
            self.assertIn(reason, row["reason"])
        self.assertEqual(rows["avx2-1thread", "bf16", "direct", "untuned"]["status"], "ok")
        self.assertEqual((report["failed"], report["done"]), (0, 9))
        self.assertIn(device["device"], report["devices"]["opencl:0"])
        self.assertIn(device["platform"], report["devices"]["opencl:0"])
        self.assertIn(report["devices"]["opencl:0"], self.text_report())

    def test_a_device_that_is_not_there_ends_the_study_before_it_begins(self):
        done = self.run_study("--compute", "all,opencl:7", "--compress", "none", "--db", self.database)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn("opencl:7", done.stderr)
        self.assertFalse(self.database.exists())

    ALIKE = ("--compute", "avx2-1thread", "--compress", "none,int8", "--primitive", "auto,direct,im2col", "--code",
             "untuned,default")

    def test_points_that_run_alike_are_evaluated_once(self):
        report = self.study(*self.ALIKE, "--db", self.database)
        self.assertEqual(report["points"], 12)
        self.assertEqual(report["evaluated"] + report["taken_over"], 12)
        rows = self.rows(report, "compression", "primitive", "code")
        self.assertEqual({row["macs"] for row in rows.values()}, {12501632})
        int8 = [row for key, row in rows.items() if key[0] == "int8"]
        # Integers have one dense primitive and no schedules.
        self.assertEqual(sum(row["alike"] == "" for row in int8), 1)
        self.assertEqual(len({(row["value"], row["run_ms_p50"], row["peak_rss_bytes"]) for row in int8}), 1)
        # A fixed register tile is not the kernels' own choice of one.
        owners = [rows["none", "direct", code]["alike"] or f"direct/{code}" for code in ("untuned", "default")]
        self.assertNotEqual(*owners)
        for row in rows.values():
            if row["alike"]:
                whose = rows[(row["compression"], *row["alike"].split("/"))]
                self.assertEqual(whose["alike"], "")
                self.assertEqual(whose["run_ms_p50"], row["run_ms_p50"])
        with sqlite3.connect(self.database) as database:
            stored = database.execute("SELECT count(*) FROM fact WHERE name = 'alike'").fetchone()[0]
        self.assertEqual(stored, report["taken_over"])
        exact = self.study(*self.ALIKE, "--exact")
        self.assertEqual((exact["evaluated"], exact["taken_over"]), (12, 0))
        values = {key: row["value"] for key, row in self.rows(exact, "compression", "primitive", "code").items()}
        self.assertEqual(values, {key: row["value"] for key, row in rows.items()})

    def test_what_runs_alike_is_timed_as_one_and_wins_as_one(self):
        # Sparse integers on this instruction set are many times as slow as dense ones, whatever else runs.
        arguments = ("--compute", "avx2-1thread", "--compress", "none,int8", "--primitive", "direct,winograd4,sparse", "--code",
                     "default", "--rows", "10", "--rounds", "17", "--db", self.database)
        report = self.study(*arguments)
        self.assertEqual((report["points"], report["done"], report["timing_rounds"]), (6, 6, 16))
        self.assertEqual(report["failed_timings"], 0)
        self.assertEqual(report["contests"], 5)  # two of primitives, one of compressions by each primitive
        rows = self.rows(report, "compression", "primitive")
        self.assertLess(rows["int8", "direct"]["time_ms"] * 1.5, rows["int8", "sparse"]["time_ms"])
        with sqlite3.connect(self.database) as database:
            count = lambda name: database.execute("SELECT count(*) FROM sample WHERE name = ?", (name,)).fetchone()[0]
            self.assertEqual((count("value"), count("block_ms")), (6, 96))
        again = self.study(*arguments, "--resume")
        self.assertEqual(again["rows"], report["rows"])
        self.assertEqual(again["flips"], report["flips"])

    def test_a_grid_grows_and_files_may_move(self):
        arguments = ("--compute", "avx2-1thread", "--primitive", "auto", "--code", "default", "--db", self.database)
        self.study(*arguments, "--compress", "none")
        with sqlite3.connect(self.database) as database:
            before = database.execute("SELECT id, key FROM point").fetchall()
        self.assertNotIn(str(self.folder), before[0][1])
        # The same data at another place, one compression more.
        moved = self.folder / "elsewhere.bin.xz"
        self.test.rename(moved)
        self.test = moved
        report = self.study(*arguments, "--compress", "none,fp16", "--task", "cifar10", "--resume")
        self.assertEqual((report["points"], report["done"]), (2, 2))
        self.assertEqual(len(report["programs"]), 1)
        with sqlite3.connect(self.database) as database:
            after = database.execute("SELECT id, key FROM point ORDER BY id").fetchall()
            hosts = database.execute("SELECT DISTINCT host FROM machine").fetchall()
            database.execute("UPDATE fact SET value = 'an older one' WHERE name = 'program' AND point = ?", before[0][:1])
        self.assertEqual(after[:1], before)
        self.assertEqual(len(after), 2)
        self.assertEqual(len(hosts), 1)
        done = self.run_study(*arguments, "--compress", "none,fp16", "--task", "cifar10", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("several versions", done.stderr)

    def test_pictures_that_a_model_does_not_expect_are_warned_of_before_the_study(self):
        arguments = ("--compute", "avx2-1thread", "--compress", "none", "--primitive", "auto", "--code", "default")
        done = self.run_study(*arguments, "--scale", "255")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("as by guessing among 10 classes", done.stderr)
        self.assertIn("--channel-order", done.stderr)
        done = self.run_study(*arguments)
        self.assertNotIn("guessing", done.stderr)

    def test_options_of_pictures_are_those_of_eval(self):
        data = DATA / "imagenet-val-1000" / "val224.tar"
        if not data.exists():
            self.skipTest(f"{data} is not there")
        model = DATA / "models" / "imagenet_squeezenet1_1.onnx"
        pictures = ["--channel-order", "bgr", "--mean", "104,117,123", "--size", "224"]
        base = ["--data", str(data), "--rows", "60", "--format", "json"]
        done = subprocess.run([STINT, "eval", str(model), *base, *pictures], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        right = json.loads(done.stdout)["correct"]
        study = [STINT, "study", "across-stack", "--model", str(model), "--compute", "all", "--compress", "none", "--primitive",
                 "auto", "--code", "default", "--rounds", "1", *base]
        for how in (pictures, ["--preprocess", f"{model.stem}={' '.join(pictures)}"]):
            done = subprocess.run([*study, *how], capture_output=True, text=True, env=self.environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([row["correct"] for row in json.loads(done.stdout)["rows"]], [right])
        # Without these options it is right less often than published.
        done = subprocess.run([*study, "--published", f"{model.stem}=99%"], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rows correct, less than the published 99.0 %", done.stderr)
        for wrong in ("other=50%", f"{model.stem}=0", f"{model.stem}=120%", f"{model.stem}=fifty"):
            done = subprocess.run([*study, "--published", wrong], capture_output=True, text=True, env=self.environment)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--published", done.stderr)
        for wrong in ("other=--scale 2", f"{model.stem}=--scala 2", f"{model.stem}=--channel-order gbr", model.stem):
            done = subprocess.run([*study, "--preprocess", wrong], capture_output=True, text=True, env=self.environment)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--preprocess", done.stderr)

    TUNED = ("--compute", "avx2-1thread", "--primitive", "auto", "--code", "default,tuned", "--tune-budget", "1s", "--rows", "10")

    def facts(self, name):
        with sqlite3.connect(self.database) as database:
            return [row[0] for row in database.execute("SELECT fact.value FROM fact JOIN point ON point.id = fact.point WHERE "
                                                       "fact.name = ? ORDER BY point.id", (name,))]

    def test_tuned_schedules_stay_with_the_study_whatever_the_cache(self):
        self.study(*self.TUNED, "--compress", "none", "--db", self.database)
        before = self.facts("schedules")
        self.assertEqual(len(before), 1)
        folder, = (self.folder / "stack.db.models").glob("*.schedules")
        marked = (folder / "tuned.json").read_bytes()
        done = self.run_study(*self.TUNED, "--compress", "none", "--db", self.database, "--resume", "--rounds", "3",
                              XDG_CACHE_HOME=str(self.folder / "another"))
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual((folder / "tuned.json").read_bytes(), marked)
        self.assertEqual(report["timing_rounds"], 2)
        self.assertEqual(set(self.facts("schedules")), set(before))
        self.assertFalse(list((self.folder / "another").rglob("schedules-*")))

    def test_a_tuned_point_without_its_schedules_fails_and_says_so(self):
        self.study(*self.TUNED, "--compress", "none", "--db", self.database)
        folder, = (self.folder / "stack.db.models").glob("*.schedules")
        for file in (folder / "stint").glob("schedules-*"):
            file.unlink()
        other = self.folder / "other.db"
        shutil.copytree(self.folder / "stack.db.models", self.folder / "other.db.models")
        done = self.run_study(*self.TUNED, "--compress", "none", "--db", other)
        self.assertNotEqual(done.returncode, 0)
        rows = self.rows(json.loads(done.stdout), "code")
        self.assertEqual(rows["default",]["status"], "ok")
        self.assertEqual(rows["tuned",]["status"], "failed")
        self.assertIn("stint tune", rows["tuned",]["reason"])

    def test_other_data_to_repair_with_makes_another_model(self):
        for rows in ("8", "16", "8"):
            self.study("--compute", "avx2-1thread", "--compress", "int8", "--primitive", "direct", "--code", "untuned",
                       "--calibrate-rows", rows, "--resume", "--db", self.database)
        models = list((self.folder / "stack.db.models").glob("*.onnx"))
        self.assertEqual(len(models), 2)

    def count_points(self):
        if not self.database.exists():
            return 0
        try:
            with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True) as database:
                return database.execute("SELECT count(*) FROM point").fetchone()[0]
        except sqlite3.OperationalError:  # the tables are being made
            return 0

    def test_killed_and_resumed_nothing_is_evaluated_twice(self):
        process = subprocess.Popen(self.command(*self.ALIKE, "--db", self.database), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL, env=self.environment)
        deadline = time.monotonic() + 120
        while self.count_points() < 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        before = self.count_points()
        self.assertGreaterEqual(before, 3)
        report = self.study(*self.ALIKE, "--db", self.database, "--resume")
        self.assertEqual((report["points"], report["done"], report["failed"]), (12, 12, 0))
        int8 = [row for row in report["rows"] if row["compression"] == "int8"]
        self.assertEqual(sum(row["alike"] == "" for row in int8), 1)

    def test_emulated_points_have_answers_and_no_times(self):
        report = self.study("--compute", "avx2-1thread,emulated", "--compress", "none,int8", "--primitive", "auto", "--code", "default",
                            "--emulated-stint", STINT, "--emulator", NO_EMULATOR, "--rows", "20", "--db", self.database)
        rows = self.rows(report, "compute", "compression")
        for what in ("none", "int8"):
            row, host = rows["emulated", what], rows["avx2-1thread", what]
            self.assertEqual((row["status"], row["total"]), ("emulated", 20))
            self.assertAlmostEqual(row["value"], host["value"], delta=0.051)  # one of 20 by rounding
            self.assertEqual(row["model_bytes"], host["model_bytes"])
            timed = [name for name in row if name.endswith(("_ms", "_us", "p50", "p95")) or "rss" in name]
            self.assertEqual([name for name in timed if name not in ("steal_ms", "throttled_ms")], [])
        with sqlite3.connect(self.database) as database:
            layers = database.execute("SELECT count(*) FROM sample JOIN setting USING (point) WHERE setting.value = 'emulated' "
                                      "AND name LIKE 'layer/%'").fetchone()[0]
        self.assertEqual(layers, 0)
        self.assertEqual({row["compute"] for row in map(report["rows"].__getitem__, report["pareto"])}, {"avx2-1thread"})
        self.assertEqual({speedup["compute"] for speedup in report["speedups"]}, {"avx2-1thread"})
        self.assertIn("emulated by", report["devices"]["emulated"])
        self.assertEqual(report["failed"], 0)

    def test_emulation_without_a_program_is_refused(self):
        done = self.run_study("--compute", "emulated", "--compress", "none", "--db", self.database)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--emulated-stint", done.stderr)
        done = self.run_study("--compute", "emulated", "--emulated-stint", self.test, "--emulator", NO_EMULATOR, "--db", self.database)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--version", done.stderr)
        self.assertFalse(self.database.exists())


if __name__ == "__main__":
    STINT, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (DATA / "models").is_dir():
        print("skipped:", DATA / "models", "is not there")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
