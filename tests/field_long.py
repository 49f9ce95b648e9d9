#!/usr/bin/env python3
"""Drives sessions with random events for long, half of the time beside processes that spin. Usage: field_long.py TEST SECONDS

TEST is the unit tests' program test_engine_elastic; the exit code is the first of its that is not 0.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
from busy import Busy  # noqa: E402


def drive(program, seconds):
    return subprocess.run([program, "--gtest_filter=ElasticField.*"],
                          env={**os.environ, "STINT_FIELD_SECONDS": str(seconds)}).returncode


def main():
    # The test of shared sessions takes a quarter more.
    seconds = float(sys.argv[2]) / 2 / 1.25
    code = drive(sys.argv[1], seconds)
    with Busy():
        return code or drive(sys.argv[1], seconds)


if __name__ == "__main__":
    sys.exit(main())
