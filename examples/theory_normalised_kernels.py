"""Does scaling every feature vector to length one help? (figure 5.1 of Herbrich's book)

The PAC-Bayesian margin bound depends on y⟨w,x⟩/(‖w‖‖x‖), which suggests k(x,y)/√(k(x,x)k(y,y)).
Complete polynomial kernels of growing degree, many random splits, bars of one standard deviation.
The book used thyroid and sonar; here it is the breast-cancer table that scikit-learn carries.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import SVC
from mercer.kernels import Polynomial

X, y = load_breast_cancer(return_X_y=True)
degrees, splits = [1, 2, 3, 4, 5], 15
errors = {"raw": np.zeros((splits, 5)), "normalised": np.zeros((splits, 5))}
rng = np.random.default_rng(0)
for split in range(splits):
    order = rng.permutation(len(y))
    train, test = order[:200], order[200:]
    scaler = StandardScaler().fit(X[train])
    Z = scaler.transform(X) / np.sqrt(X.shape[1])
    for i, degree in enumerate(degrees):
        kernel = Polynomial(degree=degree, coef0=1.0)
        for name, k in (("raw", kernel), ("normalised", kernel.normalised())):
            machine = SVC(kernel=k, C=10.0, certify="none").fit(Z[train], y[train])
            errors[name][split, i] = np.mean(machine.predict(Z[test]) != y[test])

figure, ax = plt.subplots(figsize=(6, 4))
for name, values in errors.items():
    ax.errorbar(degrees, values.mean(0), values.std(0), label=name, capsize=3)
    print(f"{name:<11}" + "".join(f"{v:>8.3f}" for v in values.mean(0)))
better = np.mean(errors["normalised"] <= errors["raw"], axis=0)
print("share of splits where normalising is no worse: " + "  ".join(f"{b:.2f}" for b in better))
ax.set(xlabel="degree", ylabel="error on fresh rows", title="Normalised against raw kernels")
ax.legend()
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_normalised_kernels.png", dpi=100)
print(f"drawn: {folder / 'theory_normalised_kernels.png'}")
