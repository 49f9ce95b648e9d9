#!/usr/bin/env python3
"""stint report on databases of small studies, whole and damaged. Usage: report_test.py STINT (run by ctest)."""
import csv
import io
import json
import os
import pathlib
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
LINEAR = HERE.parent / "data" / "linear.onnx"


def make_databases(folder):
    """A framework-tax, an energy and a bench study of a tiny model against a peer that needs no package."""
    peers = folder / "peers"
    peers.mkdir()
    for behavior in ("fake", "missing", "crash"):
        (peers / f"{behavior}_peer.py").symlink_to(HERE / "fake_peer.py")
    common = ["--peers", peers, "--rounds", "2", "--seconds", "0.01", "--batch", "1,2,4", "--threads", "1"]
    for study in ("framework-tax", "energy"):
        subprocess.run([STINT, "study", study, "--model", LINEAR, "--against", "fake,missing,crash", "--db", folder / f"{study}.db", *common],
                       check=True, capture_output=True)
    subprocess.run([STINT, "bench", LINEAR, "--against", "fake", "--db", folder / "bench.db", *common], check=True, capture_output=True)
    return [folder / f"{name}.db" for name in ("framework-tax", "energy", "bench")]


def small_files(most):
    """In a child: files grow to so many bytes; writing past that is an error, not a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.databases = make_databases(cls.folder)

    def setUp(self):
        self.output = self.folder / "out" / "report.html"
        shutil.rmtree(self.output.parent, ignore_errors=True)
        self.output.parent.mkdir()

    def report(self, *arguments, **options):
        return subprocess.run([STINT, "report", *map(str, arguments)], capture_output=True, text=True, **options)

    def fails(self, code, words, *arguments, **options):
        done = self.report(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(list(self.output.parent.iterdir()), [])

    def test_one_page_of_all_studies(self):
        done = self.report(*self.databases, "-o", self.output, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = json.loads(done.stdout)
        self.assertEqual(counts["studies"], 3)
        self.assertEqual(counts["points"], counts["done"] + counts["failed"])
        page = self.output.read_text()
        self.assertEqual(len(page.encode()), counts["bytes"])
        for words in ("Framework tax", "Energy", "One model in several runtimes", "A/A", "stint study framework-tax", "SIGILL",
                      "No module named", "prefers-color-scheme"):
            self.assertTrue(words in page, words)
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        self.assertEqual(list(self.output.parent.iterdir()), [self.output])

    def test_other_formats_have_the_same_rows(self):
        whole = json.loads(self.report(self.databases[0], "--format", "json").stdout)
        rows = whole["studies"][0]["figures"][0]["rows"]
        self.assertEqual({row["runtime"] for row in rows}, {"fake", "stint", "stint:null", "stint:delay=100us"})
        table = list(csv.DictReader(io.StringIO(self.report(self.databases[0], "--format", "csv").stdout)))
        figure = whole["studies"][0]["figures"][0]["title"]
        times = [float(cell["value"]) for cell in table if cell["figure"] == figure and cell["column"] == "run_ms"]
        self.assertEqual(len(times), len(rows))
        for time, row in zip(times, rows):
            self.assertAlmostEqual(time, row["run_ms"], delta=1e-6 * time)
        markdown = self.report(self.databases[0], "--format", "md").stdout
        self.assertIn("## Framework tax", markdown)
        self.assertIn("| model | runtime |", markdown)

    def test_without_a_file_the_terminal_gets_plots_of_its_width(self):
        text = self.report(*self.databases).stdout
        self.assertIn("\u2502", text)
        self.assertNotIn("\x1b", text)
        for name in ("Latency against batch", "CPU time and time", "a fake"):
            self.assertIn(name, text)

    def test_databases_are_only_read(self):
        database = self.databases[0]
        before = database.read_bytes()
        os.chmod(database, 0o444)
        try:
            self.assertEqual(self.report(database, "-o", self.output).returncode, 0)
        finally:
            os.chmod(database, 0o644)
        self.assertEqual(database.read_bytes(), before)

    def test_the_studies_print_their_tables_too(self):
        for form, words in (("md", "| model | runtime |"), ("csv", "figure,row,column,value")):
            done = subprocess.run([STINT, "study", "framework-tax", "--model", LINEAR, "--against", "fake", "--peers", self.folder / "peers",
                                   "--rounds", "1", "--seconds", "0.01", "--batch", "1,2", "--format", form], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, done.stdout)

    def test_bad_databases_are_named_and_nothing_is_written(self):
        good = self.databases[0]
        self.fails(1, "none.db: no such file", good, self.folder / "none.db", "-o", self.output)
        self.assertFalse((self.folder / "none.db").exists())
        bad = self.folder / "bad.db"
        bad.write_bytes(b"")
        self.fails(1, "bad.db: empty", bad, "-o", self.output)
        bad.write_bytes(b"x" * 5000)
        self.fails(1, "bad.db", bad, "-o", self.output)
        content = good.read_bytes()
        bad.write_bytes(content[: len(content) // 2])
        self.fails(1, "bad.db", bad, "-o", self.output)
        bad.unlink()
        with sqlite3.connect(bad) as database:
            database.execute("CREATE TABLE other (a)")
        self.fails(1, "not one of studies", bad, "-o", self.output)
        bad.write_bytes(content)
        with sqlite3.connect(bad) as database:
            database.execute("PRAGMA user_version = 9")
        self.fails(3, "schema version 9, expected 3", bad, "-o", self.output)

    def test_flipped_bytes_end_in_an_error_or_a_report(self):
        content = bytearray(self.databases[0].read_bytes())
        bad = self.folder / "flipped.db"
        for at in range(100, len(content), len(content) // 25):
            flipped = content.copy()
            flipped[at] ^= 0xFF
            bad.write_bytes(flipped)
            done = self.report(bad, "--format", "json")
            self.assertIn(done.returncode, (0, 1, 3), f"byte {at}: {done.stderr}")

    def test_a_full_disk_leaves_the_old_report(self):
        self.assertEqual(self.report(self.databases[0], "-o", self.output).returncode, 0)
        old = self.output.read_bytes()
        done = self.report(*self.databases, "-o", self.output,
                           preexec_fn=lambda: small_files(65536))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("report.html", done.stderr)
        self.assertEqual(self.output.read_bytes(), old)
        self.assertEqual(list(self.output.parent.iterdir()), [self.output])

    def test_usage(self):
        self.assertEqual(self.report().returncode, 2)
        self.assertEqual(self.report(self.databases[0], "--format", "pdf").returncode, 2)
        self.fails(1, "nowhere", self.databases[0], "-o", self.folder / "nowhere" / "report.html")


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main()
