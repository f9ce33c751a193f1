"""``python -m benchmarks.scale [CASE ...]``: processor seconds and peak memory, a process per case.

One thread everywhere. ``--python PATH --case NAME`` runs a case in another environment, for peers.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.scale.cases import CASES, FOUND

RESULTS = Path(__file__).parent / "results"
ONE = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "MERCER_NUM_THREADS")
BARS = {
    "command-300k": "errors <= 9.5 %, <= 40 CPU s, <= 700 MB",
    "cells-300k": "half of LightGBM's CPU s, fewer errors",
    "cells-1m": "<= 25 CPU s, <= 600 MB",
    "sums-256": ">= 400,000 rows per CPU s",
    "sums-1000": ">= 45,000 rows per CPU s",
    "predict-500": ">= 500,000 rows per CPU s",
    "stream-10m": "< 1 GB from the first command to the last",
    "cluster-2": "one hash, >= 1.7 of one worker's speed, <= 15 % more CPU, <= 1.6 of the clock "
    "with one killed",
    "smooth-routes": "none: which route is best on a law where cells are not",
    "command-smooth": "no less than the better of exact on 20,000 rows and landmarks",
    "flights-3m": "runs, <= 1 GB",
    "nyc-late": "none: real rows",
    "images": "none: real rows",
}


def measured(case):
    """In this process."""
    found = CASES[case]()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"cpu s": FOUND.get("cpu"), "peak MB": peak, **found}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*", default=[])
    parser.add_argument("--here", help=argparse.SUPPRESS)
    parser.add_argument("--python", default=sys.executable, help="interpreter of the peers")
    chosen = parser.parse_args()
    if chosen.here:
        print(json.dumps(measured(chosen.here)))
        return
    path = RESULTS / "latest.json"
    results = json.loads(path.read_text()) if path.exists() else {}
    for case in chosen.cases or CASES:
        told = subprocess.run(
            [chosen.python, "-W", "ignore", "-m", "benchmarks.scale", "--here", case],
            capture_output=True, text=True, env=os.environ | dict.fromkeys(ONE, "1"), check=False,
        )  # fmt: skip
        if told.returncode:
            print(f"{case}: {told.stderr.strip().splitlines()[-1]}", flush=True)
            continue
        results[case] = json.loads(told.stdout.splitlines()[-1])
        print(case, results[case], flush=True)
        path.write_text(json.dumps(results, indent=1) + "\n")
    lines = ["| case | bar | measured |", "|---|---|---|"]
    for case, found in results.items():
        words = ", ".join(f"{k} {v}" for k, v in found.items())
        lines.append(f"| {case} | {BARS.get(case, 'a peer')} | {words} |")
    (RESULTS / "latest.md").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
