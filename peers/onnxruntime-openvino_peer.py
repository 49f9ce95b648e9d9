"""ONNX Runtime with its OpenVINO provider."""

import protocol
from onnxruntime_peer import OnnxRuntimePeer

PROVIDER = "OpenVINOExecutionProvider"


class OnnxRuntimeOpenVinoPeer(OnnxRuntimePeer):
    def describe(self):
        return {"runtime": "onnxruntime-openvino",
                "version": self.package.__version__, "precisions": ["fp32"]}

    def prepare(self, request):
        if PROVIDER not in self.package.get_available_providers():
            raise ImportError(f"this onnxruntime has no {PROVIDER}")
        if request["precision"] != "fp32":
            raise protocol.Unsupported(
                f"precision {request['precision']}: only fp32")

    def make_session(self, request, trace=None):
        options = self.package.SessionOptions()
        options.intra_op_num_threads = request["threads"]
        settings = {"device_type": "CPU", "precision": "FP32",
                    "num_of_threads": str(request["threads"])}
        session = self.package.InferenceSession(
            request["model"], options, providers=[(PROVIDER, settings)])
        if session.get_providers()[0] != PROVIDER:
            raise RuntimeError(f"fell back to {session.get_providers()[0]}")
        return session

    def profile(self, runs):
        # The whole graph is one kernel to ONNX Runtime.
        raise protocol.Unsupported("the provider hides its kernels")


if __name__ == "__main__":
    protocol.serve(OnnxRuntimeOpenVinoPeer)
