"""Trained weights of an ONNX network as a file of half the size, and back.

  python -m training.vision.weights save TRAINED.onnx WEIGHTS.safetensors
  python -m training.vision.weights restore NET.onnx WEIGHTS.safetensors -o TRAINED.onnx

NET.onnx is the network with any weights, as bench.models writes it. Only
initializers of float32 count; they are kept as float16.
"""

import argparse
import os

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

from training import safetensors


def floats(model):
    return [tensor for tensor in model.graph.initializer
            if tensor.data_type == TensorProto.FLOAT]


def save(network, path):
    safetensors.save_arrays(path, {
        tensor.name: numpy_helper.to_array(tensor).astype(np.float16)
        for tensor in floats(onnx.load(network))})


def restore(network, path, out):
    """SystemExit names what the file lacks or has in another shape."""
    model, arrays = onnx.load(network), safetensors.load_arrays(path)
    for tensor in floats(model):
        array = arrays.get(tensor.name)
        found = "nothing" if array is None else list(array.shape)
        if found != list(tensor.dims):
            raise SystemExit(f"{path}: '{tensor.name}' is {found}, "
                             f"{network} has {list(tensor.dims)}")
        tensor.CopyFrom(numpy_helper.from_array(array.astype(np.float32),
                                                tensor.name))
    onnx.save(model, out + ".part")
    os.replace(out + ".part", out)


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="python -m training.vision.weights", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    saving = commands.add_parser("save")
    saving.add_argument("network")
    saving.add_argument("weights")
    restoring = commands.add_parser("restore")
    restoring.add_argument("network")
    restoring.add_argument("weights")
    restoring.add_argument("-o", "--out", required=True)
    options = parser.parse_args(words)
    if options.command == "save":
        save(options.network, options.weights)
    else:
        restore(options.network, options.weights, options.out)


if __name__ == "__main__":
    main()
