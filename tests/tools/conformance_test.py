"""Tests of tests/conformance/conformance.py."""
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "conformance"))
import conformance  # noqa: E402


def expected_from(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "expected.txt"
        path.write_text(text)
        with mock.patch.object(conformance, "EXPECTED", path):
            return conformance.read_expected()


class Compare(unittest.TestCase):
    def test_agreement_is_silent(self):
        results = {"node/a": ("passed", ""), "node/b": ("unsupported", "no")}
        self.assertEqual(conformance.compare({"node/b": "unsupported: no"}, results), [])

    def test_listed_case_that_passes_is_a_problem(self):
        problems = conformance.compare({"node/a": "unsupported: no"}, {"node/a": ("passed", "")})
        self.assertEqual(problems, ["node/a: listed as 'unsupported: no', but passes"])

    def test_case_that_is_not_listed_is_a_problem(self):
        problems = conformance.compare({}, {"node/a": ("unsupported", "no")})
        self.assertEqual(problems, ["node/a: not listed, but unsupported: no"])

    def test_failure_is_a_problem_even_when_listed(self):
        problems = conformance.compare({"node/a": "unsupported: no"}, {"node/a": ("failed", "element 0")})
        self.assertEqual(problems, ["node/a: failed: element 0"])

    def test_listed_case_that_is_gone_is_a_problem(self):
        problems = conformance.compare({"node/a": "unsupported: no"}, {})
        self.assertEqual(problems, ["node/a: listed, but there is no such case"])


class Expected(unittest.TestCase):
    def test_comments_and_empty_lines_are_skipped(self):
        self.assertEqual(expected_from("# text\n\nnode/a  unsupported: no\n"), ({"node/a": "unsupported: no"}, []))

    def test_failures_may_not_be_listed(self):
        _, problems = expected_from("node/a  failed: wrong\n")
        self.assertEqual(len(problems), 1)

    def test_order_and_duplicates_are_checked(self):
        self.assertEqual(len(expected_from("b  unsupported: x\na  unsupported: x\n")[1]), 1)
        self.assertEqual(len(expected_from("a  unsupported: x\na  unsupported: x\n")[1]), 1)


class Shorten(unittest.TestCase):
    def test_path_and_node_names_go(self):
        reason = "/tmp/a/model.onnx: Foo: operator is not supported (2 nodes: 'a', 'b')"
        self.assertEqual(conformance.shorten(reason), "Foo: operator is not supported")

    def test_long_reasons_are_cut(self):
        self.assertEqual(len(conformance.shorten("x" * 500)), 120)


if __name__ == "__main__":
    unittest.main()
