#!/usr/bin/env python3
"""Elastic files that are damaged, and packing that is cut short. Usage: damage_test.py STINT [FLIPS [PACKAGE]] (run by ctest).

FLIPS bits of a package, one after the other, are flipped and flipped back: a run must then fail with one line that names
the file, or answer as before. PACKAGE is left as it was; by default it is a small seeded model."""
import json
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import budget_test
from budget_test import stint, write_encoder

FLIPS = 200
PACKAGE = None


def answer(package):
    done = stint("run", package, "--text", "a gripping , funny film", "--threads", "1", "--format", "json")
    return done, json.loads(done.stdout)["answer"] if done.returncode == 0 else None


class Damage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.model = self.folder / "model"
        self.packed = self.folder / "m.stint"
        write_encoder(self.model)
        done = stint("pack", self.model, "-o", self.packed)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_flipped_bit_is_an_error_or_changes_nothing(self):
        package = self.folder / "flipped.stint"
        shutil.copy(PACKAGE or self.packed, package)
        expected = answer(package)[1]
        self.assertIsNotNone(expected)
        source = random.Random(1)
        size, noticed = package.stat().st_size, 0
        with open(package, "r+b", buffering=0) as file:
            for _ in range(FLIPS):
                at, bit = source.randrange(size), 1 << source.randrange(8)
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ bit]))
                done, found = answer(package)
                file.seek(at)
                file.write(bytes([byte]))
                if done.returncode == 0:
                    self.assertEqual(found, expected, f"byte {at}, bit {bit}")
                    continue
                noticed += 1
                self.assertEqual(done.returncode, 1 if "version" not in done.stderr else done.returncode, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn("flipped.stint", done.stderr)
        print(f"{FLIPS} flips, {noticed} noticed, the others changed nothing", file=sys.stderr)
        self.assertGreater(noticed, FLIPS // 20)
        self.assertEqual(answer(package)[1], expected)

    def test_a_full_disk_leaves_the_old_file(self):
        before = self.packed.read_bytes()

        def no_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, len(before) // 2))

        done = subprocess.run([budget_test.STINT, "pack", self.model, "-o", self.packed], preexec_fn=no_room,
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("m.stint", done.stderr)
        self.assertEqual(self.packed.read_bytes(), before)
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["m.stint", "model"])

    def test_killed_while_packing_the_old_file_stays(self):
        before = self.packed.read_bytes()
        started = time.monotonic()
        stint("pack", self.model, "-o", self.folder / "other.stint")
        whole = time.monotonic() - started
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            packing = subprocess.Popen([budget_test.STINT, "pack", self.model, "-o", self.packed],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(whole * share)
            packing.kill()
            packing.wait()
            self.assertEqual(self.packed.read_bytes(), before)
        self.assertIsNotNone(answer(self.packed)[1])


if __name__ == "__main__":
    budget_test.STINT = sys.argv.pop(1)
    if len(sys.argv) > 1:
        FLIPS = int(sys.argv.pop(1))
    if len(sys.argv) > 1:
        PACKAGE = sys.argv.pop(1)
    unittest.main(verbosity=2)
