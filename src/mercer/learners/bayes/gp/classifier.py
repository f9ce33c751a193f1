"""Gaussian-process classification."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from mercer import _config
from mercer._blas import blas_threads
from mercer._random import generator
from mercer.bounds import Evidence
from mercer.kernels.structured.precomputed import Precomputed
from mercer.kernels.theta import Theta
from mercer.kernels.validate import n_rows, take
from mercer.learners.bayes._data import Sample, query_sample, subset, training_sample
from mercer.learners.bayes.gp._base import GaussianProcess
from mercer.learners.bayes.gp._binary import BinaryProcess
from mercer.learners.bayes.gp._laplace import LaplaceEvidence
from mercer.learners.bayes.gp._publish import classification_evidence
from mercer.learners.bayes.gp._softmax import SoftmaxProcess
from mercer.learners.bayes.gp._softmax_laplace import SoftmaxEvidence
from mercer.learners.bayes.gp.links import Link, slope

Floats = NDArray[np.float64]
START_VARIANCE = 4.0  # latent values of ±2: probabilities between 0.1 and 0.9


class GaussianProcessClassifier(ClassifierMixin, GaussianProcess):
    """A latent Gaussian process squashed into class probabilities, by Laplace's approximation.

    P(+1 | x) is a sigmoid of f(x), f ~ GP(0, k). The posterior of f at the training rows is
    replaced by a Gaussian at its mode; hyper-parameters maximise the evidence of that
    approximation; class probabilities are averaged over the latent uncertainty. More than two
    classes: by default one process against the rest per class, each with hyper-parameters of its
    own, their probabilities divided by their sum, as scikit-learn does; ``multi_class="softmax"``
    models all classes at once, with one kernel for all of them.

    Parameters
    ----------
    kernel : Kernel, kernel of scikit-learn, str or callable, default=None
        By default a variance times a Gaussian with one length scale per column (one for all
        beyond 30 columns). "precomputed" takes the Gram matrix as data.
    link : {"logistic", "probit"}, default="logistic"
    beta : float, default=1.0
        Noise level of the link: the smaller, the harder the decision.
    convention : {"B.7", "3.16", "algorithm 5"}, default="B.7"
        What the text means by beta: P(+1 | t) = 1/(1+exp(-t/β)) in its appendix B.7,
        1/(1+exp(-2t/β)) in its equation (3.16), and division of the Gram matrix by β in its
        algorithm 5. B.7 with β/2 is (3.16) with β; B.7 with √β is algorithm 5 with β.
    latent_noise : float, default=0.0
        The text's σ_t²: added to the diagonal of the training Gram only.
    inference : {"laplace", "mcmc"}, default="laplace"
        "mcmc" averages probabilities over draws of the latent posterior by elliptical slice
        sampling (hyper-parameters still by Laplace): slow, and the reference.
    n_samples, burn_in : int
        Draws kept and thrown away by "mcmc".
    optimizer, n_restarts_optimizer, random_state, bounds, dtype, time_limit, verbose :
        As for `GaussianProcessRegressor`.
    multi_class : {"one_vs_rest", "softmax"}, default="one_vs_rest"
        With "softmax" the C latent functions share a kernel and P(c | x) is the softmax of their
        values (logistic link, inference "laplace"). It takes C + 3 arrays of n x n instead of two.
        No difference for two classes.
    max_iter_predict, warm_start, copy_X_train, n_jobs :
        scikit-learn's parameters, accepted without effect: Newton's method runs until it has
        converged.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    classes_ : ndarray
    kernel_ : Kernel, or list of them for more than two classes against the rest
    log_marginal_likelihood_value_ : float
        The approximate log evidence, averaged over the processes.
    n_evaluations_ : int
    processes_ : list of fitted two-class processes, or of one for all classes

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.2.2, appendix B.7, algorithm 5, with
    its three noise conventions reconciled; Rasmussen and Williams (2006), sections 3.4 and 5.5.
    """

    known_as: ClassVar[str] = "gp"

    def __init__(
        self,
        kernel: Any = None,
        *,
        link: str = "logistic",
        beta: float = 1.0,
        convention: str = "B.7",
        latent_noise: float = 0.0,
        inference: str = "laplace",
        n_samples: int = 500,
        burn_in: int = 200,
        optimizer: Any = "staged",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: Any = 0,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        bounds: Any = None,
        dtype: str = "float64",
        time_limit: float | None = None,
        verbose: bool = False,
        certify: Any = "in-sample",
        delta: float = 0.05,
    ) -> None:
        self.kernel = kernel
        self.link = link
        self.beta = beta
        self.convention = convention
        self.latent_noise = latent_noise
        self.inference = inference
        self.n_samples = n_samples
        self.burn_in = burn_in
        self.optimizer = optimizer
        self.n_restarts_optimizer = n_restarts_optimizer
        self.max_iter_predict = max_iter_predict
        self.warm_start = warm_start
        self.copy_X_train = copy_X_train
        self.random_state = random_state
        self.multi_class = multi_class
        self.n_jobs = n_jobs
        self.bounds = bounds
        self.dtype = dtype
        self.time_limit = time_limit
        self.verbose = verbose
        self.certify = certify
        self.delta = delta

    # -- fit ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the hyper-parameters and find the mode of the latent posterior.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or objects
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight w counts as w rows.

        Returns
        -------
        self
        """
        self._check_parameters()
        self._forget_certificates()
        sample = training_sample(self, X, y, sample_weight)
        check_classification_targets(sample.y)
        self.classes_, codes = np.unique(sample.y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"{type(self).__name__} needs at least two classes; got 1 class "
                f"({self.classes_[0]!r}): there is nothing to separate."
            )
        self.X_train_, self._kept_columns = self._cast(sample.X), sample.kept
        self.n_evaluations_, self.timed_out_ = 0, False
        with blas_threads(sample.n):
            self.processes_ = self._all_processes(sample, codes)
        self._publish_attributes()
        if self.inference == "mcmc":
            rng = generator(self.random_state)
            for process in self.processes_:
                process.draw(self.n_samples, self.burn_in, rng)
        return self

    @property
    def _softmax(self) -> bool:
        """Whether one process has all classes."""
        if self.multi_class != "softmax" or len(self.classes_) == 2:
            return False
        if self.link != "logistic" or self.inference != "laplace":
            raise ValueError(
                "multi_class='softmax' goes with link='logistic' and inference='laplace'; use "
                "multi_class='one_vs_rest' for others"
            )
        return True

    def _all_processes(self, sample: Sample, codes: NDArray[np.intp]) -> list[Any]:
        if self._softmax:
            return [self._softmax_process(sample, codes)]
        own = [1] if len(self.classes_) == 2 else range(len(self.classes_))
        return [self._process(sample, np.where(codes == c, 1.0, -1.0)) for c in own]

    def _process(self, sample: Sample, y: Floats) -> BinaryProcess:
        link = Link(self.link, slope(self.beta, self.convention))

        def evidence_of(part: Any, X: Any, theta: Theta) -> LaplaceEvidence:
            weight = sample.weight[part]
            return LaplaceEvidence(X, y[part], weight, theta, link, self.latent_noise, self.dtype)

        return BinaryProcess.settle(*self._chosen(sample, evidence_of, link.slope))

    def _softmax_process(self, sample: Sample, codes: NDArray[np.intp]) -> SoftmaxProcess:
        factor, count = slope(self.beta, self.convention), len(self.classes_)

        def evidence_of(part: Any, X: Any, theta: Theta) -> SoftmaxEvidence:
            weight, own = sample.weight[part], codes[part]
            return SoftmaxEvidence(
                X, own, count, weight, theta, factor, self.latent_noise, self.dtype
            )

        return SoftmaxProcess.settle(*self._chosen(sample, evidence_of, factor))

    def _chosen(self, sample: Sample, make: Any, factor: float) -> tuple[Any, Floats]:
        """The evidence of all rows, and the hyper-parameters where it is largest."""
        _, theta = self._start_kernel(self.X_train_, START_VARIANCE / factor**2)
        self.theta_names_ = list(theta.names)
        everything: list[Any] = []

        def evidence_of(rows: NDArray[np.intp] | None) -> Any:
            part = slice(None) if rows is None else rows
            made = make(part, subset(theta.kernel, self.X_train_, rows), theta)
            if rows is None:
                everything.append(made)
            return made

        before = self.n_evaluations_
        best = self._optimise(
            evidence_of, sample.n, theta.start(), theta.bounds(), "GP classification"
        )
        self.n_evaluations_ += before if best is not None else 0
        evidence = everything[-1] if everything else evidence_of(None)
        return evidence, theta.start() if best is None else best.proposal

    def _publish_attributes(self) -> None:
        kernels = [process.kernel for process in self.processes_]
        self.kernel_ = kernels[0] if len(kernels) == 1 else kernels
        self.theta_ = np.concatenate([process.point for process in self.processes_])
        self.log_marginal_likelihood_value_ = float(
            np.mean([process.log_evidence for process in self.processes_])
        )

    # -- prediction --------------------------------------------------------------------------------

    def latent_mean_and_variance(self, X: Any) -> tuple[Floats, Floats]:
        """Mean and variance of the latent function of each process at new rows.

        Returns
        -------
        two ndarrays of shape (n_queries,), or (n_queries, n_classes) for more than two classes
        """
        check_is_fitted(self, "processes_")
        kept = self._kept_columns
        mean, variance = self._over_blocks(X, lambda p, part: p.latent(part, kept))
        return (mean[:, 0], variance[:, 0]) if len(self.classes_) == 2 else (mean, variance)

    def decision_function(self, X: Any) -> Floats:
        """Log odds of each class against the rest: positive for ``classes_[1]`` of two.

        With a precomputed kernel the latent mean, which has the same sign.
        """
        check_is_fitted(self, "processes_")
        if isinstance(self.processes_[0].kernel, Precomputed):
            odds = self._latent_means(X)
        else:
            odds = logit(np.clip(self._positive(X), 1e-300, 1.0 - 1e-16))
        return odds[:, 0] if len(self.classes_) == 2 else odds

    def _latent_means(self, X: Any) -> Floats:
        kept = self._kept_columns
        return self._over_blocks(X, lambda p, part: p.latent(part, kept, variance=False))[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each row."""
        check_is_fitted(self, "processes_")
        if len(self.classes_) == 2 and self.inference == "laplace":
            # the sigmoid is antisymmetric: the averaged probability is on the side of the mean
            return self.classes_[(self._latent_means(X)[:, 0] > 0).astype(int)]
        precomputed = isinstance(self.processes_[0].kernel, Precomputed)
        odds = self._latent_means(X) if precomputed else self.predict_proba(X)
        return self.classes_[odds.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities, averaged over the uncertainty of the latent functions.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
        """
        positive = self._positive(X)
        if len(self.classes_) == 2:
            return np.column_stack([1.0 - positive[:, 0], positive[:, 0]])
        return positive / positive.sum(axis=1, keepdims=True)

    def _positive(self, X: Any) -> Floats:
        """Of each process, the probability of its own class."""
        check_is_fitted(self, "processes_")
        if isinstance(self.processes_[0].kernel, Precomputed):
            raise ValueError(
                "probabilities need k(x, x) of the new objects, which a precomputed matrix of "
                "values against the training rows does not hold; use predict or pass a Kernel"
            )

        def probability(process: Any, part: Any) -> tuple[Floats, Floats]:
            each = process.probability(part, self._kept_columns)
            return each, each

        return self._over_blocks(X, probability)[0]

    def _over_blocks(self, X: Any, ask: Any) -> tuple[Floats, Floats]:
        """Two numbers per row and process, or per row and class if one process has them all."""
        check_is_fitted(self, "processes_")
        X = self._cast(query_sample(self, X))
        n = n_rows(X)
        width = len(self.classes_) if self._softmax else len(self.processes_)
        first, second = np.empty((n, width)), np.empty((n, width))
        size = _config.block_rows(24 * width * self.processes_[0].n)
        for start in range(0, n, size):
            part = slice(start, min(n, start + size))
            for j, process in enumerate(self.processes_):
                columns: Any = slice(None) if self._softmax else j
                first[part, columns], second[part, columns] = ask(process, take(X, part))
        return first, second

    def sample_latents(
        self, n_samples: int = 1000, burn_in: int = 200, random_state: Any = 0
    ) -> Floats:
        """Draws of the training latents from their exact posterior (two classes).

        Elliptical slice sampling; the reference for Laplace's approximation.

        Returns
        -------
        ndarray of shape (n_samples, n_training_rows)
        """
        check_is_fitted(self, "processes_")
        if len(self.classes_) > 2:
            raise ValueError("sample_latents is for two classes")
        rng = generator(random_state)
        return self.processes_[0].draw(n_samples, burn_in, rng)

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """Laplace's log evidence at ``theta``, with its gradient if asked for.

        For several classes against the rest each process has a theta of its own: see processes_.
        """
        check_is_fitted(self, "processes_")
        if theta is None and not eval_gradient:
            return self.log_marginal_likelihood_value_
        p = self.processes_[0]
        if len(self.processes_) > 1:
            raise ValueError("for several classes ask each of processes_; theta is not shared")
        if self._softmax:
            evidence: Any = copy.deepcopy(p.evidence)  # evaluating elsewhere would spoil the fit
        else:
            evidence = LaplaceEvidence(p.X, p.y, p.weight, p.theta, p.link, p.noise, self.dtype)
        value, gradient = evidence(p.point if theta is None else np.asarray(theta, dtype=float))
        return (-value, -gradient) if eval_gradient else -value

    def _publish_evidence(self) -> Evidence:
        return classification_evidence(self)
