"""Everything that was measured, as one JSON and one Markdown file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.model_selection import pictures, thesis_tables
from benchmarks.model_selection.sets import GENERATED
from benchmarks.model_selection.users import FOLDS, SEARCHES


def users_summary(folder: Path) -> dict:
    """Mean excess and seconds of every way to choose, by sample size."""
    runs = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    found: dict = {}
    for n in sorted({run["n"] for run in runs}):
        mine = [run for run in runs if run["n"] == n]
        sets = sorted({run["set"] for run in mine})
        ways = [w for w in mine[0]["found"] if all(w in run["found"] for run in mine)]
        table = {}
        for way in mine[0]["found"]:
            have = [run for run in mine if way in run["found"]]
            if {run["set"] for run in have} != set(sets):
                continue  # on some sets only: not to be compared
            per_set = {s: [r["found"][way]["excess"] for r in have if r["set"] == s] for s in sets}
            means = [float(np.mean(v)) for v in per_set.values() if v]
            table[way] = {
                "mean excess": float(np.mean(means)),
                "median excess": float(np.median(means)),
                "worst excess": float(np.max(means)),
                "median seconds": float(np.median([r["found"][way]["seconds"] for r in have])),
                "sets": len(means),
                "runs": len(have),
            }
        excess = [
            [np.mean([r["found"][w]["excess"] for r in mine if r["set"] == s]) for w in ways]
            for s in sets
        ]
        found[str(n)] = {"ways": table, "ranked": ways, "excess": np.round(excess, 5).tolist(),
                         "sets": sets}  # fmt: skip
    return found


def contest_summary(folder: Path, users: Path) -> dict:
    """The searches against the complete grid by cross-validation, draw by draw."""
    runs = [json.loads(file.read_text()) for file in sorted(folder.glob("*.json"))]
    runs += [json.loads(file.read_text()) for file in sorted(users.glob("*.json"))]
    found: dict = {}
    for n in sorted({run["n"] for run in runs}):
        mine = [run for run in runs if run["n"] == n]
        names = sorted({run["set"] for run in mine})
        table = {}
        for way in (*FOLDS, *SEARCHES):
            if way not in mine[0]["found"]:
                continue
            excess = np.array([run["found"][way]["excess"] for run in mine])
            gap = excess - [run["found"]["cv"]["excess"] for run in mine]
            means = [np.mean([e for e, r in zip(excess, mine, strict=True) if r["set"] == s])
                     for s in names]  # fmt: skip
            table[way] = {
                "mean excess": float(np.mean(means)),
                "against cv": float(gap.mean()),
                "standard error": float(gap.std(ddof=1) / np.sqrt(len(gap))),
                "median seconds": float(np.median([r["found"][way]["seconds"] for r in mine])),
            }
        found[str(n)] = {"ways": table, "sets": len(names), "runs": len(mine)}
    return found


def contest_text(result: dict) -> str:
    """One table for all sample sizes."""
    lines = [
        "| n | sets | draws | way to choose | mean excess | minus full grid (draw by draw) | "
        "processor s (median) |",
        "|---|---|---|---|---|---|---|",
    ]
    for n, part in result.items():
        for way, row in sorted(part["ways"].items(), key=lambda item: item[1]["mean excess"]):
            name = "cv, full 10 x 10 grid" if way == "cv" else way
            gap = "" if way == "cv" else f"{row['against cv']:+.4f} ± {row['standard error']:.4f}"
            lines.append(
                f"| {n} | {part['sets']} | {part['runs']} | {name} | {row['mean excess']:.4f} | "
                f"{gap} | {row['median seconds']:.2f} |"
            )
    return "\n".join(lines)


def _collected(names: list[str]) -> int:
    return sum(name not in GENERATED for name in names)


def users_text(result: dict) -> str:
    """One table per sample size."""
    lines = []
    for n, part in result.items():
        lines += [
            f"### n = {n}: {len(part['sets'])} sets, {_collected(part['sets'])} of them real",
            "",
            "| way to choose | mean excess | median | worst | processor s (median) | sets | runs |",
            "|---|---|---|---|---|---|---|",
        ]
        quickest = float("inf")
        for way, row in sorted(part["ways"].items(), key=lambda item: item[1]["mean excess"]):
            first = row["median seconds"] < quickest  # nothing above it is as fast
            quickest = min(quickest, row["median seconds"])
            name = f"**{way}**" if first else way
            lines.append(
                f"| {name} | {row['mean excess']:.4f} | {row['median excess']:.4f} | "
                f"{row['worst excess']:.3f} | {row['median seconds']:.3f} | {row['sets']} | "
                f"{row['runs']} |"
            )
        lines.append("")
    return "\n".join(lines)


def speed_text(file: Path) -> str:
    """The 10 x 10 grid."""
    if not file.exists():
        return ""
    known = json.loads(file.read_text())
    lines = ["| rows | what | seconds | ratio | test accuracy |", "|---|---|---|---|---|"]
    for n, part in known.items():
        base = part.get("sklearn") or part.get("sklearn-estimate")
        for what, row in part.items():
            if row.get("seconds") is None:
                continue
            ratio = "" if base is None or base.get("seconds") is None else (
                f"{base['seconds'] / row['seconds']:.1f}x")  # fmt: skip
            label = f"{what} (estimated)" if row.get("estimated") else what
            accuracy = "" if "test" not in row else f"{row['test']:.4f}"
            lines.append(f"| {n} | {label} | {row['seconds']:.2f} | {ratio} | {accuracy} |")
    return "\n".join(lines)


def write(raw: Path, out: Path) -> None:
    """latest.json, latest.md and the pictures."""
    known = json.loads((out / "latest.json").read_text()) if (out / "latest.json").exists() else {}
    made = {
        "thesis": lambda: thesis_tables.summary(raw / "thesis", 100),
        "thesis, 500 rows": lambda: thesis_tables.summary(raw / "thesis", 500),
        "thesis without offset": lambda: thesis_tables.summary(raw / "thesis", 100, offset=False),
        "curves": lambda: thesis_tables.curves(raw / "thesis", 100),
        "users": lambda: users_summary(raw / "users"),
        "contest": lambda: contest_summary(raw / "contest", raw / "users"),
    }
    # a part whose raw runs are not here keeps what was recorded before
    where = {"users": "users/*", "contest": "contest/*",
             "thesis, 500 rows": "thesis/*-500-*.json",
             "thesis without offset": "thesis/*-no-offset.json"}  # fmt: skip
    result = {
        name: make() if any(raw.glob(where.get(name, "thesis/*"))) else known.get(name, {})
        for name, make in made.items()
    }
    out.mkdir(parents=True, exist_ok=True)
    (out / "latest.json").write_text(json.dumps(result, indent=1) + "\n")
    pieces = [
        "# Model selection: what was measured",
        "",
        "Numbers in brackets are printed in the thesis (table IV.1).",
        "",
        "## The thesis' experiment, n = 100",
        "",
        thesis_tables.text(result["thesis"], result["thesis without offset"]),
        "",
        thesis_tables.larger_text(result["thesis, 500 rows"]),
        "## The users' question",
        "",
        "In bold: no other way is both better and faster.",
        "",
        users_text(result["users"]),
        "## The default against the full grid, on draws it was not chosen on",
        "",
        contest_text(result["contest"]),
        "",
        "## Speed: 10 x 10 grid, 5 folds, 20 columns",
        "",
        speed_text(out / "speed.json"),
        "",
    ]
    (out / "latest.md").write_text("\n".join(pieces))
    pictures.draw(result["curves"], result["users"], out)
