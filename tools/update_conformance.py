#!/usr/bin/env python3
"""Rewrites tests/conformance/expected.txt from a run of build/stint over the ONNX backend tests.

Usage: tools/update_conformance.py [--stint build/stint] [--data DATA_FOLDER]
Refuses to write while a case fails or errs: those are bugs, not gaps.
"""
import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "conformance"))
import conformance  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stint", type=pathlib.Path, default=ROOT / "build" / "stint")
    parser.add_argument("--data", type=pathlib.Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    archive = options.data / conformance.ARCHIVE
    if not archive.exists():
        print(f"{archive} is not there; give --data")
        return 1
    work = options.stint.parent / "conformance"
    results = conformance.run(options.stint, conformance.unpack(archive, work))
    bugs = [f"{case}: {status}: {reason}" for case, (status, reason) in sorted(results.items())
            if status in ("failed", "error")]
    if bugs:
        print("\n".join(bugs))
        print(f"{len(bugs)} cases fail; {conformance.EXPECTED.name} is left alone")
        return 1
    count = conformance.write_expected(results)
    print(f"{len(results) - count} of {len(results)} cases pass, {count} are listed in "
          f"{conformance.EXPECTED.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
