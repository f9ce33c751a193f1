"""A classifier for sequences in one call, and the letters it looks at.

DNA with and without a motif. Real DNA is in dna.py, real texts are in texts.py. The picture goes to
the folder given (default: here).
"""

import sys
from pathlib import Path

import matplotlib
import numpy as np

from mercer import SVC, certified_fit
from mercer.kernels import Spectrum

matplotlib.use("Agg")
import matplotlib.pyplot as plt

from mercer.plots import SequenceContributionsDisplay

rng = np.random.default_rng(1)
dna = ["".join(row) for row in rng.choice(list("ACGT"), (300, 60))]
motif = rng.random(300) < 0.5
for i in np.flatnonzero(motif):
    place = rng.integers(5, 49)
    dna[i] = dna[i][:place] + "TATAAT" + dna[i][place + 6 :]
y = np.where(motif, "promoter", "other")
model = certified_fit(SVC(kernel=Spectrum(6), C=10.0), dna, y, mode="holdout", random_state=0)
print(f"  promoter: {model.certificate_}")

figure, axes = plt.subplots(2, 1, figsize=(11, 4), layout="constrained", sharey=True)
model = SVC(kernel=Spectrum(6), C=10.0).fit(dna[20:], y[20:])
for ax, i in zip(axes, (np.flatnonzero(motif)[0], np.flatnonzero(~motif)[0]), strict=True):
    SequenceContributionsDisplay.from_estimator(model, dna[i], ax=ax)
figure.savefig(Path(sys.argv[1] if len(sys.argv) > 1 else ".") / "strings.png", dpi=110)
