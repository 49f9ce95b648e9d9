"""Reads and writes safetensors files of float16, float32 and int64 tensors.

A file is the length of its header (8 bytes, little-endian), the header (JSON:
name to dtype, shape and byte range), and the values.
"""

import json
import os

import numpy as np

DTYPES = {"F16": np.float16, "F32": np.float32, "I64": np.int64}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def load_arrays(path):
    """Name to array."""
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(size))
        data = file.read()
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        values = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]])
        arrays[name] = values.reshape(entry["shape"]).copy()
    return arrays


def save_arrays(path, arrays):
    """Writes arrays, sorted by name; the file appears complete."""
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name in sorted(arrays):
        size = arrays[name].nbytes
        header[name] = {"dtype": NAMES[arrays[name].dtype],
                        "shape": list(arrays[name].shape),
                        "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path + ".part", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in sorted(arrays):
            file.write(np.ascontiguousarray(arrays[name]).tobytes())
    os.replace(path + ".part", path)


def load(path):
    """Name to torch tensor."""
    import torch
    return {name: torch.from_numpy(array)
            for name, array in load_arrays(path).items()}


def save(path, tensors):
    """Writes torch tensors as float32."""
    save_arrays(path, {name: tensor.detach().float().numpy()
                       for name, tensor in tensors.items()})
