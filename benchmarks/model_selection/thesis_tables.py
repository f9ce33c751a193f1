"""Tables and figures of the thesis' experiment from the files that ``thesis`` left."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.model_selection import thesis

# Table IV.1 of the thesis: oracle test error, then mean excess of each criterion.
COLUMNS = ("C2", "C3", "span", "rm", "rrm", "trace", "sm", "cs")
PRINTED = {
    "banana": (0.124, 0.021, 0.024, 0.020, 0.347, 0.278, 0.141, 0.202, 0.047),
    "breast-cancer": (0.251, 0.062, 0.065, 0.209, 0.034, 0.034, 0.028, 0.034, 0.042),
    "diabetis": (0.247, 0.012, 0.049, 0.025, 0.103, 0.103, 0.059, 0.103, 0.080),
    "german": (0.263, 0.037, 0.042, 0.026, 0.037, 0.037, 0.060, 0.037, 0.044),
    "heart": (0.156, 0.015, 0.015, 0.021, 0.303, 0.168, 0.071, 0.159, 0.053),
    "image": (0.105, 0.074, 0.028, 0.023, 0.275, 0.235, 0.031, 0.183, 0.028),
    "ringnorm": (0.021, 0.054, 0.052, 0.007, 0.405, 0.017, 0.075, 0.178, 0.068),
    "splice": (0.198, 0.039, 0.053, 0.016, 0.249, 0.035, 0.054, 0.084, 0.053),
    "thyroid": (0.026, 0.030, 0.017, 0.026, 0.178, 0.178, 0.022, 0.178, 0.017),
    "titanic": (0.220, 0.010, 0.010, 0.012, 0.103, 0.103, 0.008, 0.065, 0.041),
    "twonorm": (0.027, 0.016, 0.026, 0.007, 0.029, 0.006, 0.027, 0.009, 0.026),
    "waveform": (0.118, 0.047, 0.040, 0.019, 0.179, 0.120, 0.045, 0.179, 0.042),
    "wisconsin": (0.028, 0.007, 0.011, 0.015, 0.006, 0.013, 0.027, 0.005, 0.008),
}
SEARCH = "search (default)"
OTHERS = (SEARCH, *thesis.FOLDS, "loo", "C1", "C4", "C5", "span-bound", "xi-alpha", "gacv", "srm",
          "pac-bayes", "rademacher", "scenario", *thesis.READINGS)  # fmt: skip


def load(folder: Path, n: int, offset: bool = True) -> dict[str, list[dict]]:
    """All runs by data set."""
    suffix = "" if offset else "-no-offset"
    found: dict[str, list[dict]] = {}
    for file in sorted(folder.glob(f"*-{n}-*{suffix}.json")):
        if offset and "no-offset" in file.name:
            continue
        run = json.loads(file.read_text())
        run["values"] = {k: np.array(v) for k, v in run["values"].items()}
        found.setdefault(run["set"], []).append(run)
    return found


def choose(values: np.ndarray) -> tuple[int, int]:
    """Smallest value; of equals the smallest cost, then the widest kernel."""
    i, j = np.nonzero(values == values.min())
    k = np.lexsort((-i, j))[0]
    return int(i[k]), int(j[k])


def excess(runs: list[dict], code: str) -> float:
    """Mean excess over the oracle of each training set that has the criterion."""
    found = []
    for run in runs:
        test = run["values"]["test"]
        if code == SEARCH:
            found.append(run["search"] - test.min())
        elif code in run["values"]:
            found.append(test[choose(run["values"][code])] - test.min())
    return float(np.mean(found))


def summary(folder: Path, n: int = 100, offset: bool = True) -> dict:
    """Excess of every criterion on every set, runs and oracle."""
    data = load(folder, n, offset)
    names = [name for name in PRINTED if name in data]
    return {
        "n": n,
        "offset": offset,
        "sets": {
            name: {
                "runs": len(data[name]),
                "oracle": float(np.mean([r["values"]["test"].min() for r in data[name]])),
                **{
                    code: excess(data[name], code)
                    for code in (*COLUMNS, *OTHERS)
                    if code == SEARCH or any(code in run["values"] for run in data[name])
                },
            }
            for name in names
        },
    }


def curves(folder: Path, n: int = 100) -> dict:
    """Figures 3 to 6 as numbers: errors over C, parts of C3, criteria over sigma at C = 100."""
    data = load(folder, n)
    found = {}
    for name, runs in data.items():
        per_cost = {}
        for code in (
            "C1",
            "C2",
            "C3",
            "C4",
            "C5",
            "span",
            "rm",
            "trace",
            "cs",
            "cv-smooth",
            "test",
        ):
            rows = []
            for run in runs:
                test, values = run["values"]["test"], run["values"][code]
                rows.append([test[values[:, j].argmin(), j] for j in range(values.shape[1])])
            per_cost[code] = np.mean(rows, axis=0).round(5).tolist()
        parts = []
        for run in runs:
            best = run["values"]["C3"].argmin(axis=0)
            parts.append([[np.array(p)[b, j] for j, b in enumerate(best)] for p in run["parts"]])
        middle = 2
        over_sigma = {
            code: np.mean([_finite(r["values"][code][:, middle]) for r in runs], axis=0).tolist()
            for code in ("C2", "C3", "span", "trace", "cs", "cv-smooth", "test")
        }
        found[name] = {
            "test error over C": per_cost,
            "parts of C3 over C": np.mean(parts, axis=0).round(5).tolist(),
            "over sigma at C=100": over_sigma,
        }
    return {"C": thesis.COSTS.tolist(), "sigma": thesis.SIGMAS.tolist(), "sets": found}


def _finite(values: np.ndarray) -> np.ndarray:
    good = values[values < 1e299]
    return np.minimum(values, good.max() if good.size else 1.0)


def larger_text(result: dict) -> str:
    """Mean excess at another sample size, for which the thesis prints no numbers."""
    rows = result.get("sets", {})
    if not rows:
        return ""
    runs = sum(row["runs"] for row in rows.values())
    codes = [c for c in (*COLUMNS, *OTHERS) if all(c in row for row in rows.values())]
    every = {c: float(np.mean([row[c] for row in rows.values()])) for c in codes}
    listed = ", ".join(f"{c} {every[c]:.4f}" for c in sorted(every, key=every.__getitem__))
    return (
        f"With {result['n']} training rows ({len(rows)} sets, {runs} training sets; the thesis "
        f"calls its results at this size comparable and prints none), mean excess: {listed}.\n"
    )


def text(result: dict, without: dict | None = None) -> str:
    """Table IV.1 beside the printed one, in Markdown."""
    rows = result["sets"]
    lines = [
        "| data set | runs | oracle | " + " | ".join(COLUMNS) + " |",
        "|---" * (len(COLUMNS) + 3) + "|",
    ]
    for name, row in rows.items():
        cells = [f"{row[c]:.3f} ({p:.3f})" for c, p in zip(COLUMNS, PRINTED[name][1:], strict=True)]
        oracle = f"{row['oracle']:.3f} ({PRINTED[name][0]:.3f})"
        lines.append(f"| {name} | {row['runs']} | {oracle} | " + " | ".join(cells) + " |")
    ours = [np.mean([r[c] for r in rows.values()]) for c in COLUMNS]
    printed = [np.mean([PRINTED[name][k + 1] for name in rows]) for k in range(len(COLUMNS))]
    cells = [f"**{a:.4f}** ({b:.4f})" for a, b in zip(ours, printed, strict=True)]
    lines.append(f"| mean of {len(rows)} sets | | | " + " | ".join(cells) + " |")
    lines += ["", "| criterion | mean excess | median | worst |", "|---|---|---|---|"]
    every = {c: np.array([r[c] for r in rows.values() if c in r]) for c in (*COLUMNS, *OTHERS)}
    every = {c: values for c, values in every.items() if values.size}
    for code in sorted(every, key=lambda c: np.mean(every[c])):
        values = every[code]
        lines.append(
            f"| {code} | {np.mean(values):.4f} | {np.median(values):.4f} | {np.max(values):.3f} |"
        )
    if without and without["sets"]:
        common = [name for name in without["sets"] if name in rows]
        lines += ["", f"Readings of the offset, on the {len(common)} sets that have both:", ""]
        lines += ["| | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
        for label, table in (("with offset", rows), ("without, centred", without["sets"])):
            means = [np.mean([table[name][c] for name in common]) for c in COLUMNS]
            lines.append(f"| {label} | " + " | ".join(f"{m:.4f}" for m in means) + " |")
        means = [np.mean([PRINTED[name][k + 1] for name in common]) for k in range(len(COLUMNS))]
        lines.append("| printed | " + " | ".join(f"{m:.4f}" for m in means) + " |")
    return "\n".join(lines)
