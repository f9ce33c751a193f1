"""Assumptions that the rows break, quantities that are not what they are called, many looks."""

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_leaks import claim, first_line, noise, unsayable, way
from mercer import metrics
from mercer.learners.margin import KernelPerceptron, Perceptron

STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
NEAREST = KNeighborsClassifier(1)


def smallest(claims):
    """The clean claim a user would quote."""
    kept = [c for c in claims if c is not None and c.clean]
    return min(kept, key=lambda c: c.value, default=None)


def _one_pass(machine):
    """The last of the progressive statements; a file sorted by class makes few mistakes."""

    def run(rng):
        X, y = noise(rng, 400, 5)
        o = np.argsort(y, kind="stable")
        issued = machine.fit(X[o], y[o]).certificates_
        return smallest(claim(c) for code, c in issued.items() if "progressive" in code)

    return run


way(name="one_pass_over_a_sorted_file")(_one_pass(Perceptron(max_iter=1, combine="vote")))
way(name="one_kernel_pass_over_a_sorted_file")(
    _one_pass(KernelPerceptron(gamma=0.1, max_iter=1, combine="vote"))
)
way(name="one_averaging_pass_over_a_sorted_file")(
    _one_pass(Perceptron(max_iter=1, combine="average"))
)


def _sorted_by_a_column(machine, train):
    """Labels look drawn; on either side of zero another line is right, and the file has one first.

    Rules through the origin err on one half: with x the label is that of −x, the answer is not.
    """

    def run(rng):
        X = rng.normal(size=(400, 2))
        X = X[np.argsort(X[:, 0])]
        y = (X[:, 1] * np.sign(X[:, 0]) > 0).astype(int)
        issued = train(machine, X, y).certificates_
        return smallest(claim(c) for code, c in issued.items() if "progressive" in code)

    return run


def _in_pieces(machine, X, y):
    machine = clone(machine)
    for part in np.split(np.arange(len(X)), 8):
        machine.partial_fit(X[part], y[part], classes=[0, 1])
    return machine


_LINE = Perceptron(max_iter=1, combine="average", fit_intercept=False)
way(name="one_pass_over_a_file_sorted_by_a_column")(
    _sorted_by_a_column(_LINE, lambda machine, X, y: machine.fit(X, y))
)
way(name="stream_sorted_by_a_column")(
    _sorted_by_a_column(Perceptron(fit_intercept=False), _in_pieces)
)
way(name="kernel_stream_sorted_by_a_column")(
    _sorted_by_a_column(KernelPerceptron(kernel="linear"), _in_pieces)
)


def _heavy(rng, n):
    """Cauchy noise: the mean absolute error of any rule is infinite."""
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] + rng.standard_cauchy(n)


@way()
def clipped_mean_called_a_mean(rng):
    X, target = _heavy(rng, 200)
    model = mercer.certified_fit(Ridge(), X, target, loss_range=(0, 5), clip=True, random_state=0)
    certificate = model.certificate_
    said = f"{certificate.quantity} {first_line(certificate)}"
    new, answers = _heavy(rng, 20_000)
    clipped = float(np.minimum(np.abs(model.predict(new) - answers), 5).mean())
    return claim(certificate, clipped if "min(" in said or "clip" in said else np.inf)


@way()
def clipped_mean_of_fresh_rows_called_a_mean(rng):
    X, target = _heavy(rng, 200)
    rule = Ridge().fit(*_heavy(rng, 100))
    certificate = mercer.certify(rule, X, target, loss_range=(0, 5), clip=True)
    said = f"{certificate.quantity} {first_line(certificate)}"
    return None if "min(" in said or "clip" in said else unsayable(certificate)


@way()
def declared_range_nearly_touched(rng):
    """The largest counted loss lies far above all others: larger ones will come."""
    X, target = _heavy(rng, 200)
    model = mercer.certified_fit(Ridge(), X, target, loss_range=(0, 1000), random_state=0)
    return unsayable(model.certificate_)


def _three_classes(rng, n):
    """Two plain classes, and one of probability 0.003 that looks like the first."""
    y = rng.choice(3, n, p=[0.5, 0.497, 0.003])
    return rng.normal(size=(n, 2)) + 6.0 * (y == 1)[:, None], y


def _names_classes(certificate):
    """Whether the statement is said to be about the classes that occurred."""
    return "among classes" in first_line(certificate) or "that occurred" in first_line(certificate)


@way(draws=6)
def class_that_never_occurred(rng):
    X, y = _three_classes(rng, 100)
    model = mercer.certified_fit(GaussianNB(), X, y, error="classes", random_state=0)
    wrong = np.mean(model.predict(rng.normal(size=(2000, 2))) != 2)  # rows of the rare class
    named = _names_classes(model.certificate_)
    return None if named else claim(model.certificate_, float(wrong))


@way(draws=6)
def class_that_never_occurred_among_fresh_rows(rng):
    X, y = _three_classes(rng, 100)
    rule = GaussianNB().fit(X[y < 2], y[y < 2])
    certificate = mercer.certify(rule, *_three_classes(rng, 100), error="classes")
    wrong = np.mean(rule.predict(rng.normal(size=(2000, 2))) != 2)
    return None if _names_classes(certificate) else claim(certificate, float(wrong))


