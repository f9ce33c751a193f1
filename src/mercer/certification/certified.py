"""``Certified``: an estimator whose ``fit`` spends rows, and who is what its certificate is about.

The rows are spent around the whole estimator, scalers and searches included, never inside it: what
was fitted on counted rows could not be covered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin
from sklearn.utils._tags import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from mercer._card import CardBelow, card
from mercer._types import Estimator, RandomState, Samples
from mercer.bounds import Certificate, Evidence, assess
from mercer.certification.core.fingerprint import what_changed
from mercer.certification.core.record import Certification
from mercer.certification.core.spend import Asked, Given, spend
from mercer.certification.guarantees.answers import SetsAndIntervals
from mercer.learners.describe import Answering, answering, surroundings

# asked of the certificate, never of the model inside, whose own would be about something else
_OWN = frozenset({"certificate_", "certificates_", "certification_", "evidence_", "model_",
                  "not_applicable_"})  # fmt: skip


def _answers(name: str) -> Callable[[Any], bool]:
    """Whether the answering model has a method; before ``fit``, whether the estimator has it."""

    def check(self: Certified) -> bool:
        model = vars(self).get("model_", self.estimator)
        getattr(model, name)  # its own words about what is missing
        return True

    return check


class Certified(SetsAndIntervals, Answering, CardBelow, MetaEstimatorMixin, BaseEstimator):
    """Any estimator, fitted so that the result carries a certificate.

    ``fit`` trains clones of ``estimator`` as ``mode`` says and keeps the model that was certified
    (``model_``): ``predict`` and the other methods are that model's. It belongs outside pipelines
    and around searches, because everything inside it is covered and nothing outside is.

    Parameters
    ----------
    estimator : estimator
        A scikit-learn or Mercer classifier, regressor or outlier detector, a Pipeline, a search.
    mode : str or list of str, default="auto"
        How rows are spent, see :func:`mercer.certified_fit`.
    delta : float, default=0.05
        Probability with which the statement may be wrong.
    random_state : int, generator or None, default=None
        Shuffles the rows; the seed is recorded.
    error, loss, loss_range, clip, tolerance
        What counts as wrong, see :func:`mercer.certified_fit`.
    compare, checks : bool, default=False
        Also fit the usual 80/20 split; also test the assumptions.
    options : dict, default=None
        Options of the mode, such as ``{"blocks": 10}``; :func:`mercer.certified_fit` takes them as
        arguments.

    metric : str or CertifiedMetric, default=None
        A metric to certify in place of the error, see :func:`mercer.certified_fit`.
    spread : "auto", "constant", "local" or two estimators, default="auto"
        Regressions: what makes intervals wide in one place and narrow in another. ``"auto"`` takes
        the model's own standard deviation if it has one; ``"local"`` the mean absolute residual of
        training rows nearby, left out in turn; two estimators are machines for a low and a high
        quantile.
    ledger, budget
        What looks at the same rows may cost in all, see :func:`mercer.certified_fit`.

    Attributes
    ----------
    model_ : fitted estimator
        What answers: the estimator trained on a part of the rows, a mixture, a vote, a model that
        abstains. Other public names, such as ``support_vectors_``, are looked up there.
    certificate_ : Certificate or None
        About this very model; None after ``mode=None``.
    certificates_, not_applicable_ : dict
        Every bound and estimate that applies, and why the others do not.
    certification_ : Certification
        What was spent, on what, and what it cost.
    evidence_ : Evidence
        What the certificate was computed from.

    Notes
    -----
    With a precomputed kernel or distance, rows to predict bring one value for every row that was
    given to ``fit``, as scikit-learn's cross-validation hands them over; the columns of the rows
    the model was trained on are taken from them.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from mercer import SVC, Certified
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(400, random_state=0)
    >>> model = Certified(SVC(gamma=0.02), random_state=0).fit(X, y)
    >>> law.risk(model.predict, n=20_000) <= model.certificate_.value < 0.2
    True
    >>> bool(cross_val_score(model, X, y).mean() > 0.9)
    True
    """

    _state_version: ClassVar[int] = 1
    accounts_for_fit = True  # what learners inside publish is read together with what was done here

    def __init__(
        self,
        estimator: Estimator,
        *,
        mode: Any = "auto",
        delta: float = 0.05,
        random_state: RandomState = None,
        error: str = "overall",
        loss: Any = None,
        loss_range: tuple[float, float] | None = None,
        clip: bool = False,
        tolerance: float | None = None,
        compare: bool = False,
        checks: bool = False,
        options: Mapping[str, Any] | None = None,
        ledger: Any = None,
        budget: float | None = None,
        metric: Any = None,
        spread: Any = "auto",
    ) -> None:
        self.estimator = estimator
        self.mode = mode
        self.delta = delta
        self.random_state = random_state
        self.error = error
        self.loss = loss
        self.loss_range = loss_range
        self.clip = clip
        self.tolerance = tolerance
        self.compare = compare
        self.checks = checks
        self.options = options
        self.ledger = ledger
        self.budget = budget
        self.metric = metric
        self.spread = spread

    def fit(
        self,
        X: Samples,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        order: ArrayLike | None = None,
        pool: Any = None,
        by: Any = None,
    ) -> Self:
        """Train and certify.

        Parameters
        ----------
        X, y : array-like
            Labelled rows, independent draws from the law of future data; for a precomputed kernel
            the square matrix.
        sample_weight : array-like, default=None
            Passed on to ``fit``; the certificate counts every row once.
        groups, order, pool : array-like, default=None
            Rows that hang together, their times, unlabelled inputs: see
            :func:`mercer.certified_fit`.
        by : array-like, default=None
            The kind of every row (site, sex, machine), if sets and intervals shall be able to
            promise coverage within each kind.

        Returns
        -------
        self
        """
        asked = self.get_params(deep=False)
        estimator = asked.pop("estimator")
        given = Given(X, y, sample_weight, groups, order, pool, surroundings(self), by)
        spent = spend(estimator, Asked(**asked), given)
        self.model_ = spent.model
        self.certification_: Certification = spent.record
        self._issued: dict[str, Any] = {
            "certificate": spent.certificate, "evidence": spent.evidence, "all": spent.everything
        }  # fmt: skip
        self._calibration = spent.calibration
        return self

    # -- what is said about the model --------------------------------------------------------------

    @property
    def certificate_(self) -> Certificate | None:
        """The statement about ``model_``; if that was changed since, the first words say so."""
        certificate = self._said("certificate")
        return None if certificate is None else self._as_it_is(certificate)

    @property
    def evidence_(self) -> Evidence | None:
        """What the statement was computed from."""
        return self._said("evidence")

    @property
    def certificates_(self) -> dict[str, Certificate]:
        """Every bound and estimate that applies, each at its own full δ: they hold one by one."""
        return {code: self._as_it_is(one) for code, one in self._assessed()[0].items()}

    @property
    def not_applicable_(self) -> dict[str, str]:
        """Why each of the other bounds says nothing about this model."""
        return self._assessed()[1]

    def what_changed(self) -> str:
        """What is another about the model since it was certified; empty if nothing is."""
        check_is_fitted(self)
        return what_changed(self.model_, self.certification_.probe)

    def _as_it_is(self, certificate: Certificate) -> Certificate:
        """With what was found in the rows, and what was changed, before the number."""
        chosen = self._issued["certificate"]
        found = certificate.found or (() if chosen is None else chosen.found)
        other = self.what_changed()
        if other:
            words = f"the model was changed after it was certified ({other}), DOES NOT COVER that"
            found = (words, *found)
        return certificate if found == certificate.found else replace(certificate, found=found)

    def _card(self) -> str:
        if "run_" in vars(self):
            return str(self.run_._repr_html_())
        known, found = self.certification_, self.certificate_
        rows = f"{known.n}: trained on {known.trained_on}, judged by {known.counted_on}"
        said = "none was asked for" if found is None else found.first_line()
        return card("Certified", [("rows", rows), ("guarantee", said)])

    def _said(self, what: str) -> Any:
        if "model_" not in vars(self):
            raise AttributeError(f"this {type(self).__name__} is not fitted yet")
        return self._issued[what]

    def _assessed(self) -> tuple[dict[str, Certificate], dict[str, str]]:
        if self._said("all") is None:
            self._issued["all"] = assess(self._issued["evidence"], self.certification_.delta)
        return self._issued["all"]

    # -- what the model answers --------------------------------------------------------------------

    @available_if(_answers("predict"))
    def predict(self, X: Any, **params: Any) -> NDArray[Any]:
        """The model's answers; further arguments are its own (``abstain=``, ``return_std=``)."""
        return self._ask("predict", X, **params)

    @available_if(_answers("predict_proba"))
    def predict_proba(self, X: Samples, **params: Any) -> NDArray[Any]:
        """Probabilities of the classes, in the order of ``classes_``."""
        return self._ask("predict_proba", X, **params)

    @available_if(_answers("predict_log_proba"))
    def predict_log_proba(self, X: Samples, **params: Any) -> NDArray[Any]:
        """Logarithms of the probabilities."""
        return self._ask("predict_log_proba", X, **params)

    @available_if(_answers("decision_function"))
    def decision_function(self, X: Samples, **params: Any) -> NDArray[Any]:
        """The outputs the labels are read off."""
        return self._ask("decision_function", X, **params)

    @available_if(_answers("score_samples"))
    def score_samples(self, X: Samples, **params: Any) -> NDArray[Any]:
        """How usual each row is, to an outlier detector."""
        return self._ask("score_samples", X, **params)

    @available_if(_answers("transform"))
    def transform(self, X: Samples, **params: Any) -> Any:
        """The rows as the model transforms them."""
        return self._ask("transform", X, **params)

    @available_if(_answers("accepts"))
    def accepts(self, X: Samples) -> NDArray[np.bool_]:
        """``mode="selective"``: the rows the certificate speaks about."""
        return self._ask("accepts", X)

    @available_if(_answers("score"))
    def score(self, X: Samples, y: ArrayLike | None = None, **params: Any) -> float:
        """The model's own score: accuracy, or R²."""
        check_is_fitted(self)
        return float(self.model_.score(self._view(X), y, **params))

    def _ask(self, method: str, X: Samples, **params: Any) -> Any:
        check_is_fitted(self)
        return getattr(self.model_, method)(self._view(X), **params)

    def _view(self, X: Any) -> Any:
        """Of values against all rows of ``fit``, those against the rows that were trained on."""
        if not self._pairwise():
            return X
        n, shape = self.certification_.n, np.shape(X)
        if len(shape) != 2 or shape[1] != n:
            raise ValueError(
                f"X has shape {shape}: the kernel or distance is precomputed, so every row needs "
                f"one value for each of the {n} rows that were given to fit, also for those that "
                "were held out."
            )
        if getattr(self.model_, "columns", None) is not None:
            return X  # several models, each of which takes its own
        return np.asarray(X)[:, self.certification_.train_rows]

    def _pairwise(self) -> bool:
        return bool(get_tags(self.estimator).input_tags.pairwise)

    @property
    def n_features_in_(self) -> int:
        """Columns of the rows to predict."""
        return int(self.certification_.n if self._pairwise() else self.model_.n_features_in_)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _OWN or "model_" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.model_, name)

    def __getitem__(self, step: Any) -> Any:
        """A step, if the model is a pipeline."""
        check_is_fitted(self)
        return answering(self)[step]

    def __getstate__(self) -> dict[str, Any]:
        """All but the record of the run it came from, which holds the data."""
        state: dict[str, Any] = super().__getstate__()
        return {name: value for name, value in state.items() if name != "run_"}

    def _model_state(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "run_"}

    def __sklearn_is_fitted__(self) -> bool:
        return "model_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        return get_tags(self.estimator)
