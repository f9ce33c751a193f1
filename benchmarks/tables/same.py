"""Command line and Python on the same real tables: same roles, same model, same answers.

``python -m benchmarks.tables.same`` runs what is missing, one JSON file per table in
``benchmarks/data/same`` (``--part 0/2`` takes every second table), and ``--write`` makes
``results/same.md`` of them. Each table is looked at twice:

- the whole file, read by Mercer and, where pandas has a reader for it, by pandas with its defaults:
  the columns must get the same roles and kinds;
- some of its rows as a CSV file, with the defaults of everything: ``mercer fit FILE`` and
  ``mercer.fit(pandas.read_csv(FILE))`` must end with the same learner and the same certificate, and
  ``mercer predict`` and ``model.predict`` with the same answers for further rows.

Beside it the forecast of each run and the processor seconds that it took are kept.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

import mercer
from benchmarks.tables.fetch import HERE, Entry, catalogue, take
from benchmarks.tables.frames import frame_of
from mercer._pace import alone
from mercer.app.roles import FitData, make_fit_data
from mercer.cli._main import main as command
from mercer.errors import UserError
from mercer.io.readers import Options, read
from mercer.tables.frames import dataset_of
from mercer.tables.spellings import found_as

CACHE = HERE.parent / "data" / "same"
RESULTS = HERE / "results" / "same.md"
ROWS, NEW, SEED = 160, 60, 0
FEWEST = 4  # rows of a class: fewer than three are refused
READERS = {".csv": pd.read_csv, ".bz2": pd.read_csv, ".gz": pd.read_csv, ".xlsx": pd.read_excel,
           ".dta": pd.read_stata, ".parquet": pd.read_parquet}  # fmt: skip


def by_pandas(entry: Entry, path: Path) -> Any:
    """The whole table as somebody in a notebook has it, or None where pandas reads nothing."""
    reader = READERS.get(path.suffix)
    if reader is None or set(entry.options) - {"task"}:
        return None
    try:
        return reader(path, **({"engine": "calamine"} if path.suffix == ".xlsx" else {}))
    except (ValueError, UnicodeDecodeError):
        return None


def whole(entry: Entry, path: Path, found: dict[str, Any]) -> FitData:
    """Roles and kinds of the whole table, by both readers."""
    ours = make_fit_data(read(path, Options(**entry.options)), target=entry.target)
    frame = by_pandas(entry, path)
    found["by_pandas"] = frame is not None
    if frame is None:
        return ours
    theirs = make_fit_data(dataset_of(frame), target=entry.target, typed=True)
    if len(ours.described) != len(theirs.described):
        found["different"].append(
            f"{len(theirs.described)} columns by pandas for {len(ours.described)}"
        )
        return ours
    for a, b in zip(ours.described, theirs.described, strict=True):
        if found_as(a["name"], [b["name"]]) is None:
            found["different"].append(f"'{a['name']}' is '{b['name']}' by pandas")
        for what in ("kind", "role", "missing"):
            if a[what] != b[what]:
                found["different"].append(f"'{a['name']}': {what} {a[what]}, by pandas {b[what]}")
    return ours


def run_command(*words: Any) -> str:
    """``mercer WORDS``; what it wrote to its standard output."""
    out, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
        code = command([str(word) for word in words])
    if code:
        raise RuntimeError(said.getvalue().strip().split("\n")[-1])
    return out.getvalue()


def certificate_of(record: dict[str, Any]) -> dict[str, Any]:
    """What must not depend on the door."""
    return {
        "value": record["certificate"]["value"],
        "learner": record["model"]["words"],
        "roles": {c["name"]: c["role"] for c in record["data"]["columns"]},
        "kinds": {c["name"]: c["kind"] for c in record["data"]["columns"]},
        "checks": sorted(c["message"] for c in record["checks"] if c["code"] != "reader"),
    }


def fits(target: str, folder: Path, found: dict[str, Any]) -> None:
    """Two fits of the same rows, and answers for further rows by three doors."""
    few, new = folder / "few.csv", folder / "new.csv"
    wish = {"target": target, **({"task": found["task"]} if found["asked"] else {})}
    options = [word for key, value in wish.items() for word in (f"--{key}", value)]
    here, begun = alone(), time.process_time()
    shown = run_command("fit", few, *options, "-o", folder / "out", "--json")
    found["processor_seconds"] = (time.process_time() - begun) / here
    record = json.loads(shown)
    found["forecast"] = record["plan"]["seconds"] / record["plan"]["pace"]
    frame, later = pd.read_csv(few), pd.read_csv(new)
    model = mercer.fit(frame, **wish)
    by_frame = certificate_of(json.loads(json.dumps(model.run_.to_dict(), default=str)))
    by_command = certificate_of(record)
    for what, value in by_command.items():
        if by_frame[what] != value:
            found["different"].append(f"{what}: {_first(value, by_frame[what])}")
    found["learner"], found["certified"] = by_command["learner"], by_command["value"]
    run_command("predict", folder / "out" / "model.mercer", new, "-o", folder / "told.csv")
    told = pd.read_csv(folder / "told.csv")["predicted"]
    saved = mercer.load(folder / "out" / "model.mercer")
    for name, one in {"frame": model, "load": saved}.items():
        wrong = _unlike(told, np.asarray(one.predict(later)))
        if wrong:
            found["different"].append(f"{wrong} of {len(told)} answers by {name}")


def _unlike(told: Any, answers: Any) -> int:
    try:
        a, b = told.to_numpy(dtype=float), np.asarray(answers, dtype=float)
        return int(np.sum(~np.isclose(a, b, rtol=1e-9, atol=0)))
    except (TypeError, ValueError):
        return int(np.sum(told.astype(str).to_numpy() != np.asarray(answers).astype(str)))


def _first(a: Any, b: Any) -> str:
    if isinstance(a, dict) and isinstance(b, dict):
        return "; ".join(f"'{k}' {a.get(k)} and {b.get(k)}" for k in a | b if a.get(k) != b.get(k))
    if isinstance(a, list) and isinstance(b, list):
        return "; ".join(sorted(set(a) ^ set(b))[:3])
    return f"{a} and {b}"


def judge(entry: Entry) -> dict[str, Any]:
    """One table."""
    path = take(entry)
    found: dict[str, Any] = {"id": entry.id, "different": []}
    data = whole(entry, path, found)
    found |= {"rows": len(data.target.y), "columns": len(data.described) or len(data.names)}
    found |= {"task": data.target.task, "asked": entry.options.get("task") is not None}
    table = frame_of(read(path, Options(**entry.options)))
    target = data.target.name
    table = table[table[target].notna()]
    order = np.random.default_rng(SEED).permutation(len(table))
    if data.target.task == "classification":  # some rows of the rarest classes, too
        names = table[target].to_numpy(dtype=object)[order]
        if min((names[:ROWS] == name).sum() for name in set(names.tolist())) < FEWEST:
            first = [np.flatnonzero(names == name)[:FEWEST] for name in sorted(set(names), key=str)]
            chosen = np.unique(np.concatenate(first))[: ROWS // 2]
            order = np.concatenate([order[chosen], np.delete(order, chosen)])
    with TemporaryDirectory() as made:
        folder = Path(made)
        table.iloc[np.sort(order[:ROWS])].to_csv(folder / "few.csv", index=False)
        rest = order[ROWS : ROWS + NEW] if len(order) >= ROWS + NEW else order[:NEW]
        table.iloc[np.sort(rest)].drop(columns=target).to_csv(folder / "new.csv", index=False)
        fits(target, folder, found)
    return found


def write() -> None:
    """The table for people."""
    rows = [json.loads(path.read_text()) for path in sorted(CACHE.glob("*.json"))]
    same = sum(not row["different"] for row in rows)
    inside = [row["forecast"] / row["processor_seconds"] for row in rows if "forecast" in row]
    near = sum(0.5 <= ratio <= 2.0 for ratio in inside)
    lines = [
        "# Python and the command line on real tables",
        "",
        f"{same} of {len(rows)} tables are the same by all doors: roles, kinds and what was told "
        f"of the data, the learner that won, the certificate, and the answers for {NEW} further "
        f"rows. Fits are of {ROWS} rows, with the defaults of everything; whole files were also "
        f"read by pandas ({sum(row['by_pandas'] for row in rows)} of them).",
        "",
        f"Forecasts for a quiet machine within a factor of two of the processor seconds: "
        f"{near} of {len(inside)}.",
        "",
        "| table | rows | columns | learner | certified | forecast, s | took, processor s | "
        "different |",
        "|---" * 8 + "|",
    ]
    for row in rows:
        lines.append(
            f"| {row['id']} | {row['rows']:,} | {row['columns']} | {row.get('learner', '')} | "
            f"{row.get('certified', float('nan')):.4g} | {row.get('forecast', float('nan')):.1f} | "
            f"{row.get('processor_seconds', float('nan')):.1f} | {'; '.join(row['different'])} |"
        )
    RESULTS.write_text("\n".join(lines) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing, or write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="0/1", help="every n-th table, from the k-th on")
    parser.add_argument("--only", help="one table, by its id")
    parser.add_argument("--write", action="store_true")
    wish = parser.parse_args(arguments)
    if wish.write:
        write()
        return 0
    warnings.simplefilter("ignore")
    first, step = (int(v) for v in wish.part.split("/"))
    CACHE.mkdir(parents=True, exist_ok=True)
    for entry in catalogue()[first::step]:
        path = CACHE / f"{entry.id}.json"
        if path.exists() or wish.only not in (None, entry.id):
            continue
        try:
            found = judge(entry)
        except (UserError, RuntimeError) as problem:
            found = {"id": entry.id, "rows": 0, "columns": 0, "by_pandas": False,
                     "different": [f"not run: {problem}"]}  # fmt: skip
        path.write_text(json.dumps(found, indent=1))
        print(f"{entry.id:20} {'; '.join(found['different']) or 'same'}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
