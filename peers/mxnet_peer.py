"""MXNet 1.9.1: the ONNX graph as a hybridized block."""

import importlib.metadata
import importlib.util
import os

import protocol


class MxNetPeer:
    def __init__(self):
        if importlib.util.find_spec("mxnet") is None:
            raise ImportError("No module named 'mxnet'")

    def describe(self):
        return {"runtime": "mxnet",
                "version": importlib.metadata.version("mxnet"),
                "precisions": ["fp32"]}

    def load(self, request):
        if request["precision"] != "fp32":
            raise protocol.Unsupported(
                f"precision {request['precision']}: only fp32")
        from onnx_to_mxnet import make_block
        self.block, names, self.names = make_block(
            request["model"], request["inputs"])
        arrays = {i["name"]: i["array"] for i in request["inputs"]}
        self.inputs = [self.package.nd.array(arrays[name],
                                             dtype=arrays[name].dtype)
                       for name in names]
        self.run_once()  # the block is compiled by its first run

    def prepare(self, request):
        """MXNet reads the number of threads once, when it is imported."""
        threads = str(request["threads"])
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS",
                     "OPENBLAS_NUM_THREADS"):
            os.environ[name] = threads
        os.environ["MXNET_CPU_WORKER_NTHREADS"] = "1"  # operators, in turn
        import mxnet
        self.package = mxnet

    def run_once(self):
        result = self.block(*self.inputs)
        outputs = result if isinstance(result, (list, tuple)) else [result]
        # Reading the result waits for it.
        return [output.asnumpy() for output in outputs]

    def outputs(self, result):
        return zip(self.names, result)


if __name__ == "__main__":
    protocol.serve(MxNetPeer)
