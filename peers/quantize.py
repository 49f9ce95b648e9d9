"""Dynamically quantized copies of ONNX models, by ONNX Runtime's own tool.

Run as a program by `quantized`, because the quantizer holds the model twice and
the memory of a peer's process is measured. Usage: quantize.py MODEL COPY
"""

import logging
import os
import pathlib
import subprocess
import sys


def quantized(model, cache):
    """The path of the int8 copy of a model, made on first use in `cache`."""
    import onnxruntime.quantization  # a missing package is the peer's answer
    copy = pathlib.Path(cache) / (pathlib.Path(model).stem + ".int8.onnx")
    if not copy.exists():
        done = subprocess.run([sys.executable, __file__, model, str(copy)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            words = done.stderr.strip().splitlines() or ["no reason given"]
            raise RuntimeError(f"quantize_dynamic: {words[-1]}")
    return str(copy)


def main():
    from onnxruntime.quantization import QuantType, quantize_dynamic
    logging.disable(logging.WARNING)
    model, copy = sys.argv[1:]
    # Only a complete file gets the name.
    partial = f"{copy}.{os.getpid()}"
    quantize_dynamic(model, partial, per_channel=True,
                     weight_type=QuantType.QInt8)
    os.rename(partial, copy)


if __name__ == "__main__":
    main()
