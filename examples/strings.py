"""A classifier for sequences in one call, and the letters it looks at.

DNA with and without a motif, then real text: is the first line of a function's documentation from
scipy.stats or scipy.signal? The picture goes to the folder given (default: here).
"""

import inspect
import sys
from pathlib import Path

import matplotlib
import numpy as np
from scipy import signal, stats

from mercer import SVC, certified_fit
from mercer.kernels import BagOfWords, Spectrum

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

texts, source = [], []
for module in (stats, signal):
    for name in module.__all__:
        thing = getattr(module, name)
        lines = (inspect.getdoc(thing) or "").strip().splitlines()
        if callable(thing) and lines and name not in lines[0]:
            texts.append(lines[0])
            source.append(module.__name__)
for kernel in (BagOfWords(weights="idf"), Spectrum(4)):
    model = certified_fit(SVC(kernel=kernel, C=10.0), texts, source, mode="holdout", random_state=0)
    print(f"{type(kernel).__name__:>10}: {len(texts)} documented functions, {model.certificate_}")
