"""Promoters and splice sites: real DNA, real error rates, and the letters that decide.

Both sets come with Mercer, so this is also one command each:

    mercer fit "$(python -c 'from mercer.datasets import load_splice as f; print(f().file)')"

The picture goes to the folder given (default: here).
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np
from sklearn.model_selection import (
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedKFold,
    cross_val_predict,
)

from mercer import SVC
from mercer.datasets import load_promoters, load_splice
from mercer.kernels import Spectrum, Substring, WeightedDegree, contributions
from mercer.tables.relatives import find_relatives

matplotlib.use("Agg")
import matplotlib.pyplot as plt

promoters = load_promoters()
families = find_relatives(promoters.X).groups
print(f"promoters: {len(promoters.X)} stretches in {families.max() + 1} families; wrong of 106")
print(f"{'':>28}  one left out   its family left out")
for kernel in (Spectrum(6), Substring(5, 1.5), WeightedDegree(5), WeightedDegree(8)):
    K = kernel(promoters.X)
    model = SVC(kernel="precomputed", C=10.0)
    ways = ((LeaveOneOut(), None), (LeaveOneGroupOut(), families))
    wrong = [
        np.sum(cross_val_predict(model, K, promoters.y, cv=cv, groups=groups) != promoters.y)
        for cv, groups in ways
    ]
    print(f"{kernel!r:>28}  {wrong[0]:>12}   {wrong[1]:>19}")
print("  known, one left out (Towell et al. 1990): KBANN 4, network 8, 3 neighbours 13, ID3 19\n")

splice = load_splice()
some = np.random.default_rng(0).permutation(len(splice.X))[:1000]
X, labels = splice.X[some], splice.labels[some]
folds = StratifiedKFold(10, shuffle=True, random_state=0)
KNOWN = {
    "KBANN": (4.62, 7.56, 8.47),
    "network": (5.29, 5.74, 10.75),
    "ID3": (8.84, 10.58, 13.99),
    "neighbour": (31.11, 11.65, 9.09),
}
errors = {}
for name, kernel in (("Spectrum(6)", Spectrum(6)), ("WeightedDegree(8)", WeightedDegree(8))):
    found = cross_val_predict(SVC(kernel="precomputed", C=10.0), kernel(X), labels, cv=folds)
    errors[name] = tuple(100 * np.mean(found[labels == c] != c) for c in ("N", "EI", "IE"))
print("splice: % wrong among N, EI, IE in 10-fold cross-validation on 1000 windows")
for name, row in (errors | KNOWN).items():
    print(f"{name:>28}  " + "  ".join(f"{value:5.2f}" for value in row))

figure, axes = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
place = np.arange(-30, 30)
for label, colour in (("EI", "#0072B2"), ("IE", "#D55E00")):
    two = np.flatnonzero((labels == label) | (labels == "N"))[:500]
    machine = SVC(kernel=WeightedDegree(8), C=10.0, certify=None).fit(X[two], labels[two] == label)
    support, coef = machine.support_vectors_, machine.dual_coef_[0]
    sites = splice.X[splice.labels == label][-40:]
    shares = np.mean([contributions(machine.kernel_, support, coef, s) for s in sites], axis=0)
    axes[0].plot(place, shares, color=colour, label=f"{label} sites")
axes[0].axvline(-0.5, color="0.7", lw=1, zorder=0)
axes[0].set(xlabel="letters after the junction", ylabel="share in the output")
axes[0].set_title("where splice sites are recognised", fontsize=10)
axes[0].legend(frameon=False, fontsize=8)
machine = SVC(kernel=WeightedDegree(5), C=10.0, certify=None).fit(promoters.X, promoters.labels)
shares = np.array(
    [
        contributions(machine.kernel_, machine.support_vectors_, machine.dual_coef_[0], s)
        for s in promoters.X[promoters.labels == "promoter"]
    ]
).mean(axis=0)
axes[1].bar(np.arange(-50, 7), shares, width=1.0, color="#009E73")
axes[1].set(xlabel="letters after the start of transcription", ylabel="share in the output")
axes[1].set_title("promoters: the boxes at −35 and −10", fontsize=10)
names = [*errors, *KNOWN]
for k, (label, colour) in enumerate((("N", "0.6"), ("EI", "#0072B2"), ("IE", "#D55E00"))):
    values = [(errors | KNOWN)[name][k] for name in names]
    axes[2].barh(np.arange(len(names)) + 0.27 * (k - 1), values, 0.27, color=colour, label=label)
axes[2].set_yticks(np.arange(len(names)), names, fontsize=8)
axes[2].invert_yaxis()
axes[2].set_xlabel("% wrong, 10-fold cross-validation")
axes[2].set_title("splice: here (top two) and as published", fontsize=10)
axes[2].legend(frameon=False, fontsize=8)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "dna.png", dpi=110)
