"""Write docs/generated/ from the registries; ``make docs`` runs this before Sphinx.

A new kernel, bound, learner, criterion, loss, metric or example appears by itself: nothing here
lists them.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

TARGET = Path(__file__).resolve().parent.parent / "docs" / "generated"
KINDS = ("bounds", "learners", "registries", "kernels", "reference", "gallery", "areas")


def make(kind: str, target: Path = TARGET) -> str:
    """Write one kind of page."""
    import_module(f"site_pages.{kind}").make(target)
    return kind


def main() -> int:
    TARGET.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(max_workers=2) as pool:
        list(pool.map(make, KINDS))
    return 0


if __name__ == "__main__":
    sys.exit(main())
