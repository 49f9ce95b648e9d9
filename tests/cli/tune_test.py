#!/usr/bin/env python3
"""stint tune and what later runs make of it. Usage: tune_test.py STINT (run by ctest)."""
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from cli_test import DATA, npy, read_npy

STINT = None
MODEL = DATA / "conv.onnx"
LAYER = "1x16x12x12-16x12x12-k3x3-s1x1-d1x1-p1x1-g1-blocked"


class Tune(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        npy(self.folder / "x.npy", [1, 16, 12, 12], [0.01 * (i % 97) for i in range(16 * 144)])

    @property
    def environment(self):
        return {**os.environ, "XDG_CACHE_HOME": str(self.folder)}

    def stint(self, *arguments, code=0):
        done = subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def tune(self, *options):
        return self.stint("tune", MODEL, "--threads", 1, "--format", "json", *options)

    def files(self, prefix):
        return list((self.folder / "stint").glob(prefix + "*"))

    def steps(self, *options):
        """Layer name to (kernel, reason, detail)."""
        done = self.stint("inspect", MODEL, "--kernels", "--format", "json", "--threads", 1, *options)
        return {step["node"]: (step["kernel"].split("_")[0], step["reason"], step["detail"])
                for step in json.loads(done.stdout)["steps"] if "kernel" in step}

    def output(self, *options):
        self.stint("run", MODEL, "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, "--threads", 1, *options)
        return read_npy(self.folder / "y.npy")

    def test_ends_within_the_budget_and_later_runs_use_what_was_found(self):
        begin = time.monotonic()
        done = self.tune("--budget", "5s")
        self.assertLess(time.monotonic() - begin, 7)
        self.assertRegex(done.stderr, r"\[task \d+/2\] best \d+\.\d{3} ms \(\d+/1000\)")
        report = json.loads(done.stdout)
        self.assertGreater(report["trials"], 20)
        self.assertLessEqual(report["tuned_ms"], report["untuned_ms"])
        self.assertLessEqual(report["tuned_ms"], report["default_ms"])
        rows = {row["layer"]: row for row in report["layers"]}
        self.assertEqual(len(rows), 2)
        steps = self.steps()
        if rows[LAYER]["schedule"]:
            kernel, reason, detail = steps["spread"]
            self.assertEqual((kernel, reason), (rows[LAYER]["schedule"].split(":")[0], "tuned"))
            self.assertTrue(detail.startswith(rows[LAYER]["schedule"] + ", "))
        for mode in ("default", "untuned"):
            self.assertEqual(self.steps("--schedule", mode)["spread"][1], mode)
        self.assertEqual(self.steps("--schedule", "untuned")["spread"][2], "direct:t8x2")
        want = self.output("--schedule", "default")
        for mode in ("tuned", "untuned"):
            got = self.output("--schedule", mode)
            self.assertLess(max(abs(a - b) for a, b in zip(got, want)), 1e-3)

    def test_goes_on_where_it_was_and_forgets_when_asked(self):
        first = json.loads(self.tune("--budget", "2s", "--trials", 40).stdout)
        size = self.files("trials.db")[0].stat().st_size
        second = json.loads(self.tune("--budget", "2s", "--trials", 40, "--seed", 9).stdout)
        self.assertGreater(first["trials"], 0)
        self.assertGreater(second["trials"], 0)
        # One layer has few schedules: nothing of it is left to be tried.
        self.tune("--budget", "2s", "--trials", 40)
        self.assertIn(self.steps()["spread"][1], ("tuned", "default"))
        self.assertGreaterEqual(self.files("trials.db")[0].stat().st_size, size)
        self.assertIn("2 files removed", self.stint("device", "--forget").stdout)
        self.assertEqual(self.files(""), [])

    def test_ctrl_c_keeps_what_was_found(self):
        process = subprocess.Popen([STINT, "tune", str(MODEL), "--budget", "60s", "--trials", "1000000", "--threads", "1"],
                                   env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("[task 1/2]", process.stderr.readline())
        process.send_signal(signal.SIGINT)
        out, words = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 0, words)
        self.assertIn("interrupted; what was found is kept", words)
        self.assertIn("network: untuned", out)
        self.assertEqual(len(self.files("trials.db")), 1)
        self.assertEqual(len(self.files("schedules-")), 1)

    def test_damaged_files_are_said_and_left_alone(self):
        self.tune("--budget", "1s", "--trials", 10)
        for prefix in ("trials.db", "schedules-"):
            path = self.files(prefix)[0]
            whole = path.read_bytes()
            junk = b"x" * 100 + whole[100:]
            path.write_bytes(junk)
            failed = self.stint("tune", MODEL, "--threads", 1, "--budget", "1s", code=1)
            self.assertIn(path.name, failed.stderr)
            self.assertEqual(path.read_bytes(), junk)
            self.assertEqual(len(self.output()), len(self.output("--schedule", "default")))
            path.write_bytes(whole)
        self.tune("--budget", "1s", "--trials", 10)

    def test_a_damaged_schedule_file_is_said_by_runs_too(self):
        self.tune("--budget", "1s", "--trials", 10)
        path = self.files("schedules-")[0]
        path.write_bytes(path.read_bytes()[:-4])
        done = self.stint("run", MODEL, "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, "--threads", 1)
        self.assertIn("running without it", done.stderr)

    def test_without_executable_memory_compiled_kernels_are_tuned_and_it_is_said_once(self):
        self.tune("--budget", "1s", "--trials", 10)
        refuse, only_gains = 65, 1  # PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN; Linux 6.3
        libc = ctypes.CDLL(None, use_errno=True)
        if subprocess.run([sys.executable, "-c", f"import ctypes, sys; sys.exit(ctypes.CDLL(None).prctl({refuse}, {only_gains}, 0, 0, 0) != 0)"]).returncode:
            self.skipTest("this kernel cannot refuse executable memory")
        def stint(*arguments):
            return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True, env=self.environment,
                                  preexec_fn=lambda: libc.prctl(refuse, only_gains, 0, 0, 0))
        done = stint("tune", MODEL, "--threads", 1, "--budget", "2s", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("compiled kernels only: the system refuses executable memory"), 1)
        for row in json.loads(done.stdout)["layers"]:
            self.assertFalse(row["schedule"].startswith("generated"))
        forced = stint("inspect", MODEL, "--kernels", "--format", "json", "--threads", 1, "--primitive", "generated")
        self.assertEqual(forced.returncode, 0, forced.stderr)
        self.assertFalse(any(step.get("kernel", "").startswith("generated") for step in json.loads(forced.stdout)["steps"]))

    def test_wrong_options_are_usage_errors(self):
        self.stint("tune", MODEL, "--trials", 0, code=2)
        self.assertIn("soon", self.stint("tune", MODEL, "--budget", "soon", code=1).stderr)
        self.stint("run", MODEL, "--schedule", "best", code=2)


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
