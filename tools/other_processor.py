"""Compile the core for another processor or system, and run it there by an emulator.

    python -m tools.other_processor [--compiler aarch64-linux-gnu-g++] [--emulator qemu-aarch64]

Every source that knows nothing of Python is compiled; with nanobind installed, the others too
(for processors whose Python headers are like this one's). The targets of the fuzzer, which compare
the solver, the alignments and the tree of neighbours with the plainest way there is, are then run
on the inputs that are kept of them and on drawn ones. Debian has both programs, in its packages
g++-aarch64-linux-gnu and qemu-user; g++-mingw-w64-x86-64-posix compiles for Windows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from benchmarks.faults.compiled import SOURCES, corpus
from benchmarks.faults.inputs import stored

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "csrc"
# As CMakeLists.txt has them for a processor that is not x86
FLAGS = ["-std=c++17", "-O2", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math"]
FLAGS += ["-Wall", "-Wno-psabi", "-DMERCER_LEVEL=base", "-DMERCER_HAS_base"]


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools.other_processor", description=__doc__.splitlines()[0]
    )
    parser.add_argument("--compiler", default="aarch64-linux-gnu-g++")
    parser.add_argument("--emulator", default="qemu-aarch64", help="'': compile only")
    parser.add_argument("--inputs", type=int, default=2000, help="drawn beside the kept ones")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources = sorted(p for p in CORE.rglob("*.cpp") if "fuzz" not in p.parts)
        headers = python_headers()
        plain = [p for p in sources if headers or not needs_python(p)]
        failed = [p for p in plain if not compiled(given.compiler, p, folder, headers)]
        print(f"{len(plain) - len(failed)} of {len(sources)} sources compiled; "
              f"{len(sources) - len(plain)} need Python's headers and nanobind")  # fmt: skip
        if not failed and given.emulator:
            failed = [t for t in SOURCES if not ran(t, given, folder)]
    return int(bool(failed))


def needs_python(path: Path) -> bool:
    """Whether a source, or a header of ours that it includes, asks for nanobind."""
    text = path.read_text()
    own = [line.split('"')[1] for line in text.splitlines() if line.startswith('#include "')]
    return "nanobind" in text or any(needs_python((path.parent / name).resolve()) for name in own)


def python_headers() -> list[str]:
    try:
        import nanobind
    except ImportError:
        return []
    return ["-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_path("include")]


def compiled(compiler: str, source: Path, folder: Path, headers: list[str]) -> bool:
    """Whether a source becomes an object; what the compiler says is shown."""
    target = folder / f"{source.relative_to(CORE).as_posix().replace('/', '-')}.o"
    done = subprocess.run(
        [compiler, *FLAGS, *headers, "-c", source, "-o", target], capture_output=True, text=True
    )
    if done.returncode or done.stderr:
        print(f"{source.relative_to(ROOT)}:\n{done.stderr}", file=sys.stderr)
    return done.returncode == 0


def ran(target: str, given: argparse.Namespace, folder: Path) -> bool:
    """Whether a target of the fuzzer agrees with its slow twin there, too."""
    program, inputs = folder / target, folder / f"{target}-inputs"
    inputs.mkdir()
    for place, content in enumerate(stored(corpus(target))):
        (inputs / str(place)).write_bytes(content)
    sources = [CORE / name for name in (*SOURCES[target], "fuzz/replay.cpp")]
    link = [given.compiler, *FLAGS, "-static", "-pthread", *sources, "-o", program]
    subprocess.run(link, check=True)
    files = sorted(inputs.iterdir())
    for arguments in ([str(given.inputs)], files):
        if subprocess.run([given.emulator, program, *arguments]).returncode:
            print(f"{target}: fails on {arguments[:3]} ...", file=sys.stderr)
            return False
    print(f"{target}: {given.inputs} drawn and {len(files)} kept inputs agree with the plain way")
    return True


if __name__ == "__main__":
    sys.exit(main())
