#!/usr/bin/env python3
"""Tests of bench/table.py with a stint that only pretends."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TABLE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "table.py"


def row(runtime, precision, ms, ratio, status="ok", reason=""):
    return {"runtime": runtime, "precision": precision, "p50_ms": ms, "ratio_to_best_peer": ratio, "ratio_low": ratio,
            "ratio_high": ratio, "status": status, "reason": reason}


class BenchTable(unittest.TestCase):
    def table(self, rows, only, too_noisy=False):
        with tempfile.TemporaryDirectory() as folder:
            stint = pathlib.Path(folder) / "stint"
            answer = json.dumps({"rows": rows, "noise": {"too_noisy": too_noisy}})
            stint.write_text(f"#!/bin/sh\necho '{answer}'\n")
            stint.chmod(0o755)
            return subprocess.run([sys.executable, TABLE, "--models", folder, "--minilm", folder, "--stint", stint, "--quick",
                                   "--only", only], capture_output=True, text=True)

    def test_ratios_within_the_limits_pass(self):
        rows = [row("stint", p, 1, 0.3) for p in ("fp32", "bf16", "int8")]
        done = self.table(rows, "mobilenet-v2")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("all limits kept", done.stdout)
        self.assertNotIn("over", done.stdout)

    def test_a_ratio_over_its_limit_fails(self):
        rows = [row("stint", "fp32", 1, 0.76), row("stint", "bf16", 1, 0.3), row("stint", "int8", None, None, "unsupported", "no int8")]
        done = self.table(rows, "mobilenet-v2", too_noisy=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("0.760 [0.760, 0.760]  over  (noisy)", done.stdout)
        self.assertIn("unsupported: no int8", done.stdout)
        self.assertIn("2 limits missed", done.stdout)

    def test_int8_is_also_held_against_the_peers_own(self):
        rows = [row("stint", p, 1, 0.1) for p in ("fp32", "bf16", "int8")]
        rows += [row("onnxruntime", "int8", 1.5, 0.2), row("openvino", "int8", 2.5, 0.3)]
        done = self.table(rows, "minilm")
        self.assertIn("1 limits missed", done.stdout)
        self.assertRegex(done.stdout, "onnxruntime's int8 .* over\n")
        self.assertRegex(done.stdout, "openvino's int8 .* ok\n")


if __name__ == "__main__":
    unittest.main()
