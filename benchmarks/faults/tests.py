"""Which faults the tests try, and how many of them end as they should.

    python -m benchmarks.faults tests [--only NAME ...]
    python -m benchmarks.faults tests --read "NAME=build/asan.xml"   (from `make sanitize`)

Every test is one fault or a family of them; skipped ones count as not tried.
"""

import argparse
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from pathlib import Path

from benchmarks.faults.records import keep

GROUPS = {
    "death between two writes": ["tests/io/test_sealed.py", "tests/io/test_together.py"],
    "hostile files": ["tests/io/test_hostile_files.py", "tests/io/test_native.py",
                      "tests/cli/test_mixed_up_files.py"],
    "model files": ["tests/io/test_model_file.py", "tests/cli/test_verify.py"],
    "signals in every state": ["tests/app/test_stopping.py"],
    "degenerate": ["tests/contracts/test_degenerate_rows.py",
                   "tests/contracts/test_degenerate_targets.py"],
    "memory": ["-m", "slow or not slow", "tests/contracts/test_memory.py"],
    "compiled core": ["tests/solvers/test_binding_fuzz.py",
                      "tests/solvers/test_solver_adversary.py"],
    "strangers": ["tests/lab/test_attacks.py", "tests/serving/test_service.py"],
}  # fmt: skip


def counted(path):
    """How many tests of a report of JUnit's kind passed, failed and were skipped."""
    cases = list(tree.parse(path).getroot().iter("testcase"))
    skipped = sum(case.find("skipped") is not None for case in cases)
    failed = sum(
        case.find("failure") is not None or case.find("error") is not None for case in cases
    )
    return {"passed": len(cases) - skipped - failed, "failed": failed, "skipped": skipped}


def run(group):
    """The tests of a group, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
             f"--junitxml={report}", *GROUPS[group]],
            check=False,
        )  # fmt: skip
        return counted(report)


def main(arguments):
    """Run the groups, or read reports of runs; one record."""
    parser = argparse.ArgumentParser(prog="tests")
    parser.add_argument("--only", nargs="*", default=list(GROUPS))
    parser.add_argument("--read", nargs="*", default=[])
    chosen = parser.parse_args(arguments)
    found = dict(told.split("=", 1) for told in chosen.read)
    bad = False
    for group in found or chosen.only:
        one = counted(found[group]) if found else run(group)
        print(group, one, flush=True)
        keep("tests", group, one)
        bad = bad or one["failed"] > 0
    return bad
