#!/usr/bin/env python3
"""Nothing that a terminal would obey is printed raw. Usage: terminal_test.py STINT (run by ctest)."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

STINT = None
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
SOURCES = HERE.parent.parent / "src" / "cli"
CLEAR = "\x1b[2J"  # clears the screen
# Where bytes may leave: the functions that escape, a bar that is drawn over itself, the version.
MAY_PRINT = {"command.cc": 3, "progress.cc": 3, "tune_command.cc": 2, "main.cc": 1, "report_command.cc": 1}


class Terminal(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def assert_escaped(self, *arguments):
        done = subprocess.run([STINT, *map(str, arguments)], capture_output=True, env={**os.environ, "TMPDIR": str(self.folder)})
        printed = done.stdout + done.stderr
        self.assertNotIn(b"\x1b", printed)
        self.assertIn(rb"\x1b[2J", printed)

    def painted_model(self):
        """conv.onnx with a node of a name that clears the screen."""
        path = self.folder / "painted.onnx"
        content = (DATA / "conv.onnx").read_bytes()
        self.assertIn(b"spread", content)
        path.write_bytes(content.replace(b"spread", CLEAR.encode() + b"it"))
        return path

    def test_names_of_nodes(self):
        self.assert_escaped("inspect", self.painted_model(), "--kernels")

    def test_paths(self):
        for command in (["compress", "--quantize", "fp16"], ["pack"], ["export"]):
            with self.subTest(command[0]):
                output = self.folder / f"{CLEAR}.{'stint' if command[0] == 'pack' else 'onnx'}"
                self.assert_escaped(command[0], DATA / "linear.onnx", "-o", output, *command[1:])

    def test_errors(self):
        self.assert_escaped("inspect", self.folder / f"{CLEAR}.onnx")
        self.assert_escaped("inspect", DATA / "linear.onnx", f"--{CLEAR}")

    def test_help(self):
        program = self.folder / f"{CLEAR}stint"
        program.symlink_to(pathlib.Path(STINT).resolve())
        done = subprocess.run([program, "--help"], capture_output=True)
        self.assertNotIn(b"\x1b", done.stdout)

    def test_reasons_of_peers(self):
        peers = self.folder / "peers"
        peers.mkdir()
        (peers / "paint_peer.py").symlink_to(HERE / "fake_peer.py")
        common = ["--peers", peers, "--against", "paint", "--rounds", "2", "--seconds", "0.01", "--threads", "1"]
        self.assert_escaped("bench", DATA / "linear.onnx", *common)
        for study in ("framework-tax", "energy"):
            with self.subTest(study):
                self.assert_escaped("study", study, "--model", DATA / "linear.onnx", "--batch", "1,2,4", *common)

    def test_commands_print_by_functions_that_escape(self):
        raw = re.compile(r"\b(?:f?printf|v?fprintf|fputs|puts|putchar|fwrite)\(|std::c(?:out|err)\b")
        for path in sorted(SOURCES.glob("*.cc")):
            found = len(raw.findall(path.read_text()))
            self.assertEqual(found, MAY_PRINT.get(path.name, 0), f"{path.name}: use Print, PrintText or PrintError")


if __name__ == "__main__":
    STINT = sys.argv.pop(1)
    unittest.main()
