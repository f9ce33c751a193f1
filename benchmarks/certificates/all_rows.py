"""The model trained on all rows, where in-sample bounds are tight: regressions and outliers.

``python -m benchmarks.certificates.all_rows``. A support vector regression with a tube, and a
one-class machine, keep (almost) only the rows they get wrong, so the scenario interval, which
counts kept rows, is about as sharp as a test on unseen rows, and none has to be held out.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

import mercer
from mercer import SVR, OneClassSVM, certified_fit, datasets

RESULTS = Path(__file__).parent / "results" / "all_rows.json"
DRAWS, FRESH = 20, 5000


def sinc(n: int, rng: Any) -> tuple[Any, Any]:
    X = rng.uniform(-3, 3, (n, 1))
    return X, np.sinc(X[:, 0]) + 0.2 * rng.normal(size=n)


def friedman(n: int, rng: Any) -> tuple[Any, Any]:
    X = rng.uniform(size=(n, 10))
    smooth = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2
    return X, smooth + 10 * X[:, 3] + 5 * X[:, 4] + rng.normal(size=n)


def diabetes(n: int, rng: Any) -> tuple[Any, Any]:
    table = load_diabetes()
    mine = rng.permutation(len(table.target))[:n]
    return table.data[mine] * 20, table.target[mine] / 77  # about unit spread


def normal(n: int, rng: Any) -> tuple[Any, None]:
    return datasets.make_twonorm(2, random_state=0)[2].sample(n, rng)[0], None


def cases() -> dict[str, tuple[Callable[..., Any], int, Any, bool]]:
    """Draw, rows, machine, and whether fresh rows can be drawn."""
    small, wide = SVR(gamma=1.0, epsilon=0.5), SVR(gamma=0.5, C=10.0, epsilon=3.0)
    outliers = OneClassSVM(gamma=0.02, nu=0.05)
    return {
        "sinc 300, tube 0.5": (sinc, 300, small, True),
        "sinc 1000, tube 0.5": (sinc, 1000, small, True),
        "friedman 300, tube 3": (friedman, 300, wide, True),
        "friedman 1000, tube 3": (friedman, 1000, wide, True),
        "diabetes 442, tube 1.5": (diabetes, 442, SVR(gamma=0.02, epsilon=1.5), False),
        "diabetes 442, tube 1": (diabetes, 442, SVR(gamma=0.02, epsilon=1.0), False),
        "one-class, twonorm 300": (normal, 300, outliers, True),
        "one-class, twonorm 1000": (normal, 1000, outliers, True),
    }


def wrong_rate(model: Any, X: Any, y: Any) -> float:
    if y is None:
        return float(np.mean(model.predict(X) == -1))
    return float(np.mean(np.abs(y - model.predict(X)) > model.epsilon))


def measure(draw: Any, n: int, machine: Any, known: bool) -> dict[str, float]:
    lines = []
    for seed in range(1000, 1000 + DRAWS):
        rng = np.random.default_rng(seed)
        X, y = draw(n, rng)
        whole, bar, auto = (
            certified_fit(machine, X, y, mode=mode, random_state=seed)
            for mode in ("in-sample", "holdout", "auto")
        )
        truth = wrong_rate(whole, *draw(FRESH, rng)) if known else np.nan
        value, low = whole.certificate_.value, whole.certificate_.lower or 0.0
        others = (bar.certificate_.value, auto.certificate_.value)
        lines.append((value, *others, truth, float(truth > value or truth < low)))
    value, bar, auto, truth, wrong = np.array(lines).T
    return {
        "all rows": float(value.mean()),
        "80/20 bar": float(bar.mean()),
        "ratio": float(value.mean() / bar.mean()),
        "auto ratio": float(auto.mean() / bar.mean()),
        "rate": float(truth.mean()),
        "violations": float(wrong.sum()) if known else float("nan"),
        "draws": DRAWS,
    }


def main() -> None:
    mercer.set_config(n_threads=1)
    found = {name: measure(*case) for name, case in cases().items()}
    for name, row in found.items():
        print(name, {k: round(v, 4) for k, v in row.items()})
    plain = {k: {a: None if b != b else b for a, b in row.items()} for k, row in found.items()}
    RESULTS.write_text(json.dumps(plain, indent=1) + "\n")


if __name__ == "__main__":
    main()
