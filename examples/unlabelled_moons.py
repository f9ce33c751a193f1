"""Two moons, step by step: similarities, spectrum, eigenvector, clusters, and a verdict.

Beside them noise of the same extent: the same method also splits it, but the report says so.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from mercer import SpectralClustering
from mercer.plots import EmbeddingDisplay, FiedlerDisplay, SpectrumDisplay

figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
moons = make_moons(300, noise=0.06, random_state=0)[0]
noise = np.random.default_rng(0).uniform(moons.min(axis=0), moons.max(axis=0), size=(300, 2))
for row, (name, X) in zip(axes, (("moons", moons), ("noise", noise)), strict=True):
    model = SpectralClustering(2, affinity="kernel", random_state=0).fit(X)
    report = model.trust(subsamples=10, noise=5)
    EmbeddingDisplay(points=X, groups=model.labels_, names=("x", "y")).plot(row[0])
    row[0].set_title(f"{name}: {report.verdict}", loc="left", fontweight="bold")
    SpectrumDisplay.from_estimator(model, ax=row[1])
    FiedlerDisplay.from_estimator(model, ax=row[2])
    print(f"{name}\n{report}\n")
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "unlabelled_moons.png", dpi=90)
print(f"drawn: {folder / 'unlabelled_moons.png'}")
