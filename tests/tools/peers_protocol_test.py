#!/usr/bin/env python3
"""Tests of what all Python peers share (peers/protocol.py) and of MXNet's, with packages that only pretend."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

PEERS = pathlib.Path(__file__).resolve().parents[2] / "peers"
sys.path.insert(0, str(PEERS))
import protocol  # noqa: E402

try:
    import numpy as np
except ImportError:
    np = None


class Protocol(unittest.TestCase):
    @unittest.skipIf(np is None, "no NumPy")
    def test_a_scalar_stays_a_scalar(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "x.npy"
            np.save(path, np.float32(3))
            spec = {"file": str(path), "dtype": "float32", "shape": []}
            protocol.read_inputs([spec])
            self.assertEqual(spec["array"].shape, ())
            written = protocol.write_outputs([("y", np.float32(4)), ("z", np.ones((2, 3)).T)], folder)
            self.assertEqual(np.load(written[0]["file"]).shape, ())
            self.assertEqual(np.load(written[1]["file"]).shape, (3, 2))

    def test_of_many_times_at_most_as_many_as_wanted_are_answered(self):
        class Peer:
            def run_once(self):
                return None
        server = protocol.Server(Peer)
        server.peer = Peer()
        for runs, keep in ((1, 5), (5, 5), (11, 5), (1000, 7)):
            times = server.run({"runs": runs, "keep": keep})["times_ms"]
            self.assertLessEqual(len(times), keep)
            self.assertGreaterEqual(len(times), min(runs, keep) // 2 + 1)
        self.assertEqual(len(server.run({"runs": 9})["times_ms"]), 9)

    def test_mxnet_is_imported_with_the_number_of_threads(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "mxnet.py"
            package.write_text("import os\nprint('imported with', os.environ.get('OMP_NUM_THREADS'))\n")
            about = pathlib.Path(folder) / "mxnet-1.9.1.dist-info"
            about.mkdir()
            (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mxnet\nVersion: 1.9.1\n")
            code = ("import mxnet_peer\npeer = mxnet_peer.MxNetPeer()\nprint(peer.describe()['version'])\n"
                    "peer.prepare({'threads': 3})\n")
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                  env={"PYTHONPATH": f"{folder}:{PEERS}", "PATH": "/usr/bin:/bin"})
            self.assertEqual(done.stdout.split("\n")[:2], ["1.9.1", "imported with 3"], done.stderr)


if __name__ == "__main__":
    unittest.main()
