#!/usr/bin/env python3
"""stint bench and stint peer, with peers that need no package. Usage: bench_test.py STINT (run by ctest)."""
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

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
LINEAR = HERE.parent / "data" / "linear.onnx"
BEHAVIORS = ("fake", "slow", "crash", "hang", "wrong", "missing", "refuse", "babble", "greedy")
PROMISED = ("runtime", "version", "precision", "batch", "seq", "threads", "load_ms", "first_ms", "p50_ms", "p90_ms", "p99_ms",
            "cpu_ms", "peak_rss_bytes", "status", "ratio_to_best_peer", "ratio_low", "ratio_high")


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.peers = self.folder / "peers"
        self.peers.mkdir()
        for behavior in BEHAVIORS:
            (self.peers / f"{behavior}_peer.py").symlink_to(HERE / "fake_peer.py")
        self.environment = {**os.environ, "FAKE_LOG": str(self.folder / "log"), "TMPDIR": str(self.folder)}

    def command(self, *arguments, rounds=3):
        return [STINT, "bench", str(LINEAR), "--peers", str(self.peers), "--rounds", str(rounds), "--seconds", "0.01", "--threads", "1",
                "--format", "json", *map(str, arguments)]

    def bench(self, *arguments, rounds=3):
        done = subprocess.run(self.command(*arguments, rounds=rounds), capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def rows(self, report):
        return {(row["runtime"], row["precision"]): row for row in report["rows"]}

    def starts(self):
        log = self.folder / "log"
        return log.read_text().split() if log.exists() else []

    def test_rows_have_the_promised_keys(self):
        report = self.bench("--against", "fake")
        for row in report["rows"]:
            for key in PROMISED:
                self.assertIn(key, row)
        row = self.rows(report)["stint", "fp32"]
        self.assertEqual((row["status"], row["batch"], row["seq"], row["threads"], row["rounds"]), ("ok", 1, None, 1, 3))
        self.assertGreater(row["peak_rss_bytes"], 0)
        self.assertGreater(row["start_ms"], row["load_ms"])
        self.assertGreater(report["noise"]["ratio"], 0)
        self.assertEqual((report["noise"]["verdict"], report["noise"]["too_noisy"]), ("unknown", True))
        self.assertIsNone(report["noise"]["resolution"])

    def test_ratio_is_to_the_fastest_correct_peer(self):
        report = self.bench("--against", "slow,wrong,fake", rounds=6)
        rows = self.rows(report)
        self.assertEqual(rows["slow", "fp32"]["p50_ms"], 4)
        self.assertAlmostEqual(rows["slow", "fp32"]["ratio_to_best_peer"], 2)
        self.assertAlmostEqual(rows["slow", "fp32"]["ratio_low"], 2)
        self.assertAlmostEqual(rows["fake", "fp32"]["ratio_to_best_peer"], 1)
        self.assertGreater(report["noise"]["resolution"], 0)
        self.assertIn(report["noise"]["verdict"], ("quiet", "noisy"))
        ours = rows["stint", "fp32"]
        self.assertLessEqual(ours["ratio_low"], ours["ratio_to_best_peer"])
        self.assertLess(ours["max_difference"], 1e-5)

    def test_below_six_rounds_there_is_no_interval_in_any_format(self):
        report = self.bench("--against", "fake,slow", rounds=5)
        for row in (*report["rows"], report["noise"]):
            self.assertIsNone(row["ratio_low"])
            self.assertIsNone(row["ratio_high"])
        self.assertAlmostEqual(self.rows(report)["slow", "fp32"]["ratio_to_best_peer"], 2)
        for form, words in (("table", "needs 6 rounds"), ("md", "needs 6 rounds"), ("csv", "ratio,2\n")):
            command = [*self.command("--against", "fake,slow", rounds=5)[:-4], "--format", form, "--against", "fake,slow"]
            done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
            self.assertIn(words, done.stdout)
            self.assertNotRegex(done.stdout, r"(?i)\b(inf|nan)\b")

    def test_more_cpus_than_threads_are_noted(self):
        rows = self.rows(self.bench("--against", "fake,greedy"))
        self.assertEqual(rows["greedy", "fp32"]["note"], "uses 3.0 CPUs, threads is 1")
        self.assertEqual(rows["fake", "fp32"]["note"], "")

    def test_input_shapes_are_as_asked_and_checked(self):
        self.assertEqual(self.bench("--input-shape", "x=?x3", "--batch", "4")["rows"][0]["status"], "ok")
        for shape, words in (("x=?x5", "has shape"), ("z=1x3", "no input 'z'"), ("x=7x3", "write ? for it")):
            done = subprocess.run(self.command("--input-shape", shape), capture_output=True, text=True, env=self.environment)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn(words, done.stderr)
        self.assertEqual(subprocess.run(self.command("--input-shape", "x"), capture_output=True).returncode, 2)

    def test_what_fails_is_a_row_that_says_so(self):
        rows = self.rows(self.bench("--against", "fake,crash,hang,wrong,missing,refuse,babble", "--timeout", "10"))
        expected = {"fake": ("ok", ""), "crash": ("crashed", "SIGILL"), "hang": ("timeout", "no answer"), "wrong": ("wrong", "differ"),
                    "missing": ("missing", "No module"), "refuse": ("unsupported", "Gemm"), "babble": ("failed", "hello")}
        for peer, (status, word) in expected.items():
            row = rows[peer, "fp32"]
            self.assertEqual(row["status"], status, row)
            self.assertIn(word, row["reason"])
            if status != "ok":
                self.assertIsNone(row["ratio_to_best_peer"])
                self.assertIsNone(row["p50_ms"])
        self.assertEqual(rows["stint", "fp32"]["status"], "ok")
        # One that failed is not started again.
        self.assertEqual(self.starts().count("crash"), 1)
        self.assertEqual(self.starts().count("fake"), 4)

    def test_our_own_wrong_answer_exits_5(self):
        done = subprocess.run(self.command("--against", "wrong,fake"), capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, 5, done.stderr)
        rows = self.rows(json.loads(done.stdout))
        self.assertEqual([rows[name, "fp32"]["status"] for name in ("wrong", "fake", "stint")], ["ok", "wrong", "wrong"])

    def test_nothing_is_left_behind(self):
        self.bench("--against", "fake")
        self.assertEqual(list(self.folder.glob("stint-*")), [])

    def test_without_a_peer_there_is_no_ratio(self):
        report = self.bench()
        self.assertEqual([row["runtime"] for row in report["rows"]], ["stint"])
        self.assertIsNone(report["rows"][0]["ratio_to_best_peer"])

    def test_batches_and_precisions_are_rows_of_their_own(self):
        report = self.bench("--against", "fake", "--batch", "1,4", "--precision", "fp32,int8")
        self.assertEqual(len(report["rows"]), 8)
        self.assertEqual({row["batch"] for row in report["rows"]}, {1, 4})
        self.assertEqual(self.rows(report)["fake", "int8"]["status"], "unsupported")
        self.assertEqual(len(report["noise"]["conditions"]), 2)

    def test_cold_start_has_its_own_key(self):
        row = self.bench("--cold")["rows"][0]
        self.assertGreater(row["cold_ms"], 0)
        self.assertIsNone(row["start_ms"])

    def test_finished_points_are_not_run_again(self):
        arguments = ("--against", "fake,crash", "--db", self.folder / "bench.db")
        first = self.bench(*arguments)
        started = len(self.starts())
        # The one that crashed is tried three times in all.
        for again in (1, 2, 2):
            self.assertEqual(self.bench(*arguments), first)
            self.assertEqual(len(self.starts()), started + again)

    def test_killed_runs_go_on_where_they_were(self):
        arguments = ("--against", "fake,slow", "--db", self.folder / "bench.db")
        for attempt in range(3):
            process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
            time.sleep(0.1 + 0.1 * attempt)
            process.send_signal(signal.SIGKILL)
            process.communicate()
        rows = self.rows(self.bench(*arguments))
        for key in (("fake", "fp32"), ("slow", "fp32"), ("stint", "fp32")):
            self.assertEqual((rows[key]["status"], rows[key]["rounds"]), ("ok", 3))

    def test_interrupted_runs_clean_up_and_go_on(self):
        arguments = ("--against", "fake,slow", "--db", self.folder / "bench.db")
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment)
        while len(self.starts()) < 2 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 1)
        self.assertIn("interrupted", errors)
        self.assertEqual(list(self.folder.glob("stint-*")), [])
        self.assertEqual(self.rows(self.bench(*arguments))["slow", "fp32"]["rounds"], 3)

    def test_table_is_for_people(self):
        command = [word for word in self.command("--against", "fake,crash") if word not in ("--format", "json")]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment)
        for words in ("batch=1 threads=1", "Times over the fastest correct fp32 peer's", "A/A", "SIGILL", "p50_ms", "stint"):
            self.assertIn(words, done.stdout)

    def test_mixed_lengths_are_compared_with_each_by_itself(self):
        model = HERE.parent / "data/encoders/bert_sentence"
        done = subprocess.run([STINT, "bench", str(model), "--mixed", "--seq", "4,6,9", "--seconds", "0.01", "--threads", "1",
                               "--format", "json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual([row["seq"] for row in report["rows"]], [4, 6, 9])
        self.assertAlmostEqual(report["ratio"], sum(row["mixed_ms"] for row in report["rows"])
                               / sum(row["fixed_ms"] for row in report["rows"]))
        self.assertGreater(report["bind_us"], 0)

    def assert_refused(self, code, words, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True, env=self.environment)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)

    def test_bad_input_is_named(self):
        self.assert_refused(1, "no runtime 'nobody'", "--against", "nobody")
        self.assert_refused(1, "no free sequence", "--seq", "16")
        self.assert_refused(2, "--precision", "--precision", "fp8")
        self.assert_refused(2, "--against", "--against", "stint")
        self.assert_refused(2, "--mixed needs", "--mixed")
        (self.folder / "broken.db").write_bytes(b"not a database" * 100)
        self.assert_refused(1, "broken.db", "--db", self.folder / "broken.db")


class Peer(unittest.TestCase):
    def ask(self, *requests):
        text = "".join((request if isinstance(request, str) else json.dumps(request)) + "\n" for request in requests)
        done = subprocess.run([STINT, "peer"], input=text, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_describes_itself(self):
        answer, = self.ask({"op": "describe"})
        self.assertTrue(answer["ok"])
        self.assertEqual(answer["runtime"], "stint")

    def test_errors_are_answers(self):
        answers = self.ask("garbage", {"op": "dance"}, {"op": "run", "runs": 1}, {"op": "load"},
                           {"op": "load", "model": "/no.onnx", "threads": 1, "precision": "fp32", "inputs": []}, {"op": "close"})
        self.assertEqual([answer["ok"] for answer in answers], [False] * 5 + [True])
        self.assertIn("/no.onnx", answers[4]["error"])


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
