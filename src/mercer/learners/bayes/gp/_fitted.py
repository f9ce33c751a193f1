"""What a fit of Gaussian-process regression leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mercer._blas import blas_threads
from mercer._cached import cached_property
from mercer._storable import record
from mercer.gram.triangle import Triangle
from mercer.kernels import Kernel
from mercer.learners._door import TrainingSample
from mercer.learners._passes import Block, Passes, RowsInMemory
from mercer.learners.bayes.gp._base import AnyTheta, ProcessFitted
from mercer.learners.bayes.gp._by_products import ProductFactor
from mercer.learners.bayes.gp._evidence import Likelihood, RegressionEvidence

Floats = NDArray[np.float64]


@record("gp-targets")
@dataclass(frozen=True)
class Targets:
    """Targets in the units of the process, one column each; ``flat`` if there is one only."""

    unit: Floats
    mean: Floats
    scale: Floats
    flat: bool

    @classmethod
    def of(cls, sample: TrainingSample, normalise: bool) -> Targets:
        """With weighted mean 0 and variance 1, unless they are to stay as they are."""
        y = sample.y.reshape(sample.n, -1)
        share = (sample.weight / sample.weight.sum())[:, None]
        mean = np.sum(share * y, axis=0) if normalise else np.zeros(y.shape[1])
        scale = np.sqrt(np.sum(share * (y - mean) ** 2, axis=0))
        constant = scale <= 1e-14 * (np.abs(mean) + 1e-300)
        scale = np.where(constant, 1.0, scale) if normalise else np.ones(y.shape[1])
        return cls((y - mean) / scale, mean, scale, y.shape[1] == 1)

    @classmethod
    def over(cls, rows: Passes, normalise: bool) -> Targets:
        """The scale of all rows; ``unit`` are the targets of the sample."""
        sample = rows.sample
        if isinstance(rows, RowsInMemory) or not normalise:
            return cls.of(sample, normalise)
        y = sample.y.reshape(sample.n, -1)
        near = y.mean(axis=0)  # sums about it lose no digits
        mass, first, second = rows.sum(partial(_sums_about, point=near))
        mean = near + first / mass
        scale = np.sqrt(np.maximum(second / mass - (first / mass) ** 2, 0.0))
        scale = np.where(scale <= 1e-14 * (np.abs(mean) + 1e-300), 1.0, scale)
        return cls((y - mean) / scale, mean, scale, y.shape[1] == 1)

    @property
    def spread(self) -> float:
        """Mean square, one if they vanish: the unit of the noise."""
        spread = float(np.mean(self.unit**2))
        return spread if spread > 1e-12 else 1.0

    def shaped(self, values: Floats) -> Floats:
        """The last axis is that of the targets; it goes if there is one only."""
        return values[..., 0] if self.flat else values

    def restored(self, values: Floats) -> Floats:
        """Values of the process in the user's units."""
        return self.shaped(values * self.scale + self.mean)


def _sums_about(block: Block, point: Floats) -> tuple[float, Floats, Floats]:
    gap = block.y.reshape(len(block), -1) - point
    return float(block.weight.sum()), block.weight @ gap, block.weight @ gap**2


@record("gp-regression-fitted")
@dataclass(frozen=True, kw_only=True)
class RegressionFitted(ProcessFitted):
    """The covariance at the chosen hyper-parameters; ``coef`` has the duals of the mean.

    Solved by ``solver``; "cg" looked for the hyper-parameters on ``n_searched`` rows, and knows the
    evidence up to ``log_evidence_error``.
    """

    kernel: Kernel
    noise: float
    theta: AnyTheta
    likelihood: Likelihood
    targets: Targets
    coef: Floats
    jitter: float
    converged: bool
    solver: str = "cholesky"
    n_searched: int | None = None
    log_evidence_error: float = 0.0

    @property
    def by_products(self) -> bool:
        """Whether there is no Cholesky factor."""
        return self.solver == "cg"

    def evidence(self) -> RegressionEvidence:
        """Of all rows, at no parameters yet."""
        return RegressionEvidence(
            self.rows,
            self.targets.unit,
            self.theta,
            self.likelihood,
            self.dtype,
            forgiving=self.likelihood.learn or self.dtype == "float32" or self.jitter > 0,
        )

    @cached_property
    def factor(self) -> Triangle | ProductFactor:
        """Of the covariance: made by the fit, and again after loading, for files leave it out."""
        if self.by_products:
            return ProductFactor(self.kernel, self.rows, self.likelihood.variances(self.noise))
        evidence = self.evidence()
        with blas_threads(self.n):
            evidence.factored(self.kernel, self.noise)
        return evidence.triangle

    def factored_as(self, factor: Triangle | ProductFactor) -> Self:
        """The same record with a factor that is there already."""
        vars(self)["factor"] = factor
        return self


def stacked(rows: Any, more: Any) -> Any:
    """Training rows followed by new ones, in the form of the first."""
    from scipy import sparse

    if sparse.issparse(rows):
        return sparse.vstack([rows, sparse.csr_array(more)])
    return np.concatenate([rows, more.toarray() if sparse.issparse(more) else more])
