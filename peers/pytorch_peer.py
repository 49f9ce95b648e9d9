"""PyTorch, eager: the ONNX graph as a module, one torch call per node."""

import protocol


class PyTorchPeer:
    def __init__(self):
        import torch
        self.torch = torch

    def describe(self):
        return {"runtime": "pytorch", "version": self.torch.__version__,
                "precisions": ["fp32", "bf16"]}

    def load(self, request):
        from onnx_to_torch import TorchGraph, to_torch
        torch = self.torch
        dtypes = {"fp32": torch.float32, "bf16": torch.bfloat16}
        if request["precision"] not in dtypes:
            raise protocol.Unsupported(
                f"precision {request['precision']}: not in eager mode")
        dtype = dtypes[request["precision"]]
        torch.set_default_dtype(dtype)
        torch.set_num_threads(request["threads"])
        torch.set_grad_enabled(False)
        self.module = TorchGraph(request["model"], dtype).eval()
        arrays = {i["name"]: i["array"] for i in request["inputs"]}
        self.inputs = [to_torch(arrays[name], dtype)
                       for name in self.module.inputs]

    def run_once(self):
        return self.module(*self.inputs)

    def outputs(self, result):
        return [(name, value.float().numpy())
                for name, value in zip(self.module.outputs, result)]


if __name__ == "__main__":
    protocol.serve(PyTorchPeer)
