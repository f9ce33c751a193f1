"""Fisher's discriminant in the feature space of a kernel, for two classes and for many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mercer._types import Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import InKernelSpace, KernelFitted
from mercer.learners._kernel_rules import KERNEL_RULES
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, positive
from mercer.learners._publishes import Publishes
from mercer.learners._reasons import ONE_SOLVE
from mercer.learners.discriminant._mass import check_every_class, class_shares
from mercer.learners.discriminant._projects import RULES, Discriminates
from mercer.learners.discriminant._scatter import Scatter, discriminant

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class KernelFisherFitted(KernelFitted):
    """Coefficients, and the outputs at the rows of positive weight: a column per class, or one.

    ``scalings`` are coefficients of the projections, whose means over the rows are ``centers``.
    """

    coef: Floats
    intercept: Any
    output: Floats
    target: NDArray[Any]  # signs of two classes, else codes
    diagonal: Floats
    squared_norm: float | None  # of two classes
    scalings: Any = None  # these three are missing only while an old file is read
    centers: Any = None
    ratios: Any = None

    @property
    def two(self) -> bool:
        """Whether there are two classes."""
        return self.coef.ndim == 1


class KernelFisher(Discriminates, Weighted, Publishes, InKernelSpace, Classifies, Learner):
    """Fisher's discriminant on the columns of the Gram matrix G.

    With k_y the mean column of class y and S = (GG − Σ m_y k_y k_y')/m + λI, the score of class y
    is k_y'S⁻¹k(x) − ½k_y'S⁻¹k_y + ln P(y), k(x) being the kernel values against the training rows.
    Of two classes the coefficients are S⁻¹(k₊ − k₋). A weight of w counts as w copies of the row.

    Parameters
    ----------
    reg_param : float, default=1e-3
        λ > 0; without it S has rank at most m less the number of classes.
    kernel; gamma; degree, coef0 : …
    solver : {"moments", "eigen", "least_squares"}, default="moments"
        As in ``FisherDiscriminant``.
    prior : {"estimated", "equal"} or array-like of shape (n_classes,), default="estimated"
        Class probabilities: the frequencies, the same for all, or these.
    n_components : int, default=None
        Directions of ``transform``; None for all, at most one less than there are classes.
    certify; delta : …

    Attributes
    ----------
    dual_coef_ : ndarray of shape (n_samples,) or (n_samples, n_classes)
        Coefficients: ``f(x) = sum_i dual_coef_i k(x_i, x) + intercept_``.
    intercept_ : float or ndarray of shape (n_classes,)
        The offsets.
    scalings_ : ndarray of shape (n_samples, n_components)
        Coefficients of the projections of ``transform``.
    explained_variance_ratio_ : ndarray of shape (n_components,)
        Share of each projection in the spread between classes.
    classes_ : ndarray of shape (n_classes,)
        The labels; of two, a positive output means the second.
    kernel_, X_fit_
        What is needed for prediction.
    evidence_, certificate_, certificates_, not_applicable_; n_features_in_; feature_names_in_ : …

    Examples
    --------
    >>> from mercer.learners.discriminant import KernelFisher
    >>> X = [[-2.0], [-1.0], [0.0], [1.0], [2.0]]
    >>> KernelFisher(gamma=1.0).fit(X, [1, 1, 0, 1, 1]).predict([[0.1]])
    array([0])
    """

    lacks: ClassVar[Mapping[str, str]] = ONE_SOLVE
    _matrices: ClassVar[float] = 6.0
    _rules: ClassVar[dict[str, Rule]] = KERNEL_RULES | RULES | {"reg_param": positive}
    _door: ClassVar[Door] = Door(asks="kernel", targets="labels")
    _state_version: ClassVar[int] = 3
    fitted_: KernelFisherFitted

    def __init__(
        self,
        *,
        reg_param: float = 1e-3,
        kernel: Any = "rbf",
        gamma: float | str = "scale",
        degree: float = 3,
        coef0: float = 0.0,
        solver: str = "moments",
        prior: ArrayLike = "estimated",
        n_components: int | None = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.reg_param = reg_param
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.solver = solver
        self.prior = prior
        self.n_components = n_components
        self.certify = certify
        self.delta = delta

    def _train(self, sample: TrainingSample) -> KernelFisherFitted:
        labels, used = self._labels(sample), np.flatnonzero(sample.weight > 0)
        space = self._space(sample, use="rows")
        gram = space.gram if len(used) == sample.n else space.gram.subset(used)
        G = np.asarray(gram.dense(), dtype=np.float64)
        # a column that stands for w equal ones has √w times their length, and so has its weight
        root = np.sqrt(sample.weight[used])
        scatter = Scatter(G * root, labels.codes[used], sample.weight[used], float(self.reg_param))
        check_every_class(labels.classes, scatter.mass)
        wanted = self._check_components(len(labels.classes), len(G))
        found = discriminant(scatter, self.solver, class_shares(self.prior, scatter.mass))
        self._warn_if_degenerate(len(found.ratios))
        columns, offsets = found.plane
        two = columns.shape[1] == 1
        own = columns * root[:, None]
        output = G @ own + offsets
        return KernelFisherFitted(
            **self._in_space(sample, space.meant),
            classes=labels.classes,
            coef=_spread(own, used, sample.n)[:, 0] if two else _spread(own, used, sample.n),
            intercept=float(offsets[0]) if two else offsets,
            output=output[:, 0] if two else output,
            target=labels.signs[used] if two else labels.codes[used],
            diagonal=np.diagonal(G).copy(),
            squared_norm=float(own[:, 0] @ (output[:, 0] - offsets[0])) if two else None,
            scalings=_spread(found.scalings[:, :wanted] * root[:, None], used, sample.n),
            centers=scatter.mean @ found.scalings[:, :wanted],
            ratios=found.ratios[:wanted],
        )

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, KernelFisherFitted)
        self.dual_coef_, self.intercept_ = fitted.coef, fitted.intercept
        self.scalings_, self.explained_variance_ratio_ = fitted.scalings, fitted.ratios

    def _outputs(self, X: Samples) -> Floats:
        fitted = self.fitted_
        values = self._expand(X, fitted.coef.reshape(fitted.n, -1)) + fitted.intercept
        return values[:, 0] if fitted.two else values

    def _projections(self, X: Samples) -> Floats:
        return self._expand(X, self.fitted_.scalings) - self.fitted_.centers

    def _publish_evidence(self) -> Evidence:
        fitted = self.fitted_
        facts, output = fitted.facts(fitted.diagonal), fitted.output
        guess = np.where(output >= 0, 1.0, -1.0) if fitted.two else output.argmax(axis=1)
        square = -1.0 if fitted.squared_norm is None else fitted.squared_norm
        geometric = facts["point_norms"] is not None and square >= 0
        return Evidence(
            len(fitted.target),
            learner=f"this {type(self).__name__}",
            formulation="kfd",
            n_classes=len(self.classes_),
            errors=int(np.count_nonzero(guess != fitted.target)),
            margins=output * fitted.target if fitted.two else None,
            norm=float(np.sqrt(square)) if geometric else None,
            offset=fitted.intercept if fitted.two else None,
            **facts,
        )


def _spread(columns: Floats, used: NDArray[np.intp], n: int) -> Floats:
    """Coefficients of all rows, zero at those of weight zero."""
    found = np.zeros((n, columns.shape[1]))
    found[used] = columns
    return found
