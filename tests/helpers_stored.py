"""Models of every kind that a file can hold, small and quickly trained."""

import inspect
import warnings

import numpy as np
from scipy import sparse
from sklearn.base import is_regressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import kernels, learners, metrics
from mercer.learners import bayes, margin, metric
from mercer.tables.machine import TableMachine

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
Q = RNG.normal(size=(9, 3))
TARGET = X[:, 0] + 0.3 * RNG.normal(size=40)
LABELS = np.where(TARGET > 0, "yes", "no")
THREE = np.digitize(TARGET, [-0.5, 0.5])
TEXTS = np.array(["".join(RNG.choice(list("abc"), 6)) for _ in range(40)], dtype=object)
QUICKER = {"linear_erm": {"method": "hinge"}}


def plain(name):
    """A learner as it comes, around an SVC where another estimator is asked for."""
    cls, given = learners.available()[name], dict(QUICKER.get(name, {}))
    for key, parameter in inspect.signature(cls).parameters.items():
        if parameter.default is inspect.Parameter.empty:
            given[key] = mercer.SVC()
    return cls(**given)


def by_itself(name):
    """Every learner on vectors."""
    model = plain(name)
    return model.fit(X, TARGET if is_regressor(model) else LABELS), Q


def certified(mode, **options):
    """What spent rows on its certificate."""
    inside = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.5))
    options = {"random_state": 0} | options
    return mercer.certified_fit(inside, X, LABELS, mode=mode, **options), Q


SETTINGS = {
    "svc-sparse": lambda: (mercer.SVC().fit(sparse.csr_array(X), LABELS), sparse.csr_array(Q)),
    "svc-probability": lambda: (mercer.SVC(probability=True, random_state=0).fit(X, THREE), Q),
    "svc-precomputed": lambda: (mercer.SVC(kernel="precomputed").fit(X @ X.T, LABELS), Q @ X.T),
    "svc-mismatch": lambda: (mercer.SVC(kernel=kernels.Mismatch(3, 1)).fit(TEXTS, LABELS), TEXTS),
    "svc-word-weights": lambda: (
        mercer.SVC(kernel=kernels.BagOfWords(weights="idf", substrings=True, words=["a", "bc"]))
        .fit(TEXTS, LABELS), TEXTS,
    ),
    "perceptron-smallest": lambda: (
        margin.KernelPerceptron(gamma=0.5, budget=5, forget="smallest").fit(X, LABELS), Q,
    ),
    "lp-gaussian": lambda: (metric.LPMachine(profile="gaussian").fit(X, LABELS), Q),
    "ridge-path": lambda: (mercer.KernelRidge(alpha=[0.1, 1.0], kernel="rbf").fit(X, TARGET), Q),
    "gp-float32": lambda: (
        mercer.GaussianProcessRegressor.automatic(dtype="float32").fit(X, TARGET), Q,
    ),
    "gp-sklearn-kernel": lambda: (mercer.GaussianProcessRegressor(alpha=0.1).fit(X, TARGET), Q),
    "gp-two-targets": lambda: (
        mercer.GaussianProcessRegressor.automatic().fit(X, np.column_stack([TARGET, X[:, 1]])), Q,
    ),
    "gp-weights": lambda: (
        mercer.GaussianProcessRegressor.automatic(optimizer=None).fit(
            X, TARGET, np.arange(40.0) % 3
        ), Q,
    ),
    "gp-one-vs-rest": lambda: (mercer.GaussianProcessClassifier.automatic().fit(X, THREE), Q),
    "gp-softmax": lambda: (
        mercer.GaussianProcessClassifier.automatic(multi_class="softmax").fit(X, THREE), Q,
    ),
    "gp-drawn": lambda: (
        mercer.GaussianProcessClassifier.automatic(
            inference="mcmc", n_samples=800, burn_in=100, random_state=0
        ).fit(X, LABELS),
        Q,
    ),
    "gp-strings": lambda: (
        bayes.GaussianProcessRegressor.automatic(kernels.Spectrum(2)).fit(TEXTS, TARGET), TEXTS,
    ),
    "knn-edit": lambda: (metric.KNNClassifier(3, metric=metrics.Edit()).fit(TEXTS, LABELS), TEXTS),
    "knn-kernel": lambda: (metric.KNNRegressor(metric=kernels.Gaussian("median")).fit(X, TARGET),
                           Q),
    "knn-precomputed": lambda: (
        metric.KNNClassifier(3, metric="precomputed").fit(np.abs(X[:, :1] - X[:, 0]), LABELS),
        np.abs(Q[:, :1] - X[:, 0]),
    ),
    "condensed-precomputed": lambda: (
        metric.CondensedNearestNeighbor(metric="precomputed").fit(
            np.abs(X[:, :1] - X[:, 0]), LABELS
        ),
        np.abs(Q[:, :1] - X[:, 0]),
    ),
    "search": lambda: (
        mercer.KernelSearch(mercer.SVC(), param_grid={"C": [0.1, 1.0]}, cv=3, random_state=0)
        .fit(X, LABELS), Q,
    ),
    "table": lambda: (TableMachine(kernel="gaussian", random_state=0).fit(X, LABELS), Q),
    "pipeline": lambda: (make_pipeline(StandardScaler(), mercer.SVR()).fit(X, TARGET), Q),
    "not-fitted": lambda: (mercer.SVC(kernel=kernels.Gaussian(2.0) + kernels.Linear()), None),
}  # fmt: skip
MODES = ("auto", "compress", "holdout", "in-sample", "pac-bayes", "progressive", "selective",
         "vote")  # fmt: skip

EVERY = {
    **{name: lambda name=name: by_itself(name) for name in learners.available()},
    **SETTINGS,
    **{f"certified-{mode}": lambda mode=mode: certified(mode) for mode in MODES},
}


def build(name):
    """The fitted model and rows to ask it about; None if it is not fitted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EVERY[name]()
