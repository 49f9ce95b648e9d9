#!/usr/bin/env python3
"""Runs the tests of training/. Usage: run_tests.py [STINT [DATA]]

Exit code 77: no Python with PyTorch here (`make torch` installs it).
"""

import importlib.util
import os
import sys
import unittest

DEBIAN_PYTHON = "/usr/bin/python3"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    if importlib.util.find_spec("torch") is None:
        # Debian's PyTorch belongs to Debian's Python.
        if os.path.realpath(sys.executable) != os.path.realpath(
                DEBIAN_PYTHON) and os.path.exists(DEBIAN_PYTHON):
            os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, *sys.argv])
        print("skipped: PyTorch is not installed")
        return 77
    if len(sys.argv) > 1:
        os.environ["STINT"] = os.path.abspath(sys.argv[1])
    if len(sys.argv) > 2 and sys.argv[2]:
        os.environ["STINT_TEST_DATA"] = os.path.abspath(sys.argv[2])
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    os.chdir(ROOT)
    sys.path.insert(0, ROOT)
    tests = unittest.defaultTestLoader.discover("training/tests",
                                                top_level_dir=".")
    done = unittest.TextTestRunner(verbosity=2).run(tests)
    return 0 if done.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
