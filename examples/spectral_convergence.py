"""Convergence of spectral clustering, watched: errors of eigenvectors over the sample size.

Theorems II.11 and II.15 of von Luxburg's thesis on laws of one and two dimensions: eigenvectors of
the normalised Laplacians come to those of the limit, in supremum over the sample; those of the
plain Laplacian do so only if their eigenvalue lies below every degree.
"""

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from mercer.learners.spectral import convergence as lab
from mercer.learners.spectral.laplacians import eigenpairs

KINDS = ("symmetric", "random-walk", "unnormalized")
SIZES = (50, 100, 200, 400, 800)


def studies(sizes=SIZES, repeats=4):
    """One study for every law and Laplacian: {(law, Laplacian): Study}."""
    laws = (lab.line(), lab.square(), lab.uneven())
    return {
        (law.name, kind): lab.convergence(law, sizes, laplacian=kind, k=1, repeats=repeats)
        for law in laws
        for kind in KINDS
    }


def second_vectors(law, n=400):
    """A sample in order, its second eigenvectors by Laplacian, and the limits where there are."""
    X = np.sort(law.sample(n, 1), axis=0)
    found = {}
    for kind in KINDS:
        vector = eigenpairs(law.similarity(X), 2, kind)[1][:, 1] * np.sqrt(n)
        limit = law.limit(kind, 1)
        function = limit.at(X)[:, 1] if limit.exists[1] else None
        found[kind] = (vector if vector[-1] > 0 else -vector, function)
    return X[:, 0], found


def main(folder):
    found = studies()
    figure, axes = plt.subplots(2, 3, figsize=(13, 7), layout="constrained")
    for ax, law in zip(axes[0], dict.fromkeys(name for name, _ in found), strict=True):
        for kind in KINDS:
            study = found[law, kind]
            error = study.mean("sup")[:, 0]
            if np.isnan(error).all():
                label = f"{kind}: none; mass on one point"
                ax.plot(study.sizes, study.mean("peak")[:, 0], "k:", label=label)
                continue
            line = ax.loglog(study.sizes, error, "o-", label=f"{kind}, sup")[0]
            ax.loglog(study.sizes, study.mean("l2")[:, 0], "--", color=line.get_color())
            print(law, kind, "sup errors:", error.round(3))
        ax.set_title(f"{law}: error of the second eigenvector", loc="left", fontsize=10)
        ax.set_xlabel("n (dashed: L2)")
        ax.set_xticks(SIZES, [str(n) for n in SIZES])
        ax.minorticks_off()
        ax.legend(fontsize=8)
    x, vectors = second_vectors(lab.uneven())
    for ax, kind in zip(axes[1], KINDS, strict=True):
        vector, function = vectors[kind]
        ax.plot(x, vector, ".", markersize=3, label="sample")
        if function is not None:
            sign = np.sign(np.dot(vector, function))
            ax.plot(x, sign * function, lw=0.8, label="limit")
        ax.set_title(f"uneven law, n = 400: {kind}", loc="left", fontsize=10)
        ax.legend(fontsize=8)
    figure.savefig(folder / "spectral_convergence.png", dpi=80)
    print(f"drawn: {folder / 'spectral_convergence.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
