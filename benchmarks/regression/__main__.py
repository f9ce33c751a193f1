"""``python -m benchmarks.regression``: every case and library, one after the other.

Results go to benchmarks/regression/results/latest.json after every measurement; what is there
already is not measured again unless --fresh. --only TEXT takes the cases whose names hold it,
--runs N repeats each measurement in N processes, libraries in turn, and keeps the median by time;
--prefix CMD puts a command in front.
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


def option(name: str, default: str) -> str:
    """What follows --name on the command line."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default


def measured(case: str, who: str) -> dict[str, Any]:
    """One measurement in a process of its own."""
    prefix = shlex.split(option("--prefix", ""))
    command = [*prefix, sys.executable, "-m", "benchmarks.regression.measure", case, who]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr[-500:]}


def middle(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The run with the median time, and the times of all."""
    if any("error" in run for run in runs) or len(runs) == 1:
        return runs[0]
    ordered = sorted(runs, key=lambda run: run["seconds"])
    return ordered[(len(ordered) - 1) // 2] | {"all seconds": [run["seconds"] for run in runs]}


def main() -> None:
    """Measure what is missing."""
    known: dict[str, Any] = {}
    if LATEST.exists():
        known = json.loads(LATEST.read_text())
    for case, (libraries, _) in CASES.items():
        if option("--only", "") not in case:
            continue
        if "--fresh" in sys.argv:
            known.pop(case, None)
        rows = known.setdefault(case, {}).setdefault("rows", {})
        missing = [who for who in libraries if who not in rows]
        runs: dict[str, list[dict[str, Any]]] = {who: [] for who in missing}
        for _ in range(int(option("--runs", "1"))):
            for who in missing:
                runs[who].append(measured(case, who))
                rows[who] = middle(runs[who])
                known[case]["ratios"] = ratios(case, rows)
                LATEST.parent.mkdir(exist_ok=True)
                LATEST.write_text(json.dumps(known, indent=1) + "\n")
                sys.stdout.write(f"{case} | {who} | {runs[who][-1]}\n")


if __name__ == "__main__":
    main()
