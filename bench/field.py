#!/usr/bin/env python3
"""Whether budgets hold where nobody tidied up: mixed lengths, a cgroup's cap, a busy machine, neighbors that come and go.

Usage: field.py [--stint PROGRAM] [--model FILE] [--data SST-2] [--quick] [sessions] [memory] [latency] [busy]
  sessions  one command 50 times, alone and beside processes that spin: each ends with exit code 0
  memory    10,000 rows without padding at four budgets, by eval, by run, and under a cgroup's cap: none is over its budget
  latency   1,000 runs at four budgets on the machine as it is: at least 95 % in time
  busy      runs before, beside and after processes that spin: 80 % in time from 5 s after they came, a plan as good as
            before (nine tenths of the way back from the worst) 5 s after they went
Prints a line for each and every figure that it rests on. Exit code 1 when one of them does not hold.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

from busy import Busy

ROOT = pathlib.Path(__file__).resolve().parents[1]
CGROUP = pathlib.Path("/sys/fs/cgroup/memory")
CHECKS = ("sessions", "memory", "latency", "busy")
MEMORY = (7, 8, 12, 16)  # MB
LATENCY = ((7, 10), (8, 10), (12, 20), (16, 20))  # MB, ms
BUSY = ((8, 10), (16, 10), (16, 5), (8, 20))
SETTLE_S = 5.0
BACK = 0.1  # of the loss that a busy machine cost may stay


def why(done):
    """The error of a command that failed."""
    return done.stderr.strip().splitlines()[-1] if done.returncode != 0 and done.stderr.strip() else ""


class Cap:
    """A cgroup that lets a process have so many bytes; None where cgroups are not ours to make."""

    def __init__(self, limit):
        self.folder = CGROUP / f"stint-field-{os.getpid()}"
        self.folder.mkdir()
        (self.folder / "memory.limit_in_bytes").write_text(str(limit))

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def failures(self):
        events = (self.folder / "memory.oom_control").read_text().split()
        return int(events[events.index("oom_kill") + 1])

    def remove(self):
        self.folder.rmdir()


class Field:
    def __init__(self, options, folder):
        self.options = options
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "XDG_CACHE_HOME": folder}
        self.failed = 0

    def stint(self, *arguments, enter=None):
        return subprocess.run([self.options.stint, *map(str, arguments)], capture_output=True, text=True, env=self.environment,
                              preexec_fn=enter)

    def say(self, holds, text):
        self.failed += not holds
        print(f"{'holds ' if holds else 'FAILS '} {text}", flush=True)

    def rows(self, count):
        """(text, label) of the training data, mixed lengths as they come."""
        with gzip.open(self.options.data / "train.tsv.gz", "rt", encoding="utf-8") as file:
            next(file)
            return [next(file).rstrip("\n").split("\t") for _ in range(count)]

    def table(self, count):
        path = self.folder / f"rows-{count}.tsv"
        path.write_text("sentence\tlabel\n" + "".join(f"{text}\t{label}\n" for text, label in self.rows(count)))
        return path

    def lines(self, texts):
        path = self.folder / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        return path

    def eval(self, rows, *arguments, enter=None):
        return self.stint("eval", self.options.model, "--task", "sst2", "--data", rows, "--format", "json", *arguments,
                          enter=enter)

    def sessions(self):
        rows = self.options.data / "dev.tsv.gz"
        times = 5 if self.options.quick else 50

        def end_well(where):
            codes = [self.eval(rows, "--max-length", 64, "--pad", "--memory", "8MB", "--latency", "10ms").returncode
                     for _ in range(times)]
            self.say(codes.count(0) == times,
                     f"eval of 872 rows within 8 MB and 10 ms, {where}: {codes.count(0)} of {times} end with 0")
        end_well("alone")
        with Busy():
            end_well("busy")

    def memory(self):
        count = 500 if self.options.quick else 10_000
        table, texts = self.table(count), self.lines(text for text, _ in self.rows(count))
        for megabytes in MEMORY:
            limit, memory = megabytes * 1_000_000, f"{megabytes}MB"
            done = self.eval(table, "--memory", memory)
            report = json.loads(done.stdout) if done.returncode == 0 else {}
            peak = report.get("peak_rss_bytes", limit + 1)
            self.say(peak <= limit and report.get("over_memory") == 0, f"eval, {memory}: {count} rows, peak {peak / 1e6:.2f} MB "
                     f"{why(done)}")
            done = self.stint("run", self.options.model, "--batch-file", texts, "--memory", memory, "--format", "json")
            answers = done.stdout.splitlines()
            last = json.loads(answers[-1]) if answers else {}
            peak = last.get("peak_rss_bytes", limit + 1)
            self.say(len(answers) == count and peak <= limit and last["over_memory"] == 0,
                     f"run, {memory}: {len(answers)} of {count} texts, peak {peak / 1e6:.2f} MB {why(done)}")
            self.capped(table, count, megabytes)

    def capped(self, table, count, megabytes):
        try:
            cap = Cap(megabytes * 1_000_000)
        except OSError as error:
            print(f"skipped a cgroup of {megabytes} MB: {error}")
            return
        # What the cgroup counts is less than what is resident: pages of files that others touched first are theirs.
        done = self.eval(table, "--memory", f"{megabytes}MB", enter=cap.enter)
        killed = cap.failures()
        time.sleep(0.1)
        cap.remove()
        peak = json.loads(done.stdout)["peak_rss_bytes"] if done.returncode == 0 else 0
        self.say(done.returncode == 0 and killed == 0 and peak <= megabytes * 1_000_000,
                 f"eval in a cgroup of {megabytes} MB: {count} rows, exit code {done.returncode}, peak {peak / 1e6:.2f} MB "
                 f"{why(done)}")

    def latency(self):
        count = 200 if self.options.quick else 1_000
        table = self.table(count)
        for megabytes, ms in LATENCY:
            done = self.eval(table, "--max-length", 64, "--pad", "--memory", f"{megabytes}MB", "--latency", f"{ms}ms")
            report = json.loads(done.stdout) if done.returncode == 0 else {"missed": count}
            kept = 1 - report["missed"] / count
            self.say(kept >= 0.95, f"{megabytes} MB, {ms} ms: {100 * kept:.1f} % of {count} runs in time "
                     f"{why(done)}")

    def busy(self):
        alone_s, busy_s, after_s = (4, 8, 7) if self.options.quick else (6, 20, 12)
        text = " ".join(["a gripping , funny and deeply human film of few words"] * 5)
        for megabytes, ms in BUSY:
            runs = self.follow(text, megabytes, ms, (alone_s, busy_s, after_s))
            self.judge(runs, megabytes, ms, alone_s, alone_s + busy_s)

    def follow(self, text, megabytes, ms, spans):
        """Reports of all runs with "at": seconds since the first; processes spin in the second span."""
        process = subprocess.Popen([self.options.stint, "run", self.options.model, "--batch-file", "/dev/stdin", "--max-length",
                                    "64", "--memory", f"{megabytes}MB", "--latency", f"{ms}ms", "--best-effort", "--format",
                                    "json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.environment)
        line = json.dumps({"text": text}) + "\n"
        stop = threading.Event()

        def ask():
            while not stop.is_set():
                process.stdin.write(line * 16)
                process.stdin.flush()
            process.stdin.close()
        threading.Thread(target=ask, daemon=True).start()
        reports = []

        def read():
            for answer in process.stdout:
                reports.append(answer)
        reader = threading.Thread(target=read)
        reader.start()
        while not reports:
            time.sleep(0.01)
        time.sleep(spans[0])
        with Busy():
            time.sleep(spans[1])
        time.sleep(spans[2])
        stop.set()
        reader.join()
        runs = [json.loads(report) for report in reports]
        for run in runs:
            run["at"] = (run["wall_ms"] - runs[0]["wall_ms"]) * 1e-3
        return runs

    def judge(self, runs, megabytes, ms, came, went):
        missed = [later["missed"] - run["missed"] for run, later in zip(runs, runs[1:])]
        runs = runs[1:]

        def of(begin, end):
            return [(run, late) for run, late in zip(runs, missed) if begin <= run["at"] < end]

        def kept(begin, end):
            span = of(begin, end)
            return 1 - sum(late for _, late in span) / max(1, len(span))
        before, beside = of(came - 2, came), of(came + SETTLE_S, went)
        loss = max(run["plan"]["loss"] for run, _ in before)
        worse = [run for run, _ in beside if run["plan"]["loss"] > loss]
        good = loss + BACK * max([run["plan"]["loss"] - loss for run in worse], default=0)
        back = [run["at"] - went for run, _ in of(went, 1e9) if run["plan"]["loss"] <= good]
        returned = back[0] if back else float("inf")
        says = max(run["plan"]["busy"] for run, _ in beside)
        share = kept(came + SETTLE_S, went)
        self.say(share >= 0.8 and returned <= SETTLE_S,
                 f"{megabytes} MB, {ms} ms: in time {100 * kept(1, came):.1f} % alone, {100 * kept(came, came + SETTLE_S):.1f} % in "
                 f"the first {SETTLE_S:g} s beside {os.cpu_count()} processes that spin, then {100 * share:.1f} %; busy {says:.1f}, "
                 f"{100 * len(worse) / max(1, len(beside)):.0f} % of those by a smaller plan, a plan as good as before "
                 f"{returned:.1f} s after they went; {runs[-1]['replans']} re-plans")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stint", default=str(ROOT / "build" / "stint"))
    parser.add_argument("--model", default=str(ROOT / "models" / "sst2-minilm.stint"))
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data" / "glue" / "SST-2")
    parser.add_argument("--quick", action="store_true", help="a tenth of it")
    parser.add_argument("checks", nargs="*", choices=[[], *CHECKS], help="all of them, if none is named")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        field = Field(options, folder)
        # Costs of layers are kept from here on, as on any machine that was used before.
        field.stint("run", options.model, "--text", "a film", "--memory", "16MB")
        for check in options.checks or CHECKS:
            getattr(field, check)()
    return 1 if field.failed else 0


if __name__ == "__main__":
    sys.exit(main())
