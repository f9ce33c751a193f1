"""A against B on the same fresh rows: how much the new model gains, with a limit.

Only rows on which exactly one of the two is wrong tell them apart. Of N such rows the number that
the new model wins is Bin(N, θ), and the gain P(old wrong) − P(new wrong) is s(2θ − 1), s the share
of such rows: exact limits of θ (at 0.9·δ) and of s (at 0.1·δ) give one of the gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from mercer._storable import record
from mercer._types import Samples
from mercer.bounds import Certificate, Entry, Ledger
from mercer.bounds.numerics import clopper_lower, clopper_upper
from mercer.bounds.numerics.checks import check_delta
from mercer.certification.checks.gate import examine, warn
from mercer.certification.core import arguments, looks
from mercer.certification.core.loss import make_loss, task_of
from mercer.certification.core.rows import as_labels, one_per_row
from mercer.certification.guarantees.independent import rows_to_count
from mercer.certification.guarantees.statement import Statement, certificate
from mercer.learners.describe import check_model, is_pairwise, name_of

Flags = NDArray[np.bool_]
_WINS = 0.9  # of δ, for the share of decided rows that are won


@record("gain")  # experiments have comparisons of their own
@dataclass(frozen=True)
class Comparison:
    """What fresh rows say about new models in the place of an old one.

    ``gains`` has a certificate for every new model, all of them right together with the one δ.
    ``margin`` is what a new model may lose and still count as not worse.
    """

    gains: Mapping[str, Certificate]
    margin: float = 0.0

    @property
    def better(self) -> tuple[str, ...]:
        """New models that are certified to be better, the largest gain first."""
        order = sorted(self.gains, key=lambda name: -self.gains[name].value)
        return tuple(name for name in order if self._holds(name) and self.gains[name].value > 0)

    @property
    def not_worse(self) -> tuple[str, ...]:
        """New models that are certified to lose at most ``margin``."""
        order = sorted(self.gains, key=lambda name: -self.gains[name].value)
        return tuple(
            name for name in order
            if self._holds(name) and self.gains[name].value >= -self.margin
        )  # fmt: skip

    @property
    def replace(self) -> str | None:
        """The new model to take, None: keep the old one."""
        fine = self.better or (self.not_worse if self.margin > 0 else ())
        return fine[0] if fine else None

    def _holds(self, name: str) -> bool:
        return not self.gains[name].caveats

    def explain(self) -> str:
        """The decision, then one line for every model."""
        taken = self.replace
        head = "Replace the old model: no." if taken is None else f"Replace the old model: {taken}."
        return "\n".join([head, *(str(found) for found in self.gains.values())])

    __str__ = explain


def gain_lower(won: int, lost: int, rows: int, delta: float) -> float:
    """Lower limit of P(won) − P(lost) among rows that are won, lost or neither."""
    decided = won + lost
    if decided == 0:
        return -clopper_upper(0, rows, delta)
    tilt = 2 * clopper_lower(won, decided, _WINS * delta) - 1
    limit = clopper_lower if tilt > 0 else clopper_upper
    return limit(decided, rows, (1 - _WINS) * delta) * tilt


def compare(
    old: Any,
    new: Any,
    X: Samples,
    y: ArrayLike,
    delta: float = 0.05,
    *,
    tolerance: float | None = None,
    margin: float = 0.0,
    groups: ArrayLike | None = None,
    ledger: Any = None,
    budget: float | None = None,
) -> Comparison:
    """Compare fitted models on rows that none of them has seen.

    Parameters
    ----------
    old : fitted model
        What is used today.
    new : fitted model, list or mapping of fitted models
        What might take its place; δ is divided over them.
    X, y : array-like
        Fresh rows.
    delta : float, default=0.05
        Probability with which any of the statements may be wrong.
    tolerance : float, default=None
        Regressions: a prediction further away is wrong. Without it a row is won by the model that
        is nearer, and the gain is the share of rows won minus the share lost.
    margin : float, default=0
        Loss up to which a new model counts as not worse.
    groups : array-like, default=None
        Rows that hang together: one of each group is counted.
    ledger, budget
        Looks at these rows in a file, and a failure probability that all of them share, as for
        :func:`mercer.certify`.

    Every call is a look at the rows, as :func:`mercer.certify` is: compare all new models in one
    call. After an earlier number from the same rows nothing is certified to be better, unless they
    share a ``budget``.

    Returns
    -------
    Comparison
        ``replace`` names the model to take, ``gains`` has the certificates.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from mercer import SVC
    >>> from mercer.certification import compare
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(600, random_state=0)
    >>> old, new = (model.fit(X[:300], y[:300]) for model in (DummyClassifier(), SVC()))
    >>> compare(old, new, X[300:], y[300:]).replace
    'new'
    """
    delta = check_delta(delta)
    if not (arguments.is_number(margin) and 0 <= margin < 1):
        raise ValueError(f"margin must be a number in [0, 1), got {margin!r}")
    models = _named(new)
    for model in (old, *models.values()):
        check_model(model)
    truth = as_labels(y, warn=True)
    check_consistent_length(X, truth)
    some, case, looked = rows_to_count(old, X, truth, groups)
    told = {name: one_per_row(model.predict(X), len(truth)) for name, model in models.items()}
    before = one_per_row(old.predict(X), len(truth))
    taking, delta = looks.begin_counting(
        "compare", X, truth, (before, *told.values()), (tolerance, groups is None), delta,
        pairwise=is_pairwise(old), ledger=ledger, budget=budget,
    )  # fmt: skip
    gains = {}
    for name, model in models.items():
        won, lost = _wins(old, model, truth, (before, told[name]), tolerance)
        part = delta / len(models)
        nearer = task_of(old) == "regression" and tolerance is None
        made = _certificate(old, model, won[some], lost[some], part, nearer)
        verdict = examine(made, rows=case, model=model, looked=looked)
        verdict = verdict + examine(made, rows=case, model=old, looked=looked)
        warn(verdict)
        gains[name] = taking.done(one_of_several(verdict.stamp(made), delta, len(models)))
    return Comparison(gains, float(margin))


def _named(new: Any) -> dict[str, Any]:
    if isinstance(new, Mapping):
        found = {str(name): model for name, model in new.items()}
    elif isinstance(new, list | tuple):
        found = {f"new {i + 1}": model for i, model in enumerate(new)}
    else:
        found = {"new": new}
    if not found:
        raise ValueError("there is no new model to compare")
    return found


def _wins(
    old: Any,
    new: Any,
    truth: NDArray[Any],
    answers: tuple[NDArray[Any], NDArray[Any]],
    tolerance: float | None,
) -> tuple[Flags, Flags]:
    """Rows on which the new model does better than the old one, and worse."""
    task = task_of(old)
    if task_of(new) != task:
        raise ValueError(f"the old model is for {task}, {name_of(new)} is not")
    if task == "regression" and tolerance is None:
        before, after = (np.abs(truth.astype(float) - f.astype(float)) for f in answers)
        return after < before, after > before
    judge = make_loss(task, tolerance=tolerance)
    before, after = (judge.wrong(truth, f) for f in answers)
    return before & ~after, after & ~before


def _certificate(
    old: Any, new: Any, won: Flags, lost: Flags, delta: float, nearer: bool
) -> Certificate:
    b, c, m = int(won.sum()), int(lost.sum()), len(won)
    value = gain_lower(b, c, m, delta)
    gain, loss, other = "{value}", f"{-100 * value:.3g} %", name_of(old)
    if nearer:  # by how much is not asked, so nothing is said about the size of errors
        said = f"is nearer to the target than {other} on at least {gain} more of the rows"
        if value < 0:
            said = f"is farther from the target than {other} on at most {loss} more of the rows"
    else:
        said = f"errs at least {gain} less often than {other}"
        if value < 0:
            said = f"errs at most {loss} more often than {other}"
    found = Statement(
        value,
        m,
        (b - c) / m,
        f"better on {b} of {m} fresh rows, worse on {c}",
        paid={"rows won": _WINS, "rows that differ": 1 - _WINS},
    )
    return certificate(
        found,
        code="gain",
        title="exact paired limit of the gain",
        reference="McNemar 1947; Clopper and Pearson 1934, union bound",
        quantity="gain",
        delta=delta,
        side="lower",
        limits=(-1.0, 1.0),
        phrase=f"{{who}} {said}",
        learner=name_of(new),
    )


def one_of_several(made: Certificate, delta: float, models: int) -> Certificate:
    """A statement that holds together with those about the other models."""
    if models == 1:
        return made
    rest = Entry("the other models", delta - float(made.ledger.total), "one δ for all")
    return replace(made, delta=delta, ledger=made.ledger + Ledger((rest,)))
