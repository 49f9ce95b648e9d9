"""Peers for tests: y = relu(x w + b) of tests/data/linear.onnx in plain Python.

The name of the file that runs it says how it behaves (fake_peer, crash_peer,
hang_peer, wrong_peer, missing_peer, refuse_peer, babble_peer, slow_peer,
paint_peer, quick_peer: runs that really take 20 us, queue_peer: a device that
works beside the host, max(6, 2 + rows / 2) ms, line_peer: without the floor, greedy_peer: three CPUs whatever
is asked for); the
test makes links of those names. Speaks the protocol of peers/README.md.
"""
import array
import json
import os
import pathlib
import signal
import struct
import sys
import time

# As in tests/data/make_tiny_models.py.
WEIGHT, BIAS = [[1, -1], [2, 0], [0, 3]], [0.5, -0.5]
BEHAVIOR = pathlib.Path(sys.argv[0]).name.removesuffix("_peer.py")


def read_npy(path):
    content = pathlib.Path(path).read_bytes()
    return array.array("f", content[10 + int.from_bytes(content[8:10], "little"):])


def write_npy(path, shape, values):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(shape)}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + values.tobytes())


class Fake:
    def describe(self, request):
        if BEHAVIOR == "missing":
            return {"ok": False, "kind": "missing", "error": "No module named 'fake'"}
        return {"ok": True, "runtime": BEHAVIOR, "version": "1.0", "precisions": ["fp32"]}

    def load(self, request):
        if BEHAVIOR == "paint":
            return {"ok": False, "kind": "unsupported", "error": "operator \x1b[2JGemm"}
        if BEHAVIOR == "refuse" or request["precision"] != "fp32":
            return {"ok": False, "kind": "unsupported", "error": "operator Gemm"}
        spec = request["inputs"][0]
        assert spec["name"] == "x" and spec["dtype"] == "float32", spec
        self.rows, x = spec["shape"][0], read_npy(spec["file"])
        self.y = array.array("f")
        for r in range(self.rows):
            for c in range(2):
                y = sum(x[3 * r + k] * WEIGHT[k][c] for k in range(3)) + BIAS[c]
                self.y.append(max(0, y) + (1 if BEHAVIOR == "wrong" else 0))
        return {"ok": True, "load_ms": 1.5}

    def run(self, request):
        if BEHAVIOR == "crash":
            os.kill(os.getpid(), signal.SIGILL)
        if BEHAVIOR == "hang":
            time.sleep(60)
        each = {"slow": 4.0, "quick": 0.02}.get(BEHAVIOR, 2.0)
        if BEHAVIOR in ("queue", "line"):
            each = max(6.0 if BEHAVIOR == "queue" else 0.0, 2 + 0.5 * self.rows)
        if BEHAVIOR == "quick":
            time.sleep(each * request["runs"] * 1e-3)
        answer = {"ok": True, "times_ms": [each] * min(request["runs"], request.get("keep", request["runs"])), "cpu_ms": each * request["runs"] * (3 if BEHAVIOR == "greedy" else 1), "peak_rss_bytes": 1000}
        if "outputs" in request:
            path = pathlib.Path(request["outputs"]) / "fake.npy"
            write_npy(path, (self.rows, 2), self.y)
            answer["outputs"] = [{"name": "y", "file": str(path)}]
        return answer

    def profile(self, request):
        return {"ok": False, "kind": "unsupported", "error": "no profiler"}

    def close(self, request):
        return {"ok": True}


def main():
    if "FAKE_LOG" in os.environ:
        with open(os.environ["FAKE_LOG"], "a") as log:
            log.write(BEHAVIOR + "\n")
    fake = Fake()
    for line in sys.stdin:
        request = json.loads(line)
        answer = getattr(fake, request["op"])(request)
        print("hello" if BEHAVIOR == "babble" else json.dumps(answer), flush=True)
        if request["op"] == "close":
            break


main()
