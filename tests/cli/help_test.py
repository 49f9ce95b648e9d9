#!/usr/bin/env python3
"""Help, unknown words and renamed options of every command, by the program's own list. Usage: help_test.py STINT (run by ctest)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from cli_test import DATA, npy

STINT = None
LINEAR, CONV, SMALL = DATA / "linear.onnx", DATA / "conv.onnx", DATA / "encoders" / "bert_classifier"
# (command, old name, what it is now)
RENAMED = (("inspect", "--sequence", "--seq"), ("plan", "--sequence", "--seq"), ("eval", "--calibrate", "--calibrate-rows"),
           ("compress", "--data", "--calibrate"), ("compress", "--data-rows", "--calibrate-rows"),
           ("study across-stack", "--code", "--schedule"), ("study across-stack", "--compute", "--target"),
           ("study elastic", "--compute", "--target"), ("device", "--tune", "--primitives"))


def stint(*arguments, **environment):
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True, env={**os.environ, **environment})


def commands(*parents):
    """Every command with the words before it: ["run"], ["study", "energy"]."""
    text = stint(*parents, "--help").stdout
    _, found, listed = text.partition("Subcommands:\n")
    names = re.findall(r"^  ([a-z][a-z-]*)(?: |$)", listed, re.M) if found else []
    for name in names:
        yield [*parents, name]
        yield from commands(*parents, name)


class Help(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.commands = list(commands())

    def each(self):
        for command in self.commands:
            with self.subTest(command=" ".join(command)):
                yield command

    def test_the_list_is_that_of_the_program(self):
        for command in (["run"], ["eval"], ["tune"], ["operators"], ["study", "across-stack"], ["study", "merge"]):
            self.assertIn(command, self.commands)

    def test_opens_with_two_lines_that_a_newcomer_would_type(self):
        for command in ([], *self.each()):
            done = stint(*command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            lines = done.stdout.splitlines()
            self.assertEqual(lines[0], "Examples:")
            self.assertTrue(lines[1].startswith(f"  stint {' '.join(command)}".rstrip()), lines[1])
            examples = done.stdout.partition("\n\n")[0]
            self.assertGreaterEqual(examples.count("\n  stint "), 2, examples)

    def test_help_is_a_command_too(self):
        self.assertEqual(stint("help").stdout, stint("--help").stdout)
        for command in self.each():
            done = stint("help", *command)
            self.assertEqual((done.returncode, done.stdout), (0, stint(*command, "--help").stdout))

    def test_without_a_command_help_is_shown(self):
        done = stint()
        self.assertEqual((done.returncode, done.stdout), (2, stint("--help").stdout))

    def test_unknown_options_are_named(self):
        for command in self.each():
            done = stint(*command, "--frobnicate")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("unknown option '--frobnicate'", done.stderr)

    def test_what_was_meant_is_guessed(self):
        for arguments, words in ((["rnu"], "unknown command 'rnu'; did you mean 'run'?"),
                                 (["help", "rnu"], "unknown command 'rnu'; did you mean 'run'?"),
                                 (["study", "enregy"], "unknown command 'enregy'; did you mean 'energy'?"),
                                 (["inspect", LINEAR, "--fromat", "json"], "unknown option '--fromat'; did you mean '--format'?")):
            done = stint(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertEqual(done.stderr, f"stint: {words}\n")
        self.assertNotIn("did you mean", stint("frobnicate").stderr)


class Lists(unittest.TestCase):
    def test_leave_the_model_alone(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        npy(folder / "x.npy", [1, 3], [1, 2, 3])
        for arguments in (("inspect", "--stages", "--disable-pass", "fuse-linear,fuse-activation", LINEAR, "--format", "json"),
                          ("run", "--input", f"x={folder}/x.npy", LINEAR, "--threads", "1"),
                          ("bench", "--batch", "1,2", LINEAR, "--null-kernels", "--seconds", "0.01"),
                          ("bench", "--batch", "1", "--batch", "2", LINEAR, "--null-kernels", "--seconds", "0.01")):
            done = stint(*arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(stint(*arguments, "--format", "csv").stdout.count(",batch,"), 2)

    def test_tables_have_four_formats(self):
        for arguments in (("operators",), ("inspect", LINEAR, "--stages"), ("bench", LINEAR, "--null-kernels", "--seconds", "0.01")):
            self.assertTrue(stint(*arguments, "--format", "csv").stdout.startswith("figure,row,column,value\n"))
            self.assertRegex(stint(*arguments, "--format", "md").stdout, r"(?m)^\|---")
            self.assertGreater(len(stint(*arguments, "--format", "table").stdout.splitlines()), 1)
            json.loads(stint(*arguments, "--format", "json").stdout.splitlines()[0])


class Renamed(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = self.folder / "dev.tsv"
        self.data.write_text("sentence\tlabel\n" + "a b c\t1\nb c\t0\nc a\t1\n")

    def test_help_has_the_new_names_alone(self):
        for command, old, new in RENAMED:
            shown = re.findall(r"(?<![\w-])--[a-z][a-z-]*", stint(*command.split(), "--help").stdout)
            self.assertIn(new, shown, command)
            self.assertNotIn(old, shown, command)

    def test_old_names_do_the_same(self):
        macs = [json.loads(stint("inspect", SMALL, name, "8", "--format", "json").stdout)["macs"]
                for name in ("--sequence", "--seq")]
        self.assertEqual(len(set(macs)), 1)
        self.assertNotEqual(macs[0], json.loads(stint("inspect", SMALL, "--sequence=16", "--format", "json").stdout)["macs"])
        for arguments in (("eval", SMALL, "--task", "sst2", "--data", self.data, "--precision", "int8", "--calibrate", "3"),
                          ("compress", SMALL, "--prune", "layer:50%", "-o", self.folder / "c.onnx", "--data", self.data, "--task",
                           "sst2", "--data-rows", "2"),
                          ("device", "--tune", CONV, "--threads", "1")):
            done = stint(*arguments, XDG_CACHE_HOME=str(self.folder))
            self.assertEqual(done.returncode, 0, done.stderr)
        for old, word in (("--code", "schedule 'bogus'"), ("--compute", "target 'bogus'")):
            done = stint("study", "across-stack", "--model", LINEAR, "--task", "cifar10", "--data", self.data, old, "bogus")
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
