"""The ONNX backend tests as stint sees them: unpacking, running, and the list of cases that do not pass."""
import json
import pathlib
import re
import shutil
import subprocess
import tarfile

GROUPS = ("node", "simple", "pytorch-converted", "pytorch-operator", "light")
ARCHIVE = "onnx-backend-tests/onnx_backend_tests.tar.xz"
EXPECTED = pathlib.Path(__file__).resolve().parent / "expected.txt"
HEADER = """\
# Every ONNX backend test that does not pass, with stint's reason. A case that is listed and passes is a failure, as is
# one that is not listed and does not pass. Written by tools/update_conformance.py.
"""


def unpack(archive, folder):
    """Unpacks the archive into `folder` once; the folder that holds the groups."""
    stamp = folder / ".unpacked"
    state = f"{archive.stat().st_size} {archive.stat().st_mtime_ns}"
    if not stamp.exists() or stamp.read_text() != state:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        with tarfile.open(archive) as tar:
            tar.extractall(folder)
        stamp.write_text(state)
    found = next(folder.rglob("node"), None)
    if found is None:
        raise SystemExit(f"{archive}: holds no folder 'node'")
    return found.parent


# ONNX allows 1e-7, but the stored answers of test_dft_inverse* carry 1.9e-7 of float32 noise where the result is 0.
TOLERANCE = ("--rtol", "1e-3", "--atol", "3e-7")


def run(stint, data, arguments=()):
    """Runs `stint check` over every group: {"node/test_abs": ("passed", "")}."""
    results = {}
    for group in GROUPS:
        command = [str(stint), "check", str(data / group), "--format", "json", *TOLERANCE, *arguments]
        process = subprocess.run(command, capture_output=True, text=True, check=False)
        finished = False
        for line in process.stdout.splitlines():
            record = json.loads(line)
            if "case" in record:
                results[f"{group}/{record['case']}"] = record["status"], record["reason"]
            finished = finished or "summary" in record
        if not finished:
            last = list(results)[-1] if results else "nothing"
            raise SystemExit(f"stint check {data / group} ended early (code {process.returncode}), after {last}:\n"
                             f"{process.stderr[-2000:]}")
    return results


def shorten(reason):
    """stint's message without the path of the model and the names of nodes."""
    reason = re.sub(r"^\S*\.onnx: ", "", reason.replace("\n", " "))
    reason = re.sub(r" \(\d+ nodes?: [^)]*\)", "", reason)
    return reason if len(reason) <= 120 else reason[:117] + "..."


def read_expected():
    """{case: reason} from the committed list; the problems of the list itself."""
    expected, problems = {}, []
    for number, line in enumerate(EXPECTED.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        case, _, reason = line.partition("  ")
        if case in expected:
            problems.append(f"line {number}: {case} is listed twice")
        if not reason.startswith("unsupported: "):
            problems.append(f"line {number}: {case} is listed as '{reason}'; only unsupported cases may be listed")
        expected[case] = reason
    if list(expected) != sorted(expected):
        problems.append("the list is not sorted")
    return expected, problems


def compare(expected, results):
    """What the run and the list disagree on, one line each."""
    problems = []
    for case, (status, reason) in sorted(results.items()):
        if status in ("failed", "error"):
            problems.append(f"{case}: {status}: {reason}")
        elif status == "unsupported" and case not in expected:
            problems.append(f"{case}: not listed, but unsupported: {shorten(reason)}")
        elif status == "passed" and case in expected:
            problems.append(f"{case}: listed as '{expected[case]}', but passes")
    problems += [f"{case}: listed, but there is no such case" for case in expected if case not in results]
    return problems


def write_expected(results):
    lines = [f"{case}  unsupported: {shorten(reason)}\n"
             for case, (status, reason) in sorted(results.items()) if status == "unsupported"]
    EXPECTED.write_text(HEADER + "".join(lines))
    return len(lines)
