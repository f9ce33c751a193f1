"""Training rows of learners that keep none of them: they are known by their marks."""

import pickle
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.stats import norm
from sklearn.base import clone
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import BaggingClassifier, StackingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import RFE
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

import mercer
from helpers_leaks import claim, noise, tidy, way
from helpers_leaks.clean_files import clouds
from mercer import learners

LINEAR = {
    "logistic": learners.LogisticClassifier(C=1e4),
    "fisher": learners.FisherDiscriminant(),
    "perceptron": learners.Perceptron(max_iter=500),
    "exponential_family": learners.ExponentialFamilyClassifier(),
    "scaled_logistic": make_pipeline(StandardScaler(), learners.LogisticClassifier(C=1e4)),
    "searched_logistic": GridSearchCV(learners.LogisticClassifier(), {"C": [1e4]}, cv=2),
    "behind_components": make_pipeline(learners.PCA(75), LogisticRegression(C=1e4)),
    "components_of_some_columns": make_pipeline(
        ColumnTransformer([("a", learners.PCA(70), slice(0, 70)), ("b", "passthrough", [70, 71])]),
        LogisticRegression(C=1e4),
    ),
    "bag": BaggingClassifier(learners.FisherDiscriminant(), 3, max_features=0.95, random_state=0),
    "stack": StackingClassifier([("a", learners.LogisticClassifier(C=1e4))], cv=2),
    "fewer_columns": RFE(learners.Perceptron(max_iter=500), n_features_to_select=70, step=10),
    "one_vs_rest": learners.OneVsRest(learners.LogisticClassifier(C=1e4)),
}


def _again(name):
    """As many columns as rows: coin flips are learnt by heart."""

    def run(rng):
        X, y = noise(rng, 80, 76)
        model, i = clone(LINEAR[name]).fit(X, y), rng.permutation(80)
        return claim(mercer.certify(model, X[i], y[i]))

    return run


def _new(name):
    def run(rng):
        X, y = clouds(rng, 100, 76, apart=3.0)
        return mercer.certify(clone(LINEAR[name]).fit(X, y), *clouds(rng, 60, 76, apart=3.0))

    return run


for _name in LINEAR:
    way(draws=2, name=f"training_rows_again_{_name}")(_again(_name))
    tidy(share=5, name=f"new_rows_for_{_name}")(_new(_name))


@way()
def most_rows_were_seen_by_a_linear_rule(rng):
    X, y = noise(rng, 80, 76)
    Z, t = noise(rng, 20, 76)
    model = learners.LogisticClassifier(C=1e4).fit(X, y)
    return claim(mercer.certify(model, np.vstack([X, Z]), np.concatenate([y, t])))


@way()
def training_rows_that_are_no_support_vectors(rng):
    X, y = noise(rng, 300, 40)
    model = mercer.SVC(kernel="linear", C=0.1).fit(X, y)
    others = np.setdiff1d(np.arange(300), model.support_)
    return claim(mercer.certify(model, X[others], y[others]))


def _elsewhere(bring):
    def run(rng):
        X, y = noise(rng, 80, 76)
        model = bring(learners.LogisticClassifier(C=1e4).fit(X, y))
        return claim(mercer.certify(model, X.astype(np.float32), y))

    return run


def _from_file(model):
    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, Path(folder) / "model.mercer")
        return mercer.load(Path(folder) / "model.mercer")


way(name="training_rows_again_from_a_file")(_elsewhere(_from_file))
way(name="training_rows_again_from_a_pickle")(
    _elsewhere(lambda model: pickle.loads(pickle.dumps(model)))
)


@way()
def training_rows_of_a_stream(rng):
    X, y = noise(rng, 80, 76)
    model = learners.Perceptron()
    for _ in range(30):
        for part in np.array_split(np.arange(80), 8):
            model.partial_fit(X[part], y[part], classes=[0, 1])
    return claim(mercer.certify(model, X[:40], y[:40]))


@way()
def half_of_the_training_rows_of_a_kernel_matrix(rng):
    X, y = noise(rng, 100, 80)
    gram = X @ X.T
    model = mercer.SVC(kernel="precomputed", C=100.0).fit(gram, y)
    return claim(mercer.certify(model, gram[:60], y[:60]))


@way()
def half_of_the_training_rows_of_a_certified_kernel_matrix(rng):
    X, y = noise(rng, 200, 150)
    gram = X @ X.T
    svc = mercer.SVC(kernel="precomputed", C=100.0)
    model = mercer.certified_fit(svc, gram, y, random_state=0)
    rows = model.certification_.train_rows[:80]
    return claim(mercer.certify(model, gram[rows], y[rows]))


