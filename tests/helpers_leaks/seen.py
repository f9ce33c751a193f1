"""Counting on rows the model was trained on."""

import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.gaussian_process import GaussianProcessClassifier as SklearnProcess
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import mercer
from helpers_leaks import claim, noise, way
from mercer.learners.metric import KNNClassifier, KuratowskiMachine

REMEMBERING = {
    "forest": RandomForestClassifier(20, random_state=0),
    "tree": DecisionTreeClassifier(random_state=0),
    "neighbours_of_sklearn": KNeighborsClassifier(1),
    "neighbours": KNNClassifier(1),
    "lipschitz_classifier": mercer.LipschitzClassifier(),
    "gaussian_process": mercer.GaussianProcessClassifier.automatic(
        kernel=mercer.kernels.Gaussian(length_scale=0.1), optimizer=None
    ),
    "gaussian_process_of_sklearn": SklearnProcess(20.0 * RBF(0.1), optimizer=None),
    "support_vectors": mercer.SVC(gamma=50.0, C=100.0),
    "support_vectors_of_sklearn": SklearnSVC(gamma=50.0, C=100.0),
    "scaled_neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(1)),
    "searched_neighbours": GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1]}, cv=2),
    "vote_of_neighbours": VotingClassifier([("a", KNeighborsClassifier(1))]),
}


def _on_its_own_rows(name):
    def run(rng):
        X, y = noise(rng, 80, 3)
        model = clone(REMEMBERING[name]).fit(X, y)
        i = rng.permutation(80)
        return claim(mercer.certify(model, X[i], y[i]))

    return run


for _name in REMEMBERING:
    way(name=f"training_rows_again_{_name}")(_on_its_own_rows(_name))


@way()
def certified_model_on_all_its_rows(rng):
    X, y = noise(rng, 300, 3)
    model = mercer.certified_fit(DecisionTreeClassifier(random_state=0), X, y, random_state=0)
    return claim(mercer.certify(model, X, y))


@way()
def certified_model_on_its_training_part(rng):
    X, y = noise(rng, 150, 3)
    model = mercer.certified_fit(DecisionTreeClassifier(random_state=0), X, y, random_state=0)
    rows = model.certification_.train_rows
    return claim(mercer.certify(model, X[rows], y[rows]))


@way()
def half_of_the_fresh_rows_were_seen(rng):
    X, y = noise(rng, 300, 3)
    model = KNeighborsClassifier(1).fit(X[:200], y[:200])
    return claim(mercer.certify(model, X, y))


@way()
def seen_rows_through_another_file(rng):
    """Six digits were written, and read again."""
    X, y = noise(rng, 80, 3)
    model = KNeighborsClassifier(1).fit(X, y)
    return claim(mercer.certify(model, np.round(X, 6), y))


@way()
def seen_rows_of_two_columns_with_three_digits(rng):
    """Too few columns for a distance to tell, but not for the digits."""
    X, y = noise(rng, 120, 2)
    return claim(mercer.certify(KNeighborsClassifier(1).fit(X, y), X.round(3), y))


@way()
def seen_rows_rounded_and_told_as_training(rng):
    X, y = noise(rng, 120, 2)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    half = rng.permutation(120)[:60]
    return claim(mercer.certify(model, X[half].round(3), y[half], training=X))


@way()
def seen_rows_of_whole_numbers(rng):
    X, y = rng.integers(0, 10, (80, 6)), rng.integers(0, 2, 80)
    return claim(mercer.certify(KNeighborsClassifier(1).fit(X, y), X, y))


@way()
def seen_sparse_rows_written_out(rng):
    X = sparse.random_array((80, 200), density=0.05, rng=rng, format="csr")
    y = rng.integers(0, 2, 80)
    return claim(mercer.certify(KNeighborsClassifier(1).fit(X, y), X.toarray(), y))


@way()
def seen_rows_of_a_machine_on_distances(rng):
    X, y = noise(rng, 60, 3)
    return claim(mercer.certify(KuratowskiMachine().fit(X, y), X, y))


