"""The loop that every peer shares: requests in, answers out (see README.md).

A peer is an object with
  describe()      -> {"runtime", "version", "precisions"}
  prepare(request) what is needed before the load and is not timed; optional
  load(request)   makes the model ready; request has model, threads, precision,
                  mode, isa, cache and inputs, where each input has also `array`
  run_once()      -> the outputs, whatever the runtime returns
  outputs(result) -> [(name, numpy array)] of what run_once returned
  profile(runs)   -> [(run ms, ms inside kernels, kernels)], one per run, by the
                  runtime's own profiler; optional
and MODES, the ways to run it that `mode` may name beside "" (none if left out).
Packages are imported when the object is made, so that a missing one is an answer.
"""

import json
import os
import sys
import time


class Unsupported(Exception):
    """A model, operator or precision that the runtime does not run."""


def peak_rss_bytes():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def read_inputs(specs):
    import numpy as np
    for spec in specs:
        # Not ascontiguousarray: that makes a vector of a scalar.
        spec["array"] = np.asarray(np.load(spec["file"]), order="C")
        found = (str(spec["array"].dtype), list(spec["array"].shape))
        if found != (spec["dtype"], list(spec["shape"])):
            raise ValueError(f"{spec['file']}: {found}, expected "
                             f"{(spec['dtype'], spec['shape'])}")


def write_outputs(named, folder):
    import numpy as np
    written = []
    for number, (name, array) in enumerate(named):
        path = os.path.join(folder, f"output_{number}.npy")
        np.save(path, np.asarray(array, order="C"))
        written.append({"name": name, "file": path})
    return written


class Server:
    def __init__(self, make_peer):
        self.make_peer = make_peer
        self.peer = None

    def describe(self, request):
        return self.peer.describe()

    def load(self, request):
        mode, modes = request.get("mode", ""), getattr(self.peer, "MODES", ())
        if mode and mode not in modes:
            raise Unsupported(f"mode '{mode}', expected one of "
                              f"{', '.join(modes) or 'none'}")
        read_inputs(request["inputs"])
        if hasattr(self.peer, "prepare"):
            self.peer.prepare(request)
        start = time.perf_counter_ns()
        self.peer.load(request)
        return {"load_ms": (time.perf_counter_ns() - start) * 1e-6}

    def run(self, request):
        run_once, clock = self.peer.run_once, time.perf_counter_ns
        times, first = [], None
        cpu_start = time.process_time_ns()
        for number in range(request["runs"]):
            start = clock()
            result = run_once()
            times.append((clock() - start) * 1e-6)
            if number == 0 and "outputs" in request:
                first = result
        if request.get("keep"):
            times = times[::-(-len(times) // request["keep"])]
        answer = {"times_ms": times,
                  "cpu_ms": (time.process_time_ns() - cpu_start) * 1e-6,
                  "peak_rss_bytes": peak_rss_bytes()}
        if first is not None:
            answer["outputs"] = write_outputs(
                self.peer.outputs(first), request["outputs"])
        return answer

    def profile(self, request):
        if not hasattr(self.peer, "profile"):
            raise Unsupported("this peer has no profiler")
        rows = self.peer.profile(request["runs"])
        return {"times_ms": [row[0] for row in rows],
                "kernel_ms": [row[1] for row in rows],
                "kernels": rows[-1][2]}

    def close(self, request):
        return {}

    def answer(self, request):
        operations = {"describe": self.describe, "load": self.load,
                      "run": self.run, "profile": self.profile,
                      "close": self.close}
        try:
            if self.peer is None:
                self.peer = self.make_peer()
            return {"ok": True, **operations[request["op"]](request)}
        except ImportError as error:
            return {"ok": False, "kind": "missing",
                    "error": f"{error} (make peers installs it)"}
        except Unsupported as error:
            return {"ok": False, "kind": "unsupported", "error": str(error)}
        except Exception as error:  # whatever a runtime throws is an answer
            text = str(error).strip() or type(error).__name__
            return {"ok": False, "kind": "failed",
                    "error": f"{type(error).__name__}: {text}"[:2000]}


def serve(make_peer):
    # Packages print to standard output when they feel like it; answers must
    # not be disturbed.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    server = Server(make_peer)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(server.answer(request)), file=answers, flush=True)
        if request.get("op") == "close":
            break
