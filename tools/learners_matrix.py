"""Write docs/learners-matrix.md: what every learner can do, found by trying it.

``python tools/learners_matrix.py`` writes the page; with ``--why`` it prints what went wrong in
every empty cell instead.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from matrix.table import measured, page

TARGET = Path(__file__).resolve().parent.parent / "docs" / "learners-matrix.md"


def main() -> int:
    if "--why" not in sys.argv:
        TARGET.write_text(page(measured()), encoding="utf-8")
        return 0
    for learner, cells in measured().items():
        for column, cell in cells.items():
            if not cell.works:
                said = " ".join(cell.said.split())
                print(f"{learner} | {column} | {cell.reason or 'NO REASON'} | {said}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
