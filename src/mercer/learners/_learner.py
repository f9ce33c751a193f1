"""The template of every learner: check arguments, take rows in, train, remember.

A family or learner writes ``_train(sample)``, which returns a `Fitted` and touches nothing of the
estimator, so a fit that fails leaves the old model whole; ``_publish(fitted)``, which sets public
attributes from the record; ``_outputs(rows)``, from which answers follow; and, if bounds are to
speak about it, mixes in `Publishes` and writes ``_publish_evidence()``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import Any, ClassVar, Self

from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from mercer._blas import calm_blas, mind_forks
from mercer._config import remembers_rows, reserve
from mercer._types import Samples
from mercer.learners import _rest
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._parameters import Rule, check_parameters
from mercer.learners._reasons import NOT_ONLINE
from mercer.learners._words import spelled_out
from mercer.learners.rows_seen import RowsSeen, rows_seen, seen_by
from mercer.learners.training_rows import forget, remember

_WIDTH = ("n_features_in_", "feature_names_in_")  # set by scikit-learn when rows come in


class Learner(BaseEstimator):
    """Parameters → door → train → remember; the same for all families."""

    known_as: ClassVar[str] = ""  # what criteria, search routes and evidence call the learner
    # Capability (a column of docs/learners-matrix.md) to the mathematical reason why it is absent;
    # what a base class states holds for all below it, until one takes it back by an empty reason.
    lacks: ClassVar[Mapping[str, str]] = NOT_ONLINE
    _rules: ClassVar[dict[str, Rule]] = {}  # of constructor arguments, over _parameters.RULES
    _door: ClassVar[Door] = Door()
    # Matrices of n × n doubles that training and answering for as many rows hold at their peak, as
    # tests/contracts/test_memory.py measures it; zero where memory grows with n, or Gram matrices
    # keep to the limit by themselves.
    _matrices: ClassVar[float] = 0.0
    _calms_blas: ClassVar[bool] = True  # threads of BLAS help no small training, and cost some
    fitted_: Fitted
    _rows_seen: RowsSeen | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.__doc__ is not None:
            cls.__doc__ = spelled_out(cls.__doc__)

    def _fit(self, X: Any, y: Any = None, weight: Any = None) -> Self:
        return self._run(self._trained, X, y, weight)

    def _run(
        self,
        train: Callable[[TrainingSample], Fitted],
        X: Any,
        y: Any,
        weight: Any,
        *,
        reset: bool = True,
    ) -> Self:
        """Train on what comes through the door; ``reset=False`` continues with more rows."""
        check_parameters(self, self._rules)
        mind_forks()
        before = {name: self.__dict__[name] for name in _WIDTH if name in self.__dict__}
        try:
            sample = self._door.enter(self, X, y, weight, reset=reset)
            reserve(
                int(8 * self._held(sample) * sample.n**2),
                f"Training {type(self).__name__} on {sample.n:,} rows",
                "Use fewer rows, a learner of mercer.learners.large, or raise the limit with "
                "mercer.set_config(memory_limit=...).",
            )
            with calm_blas(sample.n) if self._calms_blas else nullcontext():
                fitted = train(sample)
        except BaseException:
            for name in _WIDTH:
                self.__dict__.pop(name, None)
            self.__dict__.update(before)
            raise
        seen = self._remembered(sample, fitted, continues=not reset)
        self._settle(fitted)
        self._rows_seen = seen
        if reset:
            remember(self, X, y)
        else:
            forget(self)
        self._look_at(sample)
        return self

    def _held(self, sample: TrainingSample) -> float:
        """Matrices of n × n doubles with these arguments."""
        return self._matrices

    def _trained(self, sample: TrainingSample) -> Fitted:
        """The record of a fit; a family may train several machines for it."""
        return self._train(sample)

    def _train(self, sample: TrainingSample) -> Fitted:
        raise TypeError(f"{type(self).__name__} does not say how it learns")

    def _remembered(
        self, sample: TrainingSample, fitted: Fitted, *, continues: bool
    ) -> RowsSeen | None:
        """Marks of the rows, with those of earlier ones that the model still depends on."""
        before = seen_by(self) if continues or getattr(self, "warm_start", False) else None
        if not remembers_rows() or (continues and before is None):
            return None
        return rows_seen(sample, fitted, before, once=not continues)

    def _settle(self, fitted: Fitted) -> None:
        """Become the new model: nothing of an older one stays."""
        for name in [n for n in self.__dict__ if n.endswith("_") and n not in _WIDTH]:
            del self.__dict__[name]
        self.fitted_ = fitted
        if isinstance(fitted, _rest.RestFitted):
            _rest.publish(self, fitted)
        else:
            self._publish(fitted)

    def _look_at(self, sample: TrainingSample) -> None:
        """Note what speaks against certificates of the fit; those who publish evidence do."""

    def _publish(self, fitted: Fitted) -> None:
        """Set public attributes, from the record only."""

    def _outputs(self, X: Any) -> Any:
        """What the model computes at checked rows; predict and its relatives read nothing else."""
        raise TypeError(f"{type(self).__name__} does not say what it answers")

    def _query(self, X: Samples) -> Any:
        """Rows to answer for, checked as the training rows were."""
        check_is_fitted(self)
        mind_forks()
        return self._door.query(self, X, self.fitted_.kind)

    def _says_kind(self) -> Any:
        """The argument that says what rows are."""
        return getattr(self, self._door.asks, None) if self._door.asks else None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        kind = self._door.kind(self._says_kind())
        tags.input_tags.pairwise = kind.square
        tags.input_tags.sparse = kind is Kind.SIMILARITY or (self._door.sparse and not kind.square)
        tags.input_tags.two_d_array = kind is not Kind.OBJECTS
        tags.input_tags.positive_only = kind in (Kind.DISTANCES, Kind.SIMILARITY)
        tags.target_tags.multi_output = self._door.targets == "numbers"
        return tags

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that contract tests try, beside nothing else: override to add settings."""
        return [cls()]


class Weighted:
    """Mixin: ``fit`` with targets and weights."""

    def fit(self, X: Samples, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train on the given data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points, or whatever the kernel or metric takes.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), default=None
            How much each sample counts. Samples of weight zero are left out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y, sample_weight)  # type: ignore[attr-defined]


class Plain:
    """Mixin: ``fit`` with targets and without weights."""

    def fit(self, X: Samples, y: ArrayLike) -> Self:
        """Train on the given data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Training points, or whatever the kernel or metric takes.
        y : array-like of shape (n_samples,)
            Targets.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        return self._fit(X, y)  # type: ignore[attr-defined]
