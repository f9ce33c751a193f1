"""Every single draw on disk: a run can stop at any time, go on, and be checked afterwards."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

Ways = dict[str, dict[str, float]]


class Draws:
    """A file with one line per draw; a later line for the same draw adds ways to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.found: dict[str, dict[int, Ways]] = defaultdict(dict)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                record = json.loads(line)
                self.found[record["row"]].setdefault(record["seed"], {}).update(record["ways"])

    def missing(self, row: str, seed: int, wanted: Iterable[str]) -> list[str]:
        """Ways of ``wanted`` that were not measured on this draw."""
        return [way for way in wanted if way not in self.found[row].get(seed, {})]

    def add(self, row: str, seed: int, ways: Ways) -> None:
        """Keep a draw, in memory and at the end of the file."""
        rounded = {
            way: {what: float(f"{number:.6g}") for what, number in facts.items()}
            for way, facts in ways.items()
        }
        self.found[row].setdefault(seed, {}).update(rounded)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            record = {"row": row, "seed": seed, "ways": rounded}
            file.write(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")

    def of(self, row: str) -> list[Ways]:
        """The draws of one row, by seed."""
        return [ways for _, ways in sorted(self.found[row].items())]
