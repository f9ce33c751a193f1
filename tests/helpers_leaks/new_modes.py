"""Pools, easy rows, tubes, guarantees: the same mistakes in front of newer questions."""

import numpy as np
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_leaks import Claim, claim, clean, noise, unsayable, way
from helpers_leaks.assumptions import STUMP, smallest
from mercer.certification import certify_groups, certify_shifted, compare, keep_recall

LINE, NEAREST = LogisticRegression(), KNeighborsClassifier(1)


def _five_of_each(rng, n):
    return rng.permutation(np.repeat(np.arange(n), 5))


POOLS = {
    "half_seen": lambda rng, X: np.vstack([X, rng.normal(size=(400, 3))]),
    "in_single_precision": lambda rng, X: X.astype(np.float32),
    "blurred": lambda rng, X: X + 1e-6 * rng.normal(size=X.shape),
    "rounded": lambda rng, X: X.round(4),
    "copied": lambda rng, X: np.repeat(rng.normal(size=(100, 3)), 5, axis=0),
    "of_all_rows": lambda rng, X: X[rng.permutation(len(X))],
}


def _pool(name, mode="transfer"):
    """Models agree on rows they learned, and copies are counted again."""

    def run(rng):
        X = rng.normal(size=(200, 3))
        y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
        model = mercer.certified_fit(LINE, X, y, mode=mode, pool=POOLS[name](rng, X))
        return unsayable(model.certificate_)

    return run


for _name in POOLS:
    way(name=f"pool_{_name}")(_pool(_name))


def _copies(mode, **options):
    def run(rng):
        X, y = noise(rng, 60, 3)
        i = _five_of_each(rng, 60)
        pool = {"pool": rng.normal(size=(1000, 3))} if mode == "transfer" else {}
        options_ = {"mode": mode, "random_state": 0, **options, **pool}
        return claim(mercer.certified_fit(NEAREST, X[i], y[i], **options_).certificate_)

    return run


way(name="copies_and_a_pool")(_copies("transfer"))
way(name="copies_and_easy_rows")(_copies("easy"))
way(name="copies_and_one_easy_model")(_copies("easy", models=1))


@way(draws=4)
def many_seeds_of_easy_rows(rng):
    X, y = noise(rng, 80, 3)
    fits = (
        mercer.certified_fit(STUMP, X, y, mode="easy", models=1, random_state=seed)
        for seed in range(12)
    )
    return smallest(claim(model.certificate_) for model in fits)


def _tube(estimator, X, y):
    return claim(mercer.certified_fit(estimator, X, y, mode="tube", random_state=0).certificate_)


@way(draws=2)
def tube_of_copies(rng):
    X, y = noise(rng, 30, 20)
    i = rng.permutation(np.repeat(np.arange(30), 10))
    return _tube(LINE, X[i], y[i])


@way(draws=2)
def tube_behind_a_fitted_selector(rng):
    X, y = noise(rng, 150, 2000)
    return _tube(make_pipeline(FrozenEstimator(SelectKBest(k=5).fit(X, y)), LINE), X, y)


# -- comparisons, groups, other populations, thresholds --------------------------------------------


def _tree(rng):
    """Of other noise: as often wrong as any."""
    return DecisionTreeClassifier(max_depth=3, random_state=0).fit(*noise(rng, 50, 3))


def _gain(found):
    """The gain somebody acts on; there is none."""
    if found.replace is None:
        return None
    certificate = found.gains[found.replace]
    return Claim(0.0, float(certificate.value), clean(certificate))


@way(draws=8)
def compared_on_copies_of_few_records(rng):
    X, y = noise(rng, 15, 3)
    i = rng.permutation(np.repeat(np.arange(15), 30))
    return _gain(compare(_tree(rng), [_tree(rng) for _ in range(5)], X[i], y[i]))


@way()
def compared_on_the_rows_of_the_new_model(rng):
    X, y = noise(rng, 80, 3)
    return _gain(compare(_tree(rng), KNeighborsClassifier(1).fit(X, y), X, y))


@way(draws=8)
def compared_until_one_is_better(rng):
    X, y = noise(rng, 80, 3)
    old, found = _tree(rng), []
    for _ in range(20):
        i = rng.permutation(80)
        found.append(_gain(compare(old, _tree(rng), X[i], y[i])))
    return next((one for one in found if one is not None and one.clean), None)


@way(draws=8)
def few_records_with_groups_of_their_own(rng):
    X, y = noise(rng, 12, 3)
    i = np.repeat(np.arange(12), 20)
    return claim(mercer.certify(_tree(rng), X[i], y[i], groups=np.arange(240)))


@way()
def groups_of_seen_rows(rng):
    X, y = noise(rng, 100, 3)
    return unsayable(certify_groups(KNeighborsClassifier(1).fit(X, y), X, y, np.arange(100) % 2))


@way()
def another_population_of_seen_rows(rng):
    X, y = noise(rng, 100, 3)
    model = KNeighborsClassifier(1).fit(X, y)
    return claim(certify_shifted(model, X, y, weights=np.ones(100), largest=1.5))


@way(draws=8)
def weights_until_the_number_is_small(rng):
    X, y = noise(rng, 60, 3)
    model, found = _tree(rng), []
    for _ in range(20):
        w = rng.uniform(0, 2, 60)
        made = certify_shifted(model, X, y, weights=w / w.mean(), largest=2.6)
        found.append(claim(made))
    return smallest(found)


def _recall(changed):
    """What the threshold finds of new positives."""

    def run(rng):
        X, y = noise(rng, 200, 3)
        rule = LogisticRegression().fit(*noise(rng, 100, 3))
        found = keep_recall(rule, X, y, 0.9)
        changed(found, rule, X, y)
        Z, truth = noise(rng, 3000, 3)
        finds = float(np.mean(found.predict(Z)[truth == 1] == 1))
        certificate = found.certificate_
        return Claim(finds, float(certificate.value), clean(certificate))

    return run


def _raise(found, rule, X, y):
    found.set_params(threshold=found.threshold + 0.3)


def _learn_again(found, rule, X, y):
    rule.fit(5 * X, 1 - y)
    rule.intercept_ -= 1.0


way(name="recall_of_a_threshold_that_was_raised", delta=0.0)(_recall(_raise))
way(name="recall_of_a_model_that_learned_again", delta=0.0)(_recall(_learn_again))


@way()
def intervals_of_a_series(rng):
    X, y = np.cumsum(rng.normal(size=(300, 3)), axis=0), np.cumsum(rng.normal(size=300))
    model = mercer.certified_fit(KNeighborsRegressor(1), X, y, mode="holdout", random_state=0)
    return Claim(0.0, 0.9, clean(model.coverage_certificate(0.9)))


@way()
def intervals_of_a_model_that_learned_again(rng):
    X, y = noise(rng, 200, 3)[0], rng.normal(size=200)
    model = mercer.certified_fit(KNeighborsRegressor(3), X, y, random_state=0)
    model.model_.fit(0 * X, y + 9.0)
    return Claim(0.0, 0.9, clean(model.coverage_certificate(0.9)))


# Whoever means no harm weighs rows, too: the rows that count are chosen by their labels.
@way()
def rows_chosen_by_their_weights(rng):
    X, y = noise(rng, 300, 2)
    weight = (y == (X[:, 0] > 0)).astype(float)
    return claim(mercer.SVC(kernel="linear").fit(X, y, sample_weight=weight).certificate_)
