"""Perceptrons: updates against Novikoff's limit, and what averaging does on noisy data."""

import sys
import warnings
from pathlib import Path

import matplotlib

from mercer import datasets
from mercer.kernels import Gaussian
from mercer.learners.margin import KernelPerceptron, novikoff_report
from mercer.plots import DecisionRegionDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
X, y, _ = datasets.make_moons(120, scale=0.12, random_state=0)
clean = KernelPerceptron(kernel=Gaussian(0.3), max_iter=500).fit(X, y)
print(novikoff_report(clean, X, y))
print("rows that rebuild the rule:", len(clean.mistakes_.distinct), "of", len(y))
print(clean.certificate_)

noisy, labels, _ = datasets.make_moons(200, scale=0.35, random_state=1)
figure, axes = plt.subplots(1, 3, figsize=(14, 4.2), layout="constrained")
for ax, combine in zip(axes, ("last", "average", "vote"), strict=True):
    model = KernelPerceptron(kernel=Gaussian(0.5), max_iter=10, combine=combine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # overlapping classes: the last rule is arbitrary
        model.fit(noisy, labels)
    fresh, truth, _ = datasets.make_moons(2000, scale=0.35, random_state=2)
    error = 1 - model.score(fresh, truth)
    print(f"{combine:8s} {model.mistakes_.n_updates} updates, error on fresh rows {error:.3f}")
    DecisionRegionDisplay.from_estimator(
        model, noisy, labels, ax=ax, grid=150, legend=False, title=f"{combine}: error {error:.3f}"
    )
figure.savefig(folder / "perceptrons.png", dpi=110)
