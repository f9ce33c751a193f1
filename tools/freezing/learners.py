"""Every learner with settings that are quick on thirty rows, and the machines with all theirs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import mercer
from freezing import samples as s
from freezing.case import Case
from mercer import kernels, metrics
from mercer.learners import (
    bayes,
    discriminant,
    margin,
    metric,
    multiclass,
    online,
    regression,
    spectral,
)

CLASSIFIERS: list[Any] = [
    mercer.SVC(),
    mercer.NuSVC(nu=0.3),
    margin.Perceptron(),
    margin.KernelPerceptron(gamma=0.5),
    margin.AdaptiveMarginMachine(gamma=0.5),
    margin.LeaveOneOutMachine(gamma=0.5),
    discriminant.RegularizedRiskClassifier(gamma=0.5),
    discriminant.KernelLogistic(gamma=0.5),
    discriminant.LogisticClassifier(),
    discriminant.FisherDiscriminant(),
    discriminant.KernelFisher(gamma=0.5),
    discriminant.ExponentialFamilyClassifier(),
    discriminant.ParzenClassifier(gamma=0.5),
    discriminant.LinearERM(method="hinge"),
    discriminant.FiniteClassERM(),
    metric.KNNClassifier(3),
    metric.CondensedNearestNeighbor(),
    metric.LipschitzClassifier(),
    metric.LPMachine(),
    metric.KuratowskiMachine(),
    multiclass.OneVsRest(mercer.SVC(gamma=0.5)),
    multiclass.OneVsOne(mercer.SVC(gamma=0.5)),
    multiclass.DecisionDAG(mercer.SVC(gamma=0.5)),
    multiclass.CrammerSingerSVC(gamma=0.5),
    online.Halving(),
    bayes.BayesPointMachine(random_state=0),
    bayes.GaussianProcessClassifier.automatic(),
    bayes.RelevanceVectorClassifier(),
]
REGRESSORS: list[Any] = [
    mercer.SVR(gamma=0.5),
    mercer.NuSVR(gamma=0.5),
    mercer.KernelRidge(kernel="rbf", gamma=0.5),
    regression.RegularizedRiskRegressor(gamma=0.5),
    regression.LeastSquares(),
    regression.RidgeRegression(),
    regression.LassoRegression(),
    regression.PolynomialRegression(),
    metric.KNNRegressor(3),
    metric.LipschitzRegressor(),
    bayes.GaussianProcessRegressor.automatic(),
    bayes.RelevanceVectorRegressor(),
    bayes.SparseGaussianProcessRegressor(n_inducing=8, random_state=0),
]
UNLABELLED: list[Any] = [
    mercer.OneClassSVM(gamma=0.5),
    margin.SVDD(gamma=0.5),
    spectral.KMeans(3, random_state=0),
    spectral.KCenters(3, random_state=0),
    spectral.KernelKMeans(3, random_state=0),
    spectral.KernelPCA(2),
    spectral.PCA(2),
    spectral.ClassicalMDS(2),
    spectral.DiffusionMap(2),
    spectral.LandmarkDiffusionMap(2, random_state=0),
    spectral.Isomap(n_components=2),
    spectral.SpectralClustering(3, random_state=0),
    spectral.LandmarkSpectralClustering(3, random_state=0),
]
EVERY = [*CLASSIFIERS, *REGRESSORS, *UNLABELLED]


def fitted(learner: Any) -> Any:
    """The learner trained on the sample of its kind."""
    if any(learner is known for known in UNLABELLED):
        return learner.fit(s.blobs)
    if any(learner is known for known in REGRESSORS):
        return learner.fit(s.X, s.target)
    return learner.fit(s.X, s.y)


def learners() -> Iterator[Case]:
    """Each of the learners once."""
    for learner in EVERY:
        yield Case(
            f"learners/{type(learner).__name__}",
            lambda learner=learner: fitted(learner),
            s.blobs[:8] + 0.1 if any(learner is known for known in UNLABELLED) else s.Q,
        )


def _warmed() -> Any:
    machine = mercer.SVC(gamma=0.5, C=0.5, warm_start=True).fit(s.X, s.y)
    return machine.set_params(C=2.0).fit(s.X, s.y)


def machines() -> Iterator[Case]:
    """What a support vector machine may be trained on and asked for, and other learners' doors."""
    SVC, texts, kinds = mercer.SVC, *s.strings(30, 1)
    asked_texts = s.strings(8, 2)[0]
    found: dict[str, tuple[Any, Any]] = {
        "float32": (lambda: SVC(gamma=0.5).fit(s.X.astype("f4"), s.names), s.Q.astype("f4")),
        "csr": (lambda: SVC(gamma=0.5).fit(s.thinned(s.X), s.y), s.thinned(s.Q)),
        "precomputed": (
            lambda: SVC(kernel="precomputed").fit(s.linear_gram(s.X), s.y),
            s.linear_gram(s.Q),
        ),
        "squared-hinge": (lambda: SVC(gamma=0.5, loss="squared_hinge").fit(s.X, s.y), s.Q),
        "hard": (lambda: SVC(kernel="linear", C=np.inf).fit(s.apart, s.separable), s.Q),
        "weights": (lambda: SVC(gamma=0.5).fit(s.X, s.y, sample_weight=s.weight), s.Q),
        "class-weight": (lambda: SVC(gamma=0.5, class_weight="balanced").fit(s.X, s.y), s.Q),
        "warm-start": (_warmed, s.Q),
        "three-probability": (
            lambda: SVC(gamma=0.5, probability=True, random_state=0).fit(s.X, s.three),
            s.Q,
        ),
        "knn-strings": (
            lambda: metric.KNNClassifier(3, metric=metrics.Edit()).fit(texts, kinds),
            asked_texts,
        ),
        "read-alphabet": (lambda: SVC(kernel=kernels.Mismatch(2)).fit(texts, kinds), asked_texts),
        "knn-precomputed": (
            lambda: metric.KNNClassifier(3, metric="precomputed").fit(s.distances(s.X), s.y),
            s.distances(s.Q),
        ),
        "lipschitz-precomputed": (
            lambda: metric.LipschitzClassifier(metric="precomputed").fit(s.distances(s.X), s.y),
            s.distances(s.Q),
        ),
        "condensed-kernel": (
            lambda: metric.CondensedNearestNeighbor(metric=kernels.Gaussian(1.0)).fit(s.X, s.y),
            s.Q,
        ),
    }
    for scheme in ("ovo", "ovr", "dag"):
        found[f"three-{scheme}"] = (
            lambda scheme=scheme: SVC(gamma=0.5, multi_class=scheme).fit(s.X, s.three),
            s.Q,
        )
    Ridge = mercer.KernelRidge
    found["ridge-path"] = (
        lambda: Ridge(alpha=[0.1, 1.0], kernel="rbf", gamma=0.5).fit(s.X, s.target),
        s.Q,
    )
    found["ridge-targets"] = (lambda: Ridge(kernel="rbf", gamma=0.5).fit(s.X, s.targets), s.Q)
    for name, (build, rows) in found.items():
        yield Case(f"machines/{name}", build, rows)


