"""Mode "tube": the model of all rows comes back, anchors never see what is counted, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer.bounds import Certificate
from mercer.certification import Refused, certified_fit
from mercer.certification.core.rows import Rows
from mercer.certification.modes._tube_anchors import rows_to_hold_out
from mercer.certification.modes._tube_shape import Shape
from mercer.certification.modes._tube_space import space_of
from mercer.learners import FisherDiscriminant


def drawn(n, seed):
    """Two Gaussians in the plane; the best plane errs on 4 %."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return rng.standard_normal((n, 2)) + 1.25 * y[:, None], y


X, Y = drawn(150, 0)
FRESH, TRUTH = drawn(20_000, 1)
EVERYONE = np.arange(150)


class Remembers(RidgeClassifier):
    """Keeps the rows it was trained on, by their first column."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Remembers.seen.append(np.unique(X[:, 0]))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(
    "learner",
    [RidgeClassifier(), LogisticRegression(), LinearDiscriminantAnalysis(), FisherDiscriminant(),
     make_pipeline(StandardScaler(), mercer.SVC(kernel="linear"))],
    ids=["ridge", "logistic", "discriminant without weights", "fisher", "scaled machine"],
)  # fmt: skip
def test_the_model_of_all_rows_is_returned_with_its_limit(learner):
    model = certified_fit(learner, X, Y, mode="tube", anchors=3, random_state=0)
    alone = type(learner)(**learner.get_params(deep=False)).fit(X, Y)
    assert_allclose(model.decision_function(X), alone.decision_function(X))
    limit, run = model.certificate_, model.evidence_.tubes
    assert run.rows == rows_to_hold_out(150, 0.05)
    assert_array_equal(model.certification_.train_rows, EVERYONE)
    assert np.mean(model.predict(FRESH) != TRUTH) < limit.value < 0.25
    again = Certificate.from_dict(limit.to_dict())
    assert again.recompute().unclipped == limit.unclipped
    assert limit.classifier == "deterministic"


def test_what_an_anchor_is_made_of_never_meets_its_hold_out():
    Remembers.seen.clear()
    model = certified_fit(Remembers(), X, Y, mode="tube", anchors=2, random_state=0)
    m, fits = model.evidence_.tubes.rows, Remembers.seen
    per_anchor = 5 + 2 + 3 + 6
    for last in (fits[-per_anchor:], fits[-2 * per_anchor : -per_anchor]):
        assert len(set().union(*(set(seen) for seen in last))) == 150 - m
    assert not any(len(seen) == 150 for seen in fits[-2 * per_anchor :])


def test_coordinates_give_the_answers_of_planes_behind_scalers_and_of_kernels():
    far = X * [1.0, 300.0] + [40.0, -9.0]
    rows = Rows(far, Y, None, False)
    planes = make_pipeline(PolynomialFeatures(2, include_bias=False), StandardScaler(),
                           LogisticRegression())  # fmt: skip
    for learner in (planes, LogisticRegression(), mercer.SVC(gamma=0.02)):
        model = learner.fit(far, Y)
        space = space_of(model, rows)
        f = space.of(model, rows, EVERYONE)
        assert_allclose(space.rows @ f, model.decision_function(far), rtol=1e-5, atol=1e-6)


def test_a_kernel_matrix_gives_the_same_space_as_its_kernel():
    gram = mercer.kernels.Gaussian(3.0)(X)
    by_rows = certified_fit(mercer.SVC(kernel=mercer.kernels.Gaussian(3.0)), X, Y, mode="tube",
                            anchors=2, random_state=0)  # fmt: skip
    by_gram = certified_fit(mercer.SVC(kernel="precomputed"), gram, Y, mode="tube", anchors=2,
                            random_state=0)  # fmt: skip
    assert by_gram.certificate_.value == pytest.approx(by_rows.certificate_.value, rel=1e-6)


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (DecisionTreeClassifier(), "no decision_function"),
        (KNeighborsClassifier(), "no decision_function"),
        (mercer.SVC(), "gamma of this SVC was learned"),
        (make_pipeline(StandardScaler(), mercer.SVC(gamma=0.1)), "another space for other rows"),
        (make_pipeline(SelectKBest(k=1), LogisticRegression()), "SelectKBest learns"),
        (make_pipeline(RBFSampler(random_state=0, gamma="scale"), RidgeClassifier()), "RBFSampler"),
        (mercer.KernelSearch(mercer.SVC(), cv=2), "chooses among spaces"),
    ],
    ids=["tree", "neighbours", "width", "scaled kernel", "selection", "learned features", "search"],
)  # fmt: skip
def test_what_has_no_space_fixed_beforehand_is_refused(learner, words):
    with pytest.raises(Refused, match=words):
        certified_fit(learner, X, Y, mode="tube", random_state=0)


def test_fixed_random_features_are_a_fixed_space():
    fixed = make_pipeline(RBFSampler(gamma=0.05, n_components=3, random_state=0),
                          RidgeClassifier(alpha=0.1))  # fmt: skip
    model = certified_fit(fixed, X, Y, mode="tube", anchors=2, random_state=0)
    assert model.certificate_.value < 1


def test_several_classes_few_rows_and_vacuous_limits_are_refused():
    rows, labels = mercer.datasets.Waveform().sample(150, np.random.default_rng(0))
    with pytest.raises(Refused, match="two classes"):
        certified_fit(LogisticRegression(), rows, labels, mode="tube")
    with pytest.raises(Refused, match="needs 50 rows"):
        certified_fit(LogisticRegression(), X[:40], Y[:40], mode="tube")
    noise = np.random.default_rng(0).normal(size=(150, 20))
    with pytest.raises(Refused, match="too near to the border"):
        certified_fit(LogisticRegression(), noise, Y, mode="tube", random_state=0)
    with pytest.raises(ValueError, match="tube"):
        certified_fit(LogisticRegression(), X, Y, mode="tube", error="balanced")


def test_weights_of_rows_reach_the_learner():
    weight = np.where(Y > 0, 5.0, 1.0)
    plain, heavy = (
        certified_fit(LogisticRegression(), X, Y, mode="tube", anchors=2, random_state=0,
                      sample_weight=w)
        for w in (None, weight)
    )  # fmt: skip
    assert heavy.decision_function(X).mean() > plain.decision_function(X).mean()
    assert heavy.certificate_.value < 0.4


def test_models_that_point_the_other_way_are_infinitely_far_and_no_number_comes_of_it(monkeypatch):
    measured, first = Shape.distance, iter(range(3 * 4))  # refits and ridges of the first pass

    def turned(self, f, g):
        return measured(self, f, g) if next(first, None) is not None else np.inf

    monkeypatch.setattr(Shape, "distance", turned)
    with pytest.raises(Refused, match="too near to the border"):
        certified_fit(RidgeClassifier(), X, Y, mode="tube", anchors=1, random_state=0)
