#!/usr/bin/env python3
"""Runs the ONNX backend tests and compares the outcome with expected.txt, both ways.

Usage: run_conformance.py STINT DATA_FOLDER WORK_FOLDER [argument of stint check...]
Exit code 77 means skipped: the data is not there.
"""
import collections
import pathlib
import sys

import conformance

SKIPPED = 77


def main():
    stint, data, work = (pathlib.Path(p) for p in sys.argv[1:4])
    archive = data / conformance.ARCHIVE
    if not archive.exists():
        print(f"skipped: {archive} is not there; set STINT_TEST_DATA to the folder of the test data")
        return SKIPPED
    results = conformance.run(stint, conformance.unpack(archive, work), sys.argv[4:])
    expected, problems = conformance.read_expected()
    problems += conformance.compare(expected, results)
    counts = collections.Counter(status for status, _ in results.values())
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    for problem in problems:
        print(problem)
    if problems:
        print(f"{len(problems)} disagreements with {conformance.EXPECTED.name}; "
              "tools/update_conformance.py rewrites it")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
