"""Certificates about another model than the one that answers."""

import tempfile
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_leaks import answering, claim, noise, unsayable, way
from mercer.learners.margin import AdaptiveMarginMachine, KernelPerceptron, Perceptron
from mercer.learners.metric import KNNClassifier, KuratowskiMachine, LPMachine
from mercer.learners.multiclass import OneVsRest

MIXED = {
    "lipschitz": mercer.LipschitzClassifier(),
    "linear_programme": LPMachine(),
    "kuratowski": KuratowskiMachine(),
    "relevance": mercer.RelevanceVectorClassifier(),
}
SELECTIVE = {
    "perceptron": Perceptron(),
    "kernel_perceptron": KernelPerceptron(gamma=0.1),
    "adaptive_margin": AdaptiveMarginMachine(gamma=0.1),
    "neighbours": KNNClassifier(5),
    "lipschitz": mercer.LipschitzClassifier(),
    "one_vs_rest": OneVsRest(mercer.SVC(gamma=0.1)),
}


def _overlapping(rng, n):
    """Two clouds that overlap: models trained on fewer rows answer differently."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 3)) + 1.2 * y[:, None], y


def _mixture_of(name):
    """The certificate is about the mixture, so the mixture has to answer."""

    def run(rng):
        X, y = _overlapping(rng, 80)
        model = mercer.certified_fit(
            MIXED[name], X, y, mode="progressive", blocks=6, random_state=0
        )
        new = _overlapping(rng, 300)[0]
        which = answering(model).route(new)
        told = [answering(model).models[i].predict(new[j : j + 1])[0] for j, i in enumerate(which)]
        if np.array_equal(model.predict(new), told):
            return None
        return unsayable(model.certificate_)

    return run


for _name in MIXED:
    way(name=f"mixture_certified_last_model_answers_{_name}")(_mixture_of(_name))


def _rows_spent_inside(mode, machine):
    """A learner trains on all rows it is given: it refuses to spend some of them itself."""

    def run(rng):
        X, y = _overlapping(rng, 80)
        return unsayable(clone(machine).set_params(certify=mode).fit(X, y).certificate_)

    return run


for _name, _machine in MIXED.items():
    way(name=f"rows_spent_inside_{_name}_progressive", draws=1, delta=0.0)(
        _rows_spent_inside("progressive", _machine)
    )
for _name, _machine in SELECTIVE.items():
    way(name=f"rows_spent_inside_{_name}_selective", draws=1, delta=0.0)(
        _rows_spent_inside("selective", _machine)
    )


@way()
def probabilities_of_another_model(rng):
    X, y = _overlapping(rng, 200)
    model = mercer.certified_fit(KNNClassifier(5), X, y, mode="progressive", random_state=0)
    new = _overlapping(rng, 300)[0]
    likely = model.classes_[model.predict_proba(new).argmax(axis=1)]
    return unsayable(model.certificate_) if (likely != model.predict(new)).any() else None


@way()
def probabilities_of_a_certified_mixture(rng):
    X, y = _overlapping(rng, 200)
    model = mercer.certified_fit(LogisticRegression(), X, y, mode="progressive", random_state=0)
    new = _overlapping(rng, 300)[0]
    if not hasattr(model, "predict_proba"):
        return None
    likely = model.classes_[model.predict_proba(new).argmax(axis=1)]
    return unsayable(model.certificate_) if (likely != model.predict(new)).any() else None


def _abstains(name):
    """ "Among accepted rows" means nothing if nobody can ask which rows those are."""

    def run(rng):
        X, y = _overlapping(rng, 200)
        model = mercer.certified_fit(SELECTIVE[name], X, y, mode="selective", random_state=0)
        return None if hasattr(model, "accepts") else unsayable(model.certificate_)

    return run


for _name in SELECTIVE:
    way(name=f"accepted_rows_nobody_knows_{_name}")(_abstains(_name))


def _certified_abstains(rng):
    X, y = _overlapping(rng, 200)
    model = mercer.certified_fit(KNeighborsClassifier(9), X, y, mode="selective", random_state=0)
    return None if hasattr(model, "accepts") else unsayable(model.certificate_)


way(name="accepted_rows_nobody_knows_certified_fit")(_certified_abstains)


@way(draws=20, delta=0.01)
def mixture_on_one_repeated_input(rng):
    """The hash of an input picks the model: where inputs repeat it picks one model for all."""
    X = (rng.random((80, 1)) < 0.03).astype(float)
    y = (rng.random(80) < np.where(X[:, 0] > 0, 0.7, 0.3)).astype(int)
    model = mercer.certified_fit(
        SklearnPerceptron(), X, y, mode="progressive", delta=0.01, random_state=rng.integers(1000)
    )
    says = model.predict(np.array([[0.0], [1.0]]))
    risk = np.dot([0.97, 0.03], np.where(says == 1, [0.7, 0.3], [0.3, 0.7]))
    return claim(model.certificate_, risk)


def _separable(rng, n):
    """Answers are plain where the first number is large; between, labels are coin flips."""
    X = rng.uniform(-1, 1, (n, 1))
    coin = rng.integers(0, 2, n)
    return X, np.where(np.abs(X[:, 0]) > 0.5, X[:, 0] > 0, coin).astype(int)


@way()
def neighbours_changed_after_certifying(rng):
    X, y = _separable(rng, 400)
    X = np.hstack([X * 2, rng.normal(size=(400, 1)) / 10])
    y = (np.abs(X[:, 0]) % 0.5 > 0.25).astype(int)  # stripes: many neighbours see nothing
    model = mercer.certified_fit(KNeighborsClassifier(1), X, y, random_state=0)
    answering(model).set_params(n_neighbors=150)
    return claim(model.certificate_, _measured(model, rng))


def _measured(model, rng):
    X = np.hstack([rng.uniform(-2, 2, (4000, 1)), rng.normal(size=(4000, 1)) / 10])
    return float(np.mean(model.predict(X) != (np.abs(X[:, 0]) % 0.5 > 0.25)))


@way()
def refitted_after_certifying(rng):
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    model = mercer.certified_fit(DecisionTreeClassifier(max_depth=2), X, y, random_state=0)
    answering(model).fit(X, rng.integers(0, 2, 300))
    new = rng.normal(size=(4000, 2))
    return claim(model.certificate_, float(np.mean(model.predict(new) != (new[:, 0] > 0))))


@way()
def learnt_on_after_certifying(rng):
    X = rng.normal(size=(300, 2))
    model = mercer.certified_fit(SGDClassifier(random_state=0), X, X[:, 0] > 0, random_state=0)
    for _ in range(5):
        answering(model).partial_fit(X, X[:, 0] < 0)
    new = rng.normal(size=(4000, 2))
    return claim(model.certificate_, float(np.mean(model.predict(new) != (new[:, 0] > 0))))


@way()
def threshold_lowered_after_certifying(rng):
    X, y = _separable(rng, 600)
    model = mercer.certified_fit(
        LogisticRegression(C=100.0), X, y, mode="selective", coverage=0.4, random_state=0
    )
    answering(model).set_params(threshold=-100.0)
    return claim(model.certificate_, 0.25)


@way()
def coefficients_turned_round_after_certifying(rng):
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    model = mercer.certified_fit(LogisticRegression(), X, y, random_state=0)
    answering(model).coef_ *= -1
    return claim(model.certificate_, 0.9)


@way()
def width_read_off_the_data_forgotten(rng):
    """gamma="scale" reads the rows; naming a number afterwards does not undo that."""
    X, y = noise(rng, 200, 2)
    X[:, 0] += 6 * y
    model = mercer.SVC().fit(X, y)
    return unsayable(model.set_params(gamma=0.05).certificate_)


@way()
def another_extension_after_the_fit(rng):
    """balance chooses between two extensions when predicting: other answers, the same line."""
    X = rng.uniform(0, 1, (400, 1))
    X[:, 0] += X[:, 0] > 0.5
    model = mercer.LipschitzClassifier().fit(X, X[:, 0] > 1)
    new = np.linspace(-9, 9, 100)[:, None]
    before = model.predict(new)
    model.set_params(balance=0.0)
    changed = np.any(before != model.predict(new))
    return unsayable(model.certificate_) if changed else None


@way()
def changed_model_is_saved(rng):
    """A file with a certificate about another model."""
    X = rng.normal(size=(200, 2))
    y = (X[:, 0] > 0).astype(int)
    model = mercer.certified_fit(mercer.SVC(gamma=0.5), X, y, random_state=0)
    answering(model).fit(X, rng.integers(0, 2, 200))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "changed.mercer"
        mercer.save(model, path)
        return unsayable(mercer.load(path).certificate_)
