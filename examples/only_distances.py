"""You only have a distance: is it a metric, what does it look like, what can be learned?

Series of three shapes under dynamic time warping. The picture goes to the folder given (default:
here).
"""

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np

from mercer import metrics
from mercer.learners.metric import LipschitzClassifier, NotAMetricWarning
from mercer.metrics import DTW

matplotlib.use("Agg")
import matplotlib.pyplot as plt

rng = np.random.default_rng(0)
KINDS = ("cylinder", "bell", "funnel")


def series(kind: str) -> np.ndarray:
    """Saito's shapes: a plateau, a rise that drops, a jump that falls, of random length."""
    t = np.arange(50)
    a, width = rng.integers(8, 16), rng.integers(15, 30)
    inside = (t >= a) & (t <= a + width)
    ramp = {"cylinder": np.ones(50), "bell": (t - a) / width, "funnel": 1 - (t - a) / width}[kind]
    return (6 + rng.normal()) * inside * ramp + rng.normal(0, 0.5, size=50)


labels = np.repeat(KINDS, 40)
X = [series(kind) for kind in labels]
test_labels = np.repeat(KINDS, 50)
test = [series(kind) for kind in test_labels]
D = DTW()(X)
report = metrics.report(D)
print(report.explain())
repaired = metrics.shortest_paths(D)
print(repaired.explain())

with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotAMetricWarning)  # said above
    errors = {}
    for C in (0.001, 0.05, np.inf):
        model = LipschitzClassifier(DTW(), C=C).fit(X, labels)
        errors[C] = np.mean(model.predict(test) != test_labels)
        print(
            f"C = {C:<6} Lipschitz constants {np.round(model.constant_, 3)}, "
            f"{100 * errors[C]:.1f} % of 150 new series wrong"
        )

figure, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
colours = dict(zip(KINDS, ("#0072B2", "#E69F00", "#009E73"), strict=True))
for kind in KINDS:
    for i in np.flatnonzero(labels == kind)[:3]:
        axes[0].plot(X[i], color=colours[kind], lw=1, alpha=0.8)
axes[0].set_title("three shapes, stretched at random", fontsize=10)
points = metrics.stress_mds(D, 2).points
for kind in KINDS:
    axes[1].plot(*points[labels == kind].T, ".", color=colours[kind], label=kind)
axes[1].legend(frameon=False, fontsize=8)
axes[1].set_title("two-dimensional map of the distances", fontsize=10)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", metrics.NotEuclideanWarning)  # what the bars are to show
    spectrum = np.sort(np.linalg.eigvalsh(metrics.kernel_from_distance(D)))[::-1]
axes[2].bar(np.arange(len(spectrum)), spectrum, color=np.where(spectrum < 0, "#D55E00", "#0072B2"))
p, q = report.signature
axes[2].set_title(f"not Euclidean: {p} positive, {q} negative directions", fontsize=10)
axes[2].set_xlabel("eigenvalue of −½ J D² J, sorted")
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "only_distances.png", dpi=110)
