"""Reads and writes safetensors files of float32 and int64 tensors.

A file is the length of its header (8 bytes, little-endian), the header (JSON:
name to dtype, shape and byte range), and the values.
"""

import json
import os

import numpy as np
import torch

DTYPES = {"F32": np.float32, "I64": np.int64}


def load(path):
    """Name to tensor."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
        tensors[name] = torch.from_numpy(
            values.reshape(entry["shape"]).copy())
    return tensors


def save(path, tensors):
    """Writes float32 tensors, sorted by name; the file appears complete."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(tensors):
        size = tensors[name].numel() * 4
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".part", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in sorted(tensors):
            values = tensors[name].detach().to(torch.float32).contiguous()
            file.write(values.numpy().tobytes())
    os.replace(path + ".part", path)
