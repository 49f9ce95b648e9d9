#!/usr/bin/env python3
"""Runs the ONNX backend tests on opencl:0: what is not supported says so, the rest passes.

Usage: run_opencl.py STINT DATA_FOLDER WORK_FOLDER
Exit code 77 means skipped: the data or a device is not there.
"""
import collections
import json
import pathlib
import subprocess
import sys

import conformance

SKIPPED = 77
LEAST = 400  # that pass, of all groups together


def main():
    stint, data, work = (pathlib.Path(p) for p in sys.argv[1:4])
    archive = data / conformance.ARCHIVE
    listed = subprocess.run([stint, "device", "--opencl", "--format", "json"], capture_output=True, text=True)
    devices = json.loads(listed.stdout)
    if not archive.exists() or not devices["opencl"]:
        print(f"skipped: {archive} or an OpenCL device is not there; {devices.get('opencl_note', '')}")
        return SKIPPED
    results = conformance.run(stint, conformance.unpack(archive, work), ["--device", "opencl:0"])
    counts = collections.Counter(status for status, _ in results.values())
    print(", ".join(f"{count} {status}" for status, count in sorted(counts.items())))
    wrong = {case: result for case, result in results.items() if result[0] not in ("passed", "unsupported")}
    for case, (status, reason) in sorted(wrong.items()):
        print(f"{status}: {case}: {reason}")
    return 1 if wrong or counts["passed"] < LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
