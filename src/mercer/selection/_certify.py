"""A search whose certificate pays for every candidate declared in advance; no row is held out.

In-sample bounds of the winner, δ divided over all candidates: equally ("union") or by the order
in which they are declared ("occam"). Whoever wants to spend rows does so around the whole search,
where the choice costs nothing: ``mercer.certified_fit(search, X, y)``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from mercer.bounds import Choice, Evidence, NotApplicable, best_of, charge_candidates
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.union import split_delta
from mercer.certification.checks.case import Case
from mercer.certification.checks.gate import examine, warn
from mercer.kernels import Kernel
from mercer.learners.describe import AROUND, own_evidence, surroundings
from mercer.learners.template import DECLARED
from mercer.selection._task import last_step
from mercer.selection.space import ARD, bandwidth_name, read_kernels

PRICES = ("union", "occam")
INSTEAD = "mercer.certified_fit(search, X, y)"
CHOICE = "hyper-parameters"


def certified_search(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """In-sample bounds that hold for every candidate of the grid at once."""
    check_delta(search.delta)
    if not search.refit:
        raise ValueError("certify needs refit=True: a certificate is about a trained model")
    if search.certify not in PRICES:
        raise ValueError(
            f"KernelSearch(certify={search.certify!r}): a search trains on all the rows it is "
            f"given, and certify is one of {PRICES} or None. To spend rows use "
            f"mercer.certified_fit(KernelSearch(...), X, y, mode={search.certify!r}), or, in "
            f"scikit-learn code, mercer.Certified(KernelSearch(...), mode={search.certify!r})."
        )
    _check_declared(search)
    mode, around = search.certify, surroundings(search)
    inner = clone(search).set_params(certify=None)
    inner.fit(X, y, sample_weight, groups)
    if inner.stopped_ != "finished":
        raise ValueError(f"certify={mode!r} needs the whole grid; the search was {inner.stopped_}")
    _take_over(search, inner)
    count = search.n_candidates_
    weights = occam_weights(count) if mode == "occam" else np.full(count, 1.0 / count)
    share = float(split_delta(search.delta, weights.tolist())[search.best_index_])
    learner = last_step(search.best_estimator_)
    published = own_evidence(search.best_estimator_)  # names preprocessing as a choice
    if published is None:
        raise ValueError(
            f"certify={mode!r} needs a Mercer learner, which publishes evidence about itself; "
            f"{type(learner).__name__} does not. Use {INSTEAD}."
        )
    how = f"{'Occam' if mode == 'occam' else 'equal'} weights over candidates fixed in advance"
    evidence = _paid(published, count, how, around)
    try:
        certificate = best_of(evidence, share, getattr(learner, "_declared", DECLARED))
    except NotApplicable as no:
        raise ValueError(
            f"certify={mode!r} has nothing to say: {no.reason}. Use {INSTEAD}."
        ) from no
    search.evidence_ = evidence
    certificate = charge_candidates(certificate, search.delta, share, count, how)
    pairwise = bool(get_tags(search).input_tags.pairwise)
    verdict = examine(certificate, rows=Case(X, np.asarray(y), pairwise), estimator=search)
    search.certificate_ = verdict.stamp(certificate)
    warn(verdict)
    return search


def _check_declared(search: Any) -> None:
    """Bandwidths read off the rows are not fixed in advance, and neither are refinements."""
    given = search.param_grid or {}
    numbers = "length_scale" in given or "gamma" in given
    listed = search.kernels is not None and not isinstance(search.kernels, str)
    if not (given and (numbers or listed or search.kernels is None)):
        raise ValueError(
            f"certify={search.certify!r} pays for candidates declared before the data: give "
            "param_grid with numbers for C and for length_scale or gamma, for instance "
            "param_grid={'C': [0.1, 1, 10], 'gamma': [0.01, 0.1, 1]}. "
            f"{INSTEAD} needs none."
        )
    for one in search.kernels if listed else ():
        if _reads_rows(one, numbers):
            raise ValueError(
                f"certify={search.certify!r} pays for candidates declared before the data, but "
                f"the scale of {one!r} would be read off the rows: give param_grid with "
                f"length_scale or gamma, or kernel objects with numbers. {INSTEAD} needs none."
            )


def _reads_rows(kernel: Any, numbers: bool) -> bool:
    """Whether the rows decide about a kernel's parameters; ``numbers``: its scale was given."""
    if isinstance(kernel, Kernel):
        scaled = numbers and bandwidth_name(kernel) is not None
        return kernel.data_dependent and not scaled
    return kernel == ARD or (not numbers and read_kernels([kernel], None)[0][2])


def _paid(evidence: Evidence, count: int, how: str, around: tuple[str, ...]) -> Evidence:
    """The search's own choice is marked as paid; others, outside of it too, stay as they are."""
    rest = tuple(c for c in evidence.choices if c.what != CHOICE)
    outside = tuple(Choice(AROUND, f"fitted by {name}") for name in around)
    paid = Choice(CHOICE, how, candidates=count, paid=True)
    return replace(evidence, choices=(*rest, *outside, paid))


def occam_weights(count: int) -> np.ndarray:
    """1/((k+1)(k+2)) normalised: the order in which candidates are declared is the prior."""
    k = np.arange(count, dtype=float)
    weights = 1.0 / ((k + 1.0) * (k + 2.0))
    return weights / weights.sum()


def _take_over(search: Any, inner: Any) -> None:
    """What another search has found, but not its settings."""
    own = set(search.get_params(deep=False))
    for name, value in vars(inner).items():
        if name not in own:
            setattr(search, name, value)
