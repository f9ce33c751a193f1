"""Ways to a certificate that are right: every mode, fresh rows, plain fits, the command line."""

import json
import pickle
import tempfile
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.ensemble import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import mercer
from helpers_cli import mercer as command
from helpers_leaks import answering, tidy
from helpers_leaks.clean_files import clouds
from mercer import kernels
from mercer.bounds import Certificate
from mercer.learners.margin import KernelPerceptron, Perceptron
from mercer.learners.metric import CondensedNearestNeighbor
from mercer.learners.multiclass import OneVsRest

SVC = mercer.SVC(gamma=0.1)


def _mode(mode):
    def run(rng):
        options = {"pool": clouds(rng, 300)[0]} if mode == "transfer" else {}
        X, y = clouds(rng, 150)
        return mercer.certified_fit(SVC, X, y, mode=mode, random_state=0, **options).certificate_

    return run


for _name in ("holdout", "compress", "progressive", "selective", "transfer", "vote", "in-sample"):
    tidy(name=f"mode_{_name}")(_mode(_name))


def _plain(estimator):
    """A learner on rows that nobody has looked at before."""

    def run(rng):
        return clone(estimator).fit(*clouds(rng, 150, apart=5.0)).certificate_

    return run


for _name, _estimator in {
    "svc": SVC,
    "linear_svc": mercer.SVC(kernel="linear"),
    "nu_svc": mercer.NuSVC(nu=0.3, gamma=0.1),
    "perceptron": Perceptron(),
    "kernel_perceptron": KernelPerceptron(gamma=0.1),
    "condensed_neighbours": CondensedNearestNeighbor(),
    "one_vs_rest": OneVsRest(mercer.SVC(gamma=0.1)),
}.items():
    tidy(name=f"plain_{_name}")(_plain(_estimator))


@tidy
def plain_fits_in_parallel(rng):
    X, y = clouds(rng, 100, apart=5.0)
    fits = Parallel(n_jobs=1)(delayed(clone(SVC).fit)(X[i::2], y[i::2]) for i in range(2))
    return fits[0].certificate_


@tidy
def plain_fit_after_scores(rng):
    """Scores of other folds were computed before; nothing was chosen by them."""
    X, y = clouds(rng, 100, apart=5.0)
    cross_val_score(SVC, X, y, cv=2)
    return clone(SVC).fit(X, y).certificate_


@tidy
def quiet_parameters_changed(rng):
    model = clone(SVC).fit(*clouds(rng, 100, apart=5.0))
    return model.set_params(verbose=False, cache_size=100).certificate_


def _same_model_elsewhere(change):
    def run(rng):
        X, y = clouds(rng, 150)
        model = change(mercer.certified_fit(SVC, X, y, random_state=0))
        model.predict(X)
        return model.certificate_

    return run


def _saved(model):
    with tempfile.TemporaryDirectory() as folder:
        mercer.save(model, Path(folder) / "model.mercer")
        return mercer.load(Path(folder) / "model.mercer")


def _same_parameters(model):
    inside = answering(model)
    inside.set_params(**inside.get_params(deep=False))
    return model


tidy(name="certified_and_pickled")(_same_model_elsewhere(lambda m: pickle.loads(pickle.dumps(m))))
tidy(name="certified_and_saved")(_same_model_elsewhere(_saved))
tidy(name="certified_and_set_to_what_it_is")(_same_model_elsewhere(_same_parameters))


@tidy
def search_inside(rng):
    search = GridSearchCV(mercer.SVC(), {"C": [0.1, 10.0]}, cv=2)
    return mercer.certified_fit(search, *clouds(rng, 150), random_state=0).certificate_


@tidy
def stateless_step(rng):
    steps = make_pipeline(FunctionTransformer(np.tanh), StandardScaler(), SVC)
    return mercer.certified_fit(steps, *clouds(rng, 150), random_state=0).certificate_


@tidy
def closure_over_numbers(rng):
    centre = [1.0, 2.0, 3.0]
    steps = make_pipeline(FunctionTransformer(lambda X: X - centre), SVC)
    return mercer.certified_fit(steps, *clouds(rng, 150), random_state=0).certificate_


@tidy
def kernel_function_of_the_user(rng):
    svc = mercer.SVC(kernel=lambda A, B: (1 + A @ B.T) ** 2)
    return mercer.certified_fit(svc, *clouds(rng, 100), random_state=0).certificate_


@tidy
def kernel_object(rng):
    svc = mercer.SVC(kernel=kernels.Gaussian(length_scale=2.0) + kernels.Linear())
    return mercer.certified_fit(svc, *clouds(rng, 100), random_state=0).certificate_


@tidy
def fresh_rows(rng):
    return mercer.certify(KNeighborsClassifier(5).fit(*clouds(rng, 100)), *clouds(rng, 150))


@tidy
def fresh_rows_for_a_machine(rng):
    return mercer.certify(clone(SVC).fit(*clouds(rng, 100)), *clouds(rng, 150))


@tidy
def fresh_rows_for_a_certified_model(rng):
    model = mercer.certified_fit(SVC, *clouds(rng, 150), random_state=0)
    return mercer.certify(model, *clouds(rng, 150))


