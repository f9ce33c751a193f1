"""Bytes for the compiled core, guided by coverage: libFuzzer on ``csrc/fuzz/core.cpp``.

    python -m benchmarks.faults compiled [--seconds 600]

Address and undefined behaviour are watched, and every result is compared with a slow twin.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.faults.inputs import store, stored
from benchmarks.faults.records import keep, kept

CORE = Path(__file__).resolve().parents[2] / "csrc"
SOURCES = ("fuzz/core.cpp", "sequences/alignment.cpp", "sequences/lanes.cpp")
MOST = 250  # inputs of a kept corpus


def compiler():
    """A clang that has libFuzzer, by its name."""
    names = ["clang++", *(f"clang++-{n}" for n in range(22, 12, -1))]
    return next((found for name in names if (found := shutil.which(name))), None)


def main(arguments):
    """Build, run, keep the corpus that reaches the most."""
    parser = argparse.ArgumentParser(prog="compiled")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--findings", type=Path, default=Path("build/faults"))
    chosen = parser.parse_args(arguments)
    clang = compiler()
    if clang is None:
        print("there is no clang here, and libFuzzer is a part of it", file=sys.stderr)
        return True
    chosen.findings.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        target, inputs, small = folder / "core", folder / "inputs", folder / "small"
        subprocess.run(
            [clang, "-std=c++17", "-g", "-O1", "-fsanitize=fuzzer,address,undefined", "-Wno-psabi",
             "-fno-sanitize-recover=undefined", "-DMERCER_LEVEL=base", "-o", target, "-pthread",
             *(CORE / source for source in SOURCES)],
            check=True,
        )  # fmt: skip
        inputs.mkdir()
        small.mkdir()
        for place, content in enumerate(stored("compiled")):
            (inputs / str(place)).write_bytes(content)
        done = subprocess.run(
            [target, f"-max_total_time={chosen.seconds}", "-max_len=600", "-print_final_stats=1",
             f"-artifact_prefix={chosen.findings.resolve()}/compiled-", inputs],
            capture_output=True, text=True,
        )  # fmt: skip
        tries = int(re.search(r"number_of_executed_units: *(\d+)", done.stderr)[1])
        subprocess.run([target, "-merge=1", small, inputs], check=True, capture_output=True)
        ranked = sorted((p.read_bytes() for p in small.iterdir()), key=len)
        store("compiled", ranked[:: 1 + len(ranked) // MOST])
    lines = [int(n) for n in re.findall(r" cov: (\d+)", done.stderr)]
    before = kept("compiled") or {}
    keep("compiled", {"tries": tries + before.get("tries", 0), "edges": max(lines, default=0),
                      "crashes": int(done.returncode != 0)})  # fmt: skip
    print(done.stderr[-1500:])
    return done.returncode != 0
