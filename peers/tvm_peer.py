"""TVM, untuned: its own schedules for LLVM, nothing searched."""

import os

import protocol


class TvmPeer:
    def __init__(self):
        import tvm
        self.package = tvm

    def describe(self):
        return {"runtime": "tvm", "version": self.package.__version__,
                "precisions": ["fp32"]}

    def host(self):
        """This CPU as a target; without a name it would be any x86-64."""
        cpu = self.package.get_global_func(
            "target.llvm_get_system_cpu", allow_missing=True)
        target = self.package.target.Target
        return target({"kind": "llvm", "mcpu": str(cpu())} if cpu else "llvm")

    def load(self, request):
        if request["precision"] != "fp32":
            raise protocol.Unsupported(
                f"precision {request['precision']}: only fp32")
        import onnx
        from tvm import relax
        from tvm.relax.frontend.onnx import from_onnx
        os.environ["TVM_NUM_THREADS"] = str(request["threads"])
        model = onnx.load(request["model"])
        self.names = [output.name for output in model.graph.output]
        shapes = {i["name"]: i["shape"] for i in request["inputs"]}
        module = from_onnx(model, shape_dict=shapes)
        program = self.package.compile(module, target=self.host())
        device = self.package.cpu()
        self.machine = relax.VirtualMachine(program, device)
        order = [value.name for value in model.graph.input
                 if value.name in shapes]
        arrays = {i["name"]: i["array"] for i in request["inputs"]}
        self.inputs = [self.package.runtime.tensor(arrays[name], device)
                       for name in order]

    def run_once(self):
        result = self.machine["main"](*self.inputs)
        outputs = [result] if hasattr(result, "numpy") else list(result)
        return [output.numpy() for output in outputs]

    def outputs(self, result):
        return zip(self.names, result)


if __name__ == "__main__":
    protocol.serve(TvmPeer)