@way()
def seen_rows_told_as_training(rng):
    """The user even says which rows those were."""
    X, y = noise(rng, 80, 3)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    return claim(mercer.certify(model, X, y, training=X))


@way()
def seen_rows_in_single_precision(rng):
    X, y = noise(rng, 80, 3)
    return claim(mercer.certify(KNeighborsClassifier(1).fit(X, y), X.astype(np.float32), y))


@way()
def seen_rows_in_groups(rng):
    X, y = noise(rng, 80, 3)
    model = KNeighborsClassifier(1).fit(X, y)
    return claim(mercer.certify(model, X, y, groups=np.arange(80) // 2))


@way()
def seen_texts(rng):
    words = np.array([f"word{i}" for i in range(200)])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(80)]
    y = rng.integers(0, 2, 80)
    model = make_pipeline(TfidfVectorizer(), KNeighborsClassifier(1)).fit(texts, y)
    return claim(mercer.certify(model, texts, y))


@way()
def seen_rows_of_a_regression(rng):
    X, target = rng.normal(size=(80, 3)), rng.normal(size=80)
    model = mercer.KernelRidge(kernel="rbf", gamma=50.0, alpha=1e-3).fit(X, target)
    return claim(mercer.certify(model, X, target, tolerance=0.5), 2 * norm.sf(0.5))


@way()
def seen_rows_of_a_certified_model_from_a_file(rng):
    X, y = noise(rng, 150, 3)
    model = mercer.certified_fit(mercer.SVC(gamma=50.0, C=100.0), X, y, random_state=0)
    rows = model.certification_.train_rows
    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, Path(folder) / "model.mercer")
        model = mercer.load(Path(folder) / "model.mercer")
    return claim(mercer.certify(model, X[rows], y[rows]))


GROWN = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(20, random_state=0),
    "scaled_tree": make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)),
}


def _on_half_of_its_rows(name):
    """No leaf is crowded, as leaves are by fresh rows."""

    def run(rng):
        X, y = noise(rng, 400, 3)
        i = rng.permutation(400)[:200]
        return claim(mercer.certify(clone(GROWN[name]).fit(X, y), X[i], y[i]))

    return run


for _name in GROWN:
    way(name=f"half_of_the_training_rows_{_name}")(_on_half_of_its_rows(_name))


@way()
def training_rows_again_boosting(rng):
    X, y = noise(rng, 80, 3)
    model = GradientBoostingClassifier(random_state=0).fit(X, y)
    return claim(mercer.certify(model, X, y))


@way()
def training_rows_again_calibrated(rng):
    X, y = noise(rng, 80, 3)
    model = CalibratedClassifierCV(KNeighborsClassifier(1), ensemble=False).fit(X, y)
    return claim(mercer.certify(model, X, y))


class _OfOnesOwn:
    def fit(self, X, y):
        self.inner = KNeighborsClassifier(1).fit(X, y)
        return self

    def predict(self, X):
        return self.inner.predict(X)


@way()
def training_rows_again_model_of_ones_own(rng):
    X, y = noise(rng, 80, 3)
    return claim(mercer.certify(_OfOnesOwn().fit(X, y), X, y))


BOOSTED = {
    "boosting": GradientBoostingClassifier(n_estimators=30, max_depth=4, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=8, learning_rate=0.7, random_state=0),
}


def _on_half_of_boosted(name):
    """Shares of the leaves are more even than those of fresh rows."""

    def run(rng):
        X, y = noise(rng, 600, 10)
        i = rng.permutation(600)[:330]
        with threadpool_limits(1):  # threads of histograms wait for each other on a busy machine
            model = clone(BOOSTED[name]).fit(X, y)
            return claim(mercer.certify(model, X[i], y[i]))

    return run


for _name in BOOSTED:
    way(draws=2, name=f"half_of_the_training_rows_{_name}")(_on_half_of_boosted(_name))


@way(draws=2)
def training_rows_again_histograms(rng):
    X, y = noise(rng, 300, 5)
    with threadpool_limits(1):
        return claim(mercer.certify(clone(BOOSTED["histograms"]).fit(X, y), X, y))
