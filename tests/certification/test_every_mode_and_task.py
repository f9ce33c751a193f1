"""The table of docs/certificates.md: which mode certifies what, from rows or from a Gram matrix."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from mercer import SVC, SVR, KernelRidge, KernelSearch, OneClassSVM, certified_fit, datasets
from mercer.certification import modes
from mercer.certification.core.task import Refused

RNG = np.random.default_rng(0)
LAW = datasets.make_twonorm(2, random_state=0)[2]
X, Y = LAW.sample(120, 0)
POOL = LAW.sample(150, 1)[0]
X3, Y3 = datasets.Waveform().sample(150, RNG)
POOL3 = datasets.Waveform().sample(150, RNG)[0]
LINE, LINE_POOL = RNG.uniform(-2, 2, (120, 1)), RNG.uniform(-2, 2, (150, 1))
TARGET = np.sin(2 * LINE[:, 0]) + 0.2 * RNG.normal(size=120)
MEAN_LOSS = {"loss_range": (0.0, 1.0), "clip": True}

# columns of the table: estimator, rows, labels, pool, further arguments
TASKS = {
    "two classes": (SVC(gamma=0.02), X, Y, POOL, {}),
    "several classes": (SVC(gamma=0.02), X3, Y3, POOL3, {}),
    "worst class, balanced": (SVC(gamma=0.02), X, Y, POOL, {"error": "balanced"}),
    "regression, tolerance": (SVR(gamma=1.0), LINE, TARGET, LINE_POOL, {"tolerance": 0.7}),
    "regression, bounded loss": (
        KernelRidge(kernel="rbf", gamma=1.0, alpha=0.1), LINE, TARGET, LINE_POOL,
        {"loss": "squared", **MEAN_LOSS},
    ),
    "outliers": (OneClassSVM(gamma=0.02, nu=0.1), X, None, POOL, {}),
}  # fmt: skip
PAGE = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text()


def table():
    """mode → task → whether the page says that it works."""
    start = PAGE.index("| mode | " + " | ".join(TASKS))
    lines = PAGE[start:].split("\n\n")[0].splitlines()
    found = {}
    for line in lines[2:]:
        mode, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        for name in re.findall(r'"([a-z-]+)"', mode):
            found[name] = {k: c == "yes" for k, c in zip(TASKS, cells, strict=True)}
    return found


CLAIMED = table()


def run(mode, task, gram=False):
    estimator, rows, labels, pool, options = TASKS[task]
    if gram:
        gamma = estimator.gamma
        estimator = estimator.__class__(**{**estimator.get_params(), "kernel": "precomputed"})
        rows, pool = rbf_kernel(rows, gamma=gamma), rbf_kernel(pool, rows, gamma=gamma)
    if mode == "shortlist":
        price = {"alpha": [0.1]} if isinstance(estimator, KernelRidge) else {"C": [0.3, 1.0]}
        estimator = KernelSearch(estimator, kernels=None, param_grid=price, cv=2)
    options = {**options, **({"pool": pool} if mode == "transfer" else {})}
    few = {"vote": {"members": 3}, "progressive": {"blocks": 3}, "tube": {"anchors": 3}}
    options |= few.get(mode, {})
    return certified_fit(estimator, rows, labels, mode=mode, random_state=0, **options)


def test_the_page_lists_every_mode():
    assert set(CLAIMED) == set(modes.available())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mode", modes.available())
def test_the_page_is_true(mode, task):
    if not CLAIMED[mode][task]:
        with pytest.raises((Refused, ValueError), match=f"mode='{mode}'|'{mode}'") as refusal:
            run(mode, task)
        assert len(str(refusal.value)) > 60  # says why and what to do
        return
    model = run(mode, task)
    certificate = model.certificate_
    assert "80/20 split" in model.certification_.explain()  # always shown beside it
    assert certificate.kind == "bound"
    assert certificate.recompute().unclipped == pytest.approx(certificate.unclipped)
    assert certificate.observed is None or certificate.observed <= certificate.unclipped
    from_gram = run(mode, task, gram=True).certificate_
    assert from_gram.code == certificate.code
    assert from_gram.value == pytest.approx(certificate.value, rel=1e-3)
