"""The adaptive margin machine over λ: from no regularisation to the leave-one-out machine."""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer import datasets
from mercer.kernels import Gaussian
from mercer.learners.margin import AdaptiveMarginMachine, amm_path
from mercer.plots import DecisionRegionDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y, law = datasets.make_moons(150, scale=0.3, random_state=0)
fresh, truth, _ = datasets.make_moons(3000, scale=0.3, random_state=1)
kernel = Gaussian(0.6)
path = amm_path(X, y, np.linspace(0.0, 2.0, 11), AdaptiveMarginMachine(kernel=kernel))
for lam, objective, count, wrong in zip(
    path.lambdas, path.objectives, path.n_support, path.training_errors, strict=True
):
    print(f"λ = {lam:.1f}: Σξ = {objective:8.3f}, {count:3d} rows, training error {wrong:.3f}")

figure, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
for ax, lam in zip(axes, (0.05, 0.5, 1.0), strict=True):
    model = AdaptiveMarginMachine(lam, kernel=kernel).fit(X, y)
    error = 1 - model.score(fresh, truth)
    DecisionRegionDisplay.from_estimator(
        model,
        X,
        y,
        ax=ax,
        grid=150,
        legend=False,
        title=f"λ = {lam}: {len(model.support_)} rows, error {error:.3f}",
    )
figure.savefig(folder / "adaptive-margin.png", dpi=110)
