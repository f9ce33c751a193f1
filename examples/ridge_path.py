"""Kernel ridge: leave-one-out along the whole path of penalties, and what other losses fit.

The picture goes to the folder given (default: here).
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer import KernelRidge
from mercer.learners.regression import RegularizedRiskRegressor
from mercer.losses import Huber, Quantile

matplotlib.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(-3, 3, 120))[:, None]
y = np.sin(2 * X[:, 0]) * np.exp(-(X[:, 0] ** 2) / 6) + 0.2 * rng.normal(size=120)
grid = np.linspace(-3.2, 3.2, 400)[:, None]

model = KernelRidge("loo", kernel="rbf", gamma=1.0).fit(X, y)
print(f"alpha = {model.alpha_:.3g}, leave-one-out error {-model.loo_score_:.4f}, {model.solver_}")

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
left.loglog(model.path_.alphas, model.path_.errors[:, 0], "o-", markersize=4, label="leave-one-out")
left.axvline(model.alpha_, color="0.5", linestyle="--", linewidth=1, label="chosen")
left.set(xlabel="alpha", ylabel="mean squared error", title="20 penalties, one decomposition")
left.legend(frameon=False)

middle.plot(X, y, ".", color="0.6", markersize=4)
curves = model.predict_path(grid)
names = {0: "too small", int(np.argmin(model.path_.errors)): "chosen", 19: "too large"}
for place, name in names.items():
    middle.plot(grid, curves[place], label=f"{name}: {model.path_.alphas[place]:.2g}")
middle.set(xlabel="x", title="three points of the path", ylim=(-1.6, 1.6))
middle.legend(frameon=False, fontsize=8)

spoiled = y.copy()
spoiled[::12] += 3.0  # a few wild targets
right.plot(X, spoiled, ".", color="0.6", markersize=4)
for loss, name in {"square": "square", Huber(0.2): "Huber", Quantile(0.9): "90 % quantile"}.items():
    fit = RegularizedRiskRegressor(loss, C=3.0, gamma=1.0).fit(X, spoiled)
    print(f"{name}: duality gap {fit.dual_gap_:.1e} by {fit.solver_}")
    right.plot(grid, fit.predict(grid), label=name)
right.set(xlabel="x", title="other losses, wild targets")
right.legend(frameon=False, fontsize=8)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "ridge-path.png", dpi=110)