@way(draws=12)
def rare_class_when_abstaining(rng):
    """Must be refused in words, not by an IndexError."""
    X, y = rng.normal(size=(200, 2)), np.zeros(200, dtype=int)
    y[rng.choice(200, 4, replace=False)] = 1
    seed = int(rng.integers(1000))
    model = mercer.certified_fit(GaussianNB(), X, y, mode="selective", random_state=seed)
    return claim(model.certificate_, 0.0)


def _walk(rng, n, columns):
    return np.cumsum(rng.normal(size=(n, columns)), axis=0)


@way(draws=5)
def walk_in_time(rng):
    """Two walks that have nothing to do with each other; near in time is near in both."""
    X, y = _walk(rng, 400, 3), (_walk(rng, 400, 1)[:, 0] > 0).astype(int)
    if y.mean() in (0.0, 1.0):
        y = 1 - y * (np.arange(400) < 200)
    return claim(mercer.certified_fit(NEAREST, X, y, random_state=0).certificate_)


@way()
def regimes_in_time(rng):
    """Twenty rows of one label, then twenty of the next; one column is the hour."""
    y = np.repeat(rng.integers(0, 2, 20), 20)
    X = np.column_stack([np.arange(400.0), rng.normal(size=400)])
    tree = DecisionTreeClassifier(random_state=0)
    return claim(mercer.certified_fit(tree, X, y, random_state=0).certificate_)


@way(draws=5)
def sliding_windows(rng):
    """Overlapping windows of one series; the label changes rarely."""
    series = _walk(rng, 310, 1)[:, 0]
    X = np.lib.stride_tricks.sliding_window_view(series, 10)[:300]
    y = np.repeat(rng.integers(0, 2, 10), 30)
    return claim(mercer.certified_fit(NEAREST, X, y, random_state=0).certificate_)


@way()
def row_number_in_a_sorted_file(rng):
    """An exported index is a column; the file is sorted by what is to be predicted."""
    X, y = noise(rng, 300, 2)
    table = np.column_stack([np.arange(300.0), X[np.argsort(y)]])
    tree = DecisionTreeClassifier(random_state=0)
    return claim(mercer.certified_fit(tree, table, np.sort(y), random_state=0).certificate_)


@way()
def fresh_rows_of_one_hour(rng):
    """Fresh rows in time: one regime after the other, the rule happens to fit the longest."""
    X = rng.normal(size=(400, 2))
    y = np.repeat([0, 1, 0], [250, 30, 120])
    rule = DecisionTreeClassifier(max_depth=1).fit(rng.normal(size=(20, 2)), np.arange(20) < 1)
    return claim(mercer.certify(rule, X, y))


@way(draws=8)
def many_seeds(rng):
    """Twenty divisions of the same rows, the smallest number is kept."""
    X, y = noise(rng, 300, 3)
    models = (
        mercer.certified_fit(STUMP, X, y, mode="holdout", train_fraction=0.9, random_state=seed)
        for seed in range(20)
    )
    return smallest(claim(model.certificate_) for model in models)


@way(draws=8)
def many_rules_on_the_same_fresh_rows(rng):
    X, y = noise(rng, 60, 5)
    rules = (DecisionTreeClassifier(max_depth=1).fit(*noise(rng, 20, 5)) for _ in range(40))
    return smallest(claim(mercer.certify(rule, X, y)) for rule in rules)


@way(draws=8)
def rows_left_out_until_it_fits(rng):
    """Another half of the rows is called unsuitable each time."""
    X, y = noise(rng, 120, 2)
    rule = DecisionTreeClassifier(max_depth=1).fit(*noise(rng, 20, 2))
    kept = (rng.permutation(120)[:60] for _ in range(60))
    return smallest(claim(mercer.certify(rule, X[i], y[i])) for i in kept)


@way(draws=8)
def many_models_on_the_same_rows(rng):
    X, y = noise(rng, 60, 40)
    options = {"mode": "holdout", "train_fraction": 0.5, "random_state": 0}
    models = (
        mercer.certified_fit(
            DecisionTreeClassifier(max_features=1, random_state=i), X, y, **options
        )
        for i in range(25)
    )
    return smallest(claim(model.certificate_) for model in models)


@way(draws=4, delta=0.0)
def few_triangles_broken(rng):
    """Three pairs among 600 objects: a sample of the triangles does not see them."""
    place = rng.uniform(0, 1, 600)
    place += place > 0.5
    D = np.abs(place[:, None] - place[None])
    for i, j in rng.choice(600, (3, 2), replace=False):
        D[i, j] = D[j, i] = 50.0
    model = mercer.LipschitzClassifier(metric="precomputed", C=0.01).fit(D, place > 1)
    issued = [c for code, c in model.certificates_.items() if "lipschitz" in code]
    return smallest(unsayable(c) for c in issued)


@way(draws=1, delta=0.0)
def distance_that_is_no_metric(rng):
    """Warped distances break the triangle inequality for other series than these."""
    level = np.concatenate([rng.uniform(0, 0.1, 150), rng.uniform(0.9, 1, 150)])
    series = [np.full(2, value) for value in level]
    model = mercer.LipschitzClassifier(metric=metrics.DTW(), C=0.01).fit(series, level > 0.5)
    issued = [c for code, c in model.certificates_.items() if "lipschitz" in code]
    return smallest(unsayable(c) for c in issued)
