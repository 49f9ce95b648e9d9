"""Command line: python -m bench.models --out DIR [--check] [name...]"""

import argparse
import pathlib

import onnx

from bench.models import NETWORKS


def write(network, path, seed):
    builder = network.build(seed)
    if builder.parameters != network.parameters:
        raise AssertionError(
            f"{network.name}: {builder.parameters} parameters, "
            f"published are {network.parameters}")
    # Only complete files get the final name.
    partial = path.with_suffix(".partial")
    onnx.save(builder.model(), partial)
    partial.rename(path)


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.models",
                                     description="Writes the timing networks.")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--force", action="store_true",
                        help="write files that exist again")
    parser.add_argument("--check", action="store_true",
                        help="compare with published figures and run them")
    parser.add_argument("names", nargs="*", metavar="name",
                        help=f"of {', '.join(NETWORKS)}; default: all")
    options = parser.parse_args()
    unknown = set(options.names) - set(NETWORKS)
    if unknown:
        parser.error(f"unknown network {', '.join(sorted(unknown))}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or NETWORKS:
        path = options.out / f"{name}.onnx"
        if options.force or not path.exists():
            write(NETWORKS[name], path, options.seed)
            print(path)
        if options.check:
            from bench.models.check import check
            print(check(NETWORKS[name], str(path)))


if __name__ == "__main__":
    main()
