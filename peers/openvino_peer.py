"""OpenVINO on the CPU, tuned for latency."""

import time

import protocol

# A float model runs in bf16 where the CPU has it, unless told otherwise.
PRECISION_HINT = {"fp32": "f32", "bf16": "bf16", "int8": "f32"}


class OpenVinoPeer:
    def __init__(self):
        import openvino
        self.package = openvino

    def describe(self):
        return {"runtime": "openvino",
                "version": self.package.__version__.split("-")[0],
                "precisions": list(PRECISION_HINT)}

    def prepare(self, request):
        if request["precision"] == "int8":
            from quantize import quantized
            request["model"] = quantized(request["model"], request["cache"])

    def compile(self, request, profile=False):
        core = self.package.Core()
        config = {
            "PERF_COUNT": profile,
            "INFERENCE_NUM_THREADS": request["threads"],
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": PRECISION_HINT[request["precision"]],
        }
        network = core.read_model(request["model"])
        network.reshape({i["name"]: i["shape"] for i in request["inputs"]})
        return core.compile_model(
            network, "CPU", config).create_infer_request()

    def load(self, request):
        self.loaded = request
        self.request = self.compile(request)
        self.feeds = {i["name"]: i["array"] for i in request["inputs"]}

    def run_once(self):
        return self.request.infer(self.feeds, share_inputs=True,
                                  share_outputs=True)

    def profile(self, runs):
        # A request of its own: the timed one is not slowed down.
        request, rows = self.compile(self.loaded, profile=True), []
        before = 0
        for number in range(1, runs + 2):
            start = time.perf_counter_ns()
            request.infer(self.feeds, share_inputs=True, share_outputs=True)
            wall_ms = (time.perf_counter_ns() - start) * 1e-6
            done = [node for node in request.profiling_info
                    if "EXECUTED" in str(node.status)
                    and "NOT_RUN" not in str(node.status)]
            # Each node shows its mean over all runs so far.
            total = number * sum(
                node.real_time.total_seconds() for node in done)
            rows.append((wall_ms, (total - before) * 1e3, len(done)))
            before = total
        return rows[1:]  # the first run warms up

    def outputs(self, result):
        return [(port.get_any_name(), value.copy())
                for port, value in result.items()]


if __name__ == "__main__":
    protocol.serve(OpenVinoPeer)