@tidy
def fresh_rows_told_apart_from_training(rng):
    X, y = clouds(rng, 100)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    return mercer.certify(model, *clouds(rng, 150), training=X)


def _few_levels(rng, n):
    X = rng.integers(0, 3, (n, 4))
    return X, np.where(rng.random(n) < 0.1, X[:, 0] == 0, X[:, 0] > 0).astype(int)


@tidy
def fresh_rows_of_few_levels(rng):
    """Most of them equal some training row, as new rows always will."""
    return mercer.certify(
        KNeighborsClassifier(3).fit(*_few_levels(rng, 300)), *_few_levels(rng, 150)
    )


@tidy
def fresh_rows_of_few_levels_for_a_tree(rng):
    model = DecisionTreeClassifier(random_state=0).fit(*_few_levels(rng, 300))
    return mercer.certify(model, *_few_levels(rng, 300))


@tidy
def fresh_rows_for_a_forest(rng):
    model = RandomForestClassifier(10, random_state=0).fit(*clouds(rng, 150))
    return mercer.certify(model, *clouds(rng, 150))


def _fresh_rows_for_boosting(learner, stratify):
    def run(rng):
        X, y = clouds(rng, 300)
        parts = train_test_split(
            X, y, test_size=0.4, stratify=y if stratify else None, random_state=0
        )
        with threadpool_limits(1):  # threads of histograms wait for each other on a busy machine
            return mercer.certify(clone(learner).fit(parts[0], parts[2]), parts[1], parts[3])

    return run


for _name, _learner in {
    "boosting": GradientBoostingClassifier(n_estimators=10, random_state=0),
    "histograms": HistGradientBoostingClassifier(max_iter=5, random_state=0),
}.items():
    for _stratify in (False, True):
        _run = _fresh_rows_for_boosting(_learner, _stratify)
        tidy(share=2, name=f"fresh_rows_for_{_name}{'_by_class' * _stratify}")(_run)


@tidy
def the_same_call_twice(rng):
    """Running a notebook again is no second look."""
    X, y = clouds(rng, 150)
    mercer.certified_fit(SVC, X, y, random_state=0)
    return mercer.certified_fit(SVC, X, y, random_state=0).certificate_


@tidy
def two_files_of_fresh_rows(rng):
    model = clone(SVC).fit(*clouds(rng, 100))
    mercer.certify(model, *clouds(rng, 150))
    return mercer.certify(model, *clouds(rng, 150))


@tidy
def fresh_rounded_rows(rng):
    (X, y), (Z, t) = clouds(rng, 200, 2), clouds(rng, 150, 2)
    return mercer.certify(KNeighborsClassifier(3).fit(X.round(1), y), Z.round(1), t)


@tidy
def fresh_rows_with_fewer_digits(rng):
    """The training file had all of them."""
    X, y = clouds(rng, 100, 2)
    return mercer.certify(KNeighborsClassifier(3).fit(*clouds(rng, 200, 2)), X.round(2), y)


@tidy
def fresh_whole_numbers_for_a_file_of_others(rng):
    X, y = clouds(rng, 100, 1)
    model = KNeighborsClassifier(3).fit(*clouds(rng, 200, 1))
    return mercer.certify(model, X.round(1), y)


@tidy
def fresh_groups(rng):
    who = np.repeat(np.arange(40), 3)
    X, y = clouds(rng, 40)
    model = LogisticRegression().fit(*clouds(rng, 100))
    return mercer.certify(model, X[who], y[who], groups=who)


def _file(write):
    """``mercer fit`` on a clean file: the gate opens, and the certificate file is clean."""

    def run(rng):
        with tempfile.TemporaryDirectory() as folder:
            path, out = Path(folder) / "data.csv", Path(folder) / "out"
            path.write_text("\n".join(write(rng)) + "\n")
            options = ("--kernel", "gaussian", "--report", "none", "--require-error", "0.6")
            ran = command("fit", path, "--target", "y", "--output", out, *options)
            if ran.code:
                raise AssertionError(f"exit code {ran.code}: {ran.err}")
            written = json.loads((out / "certificate.json").read_text())
        return Certificate.from_dict(written["certificate"])

    return run


def _numbers(rng):
    X, y = clouds(rng, 120)
    return [
        "a,b,c,y",
        *(f"{a:.4f},{b:.4f},{c:.4f},{'ny'[v]}" for (a, b, c), v in zip(X, y, strict=True)),
    ]


def _levels(rng):
    X, y = _few_levels(rng, 150)
    return [
        "a,b,c,d,y",
        *(",".join(map(str, x)) + f",{'ny'[v]}" for x, v in zip(X, y, strict=True)),
    ]


def _names(rng):
    X, y = clouds(rng, 120, 1)
    town = rng.choice(["Leeds", "York", "Hull"], 120)
    return ["id,size,town,y", *(f"{i},{X[i, 0]:.2f},{town[i]},{'ny'[y[i]]}" for i in range(120))]


tidy(name="file_of_numbers", share=3)(_file(_numbers))
tidy(name="file_of_few_levels", share=3)(_file(_levels))
tidy(name="file_with_names_and_a_key", share=3)(_file(_names))
