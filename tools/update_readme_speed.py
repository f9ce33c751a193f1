"""Copy the summary of the latest benchmark into README.md and benchmarks/README.md.

Reads benchmarks/results/latest.json (or the file given) and replaces the text between the
``<!-- speed:begin -->`` and ``<!-- bars:begin -->`` markers and their ends.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import report  # noqa: E402

PEERS = ("sklearn", "sklearnex-f32")
NAMES = {"sklearn": "scikit-learn", "sklearnex-f32": "sklearnex float32"}


def replace(text: str, marker: str, lines: list[str]) -> str:
    """Put ``lines`` between the begin and end comments of ``marker``."""
    begin, end = f"<!-- {marker}:begin -->", f"<!-- {marker}:end -->"
    if begin not in text or end not in text:
        raise SystemExit(f"the markers of {marker!r} are missing")
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    return "\n".join([head + begin, *lines, end]) + tail


def cell(results: report.Results, name: str, key: str) -> str:
    """Seconds and, for a peer, how many times Mercer's; a dash where nothing was measured."""
    if key not in results.get(name, {}):
        return "–"
    shown = report.seconds(results[name][key])
    times = report.ratio(results, name, key)
    return shown if name == "mercer" or times is None else f"{shown} ({times:.1f}×)"


def where(outcome: dict[str, Any]) -> str:
    machine = outcome["machine"]
    return (
        f"{outcome['started'][:10]}, {machine['processor']}, {machine['cores']} cores, Python "
        f"{machine['python']}, best of {outcome['repeats']}"
    )


def speed_table(outcome: dict[str, Any]) -> list[str]:
    """One row per case: wall seconds to train, and to predict where a bar asks for it."""
    lines = [
        "Wall seconds to train, same optimum, all cores for everybody (in brackets: how many times "
        f"Mercer's time). {where(outcome)}.",
        "",
        f"| case | Mercer | {' | '.join(NAMES[peer] for peer in PEERS)} |",
        "|---|---|---|---|",
    ]
    for name, case in outcome["cases"].items():
        key = "predict_wall" if name == "prediction" else "train_wall"
        cells = [cell(case["results"], library, key) for library in ("mercer", *PEERS)]
        lines.append(f"| {case['title']} | {' | '.join(cells)} |")
    return lines


def main() -> int:
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "benchmarks/results/latest.json"
    if not source.exists():
        sys.stderr.write(f"{source} does not exist; run make bench first\n")
        return 1
    outcome = json.loads(source.read_text())
    for path, marker, lines in (
        (ROOT / "README.md", "speed", speed_table(outcome)),
        (ROOT / "benchmarks/README.md", "bars", [where(outcome) + ".", "", *report.bars(outcome)]),
    ):
        path.write_text(replace(path.read_text(), marker, lines))
        print(f"updated {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
