#!/usr/bin/env python3
"""Times stint beside ONNX Runtime, interleaved, and prints the ratio per model.

Usage: against_onnxruntime.py RUN_MODEL [--threads N] [--rounds N] MODEL[:BATCHxSEQUENCE] ...
RUN_MODEL is the program built from bench/run_model.cc. Needs onnxruntime and numpy.
"""
import argparse
import statistics
import subprocess
import time

import numpy as np
import onnxruntime


def inputs_for(session, batch, sequence):
    feeds = {}
    rng = np.random.default_rng(1)
    for value in session.get_inputs():
        shape = [d if isinstance(d, int) else (batch if i == 0 else sequence)
                 for i, d in enumerate(value.shape)]
        if "int64" in value.type:
            feeds[value.name] = np.ones(shape, np.int64)
        else:
            feeds[value.name] = rng.random(shape, np.float32)
    return feeds


class Stint:
    def __init__(self, program, model, threads):
        self.process = subprocess.Popen([program, model, str(threads)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def median_ms(self, batch, sequence, runs):
        self.process.stdin.write(f"{batch} {sequence} {runs}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline().split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def peer_median_ms(session, feeds, runs):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        session.run(None, feeds)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("models", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    args = parser.parse_args()
    print(f"{'model':40} {'stint ms':>9} {'onnxruntime ms':>15} {'ratio':>6}  (threads {args.threads})")
    for spec in args.models:
        model, _, size = spec.partition(":")
        batch, sequence = map(int, (size or "1x1").split("x"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = args.threads
        peer = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        feeds = inputs_for(peer, batch, sequence)
        ours = Stint(args.program, model, args.threads)
        runs = max(3, int(200 / max(1.0, peer_median_ms(peer, feeds, 3))))
        ours.median_ms(batch, sequence, 3)
        pairs = []
        for _ in range(args.rounds):
            pairs.append((ours.median_ms(batch, sequence, runs), peer_median_ms(peer, feeds, runs)))
            time.sleep(0.05)  # the peer's threads spin on for a while
        ours.close()
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"{spec.split('/')[-1]:40} {statistics.median(a for a, _ in pairs):9.2f} "
              f"{statistics.median(b for _, b in pairs):15.2f} {ratio:6.2f}")


if __name__ == "__main__":
    main()
