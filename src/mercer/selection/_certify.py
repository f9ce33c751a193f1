"""A search whose result carries a certificate that covers the choice it made.

Three ways to pay for M candidates, cheapest first:

- inside the training part of a mode of ``mercer.certified_fit``: nothing;
- "shortlist": a few candidates chosen on the training part meet the held-out rows, δ divided;
- "union" and "occam": in-sample bounds of candidates declared in advance, δ divided over all.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from mercer.bounds import (
    Certificate,
    Choice,
    Entry,
    Evidence,
    HoldOut,
    Ledger,
    NotApplicable,
    best_of,
    get,
)
from mercer.bounds.numerics import clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.bounds.numerics.union import split_delta
from mercer.kernels import Kernel
from mercer.learners._certified import DECLARED
from mercer.learners.describe import own_evidence
from mercer.selection._task import last_step
from mercer.selection.space import ARD, bandwidth_name, read_kernels

SHORTLIST = 5
HELD_OUT = 0.2
OWN_MODES = ("union", "occam", "shortlist")
CHOICE = "hyper-parameters"


def certified_search(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """Search and certify the model that is kept."""
    check_delta(search.delta)
    if not search.refit:
        raise ValueError("certify needs refit=True: a certificate is about a trained model")
    if search.certify in ("union", "occam"):
        return _declared_in_advance(search, X, y, sample_weight, groups)
    if search.certify == "shortlist":
        return _shortlisted(search, X, y, sample_weight, groups)
    certification = import_module("mercer.certification")  # above this package, so by name
    known = certification.MODES
    names = [search.certify] if isinstance(search.certify, str) else list(search.certify)
    unknown = [name for name in names if name not in known]
    if unknown or "in-sample" in names:
        raise ValueError(
            f"certify must be one of {sorted([*(set(known) - {'in-sample'}), *OWN_MODES])}, got "
            f"{search.certify!r}"
            + ("; for in-sample bounds use certify='union'" if not unknown else "")
        )
    model = certification.certified_fit(
        clone(search).set_params(certify=None),
        X,
        y,
        mode=search.certify,
        delta=search.delta,
        random_state=0 if search.random_state is None else search.random_state,
        sample_weight=sample_weight,
        groups=groups,
    )
    return _become(search, model)


def _take_over(search: Any, inner: Any) -> None:
    """What another search has found, but not its settings."""
    own = set(search.get_params(deep=False))
    for name, value in vars(inner).items():
        if name not in own:
            setattr(search, name, value)


def _become(search: Any, model: Any) -> Any:
    """Take over the fitted state; of a mixture or an abstaining model, its last search's table."""
    inner = model
    if not hasattr(model, "best_params_"):
        inner = model.models[-1] if hasattr(model, "models") else model.model
    _take_over(search, inner)
    if inner is not model:
        search.best_estimator_ = model
    for name in (
        "certificate_",
        "certificates_",
        "not_applicable_",
        "certification_",
        "evidence_",
    ):
        setattr(search, name, getattr(model, name))
    return search


# -- candidates declared in advance ----------------------------------------------------------------


def _declared_in_advance(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """In-sample bounds that hold for every candidate of the grid at once."""
    _check_declared(search)
    mode = search.certify
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
            f"{type(learner).__name__} does not. Use certify='holdout'."
        )
    how = f"{'Occam' if mode == 'occam' else 'equal'} weights over candidates fixed in advance"
    evidence = _paid(published, count, how)
    try:
        certificate = best_of(evidence, share, getattr(learner, "_declared", DECLARED))
    except NotApplicable as no:
        raise ValueError(
            f"certify={mode!r} has nothing to say: {no.reason}. Use certify='holdout'."
        ) from no
    search.evidence_ = evidence
    search.certificate_ = _pay(certificate, search.delta, share, count, how)
    return search


def _check_declared(search: Any) -> None:
    """Bandwidths read off the rows are not fixed in advance, and neither are refinements."""
    given = search.params or {}
    numbers = "length_scale" in given or "gamma" in given
    listed = search.kernels is not None and not isinstance(search.kernels, str)
    if not (given and (numbers or listed or search.kernels is None)):
        raise ValueError(
            f"certify={search.certify!r} pays for candidates declared before the data: give "
            "params with numbers for C and for length_scale or gamma, for instance "
            "params={'C': [0.1, 1, 10], 'gamma': [0.01, 0.1, 1]}. certify='holdout' needs none."
        )
    for one in search.kernels if listed else ():
        if _reads_rows(one, numbers):
            raise ValueError(
                f"certify={search.certify!r} pays for candidates declared before the data, but "
                f"the scale of {one!r} would be read off the rows: give params with length_scale "
                "or gamma, or kernel objects with numbers. certify='holdout' needs none."
            )


