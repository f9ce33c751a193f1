"""Which words decide: short texts of two kinds.

By default, is the first line of a function's documentation from scipy.stats or scipy.signal? With
the path of kernlab's reuters.rda (Debian: r-cran-kernlab) as second argument, 40 Reuters stories on
takeovers or crude oil, read by the package rdata. The picture goes to the folder given first.
Functions of one family stand side by side in a module: Mercer notices, and says so before the
number. The second kernel is a second look at the same rows, and is said to be one.
"""

import inspect
import sys
import warnings
from pathlib import Path

import matplotlib
import numpy as np
from scipy import signal, stats
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from mercer import SVC, certified_fit
from mercer.certification import CertificateWarning
from mercer.kernels import BagOfWords, Spectrum

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def documentation() -> tuple[list[str], list[str]]:
    texts, source = [], []
    for module in (stats, signal):
        for name in module.__all__:
            thing = getattr(module, name)
            lines = (inspect.getdoc(thing) or "").strip().splitlines()
            if callable(thing) and lines and name not in lines[0]:
                texts.append(lines[0])
                source.append(module.__name__.removeprefix("scipy."))
    return texts, source


def reuters(path: str) -> tuple[list[str], list[str]]:
    try:
        import rdata
    except ModuleNotFoundError:
        raise SystemExit("files of R are read by rdata: pip install rdata") from None
    found = rdata.read_rda(path)
    texts = [" ".join(str(story[0]).split()) for story in found["reuters"]]
    return texts, [str(label) for label in found["rlabels"]]


texts, source = reuters(sys.argv[2]) if len(sys.argv) > 2 else documentation()
y = np.array(source)
warnings.simplefilter("ignore", CertificateWarning)  # its words stand in the first line too
print(f"{len(texts)} texts: " + ", ".join(f"{sum(y == c)} {c}" for c in np.unique(y)))
for kernel in (BagOfWords(weights="idf"), Spectrum(4)):
    name = type(kernel).__name__
    if len(texts) <= 100:  # too few to hold many out
        machine = SVC(kernel=kernel, C=10.0, certify=None)
        data = np.array(texts, dtype=object)
        wrong = np.sum(cross_val_predict(machine, data, y, cv=LeaveOneOut()) != y)
        print(f"{name:>12}: {wrong} of {len(y)} wrong, each left out once")
    else:
        machine = SVC(kernel=kernel, C=10.0)
        model = certified_fit(machine, texts, y, mode="holdout", random_state=0)
        print(f"{name:>12}: {model.certificate_}")

machine = SVC(kernel=BagOfWords(weights="idf"), C=10.0, certify=None).fit(texts, y)
words = sorted(machine.kernel_.weights)
alone = machine.decision_function(words) - machine.intercept_[0]
order = np.argsort(alone)
shown = np.r_[order[:10], order[-10:]]
figure, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
colours = np.where(alone[shown] > 0, "#0072B2", "#E69F00")
ax.barh([words[i] for i in shown], alone[shown], color=colours)
ax.tick_params(axis="y", labelsize=8)
ax.axvline(0.0, color="0.3", lw=0.8)
low, high = machine.classes_
ax.set_xlabel(f"output for the word alone: {low} to the left, {high} to the right")
ax.set_title("the words that decide", fontsize=10)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "texts.png", dpi=110)
