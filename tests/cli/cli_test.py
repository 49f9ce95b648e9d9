#!/usr/bin/env python3
"""What a person and a script see of the command line. Usage: cli_test.py STINT (run by ctest)."""
import array
import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

STINT = None
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"


def stint(*arguments):
    return subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True)


def npy(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + array.array("f", values).tobytes())


def read_npy(path):
    content = path.read_bytes()
    return list(array.array("f", content[10 + int.from_bytes(content[8:10], "little"):]))


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def assert_fails(self, done, code, *words):
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)

    def test_version_names_commit_and_isa(self):
        self.assertRegex(stint("--version").stdout, r"^stint \d+\.\d+\.\d+ \(\w+\) isa=(sse2|avx2|avx512|vnni|bf16|amx)\n$")

    def test_no_command_and_unknown_options_are_usage_errors(self):
        for arguments in ([], ["frobnicate"], ["run", DATA / "linear.onnx"], ["inspect"], ["run", "--what"],
                          ["inspect", DATA / "linear.onnx", "--format", "csv"]):
            self.assertEqual(stint(*arguments).returncode, 2, arguments)

    def test_pack_writes_a_file_that_answers_the_same(self):
        npy(self.folder / "x.npy", (1, 3), [1, 2, 3])
        packed = self.folder / "m.stint"
        report = json.loads(stint("pack", DATA / "linear.onnx", "-o", packed, "--bits", "32", "--format", "json").stdout)
        self.assertEqual((report["bytes"], report["shards"], report["packed"]), (packed.stat().st_size, 0, 1))
        self.assertGreaterEqual(report["seconds"], 0)
        for model in (DATA / "linear.onnx", packed):
            out = self.folder / f"{model.name}.out"
            self.assertEqual(stint("run", model, "--input", f"x={self.folder / 'x.npy'}", "--output-dir", out).returncode, 0)
        self.assertEqual(read_npy(self.folder / "m.stint.out" / "y.npy"), read_npy(self.folder / "linear.onnx.out" / "y.npy"))

    def test_pack_keeps_tokenizer_and_preprocessing(self):
        packed = self.folder / "m.stint"
        self.assertEqual(stint("pack", DATA / "encoders" / "bert_sentence", "-o", packed, "--bits", "32", "--scale", "255").returncode, 0)
        answers = [json.loads(stint("run", model, "--text", "a b c", "--format", "json").stdout)["answer"]
                   for model in (DATA / "encoders" / "bert_sentence", packed)]
        self.assertEqual(*answers)
        report = json.loads(stint("inspect", packed, "--format", "json").stdout)
        self.assertEqual([section["name"] for section in report["sections"]], ["graph", "about", "tokenizer", "tensors", "data"])
        self.assertEqual([layout["name"].rstrip("0123456789") for layout in report["layouts"]], ["gemm_f32/panels"])

    def test_pack_is_elastic_by_default(self):
        packed = self.folder / "m.stint"
        report = json.loads(stint("pack", DATA / "encoders" / "bert_sentence", "-o", packed, "--format", "json").stdout)
        self.assertEqual((report["bytes"], report["packed"]), (packed.stat().st_size, 0))
        inspected = json.loads(stint("inspect", packed, "--format", "json").stdout)
        self.assertEqual([section["name"] for section in inspected["sections"]],
                         ["planes", "rows", "graph", "about", "tokenizer", "shards", "tensors", "data"])
        self.assertEqual(inspected["shards"], report["shards"])
        self.assertEqual(inspected["elastic"]["bits"], [2, 8])
        self.assertEqual(len(inspected["elastic"]["layers"]), report["layers"])
        self.assertIn("answer", json.loads(stint("run", packed, "--text", "a b c", "--format", "json").stdout))
        for bits in ("1-8", "2-9", "8", "16"):
            self.assertEqual(stint("pack", DATA / "linear.onnx", "-o", packed, "--bits", bits).returncode, 2, bits)

    def test_damaged_packages_are_one_line_errors(self):
        packed = self.folder / "m.stint"
        stint("pack", DATA / "linear.onnx", "-o", packed, "--bits", "32")
        content = bytearray(packed.read_bytes())
        content[4100] ^= 1
        packed.write_bytes(content)
        self.assert_fails(stint("inspect", packed), 1, "m.stint", "section 'graph'")
        packed.write_bytes(content[:5000])
        self.assert_fails(stint("run", packed, "--text", "x"), 1, "m.stint", "5000 bytes")
        self.assert_fails(stint("pack", DATA / "linear.onnx", "-o", self.folder / "no" / "m.stint"), 1, "m.stint")

    def test_inspect_has_the_promised_keys(self):
        report = json.loads(stint("inspect", DATA / "linear.onnx", "--format", "json").stdout)
        self.assertEqual(report["inputs"], [{"name": "x", "type": "float32", "shape": ["batch", 3]}])
        self.assertEqual(report["outputs"][0]["name"], "y")
        self.assertEqual((report["parameters"], report["macs"], report["nodes"]), (8, 6, 2))
        self.assertEqual(report["operators"], {"Gemm": 1, "Relu": 1})

    def test_inspect_lists_the_graph(self):
        self.assertIn("(%x, %w, %b)", stint("inspect", DATA / "linear.onnx", "--graph").stdout)

    def test_inspect_shows_what_each_pass_changes(self):
        stages = json.loads(stint("inspect", DATA / "linear.onnx", "--stages", "--format", "json").stdout)["stages"]
        self.assertEqual((stages[0], stages[-1]["stage"], stages[-1]["nodes"]),
                         ({"stage": "import", "nodes": 2}, "fuse-norm", 1))
        self.assertIn("FusedLinear", stint("inspect", DATA / "linear.onnx", "--after", "fuse-linear").stdout)
        self.assert_fails(stint("inspect", DATA / "linear.onnx", "--stages", "--disable-pass", "no-such"), 1, "no pass 'no-such'")

    def test_precisions_and_disabled_passes_agree(self):
        npy(self.folder / "x.npy", [1, 3], [1, 2, 3])
        for options in (("--precision", "bf16"), ("--precision", "int8"), ("--disable-pass", "fuse-linear,fuse-activation")):
            done = stint("run", DATA / "linear.onnx", "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            for got, want in zip(read_npy(self.folder / "y.npy"), [5.5, 7.5]):
                self.assertAlmostEqual(got, want, delta=0.1)

    def test_profile_is_a_chrome_trace(self):
        npy(self.folder / "x.npy", [1, 3], [1, 2, 3])
        stint("run", DATA / "linear.onnx", "--input", f"x={self.folder}/x.npy", "--profile", self.folder / "t.json")
        events = json.loads((self.folder / "t.json").read_text())["traceEvents"]
        self.assertEqual([event["cat"] for event in events], ["FusedLinear"])
        self.assertGreaterEqual(events[0]["dur"], 0)

    def test_null_kernels_report_the_cost_of_a_step(self):
        done = stint("bench", DATA / "linear.onnx", "--null-kernels", "--threads", "1", "--seconds", "0.01", "--format", "json")
        row = json.loads(done.stdout)["rows"][0]
        self.assertEqual((row["steps"], row["threads"]), (1, 1))
        self.assertGreater(row["ns_per_step"], 0)

    def test_run_computes_and_writes_outputs(self):
        npy(self.folder / "x.npy", [2, 3], [1, 2, 3, -1, 0, 1])
        done = stint("run", DATA / "linear.onnx", "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, "--format", "json")
        report = json.loads(done.stdout)
        self.assertEqual(report["outputs"], [{"name": "y", "shape": [2, 2]}])
        for key in ("load_ms", "run_ms", "wall_ms", "peak_rss_bytes"):
            self.assertGreater(report[key], 0)
        self.assertEqual(report["precision"], "fp32")
        self.assertEqual(read_npy(self.folder / "y.npy"), [5.5, 7.5, 0, 3.5])

    def test_batch_file_gives_one_line_per_question(self):
        npy(self.folder / "x.npy", [1, 3], [1, 2, 3])
        line = json.dumps({"inputs": {"x": str(self.folder / "x.npy")}})
        (self.folder / "q.jsonl").write_text(f"{line}\n{line}\n")
        done = stint("run", DATA / "linear.onnx", "--batch-file", self.folder / "q.jsonl", "--format", "json")
        self.assertEqual(len([json.loads(row) for row in done.stdout.splitlines()]), 2)

    def test_every_isa_cap_gives_the_same_answer(self):
        npy(self.folder / "x.npy", [1, 3], [1, 2, 3])
        for isa in ("sse2", "avx2", "avx512", "vnni", "bf16", "amx"):
            done = stint("run", DATA / "linear.onnx", "--input", f"x={self.folder}/x.npy", "--output-dir", self.folder, "--isa", isa)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(read_npy(self.folder / "y.npy"), [5.5, 7.5])

    def test_wrong_shape_names_input_expected_and_found(self):
        npy(self.folder / "x.npy", [2, 4], range(8))
        self.assert_fails(stint("run", DATA / "linear.onnx", "--input", f"x={self.folder}/x.npy"), 1, "'x'", "[2,4]", "[-1,3]")

    def test_unknown_and_missing_inputs_are_named(self):
        npy(self.folder / "x.npy", [1, 3], range(3))
        self.assert_fails(stint("run", DATA / "linear.onnx", "--input", f"z={self.folder}/x.npy"), 1, "'x'")

    def test_missing_and_damaged_files_exit_1_and_name_the_file(self):
        self.assert_fails(stint("inspect", self.folder / "no.onnx"), 1, "no.onnx")
        whole = (DATA / "linear.onnx").read_bytes()
        (self.folder / "cut.onnx").write_bytes(whole[:len(whole) // 2])
        self.assert_fails(stint("inspect", self.folder / "cut.onnx"), 1, "cut.onnx")

    def test_all_unsupported_operators_are_named_with_exit_3(self):
        self.assert_fails(stint("inspect", DATA / "unsupported.onnx"), 3, "Frobnicate", "2 nodes", "'first'", "'second'", "Jabber")

    def test_check_tells_a_wrong_answer_with_exit_5(self):
        case = self.folder / "case"
        (case / "test_data_set_0").mkdir(parents=True)
        shutil.copy(DATA / "linear.onnx", case / "model.onnx")
        npy(case / "test_data_set_0/input_0.npy", [1, 3], [1, 2, 3])
        npy(case / "test_data_set_0/output_0.npy", [1, 2], [5.5, 7.5])
        done = stint("check", case, "--format", "json")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual((done.returncode, lines[0]["case"], lines[0]["status"]), (0, "case", "passed"))
        self.assertEqual(lines[-1]["summary"], {"passed": 1, "failed": 0, "unsupported": 0, "error": 0})
        npy(case / "test_data_set_0/output_0.npy", [1, 2], [5.5, 7.0])
        done = stint("check", case, "--format", "json")
        first = json.loads(done.stdout.splitlines()[0])
        self.assertEqual((done.returncode, first["status"]), (5, "failed"))
        self.assertIn("7.5", first["reason"])

    def test_export_can_be_read_back(self):
        out = self.folder / "out.onnx"
        report = json.loads(stint("export", DATA / "linear.onnx", "-o", out, "--format", "json").stdout)
        self.assertEqual((report["bytes"], report["nodes"]), (out.stat().st_size, 2))
        self.assertEqual(stint("inspect", out, "--format", "json").stdout, stint("inspect", DATA / "linear.onnx", "--format", "json").stdout)

    def test_export_to_a_missing_folder_fails_and_leaves_nothing(self):
        self.assert_fails(stint("export", DATA / "linear.onnx", "-o", self.folder / "no/out.onnx"), 1, "no/out.onnx")
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    STINT = sys.argv[1]
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[2:]])
