"""OpenVINO on the CPU, tuned for latency."""

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

    def load(self, request):
        core = self.package.Core()
        config = {
            "INFERENCE_NUM_THREADS": request["threads"],
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": PRECISION_HINT[request["precision"]],
        }
        network = core.read_model(request["model"])
        network.reshape({i["name"]: i["shape"] for i in request["inputs"]})
        self.request = core.compile_model(
            network, "CPU", config).create_infer_request()
        self.feeds = {i["name"]: i["array"] for i in request["inputs"]}

    def run_once(self):
        return self.request.infer(self.feeds, share_inputs=True,
                                  share_outputs=True)

    def outputs(self, result):
        return [(port.get_any_name(), value.copy())
                for port, value in result.items()]


if __name__ == "__main__":
    protocol.serve(OpenVinoPeer)
