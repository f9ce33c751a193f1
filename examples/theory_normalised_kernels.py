"""Does scaling every feature vector to length one help? (figure 5.1 of Herbrich's book)

The PAC-Bayesian margin bound depends on y⟨w,x⟩/(‖w‖‖x‖), which suggests k(x,y)/√(k(x,x)k(y,y)).
Complete polynomial kernels of growing degree, many random splits, bars of one standard deviation.
The book used thyroid (140 rows to learn from) and sonar (124), hard margins and no offset. Here it
is the breast-cancer table that scikit-learn carries, unless files are named: ``FOLDER
thyroid.csv:140 sonar.csv:124`` takes tables of numbers whose last column is the class.
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


def tables():
    """Name, inputs, labels and rows to learn from."""
    if len(sys.argv) < 3:
        yield "breast cancer", *load_breast_cancer(return_X_y=True), 200
    for argument in sys.argv[2:]:
        path, rows = argument.rsplit(":", 1)
        cells = np.genfromtxt(path, dtype=str, delimiter=",", autostrip=True)
        yield Path(path).stem, cells[:, :-1].astype(float), cells[:, -1], int(rows)


own = len(sys.argv) > 2
degrees, splits = (range(2, 21, 2), 40) if own else (range(1, 6), 15)
found = list(tables())
figure, axes = plt.subplots(1, len(found), figsize=(6 * len(found), 4), squeeze=False)
for ax, (name, X, y, rows) in zip(axes[0], found, strict=True):
    errors = {kind: np.zeros((splits, len(degrees))) for kind in ("raw", "normalised")}
    rng = np.random.default_rng(0)
    for split in range(splits):
        order = rng.permutation(len(y))
        train, test = order[:rows], order[rows:]
        Z = StandardScaler().fit(X[train]).transform(X) / np.sqrt(X.shape[1])
        for i, degree in enumerate(degrees):
            kernel = Polynomial(degree=degree, coef0=1.0)
            for kind, k in (("raw", kernel), ("normalised", kernel.normalised())):
                settings = {"C": 1e6, "fit_intercept": False} if own else {"C": 10.0}
                machine = SVC(kernel=k, certify=None, **settings).fit(Z[train], y[train])
                errors[kind][split, i] = np.mean(machine.predict(Z[test]) != y[test])
    print(f"{name}: {rows} rows to learn from, {len(y) - rows} to count errors on, {splits} splits")
    for kind, values in errors.items():
        ax.errorbar(degrees, values.mean(0), values.std(0), label=kind, capsize=3)
        print(f"{kind:<11}" + "".join(f"{v:>8.3f}" for v in values.mean(0)))
    better = np.mean(errors["normalised"] <= errors["raw"], axis=0)
    print("share of splits where normalising is no worse: " + "  ".join(f"{b:.2f}" for b in better))
    ax.set(xlabel="degree", ylabel="error on fresh rows", title=f"5.1: {name}")
    ax.legend()
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_normalised_kernels.png", dpi=100)
print(f"drawn: {folder / 'theory_normalised_kernels.png'}")
