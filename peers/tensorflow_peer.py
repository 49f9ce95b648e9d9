"""TensorFlow: the ONNX graph in TensorFlow calls, as a function by default."""

import os

import protocol

# Its start-up notes would be taken for the reason of a crash.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


class TensorFlowPeer:
    MODES = ("eager", "function", "xla")

    def __init__(self):
        import tensorflow
        self.package = tensorflow

    def describe(self):
        return {"runtime": "tensorflow", "version": self.package.__version__,
                "precisions": ["fp32"]}

    def load(self, request):
        if request["precision"] != "fp32":
            raise protocol.Unsupported(
                f"precision {request['precision']}: only fp32")
        tf = self.package
        tf.config.threading.set_intra_op_parallelism_threads(
            request["threads"])
        tf.config.threading.set_inter_op_parallelism_threads(1)
        from onnx_to_tensorflow import TensorFlowGraph
        self.graph = TensorFlowGraph(request["model"], request["inputs"])
        arrays = {i["name"]: i["array"] for i in request["inputs"]}
        self.inputs = [tf.constant(arrays[name]) for name in self.graph.inputs]
        mode = request.get("mode") or "function"
        self.call = self.graph.call
        if mode != "eager":
            self.call = tf.function(self.call, jit_compile=mode == "xla")
            self.call = self.call.get_concrete_function(*self.inputs)

    def run_once(self):
        # Reading the result waits for it.
        return [output.numpy() for output in self.call(*self.inputs)]

    def outputs(self, result):
        return zip(self.graph.outputs, result)


if __name__ == "__main__":
    protocol.serve(TensorFlowPeer)
