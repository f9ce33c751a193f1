"""The Bayes point machine."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer._blas import blas_threads
from mercer._random import generator
from mercer.bounds import Evidence
from mercer.kernels.resolve import kernel_meant
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.validate import n_rows
from mercer.learners._certified import Certified
from mercer.learners._parameters import check_parameters
from mercer.learners.bayes._data import cross, query_sample, set_input_tags, training_sample
from mercer.learners.bayes._rules import BAYES_RULES
from mercer.learners.bayes.point._binary import find_point
from mercer.learners.bayes.point._evidence import bayes_point_evidence
from mercer.learners.bayes.point.volume import VolumeEstimate, estimate_volume

Floats = NDArray[np.float64]


class BayesPointMachine(ClassifierMixin, Certified, BaseEstimator):
    """The centre of version space: one classifier that stands for the vote of all consistent ones.

    With a uniform prior over directions and a likelihood that only asks for consistency, the
    posterior is uniform on version space. Its vote is the Bayes rule; the classifier closest to
    the vote is the Bayes point, and the centre of mass is a good stand-in.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default="rbf"
        Classifiers are hyperplanes through the origin of feature space; add a constant to the
        kernel for an offset.
    soft : float, default=0.1
        This share of the mean k(x, x) is added to the diagonal, so that training errors are
        possible and version space is never empty. 0 insists on consistency.
    method : {"billiard", "gibbs", "hit-and-run", "perceptrons"}, default="billiard"
        How the centre is found: a ball bouncing between the walls (algorithm 10, corrected), the
        average of uniform draws (kernel Gibbs sampler, or random directions), or the average of
        perceptrons trained on shuffled rows.
    strategy : {"point", "bayes", "gibbs"}, default="point"
        Predict by the centre, by the vote of ``n_samples`` draws, or by one draw per row.
    n_samples, burn_in : int
        Draws (or perceptrons) kept, and sweeps before the first.
    tol, max_bounces : float, int
        When the billiard stops.
    start : {"svm", "perceptron"}, default="svm"
        Where inside version space it starts.
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

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        soft: float = 0.1,
        method: str = "billiard",
        strategy: str = "point",
        n_samples: int = 100,
        burn_in: int = 20,
        tol: float = 1e-2,
        max_bounces: int = 100_000,
        start: str = "svm",
        random_state: Any = 0,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.soft = soft
        self.method = method
        self.strategy = strategy
        self.n_samples = n_samples
        self.burn_in = burn_in
        self.tol = tol
        self.max_bounces = max_bounces
        self.start = start
        self.random_state = random_state
        self.certify = certify
        self.delta = delta

    def __sklearn_tags__(self) -> Any:
        return set_input_tags(self, super().__sklearn_tags__())

    def fit(self, X: Any, y: Any) -> Self:
        """Find the centre of version space.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or objects
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        check_parameters(self, BAYES_RULES)
        self._forget_certificates()
        sample = training_sample(self, X, y)
        check_classification_targets(sample.y)
        self.classes_, codes = np.unique(sample.y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; got 1 class "
                f"({self.classes_[0]!r}): there is nothing to separate."
            )
        self.kernel_ = kernel_meant(self.kernel, sample.X, functions="pairs").kernel
        K = np.asarray(self.kernel_(sample.X), dtype=np.float64)
        self.X_train_ = sample.X
        rng = generator(self.random_state)
        two = len(self.classes_) == 2
        signs = [codes == 1] if two else [codes == c for c in range(len(self.classes_))]
        with blas_threads(1):  # a product of vectors per bounce
            self.machines_ = [
                find_point(self, K, np.where(positive, 1.0, -1.0), rng) for positive in signs
            ]
        self.dual_coef_ = np.array([machine.beta for machine in self.machines_])
        self.n_iter_ = max(machine.n_steps for machine in self.machines_)
        return self

    # -- prediction --------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> Floats:
        """Output of the centre (or mean vote of the draws); one column per class beyond two."""
        check_is_fitted(self, "dual_coef_")
        columns = self._outputs(X)
        return columns[:, 0] if len(self.classes_) == 2 else columns

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row by the chosen strategy."""
        check_is_fitted(self, "dual_coef_")
        columns = self._outputs(X)
        if len(self.classes_) == 2:
            return self.classes_[(columns[:, 0] > 0).astype(int)]
        return self.classes_[columns.argmax(axis=1)]

    def _outputs(self, X: Any) -> Floats:
        X = query_sample(self, X)
        if isinstance(self.kernel_, Precomputed) and X.shape[1] != len(self.X_train_):
            raise ValueError(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{len(self.X_train_)} features as input"
            )
        K = np.asarray(cross(self.kernel_, X, self.X_train_), dtype=np.float64)
        if self.strategy == "point":
            return K @ self.dual_coef_.T
        votes = np.empty((n_rows(X), len(self.machines_)))
        rng = generator(self.random_state)
        for j, machine in enumerate(self.machines_):
            outputs = K @ machine.draws.T
            if self.strategy == "bayes":
                votes[:, j] = np.mean(np.sign(outputs), axis=1)
            else:
                chosen = rng.integers(outputs.shape[1], size=len(outputs))
                votes[:, j] = outputs[np.arange(len(outputs)), chosen]
        return votes

    # -- version space -----------------------------------------------------------------------------

    def version_space_volume(self, n_draws: int = 10_000, random_state: Any = 0) -> VolumeEstimate:
        """Share of all directions that are consistent with the rows (two classes).

        The evidence of the hypothesis space under the PAC likelihood, with a confidence interval;
        with ``soft`` > 0, of the soft version space.
        """
        check_is_fitted(self, "dual_coef_")
        if len(self.machines_) > 1:
            raise ValueError("version_space_volume is for two classes")
        rng = generator(random_state)
        return estimate_volume(self.machines_[0].space, n_draws, rng)

    def _publish_evidence(self) -> Evidence:
        return bayes_point_evidence(self)
