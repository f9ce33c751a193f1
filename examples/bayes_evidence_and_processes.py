"""Evidence and Gaussian processes: figures 3.1, 3.2 and 3.3 of Herbrich's book.

Evidence prefers the simplest model that explains the labels; over the hyper-parameters of a
regression it has more than one peak; and functions drawn from a prior show what a length scale
means.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import binom

from mercer import GaussianProcessRegressor
from mercer.kernels import Mahalanobis
from mercer.learners.bayes import choose_model
from mercer.plots import EvidenceSurfaceDisplay, GaussianProcessDisplay

# Figure 3.1: a simple model spends its probability on few labelings of five points.
labelings = np.arange(32)
simple, complex_ = binom.pmf(labelings, 31, 0.5), np.full(32, 1 / 32)
for labeling in (16, 28):
    best, _ = choose_model(np.log([simple[labeling], complex_[labeling]]))
    print(f"labeling {labeling}: the {('simple', 'complex')[best]} model has more evidence")

# Figure 3.2: seven points, and the evidence over length scale and noise.
x = np.array([0.1743, 0.8056, 1.8277, 2.8950, 3.9622, 5.2700, 6.0667])
t = np.array([0.0288, 1.1228, 1.5135, 0.5200, -0.6633, -1.0205, 0.1181])
kernel = Mahalanobis(np.sqrt(2.0))
model = GaussianProcessRegressor.automatic(kernel, noise="learn", alpha=0.0, normalize_y=False)
model.fit(x[:, None], t)
length = model.kernel_.length_scale / np.sqrt(2.0)
print(f"largest evidence {model.log_marginal_likelihood():.3f} at length {length:.3f}")

figure, axes = plt.subplots(2, 3, figsize=(15, 8.5))
axes[0, 0].bar(labelings - 0.2, simple, 0.4, label="simple model")
axes[0, 0].bar(labelings + 0.2, complex_, 0.4, label="complex model")
axes[0, 0].set(title="3.1: evidence of 32 labelings", xlabel="labeling", ylabel="probability")
axes[0, 0].legend(frameon=False)
EvidenceSurfaceDisplay.from_estimator(
    model,
    np.sqrt(2.0) * np.linspace(0.1, 3.5, 40),
    np.linspace(0.003, 0.6, 30),
    ax=axes[0, 1],
    title="3.2: log evidence",
    depth=6.0,
)
line = np.linspace(-1, 8, 200)
GaussianProcessDisplay.from_estimator(
    model, line, y=t, n_samples=0, ax=axes[0, 2], title="3.2: at the largest evidence"
)
vague = GaussianProcessRegressor.automatic(
    Mahalanobis(3.0 * np.sqrt(2.0)), noise=0.5, optimizer=None, normalize_y=False
).fit(x[:, None], t)
GaussianProcessDisplay.from_estimator(
    vague, line, y=t, n_samples=0, ax=axes[1, 0], title="3.2: length 3, noise 0.5"
)

# Figure 3.3: functions of two inputs, drawn from priors with equal and with unequal scales.
side = np.linspace(-10, 10, 25)
grid = np.array([[a, b] for a in side for b in side])
for ax, scales in ((axes[1, 1], [5.0, 5.0]), (axes[1, 2], [100.0, 5.0])):
    prior = GaussianProcessRegressor.automatic(Mahalanobis(np.sqrt(scales)))
    surface = prior.sample_y(grid, 1, random_state=3)[:, 0].reshape(25, 25)
    ax.contourf(side, side, surface.T, levels=20, cmap="RdBu")
    ax.set(title=f"3.3: squared scales {scales[0]:g} and {scales[1]:g}", xlabel="x₁", ylabel="x₂")
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "bayes_evidence_and_processes.png", dpi=80)
print(f"drawn: {folder / 'bayes_evidence_and_processes.png'}")
