"""Machines of weighted sums: brute-force programmes, hulls, the thesis' examples."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.spatial.distance import cdist

from mercer.learners.metric import (
    KuratowskiMachine,
    LPMachine,
    NoSeparatingSumError,
    embedding_margins,
    hull_distance,
    lipschitz_constant,
)
from mercer.learners.multiclass import OneVsRest
from mercer.metrics import Edit, kuratowski_dual_norm

EXAMPLE_1 = np.array([[0, 2, 1, 1], [2, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0]], dtype=float)
EXAMPLE_2 = np.array(
    [[0, 2, 1, 1, 1], [2, 0, 1, 1, 1], [1, 1, 0, 2, 1], [1, 1, 2, 0, 2], [1, 1, 1, 2, 0]],
    dtype=float,
)
EXAMPLE_6 = np.array([[0, 5, 3, 6], [5, 0, 4, 1], [3, 4, 0, 5], [6, 1, 5, 0]], dtype=float)
LABELS = np.array([1, 1, -1, -1])


def by_absolute_values(columns, weights, y, C):
    """Variables a, t, b, ξ with -t <= a <= t: another way to write the programme."""
    n, k = columns.shape
    cost = np.concatenate([np.zeros(k), weights, [0.0], np.full(n, C)])
    rows, eye = [], np.eye(k)
    for sign in (1.0, -1.0):
        rows.append(np.hstack([sign * eye, -eye, np.zeros((k, 1 + n))]))
    margin = np.hstack([-y[:, None] * columns, np.zeros((n, k)), -y[:, None], -np.eye(n)])
    free = [(None, None)] * k + [(0, None)] * k + [(None, None)] + [(0, None)] * n
    limits = np.concatenate([np.zeros(2 * k), -np.ones(n)])
    return linprog(cost, A_ub=np.vstack([*rows, margin]), b_ub=limits, bounds=free).fun


@pytest.mark.parametrize("C", [0.03, 0.5, 20.0])
@pytest.mark.parametrize("which", ["distance", "gaussian", "kuratowski", "domain"])
def test_against_a_programme_written_differently(C, which):
    rng = np.random.default_rng(3)
    X, Z = rng.normal(size=(25, 2)), rng.normal(size=(8, 2))
    y = np.where(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=25) > 0, 1, -1)
    D = cdist(X, X)
    if which in ("distance", "gaussian"):
        model = LPMachine(
            C=C, profile=which, length_scales=None if which == "distance" else (0.5, 2.0)
        )
        columns, weights = D, np.ones(25)
        if which == "gaussian":
            columns = np.hstack([np.exp(-((D / s) ** 2) / 2) for s in (0.5, 2.0)])
            weights = np.repeat(np.exp(-0.5) / np.array([0.5, 2.0]), 25)
    else:
        model = KuratowskiMachine(C=C, domain=Z if which == "domain" else None)
        columns = np.hstack([D, cdist(X, Z)]) if which == "domain" else D
        weights = np.ones(columns.shape[1])
    model.fit(X, y)
    hinge = np.maximum(0, 1 - y * model.decision_function(X)).sum()
    exact = by_absolute_values(columns, weights, y.astype(float), C)
    assert model.penalty_ + C * hinge == pytest.approx(exact, rel=1e-7)


def test_the_slope_of_a_gaussian_profile():
    t = np.linspace(0, 5, 200_001)
    for s in (0.3, 1.0, 2.0):
        steepest = np.abs(np.diff(np.exp(-((t / s) ** 2))) / np.diff(t)).max()
        assert steepest == pytest.approx(np.sqrt(2 / np.e) / s, rel=1e-4)


@pytest.mark.parametrize("extra", [0, 6])
def test_the_margin_is_half_the_distance_of_the_hulls(extra):
    rng = np.random.default_rng(5)
    X, Z = rng.normal(size=(16, 3)), rng.normal(size=(extra, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    model = KuratowskiMachine(C=np.inf, domain=Z if extra else None).fit(X, y)
    columns = cdist(X, np.vstack([X, Z]))
    assert hull_distance(columns, y) / 2 == pytest.approx(model.margin_, rel=1e-7)
    # the embedding is isometric: no hull is closer than its nearest points are apart
    assert model.margin_ <= cdist(X[y > 0], X[y < 0]).min() / 2 + 1e-12
    assert model.constant_ <= model.penalty_ * (1 + 1e-9)
    if not extra:
        lp = LPMachine(C=np.inf).fit(X, y)
        assert lp.penalty_ == pytest.approx(model.penalty_, rel=1e-7)
        values = columns @ model.coef_
        assert kuratowski_dual_norm(values, columns) == pytest.approx(model.penalty_, rel=1e-6)


def test_unlabelled_objects_separate_what_the_training_objects_cannot():
    four = EXAMPLE_2[:4, :4]
    with pytest.raises(NoSeparatingSumError):
        KuratowskiMachine("precomputed", C=np.inf).fit(four, LABELS)
    model = KuratowskiMachine("precomputed", C=np.inf, domain=EXAMPLE_2[4:, :4]).fit(four, LABELS)
    np.testing.assert_array_equal(model.predict(EXAMPLE_2[:4]), LABELS)
    assert 1 / model.margin_ == pytest.approx(model.penalty_)
    assert len(model.coef_) == 5
    with pytest.raises(ValueError, match="4 distances per object, the domain has 5"):
        model.predict(four)
    with pytest.raises(ValueError, match="5 distances for 4 training objects"):
        KuratowskiMachine("precomputed", domain=EXAMPLE_2[4:]).fit(four, LABELS)


def test_margins_across_embeddings():
    found = embedding_margins(EXAMPLE_1, LABELS)
    assert found["arens-eells"] == 0.5
    assert found["kuratowski"] == pytest.approx(0, abs=1e-12)
    assert np.isnan(found["euclidean"])
    # example 6: the same functional has a larger norm in the Kuratowski dual than as a function
    for c, lipschitz, dual in (((-1, -1, -1, -1), 1 / 6, 26 / 71), ((1, 0, 1, 0), 1 / 4, 20 / 71)):
        assert kuratowski_dual_norm(c, EXAMPLE_6) == pytest.approx(dual)
        smooth = max(lipschitz_constant(np.array(c, float), EXAMPLE_6), np.abs(c).max() / 6)
        assert smooth == pytest.approx(lipschitz, abs=1e-9)
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-3, 0.5, (8, 2)), rng.normal(3, 0.5, (8, 2))])
    y = np.repeat([-1, 1], 8)
    margins = embedding_margins(cdist(X, X), y)
    assert margins["kuratowski"] <= margins["arens-eells"] + 1e-9
    assert margins["euclidean"] <= margins["arens-eells"] + 1e-9
    hull = hull_in_the_plane(X, y)
    assert margins["euclidean"] == pytest.approx(hull / 2, rel=1e-3)


def hull_in_the_plane(X, y):
    """Distance of convex hulls along a fine fan of directions."""
    angles = np.linspace(0, 2 * np.pi, 20_001)
    U = np.stack([np.cos(angles), np.sin(angles)])
    return float(((X[y > 0] @ U).min(axis=0) - (X[y < 0] @ U).max(axis=0)).max())


def test_margins_of_classes_that_overlap_are_zero():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])  # the exclusive or
    found = embedding_margins(cdist(X, X), [1, 1, -1, -1])
    assert found["euclidean"] == 0.0
    assert found["arens-eells"] == 0.5


def test_margins_of_any_two_labels():
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    for labels in ([-1, -1, 1, 1], [1, 1, 2, 2], ["a", "a", "b", "b"]):
        assert embedding_margins(cdist(X, X), labels)["euclidean"] == pytest.approx(1.0)
    with pytest.raises(ValueError, match="3 classes"):
        embedding_margins(cdist(X, X), [0, 1, 2, 2])


@pytest.mark.parametrize("machine", [LPMachine, KuratowskiMachine])
def test_strings_and_several_classes(machine):
    words = ["cat", "bat", "rat", "house", "mouse", "louse", "12345", "12346", "22345"]
    y = np.repeat(["animal", "ouse", "digits"], 3)
    several = OneVsRest(machine("edit", C=5.0)).fit(words, y)
    found = several.predict(["hat", "rouse", "12340"])
    assert found.tolist() == ["animal", "ouse", "digits"]
    alone = machine("edit", C=5.0).fit(words, y)
    np.testing.assert_array_equal(alone.decision_function(words), several.decision_function(words))
    two = machine("precomputed", C=5.0).fit(Edit()(words[:6]), y[:6])
    assert two.predict(Edit()(["hat"], words[:6]))[0] == "animal"


def test_certificates_of_sums():
    rng = np.random.default_rng(6)
    X = np.concatenate([rng.normal(-3, 0.3, size=(200, 1)), rng.normal(3, 0.3, size=(200, 1))])
    y = np.repeat([0, 1], 200)
    for machine in (LPMachine(C=0.05), KuratowskiMachine(C=0.05)):
        model = machine.fit(X, y)
        assert model.evidence_.lipschitz.constant == model.penalty_
        assert model.certificate_.value < 0.7


def test_the_linear_lipschitz_classifier_is_the_support_vector_machine():
    """L(<w, .>) = |w|: among linear functions the smoothest separating one is the SVM's."""
    from mercer import SVC
    from mercer.learners.metric import subspace_function

    rng = np.random.default_rng(2)
    X = np.concatenate([rng.normal(-2, 0.7, (12, 2)), rng.normal(2, 0.7, (12, 2))])
    y = np.repeat([-1.0, 1.0], 12)
    svm = SVC(kernel="linear", C=np.inf, tol=1e-9).fit(X, y)
    w = svm.coef_[0]
    angles = np.linspace(0, np.pi, 400)
    ring = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    domain = np.vstack([X, ring, -ring])  # pairs in every direction
    keep = np.r_[np.arange(24), 24 + np.arange(0, 400, 8), 424 + np.arange(0, 400, 8)]
    domain = domain[keep]
    coef, b, constant = subspace_function(domain, cdist(domain, domain), np.arange(24), y)
    assert constant == pytest.approx(np.linalg.norm(w), rel=2e-3)
    np.testing.assert_allclose(coef, w, rtol=0.05, atol=0.02)
    assert b == pytest.approx(svm.intercept_[0], abs=0.05)
