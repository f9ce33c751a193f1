"""``python -m benchmarks.guarantees [draws]`` prints both tables; needs mapie and crepes."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from importlib.metadata import version

from benchmarks.guarantees import asymptotic, intervals, metrics, monitor


def main() -> None:
    """Head, intervals, metrics."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    tools = ", ".join(f"{name} {version(name)}" for name in ("mapie", "crepes", "scikit-learn"))
    print(f"# Guarantees beside other tools\n\n{datetime.now(UTC):%Y-%m-%d}, {draws} draws a cell,")
    print(f"{tools}. All tools see the same draws.\n\n## Intervals with coverage 0.9\n")
    print(*intervals.table(draws), sep="\n")
    print("\n## Lower limits of metrics, δ = 0.1\n")
    print(*metrics.table(draws), sep="\n")
    print(f"\n## The watch: limit {monitor.LIMIT:g}, false alarms {monitor.ALPHA:g}\n")
    print(*monitor.table(draws), sep="\n")
    print("\n## Cross-validation, asymptotic\n")
    print(*asymptotic.table(draws), sep="\n")


if __name__ == "__main__":
    main()
