"""ONNX Runtime with its CPU provider."""

import protocol


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

    def load(self, request):
        options = self.package.SessionOptions()
        options.intra_op_num_threads = request["threads"]
        self.session = self.package.InferenceSession(
            request["model"], options, providers=["CPUExecutionProvider"])
        self.feeds = {i["name"]: i["array"] for i in request["inputs"]}

    def run_once(self):
        return self.session.run(None, self.feeds)

    def outputs(self, result):
        names = [output.name for output in self.session.get_outputs()]
        return zip(names, result)


if __name__ == "__main__":
    protocol.serve(OnnxRuntimePeer)
