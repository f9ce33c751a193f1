"""Structural risk minimisation on nested polynomials, beside what it tries to predict.

Polynomial machines of degree 1 to 6 in the plane have VC dimensions 3, 6, 10, 15, 21, 28. More of
them fit better and guarantee less; the sum of both terms has its minimum in between (figure 4.4).
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer import SVC
from mercer.bounds import Evidence
from mercer.theory import select_by_bound, vc_dimension_of

rng = np.random.default_rng(0)
n = 20_000


def sample(size):
    X = rng.uniform(-1, 1, size=(size, 2))
    inside = X[:, 1] > X[:, 0] ** 3 - 0.5 * X[:, 0]
    flip = rng.random(size) < 0.05
    return X, np.where(inside != flip, 1, -1)


X, y = sample(n)
X_new, y_new = sample(50_000)
degrees = range(1, 7)
evidence, test = {}, {}
for degree in degrees:
    machine = SVC(kernel="poly", degree=degree, coef0=1.0, gamma=1.0, C=1.0, certify=None)
    machine.fit(X[:2000], y[:2000])  # any way of choosing a rule is covered by a VC bound
    errors = int(np.sum(machine.predict(X) != y))
    dimension = int(vc_dimension_of("polynomial", 2, degree)) - 1  # the machine's offset is one
    evidence[str(degree)] = Evidence(n, errors=errors, dimension=dimension, offset=0.0)
    test[str(degree)] = float(np.mean(machine.predict(X_new) != y_new))

chosen = select_by_bound(evidence, "vc-multiplicative")
print(f"degree {chosen.name}: {chosen.certificate}")
print(f"{'degree':>6} {'training':>9} {'bound':>7} {'fresh rows':>11}")
for name, e in evidence.items():
    print(f"{name:>6} {e.errors / n:>9.3f} {chosen.values[name]:>7.3f} {test[name]:>11.3f}")

figure, ax = plt.subplots(figsize=(6, 4))
training = [evidence[str(d)].errors / n for d in degrees]
bound = [chosen.values[str(d)] for d in degrees]
ax.plot(degrees, training, "o-", label="training error")
ax.plot(degrees, np.subtract(bound, training), "s-", label="price of the class")
ax.plot(degrees, bound, "^-", label="their sum: the bound")
ax.plot(degrees, [test[str(d)] for d in degrees], "k:", label="error on fresh rows")
ax.axvline(int(chosen.name), color="0.8", zorder=0)
ax.set(xlabel="degree", ylabel="error", title="Structural risk minimisation")
ax.legend()
figure.tight_layout()
folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
figure.savefig(folder / "theory_srm.png", dpi=100)
print(f"drawn: {folder / 'theory_srm.png'}")