@way()
def seen_sparse_texts_of_a_linear_rule(rng):
    words = np.array([f"word{i}" for i in range(300)])
    texts = [" ".join(rng.choice(words, 8)) for _ in range(80)]
    y = rng.integers(0, 2, 80)
    model = make_pipeline(CountVectorizer(), learners.LogisticClassifier(C=1e4)).fit(texts, y)
    return claim(mercer.certify(model, texts, y))


def _coarse(rng, n):
    X = rng.integers(0, 3, (n, 4))
    return X, rng.integers(0, 2, n)


@way(draws=6)
def half_of_the_training_rows_of_few_levels(rng):
    """Most values repeat by nature, but not so evenly."""
    X, y = _coarse(rng, 300)
    model = mercer.SVC(gamma=10.0, C=100.0).fit(X, y)
    good = np.flatnonzero(model.predict(X) == y)[:120]
    return claim(mercer.certify(model, X[good], y[good]))


@tidy
def new_rows_of_few_levels_for_a_machine(rng):
    return mercer.certify(mercer.SVC(gamma=1.0).fit(*_coarse(rng, 300)), *_coarse(rng, 150))


@tidy
def as_many_new_rows_of_one_bit(rng):
    """Equal counts of both values by chance are no sign of the same rows."""
    X, y = rng.integers(0, 2, (40, 1)), rng.integers(0, 2, 40)
    model = learners.LogisticClassifier().fit(X, y)
    return mercer.certify(model, rng.permutation(X), rng.permutation(y))


@tidy
def rows_of_weight_zero_are_new(rng):
    X, y = clouds(rng, 150)
    model = learners.LogisticClassifier().fit(X, y, sample_weight=np.arange(150) < 80)
    return mercer.certify(model, X[80:], y[80:])


@tidy
def new_sparse_rows(rng):
    def draw(n):
        X = sparse.random_array((n, 30), density=0.1, rng=rng, format="csr")
        return X, (X[:, [0]].toarray().ravel() > 0) * 1

    return mercer.certify(learners.LogisticClassifier().fit(*draw(200)), *draw(150))


@tidy
def new_rows_in_bins(rng):
    """Values that never repeat, but do once they are binned: the learner sees few cells."""
    bins = KBinsDiscretizer(3, encode="ordinal", quantile_method="averaged_inverted_cdf")
    model = make_pipeline(bins, learners.LogisticClassifier()).fit(*clouds(rng, 200))
    return mercer.certify(model, *clouds(rng, 150))


def _times(rng, n, within):
    return 1.7e9 + rng.integers(0, within, (n, 1)), rng.integers(0, 2, n)


def _new_times(within):
    """Single precision holds two minutes of a clock that counts seconds."""

    def run(rng):
        model = learners.FisherDiscriminant().fit(*_times(rng, 300, within))
        return mercer.certify(model, *_times(rng, 200, within))

    return run


for _within in (10**5, 10**6, 10**7):
    tidy(name=f"new_times_within_{_within}_seconds")(_new_times(_within))


@tidy
def new_rows_of_one_column_with_three_digits(rng):
    """A value of one file now and then occurs in the other."""
    (X, y), (Z, t) = clouds(rng, 150, 1), clouds(rng, 100, 1)
    return mercer.certify(learners.LogisticClassifier().fit(X.round(3), y), Z.round(3), t)


@tidy
def new_constant_rows(rng):
    y = rng.integers(0, 2, 100)
    model = learners.LogisticClassifier().fit(np.ones((100, 2)), y)
    return mercer.certify(model, np.ones((100, 2)), rng.permutation(y))


TURN = {"func": np.sinh, "inverse_func": np.arcsinh}
TURNED = {
    "ridge": learners.LeastSquares(),
    "svr": mercer.SVR(gamma=50.0, C=1000.0, epsilon=0.01),
}


def _turned(name):
    def run(rng):
        X, target = rng.normal(size=(80, 76)), rng.normal(size=80)
        model = TransformedTargetRegressor(
            clone(TURNED[name]), func=np.sinh, inverse_func=np.arcsinh
        )
        return claim(
            mercer.certify(model.fit(X, target), X, target, tolerance=0.5), 2 * norm.sf(0.5)
        )

    return run


for _name in TURNED:
    way(name=f"training_rows_again_turned_target_{_name}")(_turned(_name))


@tidy
def new_rows_for_a_turned_target(rng):
    def draw(n):
        X = rng.normal(size=(n, 3))
        return X, X[:, 0] + 0.1 * rng.normal(size=n)

    model = TransformedTargetRegressor(
        learners.LeastSquares(), func=np.sinh, inverse_func=np.arcsinh
    )
    return mercer.certify(model.fit(*draw(100)), *draw(100), tolerance=0.5)
