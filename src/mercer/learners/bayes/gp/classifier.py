"""Gaussian-process classification."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mercer._blas import blas_threads
from mercer._random import generator
from mercer._types import RandomState, Samples
from mercer.bounds import Evidence
from mercer.kernels.sklearn_objects import is_sklearn_kernel
from mercer.kernels.validate import n_rows, take
from mercer.learners._door import Door, Kind, TrainingSample
from mercer.learners._fitted import Fitted, rows_of
from mercer.learners._mixins import Labels
from mercer.learners.bayes._space import against_rest, bayes_door, subset
from mercer.learners.bayes.gp._base import (
    AnyTheta,
    Searched,
    in_precision,
    warn_of_bounds,
)
from mercer.learners.bayes.gp._binary import BinaryProcess
from mercer.learners.bayes.gp._chain_quality import warn_of
from mercer.learners.bayes.gp._class_answers import ClassificationFitted, _ClassAnswers
from mercer.learners.bayes.gp._laplace import LaplaceEvidence
from mercer.learners.bayes.gp._publish import classification_evidence
from mercer.learners.bayes.gp._softmax import SoftmaxProcess
from mercer.learners.bayes.gp._softmax_laplace import SoftmaxEvidence
from mercer.learners.bayes.gp.links import Link, slope
from mercer.learners.schemes import binary_tasks

Floats = NDArray[np.float64]
START_VARIANCE = 4.0  # latent values of ±2: probabilities between 0.1 and 0.9


def _pairs(labels: Labels) -> list[tuple[NDArray[np.intp], Floats]]:
    """Rows and signs of each pair of classes, the first of which is +1."""
    return binary_tasks(labels.codes, len(labels.classes), "ovo")


class GaussianProcessClassifier(_ClassAnswers):
    """A latent Gaussian process squashed into class probabilities, by Laplace's approximation.

    P(+1 | x) is a sigmoid of f(x), f ~ GP(0, k). The posterior of f at the training rows is
    replaced by a Gaussian at its mode; hyper-parameters maximise the evidence of that
    approximation; class probabilities are averaged over the latent uncertainty. More than two
    classes: by default one process against the rest per class, each with hyper-parameters of its
    own, their probabilities divided by their sum, as scikit-learn does; ``multi_class="softmax"``
    models all classes at once, with one kernel for all of them. Parameters, defaults and their
    meanings are scikit-learn's; for measured data we recommend
    ``GaussianProcessClassifier("auto", optimizer="staged")``, which `automatic` returns. A row of
    weight w counts as w rows.

    Parameters
    ----------
    kernel : kernel of scikit-learn, Kernel, str or callable, default=None
        None is scikit-learn's default, ``ConstantKernel(1.0) * RBF(1.0)`` with nothing to learn.
        "auto" is a variance times a Gaussian with one length scale per column (one for all
        beyond 30 columns) that starts at the spread of the data. "precomputed" takes the Gram
        matrix as data.
    link : {"logistic", "probit"}, default="logistic"
    beta : float, default=1.0
        Noise level of the link: the smaller, the harder the decision.
    convention : {"scale", "twice", "square"}, default="scale"
        Whether beta is the scale of the latent function, P(+1 | t) = 1/(1+exp(-t/β)) as in
        appendix B.7 of the text; twice that scale, 1/(1+exp(-2t/β)), its equation (3.16); or its
        square, by which algorithm 5 divides the Gram matrix.
    latent_noise : float, default=0.0
        The text's σ_t²: added to the diagonal of the training Gram only.
    inference : {"laplace", "mcmc"}, default="laplace"
        "mcmc" averages probabilities over draws from the exact posterior of the latent values
        (hyper-parameters still by Laplace): Hamiltonian Monte Carlo from Laplace's approximation.
        A `ConvergenceWarning` says if the draws are too few or the chains disagree.
    n_samples, burn_in, n_chains : int, default=2000, 300, 8
        Draws kept by "mcmc", of all chains together; draws that each chain throws away; chains.
    optimizer, n_restarts_optimizer, random_state, bounds, dtype, time_limit, verbose :
        As for `GaussianProcessRegressor`.
    multi_class : {"one_vs_rest", "one_vs_one", "softmax"}, default="one_vs_rest"
        With "one_vs_one" each pair of classes has a process over their rows, and they vote: less
        work than against the rest, and unlike scikit-learn's with probabilities. With "softmax"
        the C latent functions share a kernel and P(c | x) is the softmax of their values (logistic
        link). It takes C + 3 arrays of n x n instead of two.
        No difference for two classes.
    max_iter_predict, warm_start, copy_X_train, n_jobs :
        scikit-learn's parameters, accepted without effect: Newton's method runs until it has
        converged.
    certify, delta :
        As for every learner, see `mercer.certified_fit`.

    Attributes
    ----------
    classes_ : ndarray
    kernel_ : as ``kernel`` was given, with the learned parameters
        For several processes scikit-learn's ``CompoundKernel`` of its
        kernels, or a list of ours.
    log_marginal_likelihood_value_ : float
        The approximate log evidence, averaged over the processes.
    n_evaluations_ : int
    r_hat_, effective_sample_size_ : ndarray of shape (n_samples, n_functions)
        With "mcmc", of every latent value of the training rows: spread over all chains by spread
        within them, and how many independent draws would be as good.
    processes_ : list of fitted two-class processes, or of one for all classes

    References
    ----------
    Herbrich, Learning Kernel Classifiers (2002), section 3.2.2, appendix B.7, algorithm 5, with
    its three noise conventions reconciled; Rasmussen and Williams (2006), sections 3.4 and 5.5.
    """

    known_as: ClassVar[str] = "gp"
    _matrices: ClassVar[float] = 4.2
    _state_version: ClassVar[int] = 3
    _door: ClassVar[Door] = bayes_door("labels")
    fitted_: ClassificationFitted

    def __init__(
        self,
        kernel: Any = None,
        *,
        link: str = "logistic",
        beta: float = 1.0,
        convention: str = "scale",
        latent_noise: float = 0.0,
        inference: str = "laplace",
        n_samples: int = 2000,
        burn_in: int = 300,
        n_chains: int = 8,
        optimizer: Any = "fmin_l_bfgs_b",
        n_restarts_optimizer: int = 0,
        max_iter_predict: int = 100,
        warm_start: bool = False,
        copy_X_train: bool = True,
        random_state: RandomState = None,
        multi_class: str = "one_vs_rest",
        n_jobs: int | None = None,
        bounds: Any = None,
        dtype: str = "float64",
        time_limit: float | None = None,
        verbose: bool = False,
        certify: str | None = "in-sample",
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
        self.n_chains = n_chains
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

    @classmethod
    def examples(cls) -> list[Self]:
        """Settings that the contract tests try."""
        return [
            cls.automatic(),
            cls.automatic(multi_class="softmax"),
            cls(),
        ]

    @classmethod
    def automatic(cls, kernel: Any = "auto", **changes: Any) -> Self:
        """A process that learns a length scale per column: recommended for measured data.

        Parameters
        ----------
        kernel : as for the class
        **changes
            Arguments that are not to be the recommended ones.
        """
        return cls(**{"kernel": kernel, "optimizer": "staged", "random_state": 0} | changes)

    def _default_kernel(self) -> Any:
        from sklearn.gaussian_process.kernels import RBF, ConstantKernel

        return ConstantKernel(1.0, "fixed") * RBF(1.0, "fixed")

    # -- fit ---------------------------------------------------------------------------------------

    def _train(self, sample: TrainingSample) -> ClassificationFitted:
        if type(self.kernel).__name__ == "CompoundKernel":
            raise ValueError("kernel cannot be a CompoundKernel")
        labels = self._labels(sample)
        softmax = self._one_for_all(len(labels.classes))
        rows = in_precision(sample.X, self.dtype)
        pairs = self.multi_class == "one_vs_one" and len(labels.classes) > 2
        make = self._by_softmax if softmax else self._by_pairs if pairs else self._by_rest
        with blas_threads(sample.n):
            settled = [
                (kind.settle(evidence, point), search)
                for kind, evidence, point, search in make(sample, labels, rows)
            ]
        processes, searches = [one for one, _ in settled], [search for _, search in settled]
        if self.optimizer is not None:
            for process in processes:
                warn_of_bounds(process.theta.public_at(process.point))
        if self.inference == "mcmc":
            rng = generator(self.random_state)
            for process in processes:
                process.keep(process.draw(self.n_samples, self.burn_in, self.n_chains, rng))
            warn_of([(process.r_hat, process.effective_sample_size) for process in processes])
        return ClassificationFitted(
            **rows_of(sample),
            classes=labels.classes,
            rows=rows,
            dtype=self.dtype,
            names=list(processes[-1].theta.names),
            point=np.concatenate([process.point for process in processes]),
            log_evidence=float(np.mean([process.log_evidence for process in processes])),
            n_evaluations=sum(search.n_evaluations for search in searches),
            timed_out=any(search.timed_out for search in searches),
            processes=processes,
            softmax=softmax,
            sampled=self.inference == "mcmc",
            members=[own for own, _ in _pairs(labels)] if pairs else None,
        )

    def _one_for_all(self, n_classes: int) -> bool:
        """Whether one process has all classes."""
        if self.multi_class != "softmax" or n_classes == 2:
            return False
        if self.link != "logistic":
            raise ValueError(
                "multi_class='softmax' goes with link='logistic'; use multi_class='one_vs_rest' "
                "for others"
            )
        return True

    def _by_rest(self, sample: TrainingSample, labels: Labels, rows: Any) -> Any:
        """One process for two classes, else one for each against the rest."""
        for y in against_rest(labels):
            yield self._two_classes(sample.weight, rows, y)

    def _by_pairs(self, sample: TrainingSample, labels: Labels, rows: Any) -> Any:
        """One process for each pair of classes, over their rows."""
        for own, y in _pairs(labels):
            part = rows[np.ix_(own, own)] if sample.kind is Kind.GRAM else take(rows, own)
            yield self._two_classes(sample.weight[own], part, y)

    def _two_classes(self, weights: Floats, rows: Any, y: Floats) -> Any:
        link = Link(self.link, slope(self.beta, self.convention))

        def evidence_of(part: Any, X: Samples, theta: AnyTheta) -> LaplaceEvidence:
            weight, noise = weights[part], self.latent_noise
            return LaplaceEvidence(X, y[part], weight, theta, link, noise, self.dtype)

        return BinaryProcess, *self._chosen(rows, evidence_of, link.slope)

    def _by_softmax(self, sample: TrainingSample, labels: Labels, rows: Any) -> Any:
        factor, count = slope(self.beta, self.convention), len(labels.classes)

        def evidence_of(part: Any, X: Samples, theta: AnyTheta) -> SoftmaxEvidence:
            weight, own, noise = sample.weight[part], labels.codes[part], self.latent_noise
            return SoftmaxEvidence(X, own, count, weight, theta, factor, noise, self.dtype)

        yield SoftmaxProcess, *self._chosen(rows, evidence_of, factor)

    def _chosen(self, rows: Any, make: Any, factor: float) -> tuple[Any, Floats, Searched]:
        """The evidence of all rows, the hyper-parameters where it is largest, and the search."""
        theta = self._start_kernel(rows, START_VARIANCE / factor**2)
        everything: list[Any] = []

        def evidence_of(some: NDArray[np.intp] | None) -> Any:
            part = slice(None) if some is None else some
            made = make(part, subset(theta.kernel, rows, some), theta)
            if some is None:
                everything.append(made)
            return made

        start, title = theta.start(), "GP classification"
        search = self._optimise(
            evidence_of, n_rows(rows), start, theta.bounds(), list(theta.names), title
        )
        evidence = everything[-1] if everything else evidence_of(None)
        return evidence, start if search.best is None else search.best.proposal, search

    def _publish(self, fitted: Fitted) -> None:
        super()._publish(fitted)
        assert isinstance(fitted, ClassificationFitted)
        self.processes_ = fitted.processes
        if fitted.sampled and all(process.r_hat is not None for process in fitted.processes):
            for name in ("r_hat", "effective_sample_size"):
                each = [getattr(process, name) for process in fitted.processes]
                setattr(self, f"{name}_", np.hstack(each))
        kernels = [process.theta.public_at(process.point) for process in fitted.processes]
        if len(kernels) > 1 and is_sklearn_kernel(kernels[0]):
            from sklearn.gaussian_process.kernels import CompoundKernel

            kernels = [CompoundKernel(kernels)]
        self.kernel_ = kernels[0] if len(kernels) == 1 else kernels

    def log_marginal_likelihood(
        self, theta: Any = None, eval_gradient: bool = False, clone_kernel: bool = True
    ) -> Any:
        """Laplace's log evidence at ``theta``, with its gradient if asked for.

        Parameters
        ----------
        theta : array, optional
            Logarithms of the parameters named in ``theta_names_``. For several classes against
            the rest those of all processes, or of one, which then hold for all of them; the answer
            is their mean.
        eval_gradient : bool
            Not for several processes.
        clone_kernel : bool
            If False, ``kernel_`` takes these parameters, should it be a kernel of scikit-learn.
        """
        check_is_fitted(self)
        fitted = self.fitted_
        if theta is None:
            if eval_gradient:
                raise ValueError("Gradient can only be evaluated for theta!=None")
            return np.float64(fitted.log_evidence)
        theta, processes = np.asarray(theta, dtype=np.float64), fitted.processes
        if len(processes) > 1 and eval_gradient:
            raise NotImplementedError(
                "Gradient of log-marginal-likelihood not implemented for multi-class GPC: theta "
                "is not shared, ask each of processes_"
            )
        size = len(processes[0].point)
        if theta.shape not in ((size,), (size * len(processes),)):
            raise ValueError(
                f"theta needs the {size} entries {fitted.names}, for each of the {len(processes)} "
                f"processes or once; got shape {theta.shape}"
            )
        each = np.empty((len(processes), size))
        each[:] = theta if len(theta) == size else theta.reshape(each.shape)
        if not clone_kernel and is_sklearn_kernel(self.kernel_):
            self.kernel_.theta = each.ravel()
        evidences = [self._process_evidence(process) for process in processes]
        if eval_gradient:
            value, gradient = evidences[0](each[0])
            return -np.float64(value), -gradient
        own = zip(evidences, each, strict=True)
        return np.mean([evidence.log_evidence(point) for evidence, point in own])

    def _process_evidence(self, process: Any) -> Any:
        if self.fitted_.softmax:
            return copy.deepcopy(process.evidence)  # evaluating elsewhere would spoil the fit
        facts = (process.y, process.weight, process.theta, process.link, process.noise)
        return LaplaceEvidence(process.X, *facts, self.fitted_.dtype)

    def _publish_evidence(self) -> Evidence:
        return classification_evidence(self)
