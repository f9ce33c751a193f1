"""Does scaling every feature vector to length one help? (figure 5.1 of Herbrich's book)

The PAC-Bayesian margin bound depends on y⟨w,x⟩/(‖w‖‖x‖), which suggests k(x,y)/√(k(x,x)k(y,y)).
Complete polynomial kernels of growing degree, 100 random splits, bars of one standard deviation,
and a paired test of every degree. The book used thyroid (140 rows to learn from) and sonar (124),
hard margins and no offset. Here it is the breast-cancer table that scikit-learn carries, unless
files are named: ``FOLDER thyroid.csv:140 sonar.csv:124`` takes tables of numbers whose last column
is the class.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import t as student
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from mercer import SVC

KINDS = ("raw", "normalised")


def tables(arguments):
    """Name, inputs, labels and rows to learn from."""
    if not arguments:
        yield "breast cancer", *load_breast_cancer(return_X_y=True), 200
    for argument in arguments:
        path, rows = argument.rsplit(":", 1)
        cells = np.genfromtxt(path, dtype=str, delimiter=",", autostrip=True)
        yield Path(path).stem, cells[:, :-1].astype(float), cells[:, -1], int(rows)


def errors(X, y, rows, degrees, splits=100, *, seed=0, **settings):
    """Errors on the other rows, of shape (2, splits, degrees): raw, then normalised."""
    rng = np.random.default_rng(seed)
    found = np.zeros((2, splits, len(degrees)))
    for split in range(splits):
        order = rng.permutation(len(y))
        train, test = order[:rows], order[rows:]
        Z = StandardScaler().fit(X[train]).transform(X) / np.sqrt(X.shape[1])
        inner = Z @ Z[train].T
        own = 1.0 + np.einsum("ij,ij->i", Z, Z)
        for i, degree in enumerate(degrees):
            raw = (1.0 + inner) ** degree
            scaled = raw / np.sqrt(np.outer(own, own[train]) ** degree)
            for kind, K in enumerate((raw, scaled)):
                machine = SVC(kernel="precomputed", certify=None, **settings)
                machine.fit(K[train], y[train])
                found[kind, split, i] = np.mean(machine.predict(K[test]) != y[test])
    return found


def paired_test(found, rows, others):
    """Mean gain of normalising and its two-sided p-value, for every degree.

    Splits share rows, so a plain paired t-test would be far too sure of itself; the variance is
    corrected by Nadeau and Bengio's 1/splits + test rows/training rows.
    """
    gain = found[0] - found[1]
    splits = len(gain)
    spread = gain.std(axis=0, ddof=1) * np.sqrt(1.0 / splits + others / rows)
    ratio = np.divide(gain.mean(axis=0), spread, out=np.zeros(gain.shape[1]), where=spread > 0)
    return gain.mean(axis=0), 2.0 * student.sf(np.abs(ratio), splits - 1)


def main(folder, arguments):
    degrees = range(2, 21, 2) if arguments else range(1, 6)
    settings = {"C": 1e6, "fit_intercept": False} if arguments else {"C": 10.0}
    given = list(tables(arguments))
    figure, axes = plt.subplots(1, len(given), figsize=(6 * len(given), 4), squeeze=False)
    for ax, (name, X, y, rows) in zip(axes[0], given, strict=True):
        found = errors(X, y, rows, degrees, **settings)
        gain, chance = paired_test(found, rows, len(y) - rows)
        print(f"{name}: {rows} rows to learn from, {len(y) - rows} to count errors on, 100 splits")
        for kind, values in zip(KINDS, found, strict=True):
            ax.errorbar(degrees, values.mean(0), values.std(0), label=kind, capsize=3)
            print(f"{kind:<11}" + "".join(f"{v:>8.3f}" for v in values.mean(0)))
        print(f"{'gain':<11}" + "".join(f"{v:>+8.3f}" for v in gain))
        print(f"{'p (paired)':<11}" + "".join(f"{v:>8.2g}" for v in chance))
        ax.set(xlabel="degree", ylabel="error on fresh rows", title=f"5.1: {name}")
        ax.legend()
    figure.tight_layout()
    figure.savefig(folder / "theory_normalised_kernels.png", dpi=100)
    print(f"drawn: {folder / 'theory_normalised_kernels.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."), sys.argv[2:])
