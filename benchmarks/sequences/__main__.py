"""``python -m benchmarks.sequences [part of a case's name]``: a JSON of seconds and ratios."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

from benchmarks.sequences.cases import CASES

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    path = RESULTS / "latest.json"
    found = json.loads(path.read_text()) if path.exists() else {}
    for name, case in CASES.items():
        if wanted in name:
            found[name] = case()
            print(name, json.dumps(found[name], default=float))
    found["machine"] = {"processor": platform.processor(), "python": platform.python_version()}
    RESULTS.mkdir(exist_ok=True)
    path.write_text(json.dumps(found, indent=1, default=float) + "\n")


if __name__ == "__main__":
    main()
