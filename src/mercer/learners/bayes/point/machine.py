"""The Bayes point machine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._blas import blas_threads
from mercer._cached import cached_property
from mercer._random import generator, seed_of
from mercer._types import RandomState, Samples
from mercer.bounds import Evidence
from mercer.learners._door import Door, TrainingSample
from mercer.learners._fitted import Fitted
from mercer.learners._in_kernel_space import KernelFitted
from mercer.learners._learner import Learner, Weighted
from mercer.learners._mixins import Classifies
from mercer.learners._parameters import Rule, one_of, positive_whole
from mercer.learners._publishes import Publishes
from mercer.learners._watched import watched
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes._space import BayesSpace, against_rest, bayes_door, cross
from mercer.learners.bayes.point._binary import SOLVERS, BinaryPoint, find_point
from mercer.learners.bayes.point._evidence import bayes_point_evidence
from mercer.learners.bayes.point.volume import VolumeEstimate, estimate_volume

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class BayesPointFitted(KernelFitted):
    """The two-class machines, and how they answer."""

    machines: list[BinaryPoint]
    strategy: str
    seed: Any
    n_draws: int = 100
    burn_in: int = 20
    draw_seed: int = 0

    @cached_property
    def draws(self) -> list[Floats]:
        """Members of each version space, nearly independent, as coefficients."""
        rng = np.random.default_rng(self.draw_seed)
        return [machine.more(rng, self.n_draws, self.burn_in) for machine in self.machines]

    @property
    def columns(self) -> Floats:
        """Coefficients of the centres, one column each."""
        return np.array([machine.beta for machine in self.machines]).T


class BayesPointMachine(Weighted, Publishes, BayesSpace, Classifies, Learner):
    """The centre of version space: one classifier that stands for the vote of all consistent ones.

    With a uniform prior over directions and a likelihood that only asks for consistency, the
    posterior is uniform on version space. Its vote is the Bayes rule; the classifier closest to
    the vote is the Bayes point, and the centre of mass is a good stand-in.

    A sample weight divides ``reg_param`` of its row: the noise that excuses an error. With
    ``reg_param=0`` rows are consistent or not, however heavy.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default="rbf"
        Classifiers are hyperplanes through the origin of feature space; add a constant to the
        kernel for an offset.
    reg_param : float, default=0.1
        This share of the mean k(x, x) is added to the diagonal, so that training errors are
        possible and version space is never empty. 0 insists on consistency.
    solver : {"billiard", "gibbs", "hit-and-run", "perceptrons"}, default="billiard"
        How the centre is found: a ball bouncing between the walls (algorithm 10, corrected), the
        average of uniform draws (kernel Gibbs sampler, or random directions), or the average of
        perceptrons trained on shuffled rows.
    strategy : {"point", "bayes", "gibbs"}, default="point"
        Predict by the centre, by the vote of ``n_samples`` draws, or by one draw per row.
    n_samples, burn_in : int
        Draws (or perceptrons) kept, and sweeps before the first.
    tol, max_iter : float, int
        When the billiard stops: how far its centre may still move, and the most bounces.
    init : {"svm", "perceptron"}, default="svm"
        Where inside version space it starts.
    verbose : bool, default=False
        Show progress on standard error.
    time_limit : float or None, default=None
        Seconds; the centre found until then is the result, with a warning.
    warm_start : bool, default=False
        Start from the last centre, if there are as many rows and it is still consistent.
    random_state : int, RandomState or None
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    classes_ : ndarray
    dual_coef_ : ndarray of shape (n_machines, n_samples)
        f(x) = Σ β_i k(x_i, x), of length one in (soft) feature space.
    machines_ : list with the version space, centre and draws of each two-class machine
    n_iter_ : bounces or sweeps

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.4, appendix B.9, algorithm 10; Herbrich,
    Graepel and Campbell 2001; Graepel and Herbrich 2001 (kernel Gibbs sampler).
    """

    lacks: ClassVar[Mapping[str, str]] = {
        "copies": "a weight divides the noise of a row's output; every copy has a noise of its own"
    }
    _matrices: ClassVar[float] = 4.9
    _state_version: ClassVar[int] = 2
    _rules: ClassVar[dict[str, Rule]] = BAYES_RULES | {
        "solver": one_of(*SOLVERS),
        "max_iter": positive_whole,
    }
    _door: ClassVar[Door] = bayes_door("labels")
    fitted_: BayesPointFitted

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        reg_param: float = 0.1,
        solver: str = "billiard",
        strategy: str = "point",
        n_samples: int = 100,
        burn_in: int = 20,
        tol: float = 1e-2,
        max_iter: int = 100_000,
        init: str = "svm",
        verbose: bool = False,
        time_limit: float | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
        certify: str | None = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.reg_param = reg_param
        self.solver = solver
        self.strategy = strategy
        self.n_samples = n_samples
        self.burn_in = burn_in
        self.tol = tol
        self.max_iter = max_iter
        self.init = init
        self.verbose = verbose
        self.time_limit = time_limit
        self.warm_start = warm_start
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [cls(tol=0.1, random_state=0)]

    def _train(self, sample: TrainingSample) -> BayesPointFitted:
        labels, meant = self._labels(sample), self._meant(sample)
        K = np.asarray(meant.kernel(sample.X), dtype=np.float64)
        seed = seed_of(self.random_state)
        rng = generator(seed)
        targets = against_rest(labels)
        last = self._last(len(targets), sample.n)
        with blas_threads(1), watched(self) as watch:  # a product of vectors per bounce
            machines = [
                find_point(self, K, signs, sample.weight, rng, watch, start)
                for signs, start in zip(targets, last, strict=True)
            ]
        return BayesPointFitted(
            **self._in_space(sample, meant),
            classes=labels.classes,
            machines=machines,
            strategy=self.strategy,
            seed=seed,
            n_draws=self.n_samples,
            burn_in=self.burn_in,
            draw_seed=int(rng.integers(2**31)),
        )

    def _last(self, targets: int, n: int) -> list[BinaryPoint | None]:
        """The last machines, if they can be those of these rows."""
        last = self.__dict__.get("fitted_") if self.warm_start else None
        if last is None or len(last.machines) != targets or last.n != n:
            return [None] * targets
        return list(last.machines)

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, BayesPointFitted)
        self.machines_ = fitted.machines
        self.dual_coef_ = fitted.columns.T
        self.n_iter_ = max(machine.n_steps for machine in fitted.machines)

    # -- prediction --------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row by the chosen strategy.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels out of ``classes_``.
        """
        rows = self._query(X)
        return self.classes_[self._places(self._outputs(rows))]

    def predict_proba(self, X: Samples) -> Floats:
        """Share of version space that puts each row into each class, by ``n_samples`` draws.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New points; of a precomputed kernel their values against the training rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Columns in the order of ``classes_``. Of several classes the shares of the machines of
            each against the rest, made to sum to one.
        """
        rows, fitted = self._query(X), self.fitted_
        K = np.asarray(cross(fitted.kernel, rows, fitted.rows, fitted.kept), dtype=np.float64)
        # one vote more on either side: a hundred draws do not make a certainty
        shares = np.column_stack(
            [(1 + np.sum(K @ draws.T > 0, axis=1)) / (2 + len(draws)) for draws in fitted.draws]
        )
        if len(self.classes_) == 2:
            shares = np.column_stack([1.0 - shares[:, 0], shares[:, 0]])
        # where a draw or two would decide otherwise, the predicted class is still the likeliest
        said = self._places(self._outputs(rows))[:, None]
        front = np.maximum(np.take_along_axis(shares, said, 1), shares.max(axis=1)[:, None] + 1e-9)
        np.put_along_axis(shares, said, front, 1)
        return shares / shares.sum(axis=1, keepdims=True)

    def _places(self, outputs: Floats) -> NDArray[np.intp]:
        places = outputs > 0 if outputs.ndim == 1 else outputs.argmax(axis=1)
        return np.asarray(places, dtype=np.intp)

    def _outputs(self, X: Samples) -> Floats:
        """Output of the centre, or mean vote of the draws."""
        outputs = self._of_machines(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def _of_machines(self, X: Samples) -> Floats:
        fitted = self.fitted_
        K = np.asarray(cross(fitted.kernel, X, fitted.rows, fitted.kept), dtype=np.float64)
        if fitted.strategy == "point":
            return K @ fitted.columns
        votes = np.empty((len(K), len(fitted.machines)))
        rng = generator(fitted.seed)
        for j, machine in enumerate(fitted.machines):
            outputs = K @ machine.draws.T
            if fitted.strategy == "bayes":
                votes[:, j] = np.mean(np.sign(outputs), axis=1)
            else:
                chosen = rng.integers(outputs.shape[1], size=len(outputs))
                votes[:, j] = outputs[np.arange(len(outputs)), chosen]
        return votes

    # -- version space -----------------------------------------------------------------------------

    def version_space_volume(
        self, n_draws: int = 10_000, random_state: RandomState = 0
    ) -> VolumeEstimate:
        """Share of all directions that are consistent with the rows (two classes).

        The evidence of the hypothesis space under the PAC likelihood, with a confidence interval;
        with ``reg_param`` > 0, of the soft version space.
        """
        check_is_fitted(self)
        machines = self.fitted_.machines
        if len(machines) > 1:
            raise ValueError("version_space_volume is for two classes")
        rng = generator(random_state)
        return estimate_volume(machines[0].space, n_draws, rng)

    def _publish_evidence(self) -> Evidence:
        return bayes_point_evidence(self)
