"""``python -m benchmarks.bayes gpr 2000``: one case, added to the results.

Run each case in a process of its own; ``--peers`` says beside whom (none: leave them out).
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from benchmarks.bayes import cases

RESULTS = Path(__file__).parent / "results" / "bayes.json"
CASES = ("gpr", "iterative", "gpc", "cholesky", "rvc", "rvr", "sparse", "memory")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("n", type=int)
    parser.add_argument("--peers", nargs="*", choices=("sklearn", "gpy"))
    parser.add_argument("--out", type=Path, default=RESULTS)
    given = parser.parse_args()
    options = {} if given.peers is None else {"peers": tuple(given.peers)}
    found = getattr(cases, given.case)(given.n, **options)
    for side in ("sklearn", "gpy", "gpytorch"):
        if side in found:
            found[f"ratio_{side}_wall"] = found[side][0] / found["mercer"][0]
            found[f"ratio_{side}_cpu"] = found[side][1] / found["mercer"][1]
    found["load_before"] = os.getloadavg()[0]
    print(json.dumps(found, indent=1))
    table = json.loads(given.out.read_text()) if given.out.exists() else {}
    beside = "" if given.peers is None else " " + " ".join(given.peers or ["alone"])
    table[f"{given.case} {given.n}{beside}"] = found
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
