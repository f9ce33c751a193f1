"""Classification at landmarks: a few passes over any number of rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from mercer._types import RandomState, Samples
from mercer.learners._door import Door, Kind
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of, positive_whole
from mercer.learners._passes import Block, InPasses, Passes, RowsInMemory, as_they_are, blocks
from mercer.learners._publishes import Publishes
from mercer.learners.large._low_rank import SPENT, AtLandmarks, LowRankFitted
from mercer.learners.large.landmarks import Landmarks
from mercer.losses import Logistic, SquaredHinge
from mercer.solvers.streamed_newton import LossSums, newton
from mercer.solvers.watch import Watch

Floats = NDArray[np.float64]
MOST_HELD = 2**26  # coordinates of texts that are kept from pass to pass (half a gigabyte)
LOSSES = {"squared_hinge": SquaredHinge, "logistic": Logistic}


@dataclass(frozen=True, kw_only=True)
class NystroemClassifierFitted(LowRankFitted):
    """Where Newton's method stopped; ``loss`` says whether outputs are log odds."""

    loss: str
    passes: int
    objective: Floats


def _is_logistic(model: Any) -> bool:
    fitted = model.__dict__.get("fitted_")
    return (model.loss if fitted is None else fitted.loss) == "logistic"


class NystroemClassifier(Weighted, InPasses, AtLandmarks, Publishes, Classifies, Learner):
    """Minimise ½‖f‖² + C Σ ℓ(y f(x)) over f = Σ c_j k(z_j, ·) + b, at landmarks z_j.

    Newton's method reads the rows once per step and holds a batch of them: memory does not grow
    with the rows. Of several classes each is learned against the rest, all in the same passes.

    Parameters
    ----------
    C : float, default=1.0
        Price of a unit of loss.
    kernel, gamma, degree, coef0 : …
    n_landmarks : int, default=500
        Rows drawn as landmarks; time grows with its square.
    loss : {"squared_hinge", "logistic"}, default="squared_hinge"
        The logistic loss gives probabilities; the squared hinge is quicker, as only rows inside the
        margin cost time.
    fit_intercept : …
    tol : float, default=1e-5
        Stop when a step promises less than this part of the objective.
    max_iter : int, default=30
        Most passes over the rows.
    time_limit : float or None, default=None
        Seconds after which no further pass begins; the best so far is kept, with a warning.
    random_state : int, generator or None, default=None
        Draws the landmarks.
    certify : {"in-sample"} or None, default="in-sample"
        Whether the model publishes evidence, see :class:`mercer.SVC`.
    delta : float, default=0.05
        Probability with which a certificate may be wrong.

    Attributes
    ----------
    classes_ : ndarray
        The class labels.
    landmarks_ : …
    dual_coef_ : ndarray of shape (n_landmarks,) or (n_landmarks, n_classes)
        Their weights.
    intercept_ : float or ndarray
        The offsets.
    rank_ : …
    n_iter_ : int
        Passes over the rows.
    evidence_, certificate_, certificates_, not_applicable_
        As in :class:`mercer.SVC`.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer.learners import NystroemClassifier
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> y = (X**2).sum(axis=1) > 1.4
    >>> bool(NystroemClassifier(n_landmarks=50, random_state=0).fit(X, y).score(X, y) > 0.98)
    True
    """

    lacks: ClassVar[Mapping[str, str]] = {
        "certificate": SPENT,
        "warm_start": "five to ten passes from zero: a start saves one or two",
        "progress": "five to ten passes in all",
    }
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    _rules: ClassVar[dict[str, Rule]] = {
        "loss": one_of(*LOSSES),
        "n_landmarks": positive_whole,
        "max_iter": positive_whole,
    }
    fitted_: NystroemClassifierFitted

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        n_landmarks: int = 500,
        loss: str = "squared_hinge",
        fit_intercept: bool = True,
        tol: float = 1e-5,
        max_iter: int = 30,
        time_limit: float | None = None,
        random_state: RandomState = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_landmarks = n_landmarks
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(loss="logistic"), cls(gamma=0.5, n_landmarks=20, random_state=0)]

    def _train_in_passes(self, rows: Passes) -> NystroemClassifierFitted:
        watch = Watch(self.time_limit)
        classes = self._labels(rows.labelled).classes
        landmarks, facts = self._placed(rows)
        rows, coordinates = _made_once(rows, landmarks)
        task = partial(_losses, coordinates=coordinates, classes=classes, loss=LOSSES[self.loss]())

        def one_pass(state: Floats) -> LossSums:
            found: LossSums = rows.sum(partial(task, state=state), landmarks.block)
            return found

        found = newton(
            one_pass,
            np.zeros((1 if len(classes) == 2 else len(classes), landmarks.rank + 1)),
            float(self.C),
            fit_intercept=bool(self.fit_intercept),
            tol=self.tol,
            max_iter=self.max_iter,
            told=watch.over,
        )
        if not found.converged:
            warnings.warn(
                f"{found.passes} passes were not enough: a step still promises "
                f"{found.decrement:.1e} of the objective (tol={self.tol:g})",
                ConvergenceWarning,
                stacklevel=5,
            )
        return NystroemClassifierFitted(
            **facts,
            classes=classes,
            coef=landmarks.whitening @ found.state[:, :-1].T,
            intercept=found.state[:, -1].copy(),
            loss=str(self.loss),
            passes=found.passes,
            objective=found.objective,
        )

    def _publish(self, fitted: Any) -> None:
        super()._publish(fitted)
        two = len(fitted.classes) == 2
        self.dual_coef_ = fitted.coef[:, 0] if two else fitted.coef
        self.intercept_ = float(fitted.intercept[0]) if two else fitted.intercept
        self.n_iter_ = fitted.passes

    def _outputs(self, X: Samples) -> Floats:
        values = super()._outputs(X)
        return values[:, 0] if len(self.fitted_.classes) == 2 else values

    @available_if(_is_logistic)
    def predict_proba(self, X: Samples) -> Floats:
        """Probabilities of the classes; of several, those against the rest, made to sum to one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``.
        """
        shares = expit(self._decision(X))
        if shares.ndim == 1:
            return np.column_stack([1.0 - shares, shares])
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1e-300)


def _made_once(rows: Passes, landmarks: Landmarks) -> tuple[Passes, Callable[[Any], Any]]:
    """Rows, and what makes coordinates of them at each pass.

    Of texts in memory they are made once, if there is room: such kernels cost more than all else.
    """
    texts = rows.sample.kind in (Kind.OBJECTS, Kind.WHOLE)
    if not (isinstance(rows, RowsInMemory) and texts) or rows.n * landmarks.rank > MOST_HELD:
        return rows, landmarks.coordinates
    made = [landmarks.coordinates(block.X) for block in blocks(rows.sample, landmarks.block)]
    return RowsInMemory(replace(rows.sample, X=np.vstack(made), kind=Kind.VECTORS)), as_they_are


def _losses(
    block: Block,
    coordinates: Callable[[Any], Any],
    classes: NDArray[Any],
    loss: Any,
    state: Floats,
) -> LossSums:
    signs = signs_of(np.searchsorted(classes, block.y), len(classes))
    weight = None if np.all(block.weight == 1.0) else block.weight
    return LossSums.of(coordinates(block.X), signs, weight, loss, state)


def signs_of(codes: NDArray[np.intp], classes: int) -> NDArray[np.int8]:
    """±1 for the second of two classes, or one column for each of more."""
    if classes == 2:
        return np.where(codes == 1, 1, -1).astype(np.int8)[:, None]
    return np.where(codes[:, None] == np.arange(classes), 1, -1).astype(np.int8)
