"""``python -m benchmarks.regression [--prefix CMD]``: every case and library, one after the other.

Results go to benchmarks/regression/results/latest.json after every measurement; what is there
already is not measured again unless --fresh.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.regression.measure import CASES

LATEST = Path(__file__).parent / "results" / "latest.json"


def ratios(case: str, rows: dict[str, Any]) -> dict[str, float]:
    """Mercer against the best other row, where both are there."""
    others = [r for who, r in rows.items() if who.startswith("scikit-learn") and "seconds" in r]
    if "mercer" not in rows or not others:
        return {}
    best = min(others, key=lambda r: r["seconds"])
    found = {"times as fast as the best peer": best["seconds"] / rows["mercer"]["seconds"]}
    if rows["mercer"].get("megabytes"):
        found["share of its memory"] = rows["mercer"]["megabytes"] / max(best["megabytes"], 1e-9)
    one = rows.get("mercer, one decomposition")
    if one:
        found["path against one decomposition"] = rows["mercer"]["seconds"] / one["seconds"]
    if case.startswith("path"):
        found["path against one fit of the peer"] = rows["mercer"]["seconds"] / best["seconds"]
    return found


def main() -> None:
    """Measure what is missing."""
    prefix = shlex.split(sys.argv[sys.argv.index("--prefix") + 1]) if "--prefix" in sys.argv else []
    known: dict[str, Any] = {}
    if LATEST.exists() and "--fresh" not in sys.argv:
        known = json.loads(LATEST.read_text())
    for case, (libraries, _) in CASES.items():
        rows = known.setdefault(case, {}).setdefault("rows", {})
        for who in libraries:
            if who in rows:
                continue
            command = [*prefix, sys.executable, "-m", "benchmarks.regression.measure", case, who]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            rows[who] = (
                json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr[-500:]}
            )
            known[case]["ratios"] = ratios(case, rows)
            LATEST.parent.mkdir(exist_ok=True)
            LATEST.write_text(json.dumps(known, indent=1) + "\n")
            sys.stdout.write(f"{case} | {who} | {rows[who]}\n")


if __name__ == "__main__":
    main()
