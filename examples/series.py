"""Time series: nearest neighbours under warping, and a kernel that is one.

With the files of aeon (``pip install --no-deps aeon``) the series are GunPoint of the UCR archive,
a hand that points or draws a gun; without them, cylinders, bells and funnels are generated. The
picture goes to the folder given (default: here).
"""

import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mercer import SVC, metrics
from mercer.datasets import load_series
from mercer.kernels import GlobalAlignment
from mercer.learners.metric import LipschitzClassifier, NotAMetricWarning
from mercer.metrics import DTW

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def generated(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Saito's cylinder, bell and funnel."""
    rng = np.random.default_rng(seed)
    X, y = np.empty(n, dtype=object), rng.integers(0, 3, size=n)
    t = np.arange(60)
    for i, kind in enumerate(y):
        a, width = rng.integers(8, 20), rng.integers(15, 35)
        shape = [np.ones(60), (t - a) / width, 1 - (t - a) / width][kind]
        X[i] = (6 + rng.normal()) * ((t >= a) & (t <= a + width)) * shape + rng.normal(size=60)
        X[i] = (X[i] - X[i].mean()) / X[i].std()
    return X, y


try:
    train, held_out = load_series("GunPoint"), load_series("GunPoint", "test")
    name, (X, y), (T, z) = "GunPoint", (train.X, train.y), (held_out.X, held_out.y)
    known = "known (UCR archive): nearest neighbour 8.67 %, with warping 9.33 %"
except ModuleNotFoundError as missing:
    print(f"{missing}; generated series instead")
    name, (X, y), (T, z) = "cylinder, bell, funnel", generated(60, 0), generated(150, 1)
    known = ""

print(f"{name}: {len(X)} series to learn, {len(T)} to test, {len(X[0])} moments")
D, Q = DTW()(X), DTW()(T, X)
plain = np.array([[np.linalg.norm(a - b) for b in X] for a in T])
errors = {"nearest neighbour": np.mean(y[plain.argmin(axis=1)] != z)}
with warnings.catch_warnings():
    warnings.simplefilter("ignore", NotAMetricWarning)  # warping is no metric: reported below
    nearest = LipschitzClassifier("precomputed", C=np.inf).fit(D, y)
    errors["nearest, warped"] = np.mean(nearest.predict(Q) != z)
scales = {}
for scale in (0.5, 1.0, 3.0):  # chosen on the training series alone
    K = GlobalAlignment(length_scale=scale)(X)
    left_out = cross_val_predict(SVC(kernel="precomputed", C=100.0), K, y, cv=LeaveOneOut())
    scales[scale] = np.mean(left_out != y)
best = min(scales, key=scales.__getitem__)
model = SVC(kernel=GlobalAlignment(length_scale=best), C=100.0).fit(X, y)
errors["alignment kernel"] = np.mean(model.predict(T) != z)
for way, error in errors.items():
    print(f"  {way:<18} {100 * error:5.2f} % of the test series wrong")
print(f"  {known}" if known else "  (no published rates for generated series)")
report = metrics.report(D)
print(report.explain())

figure, axes = plt.subplots(1, 3, figsize=(12.5, 3.6), layout="constrained")
colours = ("#0072B2", "#E69F00", "#009E73")
for kind in np.unique(y):
    for i in np.flatnonzero(y == kind)[:5]:
        axes[0].plot(X[i], color=colours[kind], lw=0.9, alpha=0.8)
axes[0].set_title(name, fontsize=10)
axes[0].set_xlabel("moment")
points = metrics.stress_mds(D, 2).points
for kind in np.unique(y):
    axes[1].plot(*points[y == kind].T, "o", ms=4, color=colours[kind])
axes[1].set_title("map of the warping distances", fontsize=10)
axes[2].barh(list(errors), [100 * e for e in errors.values()], color=["0.7", "0.5", "#0072B2"])
axes[2].invert_yaxis()
axes[2].set_xlabel("% of the test series wrong")
axes[2].set_title("error on new series", fontsize=10)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "series.png", dpi=110)
