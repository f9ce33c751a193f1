"""``KernelSearch``: choose kernel and parameters, without writing a grid."""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, assert_all_finite, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from mercer._card import CardBelow, card
from mercer._types import Samples
from mercer.learners.template import Rule, check_parameters, flag, none_or
from mercer.selection._certify import certified_search
from mercer.selection._learners import first_of, run_all
from mercer.selection._run import Run, choose_route
from mercer.selection._table import results_table
from mercer.selection._task import SearchTask, check_estimator_kind, default_estimator


def _best_has(name: str) -> Any:
    def check(search: Any) -> bool:
        if hasattr(search, "best_estimator_"):
            getattr(search.best_estimator_, name)
        elif search.estimator is not None:
            getattr(first_of(search.estimator), name)
        elif name in ("transform", "inverse_transform", "predict_proba", "predict_log_proba"):
            raise AttributeError(f"the default estimator has no {name}")
        return True

    return check


SHOWN = 5  # of the best settings, on the card

SEARCH_RULES: dict[str, Rule] = {
    "refit": flag,
    "certify": none_or((lambda v: isinstance(v, str | list | tuple), "the name of a mode")),
}


class KernelSearch(CardBelow, MetaEstimatorMixin, BaseEstimator):
    """Choose the kernel, its bandwidth and the price of errors, then train on all rows.

    Kernel machines are searched fast: distances are shared over bandwidths, each kernel has one
    Gram matrix, folds are parts of it, all folds and classes are trained together and every cost
    starts from the solution of the one before. Anything else is trained fold by fold.

    Parameters
    ----------
    estimator : estimator, list of estimators or None, default=None
        What is tuned: a Mercer or scikit-learn classifier or regressor, or a Pipeline that ends in
        one. None takes ``SVC`` for classes and ``SVR`` for numbers. Steps of a pipeline that do
        not look at the labels are fitted once, on all rows searched. Of a list each is searched,
        on the same folds and by the same criterion, and the best of all is kept.
    param_grid : dict or None, default=None
        Lists of values: parameters of the estimator, and ``length_scale`` or ``gamma`` of the
        kernel. What is listed is tried completely. Without a list for the cost, a coarse grid
        is tried first and then refined around the best; costs above 10 only while they may help.
    kernels : str, Kernel, list of these or None, default="auto"
        A name gets its bandwidth searched, a kernel object is taken as it is. "auto" is the
        Gaussian kernel. None leaves the kernel of the estimator alone.
    criterion : str or Criterion, default="auto"
        What to choose by, see ``mercer.selection.criteria.available()``. "auto" is "cv-smooth"
        for machines of two classes, "loo" for kernel ridge, "marginal-likelihood" for Gaussian
        processes and "cv" (what ``GridSearchCV`` does) for everything else or with ``scoring``.
    cv : int, splitter or iterable, default=5
        Folds of the criteria that need them; an integer shuffles and stratifies.
    scoring : str, callable or None, default=None
        A scikit-learn scorer for ``criterion="cv"``; accuracy or R² by default.
    refit : bool, default=True
        Train the best candidate on all rows.
    certify : {"union", "occam"} or None, default=None
        A certificate of the selected model that holds out no row: it pays for every candidate of a
        given ``param_grid``, equally or by the order in which they are declared. To spend rows
        instead, use ``mercer.certified_fit(search, X, y)``: the whole search happens inside the
        training part and costs nothing.
    delta : float, default=0.05
        Probability with which the certificate may be wrong.
    time_limit : float or None, default=None
        Seconds after which the best so far is taken.
    memory_limit : float, str or None, default=None
        Bytes, or "2GB"; by default Mercer's limit.
    n_jobs : int or None, default=None
        Threads; None uses what ``mercer.set_config`` says, -1 all cores.
    random_state : int, RandomState or None, default=None
        Shuffles the folds. None shuffles them anew in every fit; beside a ``checkpoint`` it is 0.
    checkpoint : path or None, default=None
        A file to which finished candidates are written, and from which an interrupted search
        goes on. It must belong to the same data and settings. Several learners have a file each,
        with the learner's name added.
    progress : bool, callable or None, default=None
        A notebook gets a bar unless this is False, and True draws a line on standard error
        elsewhere; a function is called with a dict after every unit of work, and a true answer
        ends the search with the best so far.

    Attributes
    ----------
    best_estimator_ : estimator
        Trained on all rows with the best setting (if ``refit``).
    best_params_, best_kernel_, best_index_ : dict, Kernel or None, int
        The best setting and its place in the table.
    best_score_, best_value_ : float
        Greater is better (the scorer's mean, or minus the value); smaller is better.
    results_, cv_results_ : dict of arrays
        One entry per candidate, as in scikit-learn, with ``value``, ``status``, ``family``,
        ``bandwidth``, ``tried`` (their order in time) and the components of the criterion.
    n_splits_, criterion_, route_, seconds_, stopped_ : int, str, str, float, str
        Folds used, the criterion's code, how candidates were evaluated, seconds taken, and
        "finished", "time limit", "interrupted" or "asked to stop".
    best_learner_ : str
        With a list of estimators only: which of them won; ``results_["learner"]`` has all.
    trivial_ : bool
        Classifiers only: whether the model gives all rows it was shown the same class, which some
        criteria prefer on small samples.
    certificate_, evidence_ : Certificate, Evidence
        With ``certify`` only: about ``best_estimator_``, and what that rests on.
    classes_, n_features_in_ : of ``best_estimator_``.

    Examples
    --------
    >>> from mercer import KernelSearch
    >>> from mercer.datasets import make_twonorm
    >>> X, y, law = make_twonorm(200, random_state=0)
    >>> search = KernelSearch().fit(X, y)
    >>> bool(law.risk(search.predict, n=20_000) < 0.05)
    True
    """

    accounts_for_fit: ClassVar[bool] = True
    _state_version: ClassVar[int] = 1

    def __init__(
        self,
        estimator: Any = None,
        param_grid: Any = None,
        *,
        kernels: Any = "auto",
        criterion: Any = "auto",
        cv: Any = 5,
        scoring: Any = None,
        refit: bool = True,
        certify: str | None = None,
        delta: float = 0.05,
        time_limit: float | None = None,
        memory_limit: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        checkpoint: Any = None,
        progress: Any = None,
    ) -> None:
        self.estimator = estimator
        self.param_grid = param_grid
        self.kernels = kernels
        self.criterion = criterion
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.certify = certify
        self.delta = delta
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.checkpoint = checkpoint
        self.progress = progress

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        known = self.__dict__.get("best_estimator_", first_of(self.estimator))
        if known is None:
            return tags
        from sklearn.utils._tags import get_tags

        inner = get_tags(known)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        tags.input_tags = inner.input_tags
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> KernelSearch:
        """Search, and train the best candidate on all rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Training points, or whatever the kernels accept.
        y : array-like of shape (n_samples,)
            Labels or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights, in the training and in the errors counted.
        groups : array-like of shape (n_samples,), default=None
            Rows of one group stay on one side of every split.

        Returns
        -------
        self : object
            The fitted search.
        """
        check_parameters(self, SEARCH_RULES)
        for name in ("certificate_", "evidence_"):  # of an older model
            self.__dict__.pop(name, None)
        if self.certify is not None:
            return certified_search(self, X, y, sample_weight, groups)
        started = time.monotonic()
        if isinstance(self.estimator, list | tuple):
            run = run_all(self, X, y, sample_weight, groups, started)
        else:
            run = Run(self, self._task(X, y, sample_weight, groups), started)
            run.search()
        self._publish(run)
        self.seconds_ = time.monotonic() - started
        if run.interrupted:  # the table and the best setting so far are there; no more work
            raise KeyboardInterrupt(
                f"the search was interrupted after {sum(len(r.outcomes) for r in run.rivals)} of "
                f"{run.size} candidates; results_ and best_params_ hold what was found"
            )
        if self.refit:
            self._refit(run, X, y, sample_weight)
        self.seconds_ = time.monotonic() - started
        return self

    def _task(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> SearchTask:
        if y is None:
            raise ValueError(
                "This KernelSearch estimator requires y to be passed, but the target y is None."
            )
        X, y, sample_weight, groups = indexable(X, y, sample_weight, groups)
        if np.asarray(y).dtype.kind == "f":
            assert_all_finite(y, input_name="y")
        estimator = default_estimator(y) if self.estimator is None else self.estimator
        check_estimator_kind(estimator)
        return choose_route(
            self, clone(estimator), X, column_or_1d(y, warn=True), sample_weight, groups
        )

    def _card(self) -> str:
        table = self.results_
        order = np.argsort(table["rank_test_score"], kind="stable")
        tried = np.isfinite(table["value"])
        rows = [("criterion", f"{self.criterion_}, smaller is better"),
                ("settings", f"{tried.sum()} of {self.n_candidates_} tried; {self.stopped_}"),
                *((f"rank {table['rank_test_score'][j]}",
                   f"{table['value'][j]:.4g} with {_setting(table['params'][j])}")
                  for j in order[:SHOWN] if tried[j])]  # fmt: skip
        return card("Search", rows)

    def _publish(self, run: Run) -> None:
        best = run.best()
        self.results_ = self.cv_results_ = results_table(run)
        self.best_index_ = run.place(best)
        outcome = run.outcomes[best.key]
        self.best_value_, self.best_score_ = outcome.value, outcome.score
        self.best_kernel_ = best.kernel
        self.best_params_ = run.outer_params(best)
        self.n_splits_ = len(run.task.folds)
        self.criterion_ = run.task.criterion.code
        self.route_ = run.route.name
        self.stopped_ = run.stopped
        self.n_candidates_ = run.size
        if run.learner:
            self.best_learner_ = run.learner
        self.scorer_ = None

    def _refit(self, run: Run, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        start = time.perf_counter()
        model = run.configured(run.best())
        extra = {}
        self._weight_name = f"{run.task.prefix}sample_weight"
        if sample_weight is not None:
            extra[self._weight_name] = np.asarray(sample_weight, dtype=np.float64)
        self.best_estimator_ = model.fit(X, y, **extra)
        run.note_choice(self.best_estimator_)
        if run.task.classifier:
            some = _safe_indexing(run.task.X, np.arange(min(len(run.task.y), 2000)))
            pairwise = run.pairwise
            self.trivial_ = not pairwise and len(np.unique(self.best_estimator_.predict(some))) == 1
        self.refit_time_ = time.perf_counter() - start

    # -- the best estimator's own ------------------------------------------------------------------

    def _fitted(self, method: str) -> Any:
        check_is_fitted(self)
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(
                f"{method} needs refit=True: this search kept the best setting, not a model."
            )
        return self.best_estimator_

    @available_if(_best_has("predict"))
    def predict(self, X: Any) -> NDArray[Any]:
        """Predictions of the best estimator."""
        return self._fitted("predict").predict(X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Samples) -> NDArray[Any]:
        """Outputs of the best estimator."""
        return self._fitted("decision_function").decision_function(X)

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Samples) -> NDArray[Any]:
        """Class probabilities of the best estimator."""
        return self._fitted("predict_proba").predict_proba(X)

    @available_if(_best_has("predict_log_proba"))
    def predict_log_proba(self, X: Samples) -> NDArray[Any]:
        """Logarithms of the class probabilities of the best estimator."""
        return self._fitted("predict_log_proba").predict_log_proba(X)

    @available_if(_best_has("transform"))
    def transform(self, X: Samples) -> Any:
        """The best estimator's transformation."""
        return self._fitted("transform").transform(X)

    def score(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The scorer's value, or accuracy or R² of the best estimator."""
        model = self._fitted("score")
        if self.scoring is not None:
            from sklearn.metrics import check_scoring

            return float(check_scoring(model, scoring=self.scoring)(model, X, y))
        return float(model.score(X, y, sample_weight))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "best_params_")

    @property
    def classes_(self) -> NDArray[Any]:
        """Class labels of the best estimator."""
        return self._fitted("classes_").classes_

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen during fit."""
        if not hasattr(self, "best_estimator_"):
            raise AttributeError(f"{type(self).__name__} object has no n_features_in_ yet")
        return int(self.best_estimator_.n_features_in_)


def _setting(params: dict[str, Any]) -> str:
    """``C 10, kernel Gaussian(length_scale=0.5)``."""
    said = {k: f"{v:.4g}" if isinstance(v, float) else str(v) for k, v in params.items()}
    return ", ".join(f"{name} {value}" for name, value in said.items())
