#!/usr/bin/env python3
"""Installs stint into a folder and uses it from there as a stranger would: finds the CMake package, builds the examples
and every C++ snippet of README and docs, and runs them. Usage: consume_test.py BUILD_DIR CXX (run by ctest)."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = CXX = None
ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"

# What a page says before its snippets, as code.
GIVEN = {
    "README.md": "auto tensor = stint::Tensor::FromVector<float>({1, 3}, {1, 2, 3}).value();\n",
    "docs/elastic.md": """std::vector<stint::Value> inputs;
for (int i = 0; i < 3; ++i) inputs.push_back(stint::Tensor::FromVector<int64_t>({1, 8}, std::vector<int64_t>(8, i)).value());
""",
}
MODELS = {"model.onnx": DATA / "linear.onnx", "m.stint": ROOT / "models" / "sst2-minilm.stint"}


def snippets(page):
    """The C++ blocks of a page as one program: later blocks may use what earlier ones declare."""
    blocks = re.findall(r"```cpp\n(.*?)```", (ROOT / page).read_text(), re.S)
    lines = "".join(blocks).splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    body = [line for line in lines if not line.startswith("#include")]
    return "\n".join([*includes, "#include <chrono>", "#include <stint/stint.h>", "int main() {", GIVEN[page], *body, "}"])


def run(*command, cwd=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Consume(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)
        cls.prefix = cls.folder / "prefix"
        run("cmake", "--install", BUILD, "--prefix", cls.prefix)
        # Where it was installed must not matter.
        moved = cls.folder / "moved"
        cls.prefix.rename(moved)
        cls.prefix = moved

    def configure(self, source):
        build = self.folder / f"build-{source.name}"
        run("cmake", "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}",
            f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        return build

    def test_the_program_runs(self):
        self.assertRegex(run(self.prefix / "bin" / "stint", "--version"), r"^stint \d+\.\d+\.\d+ ")

    def test_examples_are_built_and_run(self):
        source = self.folder / "examples"
        shutil.copytree(ROOT / "examples", source)
        build = self.configure(source)
        self.assertIn("y: float32[", run(build / "run_onnx", DATA / "linear.onnx"))

    def test_snippets_of_the_pages_run(self):
        source = self.folder / "snippets"
        source.mkdir()
        pages = [page for page in ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
                 if "```cpp" in (ROOT / page).read_text()]
        cmake = ["cmake_minimum_required(VERSION 3.25)", "project(snippets LANGUAGES CXX)", "set(CMAKE_CXX_STANDARD 20)",
                 "add_compile_options(-Wall -Wextra -Werror -Wno-unused-variable -Wno-unused-but-set-variable)",
                 "find_package(stint REQUIRED)"]
        names = {}
        for page in pages:
            names[page] = re.sub(r"\W", "_", page)
            (source / f"{names[page]}.cc").write_text(snippets(page))
            cmake += [f"add_executable({names[page]} {names[page]}.cc)",
                      f"target_link_libraries({names[page]} PRIVATE stint::stint_convert)"]
        (source / "CMakeLists.txt").write_text("\n".join(cmake))
        build = self.configure(source)
        for name, path in MODELS.items():
            shutil.copy(path, self.folder / name)
        for page in pages:
            with self.subTest(page):
                run(build / names[page], cwd=self.folder)

    def test_headers_state_the_version_of_the_package(self):
        text = (self.prefix / "include" / "stint" / "version.h").read_text()
        version = ".".join(re.search(rf"STINT_VERSION_{part} (\d+)", text)[1] for part in ("MAJOR", "MINOR", "PATCH"))
        self.assertIn(f"stint {version} ", run(self.prefix / "bin" / "stint", "--version"))


if __name__ == "__main__":
    BUILD, CXX = (os.path.abspath(a) if os.sep in a else a for a in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1], verbosity=2)
