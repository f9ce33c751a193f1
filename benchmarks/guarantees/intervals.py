"""Prediction intervals with coverage 0.9: order statistic with confidence, MAPIE, crepes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from crepes import ConformalRegressor
from mapie.regression import SplitConformalRegressor
from scipy.stats import norm
from sklearn.linear_model import LinearRegression

from mercer.bounds.numerics.order_statistics import quantile_rank

COVERAGE, DELTA = 0.9, 0.05
NEW = np.linspace(-3, 3, 201)[:, None]
SHARE = norm.pdf(NEW[:, 0]) / norm.pdf(NEW[:, 0]).sum()


def rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """A line and normal noise of size 1."""
    x = rng.normal(size=(n, 1))
    return x, x[:, 0] + rng.normal(size=n)


def half_widths(model: LinearRegression, x: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Of every tool, from the same held-out rows."""
    residuals = y - model.predict(x)
    rank = quantile_rank(len(y), COVERAGE, DELTA)
    found = {"mercer": float(np.sort(np.abs(residuals))[rank - 1])}
    mapie = SplitConformalRegressor(model, confidence_level=COVERAGE, prefit=True)
    _, ends = mapie.conformalize(x, y).predict_interval(NEW[:1])
    found["MAPIE"] = float(ends[0, 1, 0] - ends[0, 0, 0]) / 2
    crepes = ConformalRegressor().fit(residuals)
    ends = crepes.predict_int(model.predict(NEW[:1]), confidence=COVERAGE)
    found["crepes"] = float(ends[0, 1] - ends[0, 0]) / 2
    return found


def table(draws: int) -> Iterator[str]:
    """Rows of Markdown: violations are draws whose true coverage, by quadrature, is below 0.9."""
    yield "| held-out rows | tool | mean coverage | P(coverage < 0.9) | half-width / oracle |"
    yield "|---|---|---|---|---|"
    for m in (40, 100, 400):
        rng = np.random.default_rng(m)
        seen: dict[str, list[tuple[float, float]]] = {}
        for _ in range(draws):
            model = LinearRegression().fit(*rows(rng, 200))
            off = model.predict(NEW) - NEW[:, 0]
            for tool, half in half_widths(model, *rows(rng, m)).items():
                inside = norm.cdf(off + half) - norm.cdf(off - half)
                seen.setdefault(tool, []).append((float(SHARE @ inside), half))
        for tool, pairs in seen.items():
            coverage, half = np.array(pairs).T
            ratio = half.mean() / norm.ppf((1 + COVERAGE) / 2)
            bad = np.mean(coverage < COVERAGE)
            yield f"| {m} | {tool} | {coverage.mean():.3f} | {bad:.3f} | {ratio:.2f} |"
