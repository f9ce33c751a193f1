"""Bytes for the compiled core, guided by coverage: libFuzzer on the targets in ``csrc/fuzz``.

    python -m benchmarks.faults compiled [--seconds 600] [--only core solver]

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
SOURCES = {
    "core": ["fuzz/core.cpp", "sequences/alignment.cpp", "sequences/lanes.cpp"],
    "solver": ["fuzz/solver.cpp", "solver.cpp", "middle.cpp", "select.cpp", "row_cache.cpp",
               "dispatch.cpp", "levels.cpp", "hot.cpp", "block_product.cpp"],
}  # fmt: skip
FLAGS = ["-std=c++17", "-w", "-DMERCER_LEVEL=base", "-DMERCER_HAS_base", "-pthread"]
CHECKED = ["-g", "-O2", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
STRAIGHT = ("hot.cpp", "block_product.cpp")  # loops without choices: nothing to be guided by
LONGEST = {"core": 600, "solver": 60}  # bytes; the solver's target draws the rest of its numbers
MOST = 250  # inputs of a kept corpus


def compiler():
    """A clang that has libFuzzer, by its name."""
    names = ["clang++", *(f"clang++-{n}" for n in range(22, 12, -1))]
    return next((found for name in names if (found := shutil.which(name))), None)


def corpus(target):
    """The name of the inputs that are kept of a target."""
    return {"core": "compiled", "solver": "solver"}[target]


def tried(clang, target, seconds, findings):
    """How many inputs were tried and what became of them; the corpus is kept anew."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        program, inputs, small = folder / "program", folder / "inputs", folder / "small"
        for number, source in enumerate(SOURCES[target]):
            guided = [] if source in STRAIGHT else ["-fsanitize=fuzzer-no-link"]
            made = ["-c", CORE / source, "-o", folder / f"{number}.o"]
            subprocess.run([clang, *FLAGS, *CHECKED, *guided, *made], check=True)
        parts = sorted(folder.glob("*.o"))
        link = ["-fsanitize=fuzzer", "-o", program]
        subprocess.run([clang, *FLAGS, *CHECKED, *link, *parts], check=True)
        inputs.mkdir()
        small.mkdir()
        for place, content in enumerate(stored(corpus(target))):
            (inputs / str(place)).write_bytes(content)
        done = subprocess.run(
            [program, f"-max_total_time={seconds}", f"-max_len={LONGEST[target]}",
             "-print_final_stats=1", f"-artifact_prefix={findings.resolve()}/{target}-", inputs],
            capture_output=True, text=True,
        )  # fmt: skip
        tries = int(re.search(r"number_of_executed_units: *(\d+)", done.stderr)[1])
        subprocess.run([program, "-merge=1", small, inputs], check=True, capture_output=True)
        ranked = sorted((p.read_bytes() for p in small.iterdir()), key=len)
        store(corpus(target), ranked[:: 1 + len(ranked) // MOST])
    print(done.stderr[-1500:])
    lines = [int(n) for n in re.findall(r" cov: (\d+)", done.stderr)]
    return {"tries": tries, "edges": max(lines, default=0), "crashes": int(done.returncode != 0)}


def main(arguments):
    """Build, run, keep the corpus that reaches the most."""
    parser = argparse.ArgumentParser(prog="compiled")
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--only", nargs="*", default=list(SOURCES))
    parser.add_argument("--findings", type=Path, default=Path("build/faults"))
    chosen = parser.parse_args(arguments)
    clang = compiler()
    if clang is None:
        print("there is no clang here, and libFuzzer is a part of it", file=sys.stderr)
        return True
    chosen.findings.mkdir(parents=True, exist_ok=True)
    bad = False
    for target in chosen.only:
        found = tried(clang, target, chosen.seconds // len(chosen.only), chosen.findings)
        found["tries"] += kept("compiled").get(target, {}).get("tries", 0)
        keep("compiled", target, found)
        bad = bad or found["crashes"] > 0
    return bad
