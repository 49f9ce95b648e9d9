"""ONNX Runtime with its CPU provider."""

import json
import os

import protocol


def kernel_rows(events, runs):
    """Per run of a trace: ms of the run, ms inside kernels, kernels."""
    spans = [e for e in events if e.get("name") == "model_run"][-runs:]
    kernels = [e for e in events if e.get("cat") == "Node"
               and e["name"].endswith("_kernel_time")]
    rows = []
    for span in spans:
        begin, end = span["ts"], span["ts"] + span["dur"]
        inside = [e["dur"] for e in kernels if begin <= e["ts"] < end]
        rows.append((span["dur"] * 1e-3, sum(inside) * 1e-3, len(inside)))
    return rows


class OnnxRuntimePeer:
    def __init__(self):
        import onnxruntime
        self.package = onnxruntime
        onnxruntime.set_default_logger_severity(3)

    def describe(self):
        return {"runtime": "onnxruntime", "version": self.package.__version__,
                "precisions": ["fp32", "int8"]}

    def prepare(self, request):
        if request["precision"] == "int8":
            from quantize import quantized
            request["model"] = quantized(request["model"], request["cache"])
        elif request["precision"] != "fp32":
            raise protocol.Unsupported(
                f"precision {request['precision']}: the CPU provider has none")

    PROVIDERS = ["CPUExecutionProvider"]

    def make_session(self, request, trace=None):
        options = self.package.SessionOptions()
        options.intra_op_num_threads = request["threads"]
        if trace:
            options.enable_profiling = True
            options.profile_file_prefix = trace
        return self.package.InferenceSession(
            request["model"], options, providers=self.PROVIDERS)

    def load(self, request):
        self.request = request
        self.session = self.make_session(request)
        self.feeds = {i["name"]: i["array"] for i in request["inputs"]}

    def run_once(self):
        return self.session.run(None, self.feeds)

    def profile(self, runs):
        # A session of its own: the timed one is not slowed down.
        prefix = os.path.join(self.request["cache"], f"trace_{os.getpid()}")
        session = self.make_session(self.request, prefix)
        for _ in range(runs + 1):
            session.run(None, self.feeds)
        trace = session.end_profiling()
        with open(trace) as file:
            events = json.load(file)
        os.remove(trace)
        return kernel_rows(events, runs)

    def outputs(self, result):
        names = [output.name for output in self.session.get_outputs()]
        return zip(names, result)


if __name__ == "__main__":
    protocol.serve(OnnxRuntimePeer)
