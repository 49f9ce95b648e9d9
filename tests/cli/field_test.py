#!/usr/bin/env python3
"""Budgets where nobody tidied up: mixed lengths, a busy machine, budgets that cannot be kept. Usage: field_test.py STINT (run by ctest)."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from busy import Busy  # noqa: E402

STINT = None
MODEL = ROOT / "models" / "sst2-minilm.stint"
WORDS = "a the film is was not good bad gripping dull story with and of much too little heart wit , slow quick charming".split()


def stint(*arguments, cache=None):
    environment = {**os.environ, **({"XDG_CACHE_HOME": str(cache)} if cache else {})}
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True, env=environment)


def sentences(count, seed, longest=110):
    source = random.Random(seed)
    return [" ".join(source.choices(WORDS, k=min(longest, 1 + int(source.paretovariate(0.8))))) for _ in range(count)]


class Field(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def texts(self, count, seed):
        path = self.folder / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in sentences(count, seed)))
        return path

    def rows(self, count, seed):
        path = self.folder / "rows.tsv"
        path.write_text("sentence\tlabel\n" + "".join(f"{text}\t{i % 2}\n" for i, text in enumerate(sentences(count, seed, 50))))
        return path

    def test_mixed_lengths_stay_within_the_memory_budget(self):
        for seed, megabytes in enumerate((7, 8, 12, 16)):
            done = stint("run", MODEL, "--batch-file", self.texts(120, seed), "--memory", f"{megabytes}MB", "--format", "json",
                         cache=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            answers = [json.loads(line) for line in done.stdout.splitlines()]
            self.assertEqual(len(answers), 120)
            self.assertLessEqual(answers[-1]["peak_rss_bytes"], megabytes * 1_000_000)
            self.assertEqual(answers[-1]["over_memory"], 0)

    def test_mixed_lengths_stay_within_the_cap_of_a_cgroup(self):
        cap = pathlib.Path(f"/sys/fs/cgroup/memory/stint-test-{os.getpid()}")
        try:
            cap.mkdir()
            (cap / "memory.limit_in_bytes").write_text("8000000")
        except OSError as error:
            self.skipTest(f"needs a memory cgroup of its own: {error}")
        try:
            done = subprocess.run([STINT, "run", MODEL, "--batch-file", self.texts(120, 5), "--memory", "8MB"], capture_output=True,
                                  preexec_fn=lambda: (cap / "cgroup.procs").write_text(str(os.getpid())))
            events = (cap / "memory.oom_control").read_text().split()
        finally:
            time.sleep(0.1)
            cap.rmdir()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(events[events.index("oom_kill") + 1], "0")

    def test_a_busy_machine_ends_no_session(self):
        rows = self.rows(150, 3)
        with Busy():
            for attempt in range(3):
                done = stint("eval", MODEL, "--task", "sst2", "--data", rows, "--max-length", "64", "--pad", "--memory", "8MB",
                             "--latency", "10ms", "--best-effort", "--format", "json", cache=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                report = json.loads(done.stdout)
                self.assertEqual(report["total"], 150)
                self.assertLessEqual(report["peak_rss_bytes"], 8_000_000)
                # The first run waited for a rehearsal or for reading.
                self.assertGreaterEqual(report["missed"], 1)

    def test_a_latency_that_nothing_keeps_is_refused_or_said(self):
        run = ["run", MODEL, "--text", "a gripping film", "--latency", "50us"]
        refused = stint(*run, cache=self.folder)
        self.assertEqual(refused.returncode, 4, refused.stdout)
        self.assertIn("would do", refused.stderr)
        best = stint(*run, "--best-effort", cache=self.folder)
        self.assertEqual(best.returncode, 0, best.stderr)
        self.assertIn("no plan keeps the latency", best.stdout)
        self.assertIn("missed the latency in 1 of 1 runs", best.stdout)

    def test_a_first_answer_may_count_from_launch(self):
        run = ["run", MODEL, "--text", "a gripping film", "--memory", "16MB", "--from", "launch"]
        late = stint(*run, "--latency", "3ms", cache=self.folder)
        self.assertEqual(late.returncode, 4, late.stdout)
        self.assertEqual(len(late.stderr.strip().splitlines()), 1)
        done = stint(*run, "--latency", "20s", "--format", "json", cache=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["missed"], 0)
        self.assertEqual(stint(*run, "--from", "birth").returncode, 2)

    def test_phases_add_up_to_the_time_of_the_process(self):
        run = ["run", MODEL, "--text", "a gripping film", "--memory", "8MB", "--storage", "80MB/s,1ms"]
        before = time.perf_counter()
        done = stint(*run, "--format", "json", cache=self.folder)
        most_ms = (time.perf_counter() - before) * 1e3
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        phases = report["phases"]
        self.assertAlmostEqual(sum(phases.values()), phases["start_ms"] + report["load_ms"] + report["run_ms"], places=3)
        self.assertLessEqual(sum(phases.values()), report["wall_ms"] + 0.1)
        self.assertLess(report["wall_ms"], most_ms)
        self.assertGreaterEqual(phases["rehearse_ms"] + phases["plan_ms"] + phases["bind_ms"], report["prepare_ms"] - 0.001)
        # Some megabytes at 80 MB/s, behind the computation.
        for phase in ("start_ms", "rehearse_ms", "plan_ms", "bind_ms", "compute_ms"):
            self.assertGreater(phases[phase], 0, phase)
        self.assertGreater(phases["wait_ms"], 20)
        line = next(line for line in stint(*run, cache=self.folder).stdout.splitlines() if line.startswith("phases: "))
        self.assertRegex(line, r"^phases: start [^,]* ms, load [^,]* ms, .*wait for storage [^,]* ms, compute [^,]* ms")

    # Not to the ticks of 10 ms that the system keeps.
    def test_the_time_of_a_process_is_not_longer_than_it_lived(self):
        for _ in range(20):
            before = time.perf_counter()
            done = stint("run", MODEL, "--text", "a gripping film", "--format", "json", cache=self.folder)
            most_ms = (time.perf_counter() - before) * 1e3
            self.assertLess(json.loads(done.stdout)["wall_ms"], most_ms)

    def test_what_was_rehearsed_once_is_known_to_the_next_process(self):
        run = ["run", MODEL, "--text", "a gripping film", "--memory", "16MB", "--format", "json"]
        prepare = []
        for _ in range(6):
            done = stint(*run, cache=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            prepare.append(json.loads(done.stdout)["prepare_ms"])
        self.assertLess(min(prepare[1:]), prepare[0])
        kept = list((self.folder / "stint").glob("layers-*"))
        self.assertEqual(len(kept), 1, kept)
        # A damaged file of costs is as good as none.
        kept[0].write_bytes(b"\x00damage")
        self.assertEqual(stint(*run, cache=self.folder).returncode, 0)


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + ["-v"])
