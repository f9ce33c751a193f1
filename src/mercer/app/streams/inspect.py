"""``mercer inspect`` on many files: sketches of all rows, and every check on a sample of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from mercer.app.inspect_table import inspect_data
from mercer.app.streams.follow import Follow
from mercer.app.streams.survey import Survey, survey, without_bad
from mercer.app.streams.workers import check_workers
from mercer.engine import open_engine
from mercer.io.readers import Options
from mercer.io.streams import parts_of
from mercer.rows import ColumnSketch, Split
from mercer.tables.columns import shown
from mercer.tables.dataset import TEXT

SEED = 0  # of the sample


@dataclass(frozen=True)
class ManyFiles:
    """What stands for the file in the words on one."""

    name: str
    size: int


def inspect_stream(
    path: str,
    target: str | None,
    options: Options,
    profiled: bool = False,
    *,
    cluster: Any = None,
    skip_bad: bool = False,
    quiet: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """A document and the same for people, from one pass."""
    parts, bad = without_bad(*parts_of(path, options), skip_bad)
    split = Split(0.0, 0.0, SEED)  # every row may be in the sample
    with open_engine(cluster) as engine, Follow(quiet) as follow:
        check_workers(engine, [part.path for part in parts])
        with follow.a_pass("reading", parts) as done:
            seen = survey(engine, parts, options, split, None, done=done)
    files = {part.path: part.size for part in parts}
    whole = ManyFiles(path, sum(files.values()))

    def of_all_rows(document: dict[str, Any]) -> list[str]:
        for column in document["columns"]:
            place = seen.names.index(column["name"])
            _amend(column, seen.columns[place], seen.kinds[place])
        document |= {
            "rows_read": seen.rows.n, "rows": seen.rows.n, "files": list(files),
            "sample": len(seen.rows.marks), "left_out": [list(one) for one in bad],
            "repeated": seen.rows.repeated,
        }  # fmt: skip
        return _words(seen, len(files), bad)

    sample = replace(seen.pilot(), format=parts[0].format)
    return inspect_data(whole, sample, target, profiled, of_all_rows)


def _amend(column: dict[str, Any], sketch: ColumnSketch, kind: str) -> None:
    """Counts and ranges of all rows in place of those of the sample."""
    column["missing"] = sketch.gaps
    if sketch.levels is not None:
        column["distinct"] = len(sketch.levels)
    if kind != TEXT and sketch.n > sketch.gaps and "min" in column:
        column |= {"min": shown(sketch.lowest, kind), "max": shown(sketch.highest, kind)}


def _words(seen: Survey, files: int, bad: list[tuple[str, str]]) -> list[str]:
    lines = [
        f"{files} file{'s' * (files != 1)}, {seen.rows.n:,} rows: gaps, ranges, levels and "
        f"copies are of all of them, the rest of a sample of {len(seen.rows.marks):,}"
    ]
    if seen.rows.repeated > 0:
        lines.append(f"about {seen.rows.repeated:.1%} of the rows repeat another one")
    return lines + [f"{path} was left out: {words}" for path, words in bad]
