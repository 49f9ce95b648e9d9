"""Tests of tools/check_layers.py on small trees and on this repository."""

import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_layers  # noqa: E402

TABLE = """
<!-- layers:begin -->
| floor | room | purpose | sees |
|---|---|---|---|
| 0 | `include/stint` | public API | |
| 1 | `core/base` | ground | |
| 1 | `core/platform` | the system | core/base |
| 2 | `model/graph` | graphs | |
| 3 | `kernels/simd` | registers | only core/* |
| 3 | `kernels/*` | numbers | only core/*, kernels/simd |
| 3 | `kernels/testing` | for tests | only core/* |
| 4 | `cli` | commands | |
<!-- layers:end -->
"""


class CheckLayersTest(unittest.TestCase):
    def offences(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in ((check_layers.TABLE, TABLE), (path, text)):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(content)
            return check_layers.check_tree(root)

    def test_lower_floor_is_seen(self):
        text = '#include "core/base/check.h"\n#include "stint/status.h"\n'
        self.assertEqual(self.offences("src/model/graph/a.cc", text), [])

    def test_higher_floor_is_an_offence(self):
        text = '\n#include "model/graph/g.h"\n'
        self.assertEqual(
            self.offences("src/core/base/a.h", text),
            ["src/core/base/a.h:2: core/base must not see model/graph"])

    def names(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in files.items():
                (root / f"{name}.h").write_text(content)
            return check_layers.check_names(root, [f"{name}.h" for name in files])

    def test_a_name_has_one_definition(self):
        one = "namespace stint {\nstruct Report {\n  int x;\n};\n}\n"
        other = "namespace stint {\nclass Report : public Base {\n};\n}\n"
        self.assertEqual(self.names(a=one, b=other),
                         ["a.h:2: type stint::Report is defined in b.h:2, too"])

    def test_names_of_a_file_or_class_are_its_own(self):
        one = "namespace stint {\nstruct Report {};\n}\n"
        self.assertEqual(self.names(
            a=one,
            b="namespace stint {\nnamespace {\nstruct Report {};\n}\n}\n",
            c="namespace stint {\nclass C {\n  struct Report {};\n};\n}\n",
            d="namespace stint::cli {\nstruct Report {};\n}\n",
            e="namespace stint {\nstruct Report;\nvoid F(struct Report r) {}\n}\n",
            f="namespace stint {\n// struct Report {\nint x;\n}\n"), [])

    def test_own_floor_needs_to_be_listed(self):
        text = '#include "core/base/check.h"\n'
        self.assertEqual(self.offences("src/core/platform/a.cc", text), [])
        text = '#include "core/platform/file.h"\n'
        self.assertEqual(len(self.offences("src/core/base/a.cc", text)), 1)

    def test_only_replaces_lower_floors(self):
        text = '#include "model/graph/g.h"\n'
        self.assertEqual(len(self.offences("src/kernels/gemm/a.cc", text)), 1)
        text = '#include "kernels/simd/exp.h"\n#include "core/base/a.h"\n'
        self.assertEqual(self.offences("src/kernels/gemm/a.cc", text), [])

    def test_testing_room_is_for_test_files_of_its_floor(self):
        text = '#include "kernels/testing/floats.h"\n'
        for name in ("gemm/a_test.cc", "gemm/a_bench.cc", "testing/a.h"):
            self.assertEqual(self.offences("src/kernels/" + name, text), [])
        self.assertEqual(len(self.offences("src/kernels/gemm/a.cc", text)), 1)

    def test_public_headers_see_only_themselves(self):
        text = '#include "core/base/check.h"\n'
        self.assertEqual(len(self.offences("include/stint/a.h", text)), 1)

    def test_unknown_rooms_are_offences(self):
        self.assertEqual(len(self.offences("src/attic/junk/a.cc", "")), 1)
        text = '#include "sibling.h"\n'
        self.assertEqual(len(self.offences("src/core/base/a.cc", text)), 1)

    def test_rooms_of_one_folder(self):
        text = '#include "cli/command.h"\n#include "model/graph/g.h"\n'
        self.assertEqual(self.offences("src/cli/main.cc", text), [])

    def test_system_headers_stay_in_platform(self):
        text = "#include <unistd.h>\n"
        self.assertEqual(self.offences("src/core/platform/a.cc", text), [])
        self.assertEqual(len(self.offences("src/cli/a.cc", text)), 1)

    def test_malformed_table_is_refused(self):
        with self.assertRaises(ValueError):
            check_layers.read_table("no markers")

    def test_this_repository_keeps_to_its_table(self):
        self.assertEqual(check_layers.check_tree(ROOT), [])


if __name__ == "__main__":
    unittest.main()
