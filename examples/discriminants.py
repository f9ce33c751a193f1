"""Six ways to draw a line between two classes, one of them the best possible.

The picture goes to the folder given (default: here).
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer import datasets
from mercer.learners.discriminant import (
    ExponentialFamilyClassifier,
    FisherDiscriminant,
    KernelFisher,
    KernelLogistic,
    LinearERM,
    ParzenClassifier,
)

matplotlib.use("Agg")
import matplotlib.pyplot as plt

X, y, law = datasets.make_moons(80, scale=0.35, random_state=1)
models = {
    "Fisher": FisherDiscriminant(),
    "fewest errors of any line": LinearERM(),
    "normal densities": ExponentialFamilyClassifier(),
    "Parzen windows": ParzenClassifier(gamma=4.0),
    "kernel Fisher": KernelFisher(gamma=1.0, reg_param=0.01),
    "kernel logistic": KernelLogistic(gamma=1.0, C=10.0),
}
low, high = X.min(axis=0) - 0.5, X.max(axis=0) + 0.5
columns = np.meshgrid(*(np.linspace(a, b, 150) for a, b in zip(low, high, strict=True)))
points = np.column_stack([c.ravel() for c in columns])
truth = law.posterior(points)[:, 1].reshape(columns[0].shape)

figure, axes = plt.subplots(2, 3, figsize=(11, 6.6), layout="constrained", sharex=True, sharey=True)
for (name, model), ax in zip(models.items(), axes.flat, strict=True):
    model.fit(X, y)
    value = model.decision_function(points).reshape(columns[0].shape)
    ax.contourf(*columns, value >= 0, levels=[-0.5, 0.5, 1.5], colors=["#e7f0fa", "#fdebdc"])
    ax.contour(*columns, truth, levels=[0.5], colors="0.4", linestyles="--", linewidths=1)
    for label, colour in ((-1, "#1f77b4"), (1, "#ff7f0e")):
        ax.plot(*X[y == label].T, ".", color=colour, markersize=5)
    risk = law.risk(model.predict, n=20_000)
    ax.set_title(f"{name}: risk {100 * risk:.1f} %", fontsize=10)
    print(f"{name:>26}: {model.evidence_.errors} training errors, true risk {100 * risk:.1f} %")
figure.suptitle(f"dashed: the Bayes rule, {100 * law.bayes_risk:.1f} %", fontsize=10)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "discriminants.png", dpi=110)