def _reads_rows(kernel: Any, numbers: bool) -> bool:
    """Whether the rows decide about a kernel's parameters; ``numbers``: its scale was given."""
    if isinstance(kernel, Kernel):
        scaled = numbers and bandwidth_name(kernel) is not None
        return kernel.data_dependent and not scaled
    return kernel == ARD or (not numbers and read_kernels([kernel], None)[0][2])


def _paid(evidence: Evidence, count: int, how: str) -> Evidence:
    """The search's own choice is marked as paid; other choices stay as they are."""
    rest = tuple(c for c in evidence.choices if c.what != CHOICE)
    return replace(evidence, choices=(*rest, Choice(CHOICE, how, candidates=count, paid=True)))


def occam_weights(count: int) -> np.ndarray:
    """1/((k+1)(k+2)) normalised: the order in which candidates are declared is the prior."""
    k = np.arange(count, dtype=float)
    weights = 1.0 / ((k + 1.0) * (k + 2.0))
    return weights / weights.sum()


def _pay(certificate: Certificate, delta: float, own: float, count: int, how: str) -> Certificate:
    others = Entry(f"the other {count - 1} candidates", delta - own, how)
    ledger = certificate.ledger + (Ledger((others,)) if count > 1 else Ledger())
    details = {**certificate.details, "candidates": count, "own_delta": own}
    return replace(certificate, delta=delta, ledger=ledger, details=details)


# -- a shortlist meets held-out rows ---------------------------------------------------------------


def _shortlisted(search: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> Any:
    """The best few by the criterion on the training part, then the best of them on the rest."""
    if groups is not None:
        raise ValueError("certify='shortlist' needs independent rows; use certify='holdout'")
    if isinstance(search.estimator, list | tuple):
        raise ValueError("certify='shortlist' compares candidates of one learner; use 'holdout'")
    n = _num_samples(X)
    seed = 0 if search.random_state is None else search.random_state
    order = np.random.default_rng(seed if isinstance(seed, int) else 0).permutation(n)
    cut = n - max(1, round(HELD_OUT * n))
    train, test = np.sort(order[:cut]), np.sort(order[cut:])
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    inner = clone(search).set_params(certify=None)
    y = np.asarray(y)
    X_train, y_train = _safe_indexing(X, train), y[train]
    inner.fit(X_train, y_train, None if weight is None else weight[train])
    from sklearn.base import is_classifier

    if not is_classifier(inner.best_estimator_):
        raise ValueError("certify='shortlist' counts errors of classifiers; use certify='holdout'")
    ranks = np.argsort(inner.results_["rank_test_score"], kind="stable")
    usable = [int(i) for i in ranks if inner.results_["status"][i] == "done"][:SHORTLIST]
    models = [_trained(inner, i, X_train, y_train, weight, train) for i in usable]
    rest = _safe_indexing(X, test)
    errors = [int(np.count_nonzero(model.predict(rest) != y[test])) for model in models]
    share = search.delta / len(models)
    limits = [clopper_upper(k, len(test), share) for k in errors]
    best = int(np.argmin(limits))
    _take_over(search, inner)
    search.best_estimator_ = models[best]
    search.best_index_ = usable[best]
    search.best_params_ = inner.results_["params"][usable[best]]
    how = f"best of {len(models)} on the held-out rows, chosen from {inner.n_candidates_}"
    evidence = Evidence(
        len(train),
        learner=f"this {type(last_step(models[best])).__name__}",
        holdout=HoldOut(len(test), errors=errors[best], trained_on=len(train)),
        choices=(Choice(CHOICE, how, rows="fresh", candidates=len(models), paid=True),),
    )
    certificate = get("holdout")().evaluate(evidence, share)
    search.evidence_ = evidence
    search.certificate_ = _pay(certificate, search.delta, share, len(models), how)
    return search


def _trained(search: Any, index: int, X: Any, y: Any, weight: Any, train: Any) -> Any:
    if index == search.best_index_:
        return search.best_estimator_
    model = clone(search.best_estimator_).set_params(**search.results_["params"][index])
    if weight is None:
        return model.fit(X, y)
    return model.fit(X, y, **{search._weight_name: weight[train]})