def processes() -> Iterator[Case]:
    """Gaussian processes with several outputs, other inference and other rows."""
    texts, _ = s.strings(30, 1)
    Regressor, Classifier = bayes.GaussianProcessRegressor, bayes.GaussianProcessClassifier
    found: dict[str, tuple[Any, Any]] = {
        "targets": (lambda: Regressor().fit(s.X, s.targets), s.Q),
        "float32": (lambda: Regressor(dtype="float32").fit(s.X, s.target), s.Q),
        "strings": (lambda: Regressor(kernels.Spectrum(2)).fit(texts, s.target), texts[:6]),
        "three": (lambda: Classifier().fit(s.X, s.three), s.Q),
        "softmax": (lambda: Classifier(multi_class="softmax").fit(s.X, s.three), s.Q),
        "drawn": (
            lambda: Classifier(inference="mcmc", n_samples=20, burn_in=5, random_state=0).fit(
                s.X, s.names
            ),
            s.Q,
        ),
    }
    for name, (build, rows) in found.items():
        yield Case(f"processes/{name}", build, rows)


def searches() -> Iterator[Case]:
    """Searches with their tables of results, alone and over two learners."""
    grid = {"C": [0.1, 1.0]}
    plain = mercer.KernelSearch(mercer.SVC(), param_grid=grid, cv=3, random_state=0)
    yield Case("searches/plain", lambda: plain.fit(s.X, s.y), s.Q)
    ridge = mercer.KernelSearch(mercer.KernelRidge(), param_grid={"alpha": [0.1, 1.0]}, cv=3,
                                random_state=0)  # fmt: skip
    yield Case("searches/numbers", lambda: ridge.fit(s.X, s.target), s.Q)
    union = mercer.KernelSearch(mercer.SVC(), param_grid=grid | {"gamma": [0.5]}, certify="union",
                                random_state=0)  # fmt: skip
    yield Case("searches/union", lambda: union.fit(s.X, s.y), s.Q)
