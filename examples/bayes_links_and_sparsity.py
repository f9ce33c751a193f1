"""Links, losses and sparse priors: figures 3.4, 3.5 and 3.6 of Herbrich's book.

How a latent function becomes a class probability, why the hinge loss is no likelihood, and why the
weights of a relevance vector machine vanish.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.special import expit

from mercer import RelevanceVectorRegressor
from mercer.kernels import Gaussian
from mercer.learners.bayes import weight_log_prior
from mercer.learners.bayes.gp.links import slope
from mercer.plots import MarginalPriorDisplay

figure, axes = plt.subplots(2, 3, figsize=(15, 8.5))

# Figure 3.4: one latent function, three noise levels of equation (3.16).
x = np.linspace(0, 10, 300)
latent = 2.0 * np.sin(x) + 0.5 * np.cos(2.3 * x)
axes[0, 0].plot(x, latent, color="k", lw=1)
axes[0, 0].set(title="3.4: a latent function", xlabel="x", ylabel="t")
for beta in (0.1, 1.0, 5.0):
    axes[0, 1].plot(x, expit(slope(beta, "twice") * latent), label=f"β = {beta:g}")
axes[0, 1].set(title="3.4: P(+1 | x), smoother for larger β", xlabel="x")
axes[0, 1].legend(frameon=False)

# Figure 3.5: sigmoidal losses, and the sum of the hinge "likelihood" over both classes.
u = np.linspace(-2, 1, 300)
for beta in (0.5, 1.0, 2.0):
    loss = -np.log(expit(-slope(beta, "twice") * u)) / np.log(2.0)
    axes[0, 2].plot(u, loss, label=f"sigmoidal, β = {beta:g}")
axes[0, 2].plot(u, (u > 0).astype(float), "k", lw=1, label="zero-one")
axes[0, 2].set(title="3.5: losses", xlabel="-y f(x)", ylim=(0, 4))
axes[0, 2].legend(frameon=False, fontsize=8)
t = np.linspace(-2, 2, 300)
hinge = {y: np.exp(-np.maximum(1 - y * t, 0.0)) for y in (1, -1)}
total = hinge[1] + hinge[-1]
axes[1, 0].plot(t, hinge[1], label="y = +1")
axes[1, 0].plot(t, hinge[-1], label="y = -1")
axes[1, 0].plot(t, total, "k", label="sum: not constant")
axes[1, 0].set(title="3.5: exp(-hinge) is no likelihood", xlabel="t")
axes[1, 0].legend(frameon=False)
print(f"exp(-hinge) sums to {total[150]:.3f} at t = 0 and to {total.max():.3f} at |t| = 1")

# Figure 3.6: the marginal prior of a weight in one and two dimensions.
MarginalPriorDisplay().plot(ax=axes[1, 1], title="3.6: marginal prior of one weight")
w = np.linspace(-2, 2, 121)
surface = weight_log_prior(w, 1e-3, 1e3)[:, None] + weight_log_prior(w, 1e-3, 1e3)[None, :]
axes[1, 2].contourf(w, w, surface, levels=25, cmap="Blues")
axes[1, 2].set(title="3.6: two weights, a cross of mass on the axes", xlabel="w₁", ylabel="w₂")

rng = np.random.default_rng(0)
X = rng.uniform(-10, 10, size=(100, 1))
y = np.sinc(X[:, 0] / np.pi) + 0.1 * rng.normal(size=100)
machine = RelevanceVectorRegressor(Gaussian(2.0)).fit(X, y)
print(f"{len(machine.relevance_)} of 100 weights survive, noise {machine.noise_**0.5:.3f}")

figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "bayes_links_and_sparsity.png", dpi=80)
print(f"drawn: {folder / 'bayes_links_and_sparsity.png'}")
