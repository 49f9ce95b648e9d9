"""Trained weights of an ONNX network as a file of half the size, and back.

  python -m training.vision.weights save TRAINED.onnx WEIGHTS.safetensors
  python -m training.vision.weights restore NET.onnx WEIGHTS.safetensors -o TRAINED.onnx
  python -m training.vision.weights transfer NET.onnx OTHER.onnx -o START.onnx

NET.onnx is the network with any weights, as bench.models writes it. Only
initializers of float32 count; they are kept as float16. `transfer` takes the
convolutions of a network of the same kind that learnt something else, in codes
or not, in their order; linear layers become 0, since random answers at the
start teach nothing.
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


def constants(model):
    """All that is known without inputs: initializers, and what
    DequantizeLinear makes of them (one scale each, or one per output)."""
    known = {tensor.name: numpy_helper.to_array(tensor)
             for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type != "DequantizeLinear" or node.input[0] not in known:
            continue
        codes, scale, zero = (known[name] for name in node.input)
        shape = [-1] + [1] * (codes.ndim - 1) if scale.size > 1 else []
        known[node.output[0]] = (
            (codes.astype(np.float32) - zero.reshape(shape).astype(np.float32))
            * scale.reshape(shape))
    return known


def convolutions(model):
    """Names of weights and biases, in order."""
    return [list(node.input[1:]) for node in model.graph.node
            if node.op_type == "Conv"]


def transfer(network, source, out):
    """SystemExit names the first convolution that differs."""
    model, other = onnx.load(network), onnx.load(source)
    learnt, own = constants(other), convolutions(model)
    theirs = convolutions(other)
    if len(own) != len(theirs):
        raise SystemExit(f"{source}: {len(theirs)} convolutions, {network} has "
                         f"{len(own)}")
    tensors = {tensor.name: tensor for tensor in model.graph.initializer}
    for mine, names in zip(own, theirs):
        for name, other_name in zip(mine, names):
            found, wanted = learnt[other_name].shape, tuple(tensors[name].dims)
            if found != wanted:
                raise SystemExit(f"{source}: '{other_name}' is {found}, "
                                 f"'{name}' of {network} {wanted}")
            tensors[name].CopyFrom(numpy_helper.from_array(
                learnt[other_name].astype(np.float32), name))
    for node in model.graph.node:
        if node.op_type == "Gemm":
            for name in node.input[1:]:
                zeros = np.zeros(tensors[name].dims, np.float32)
                tensors[name].CopyFrom(numpy_helper.from_array(zeros, name))
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
    transferring = commands.add_parser("transfer")
    transferring.add_argument("network")
    transferring.add_argument("source")
    transferring.add_argument("-o", "--out", required=True)
    options = parser.parse_args(words)
    if options.command == "save":
        save(options.network, options.weights)
    elif options.command == "restore":
        restore(options.network, options.weights, options.out)
    else:
        transfer(options.network, options.source, options.out)


if __name__ == "__main__":
    main()
