"""Models from outside: their evidence agrees with Mercer's own, and wrong rows are noticed."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn import gaussian_process as gp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR, LinearSVC, NuSVC
from sklearn.tree import DecisionTreeClassifier

import mercer
from mercer.bounds import Choice, assess, best_of, get

RNG = np.random.default_rng(3)
X = RNG.normal(size=(160, 3))
Y = np.where(X[:, 0] + 0.5 * X[:, 1] + 0.4 * RNG.normal(size=160) > 0, "yes", "no")
T = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=160)
MANY = np.digitize(X[:, 0] + 0.2 * RNG.normal(size=160), [-0.5, 0.5])


@pytest.mark.parametrize(
    "how",
    [
        {"kernel": "rbf", "gamma": 0.3},
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0},
        {"kernel": "rbf", "gamma": "scale", "C": 10.0},
        {"kernel": "linear", "class_weight": {"yes": 2.0, "no": 1.0}},
    ],
)
def test_svc_agrees_with_mercers_own(how):
    theirs = mercer.evidence_from(SVC(tol=1e-6, **how).fit(X, Y), X, Y)
    ours = mercer.SVC(tol=1e-6, **how).fit(X, Y).evidence_
    np.testing.assert_allclose(theirs.margins, ours.margins, atol=1e-4)
    np.testing.assert_allclose(theirs.alphas, ours.alphas, atol=1e-3)
    np.testing.assert_allclose(theirs.point_norms, ours.point_norms, rtol=1e-9)
    for name in ("norm", "offset", "trace"):
        assert getattr(theirs, name) == pytest.approx(getattr(ours, name), abs=1e-4)
    for name in ("n", "errors", "radius", "dimension", "rank", "C", "formulation", "loss"):
        assert getattr(theirs, name) == getattr(ours, name), name
    assert theirs.compression == ours.compression
    assert [c.what for c in theirs.choices] == [c.what for c in ours.choices]
    mine, other = assess(ours)[0], assess(theirs)[0]
    assert set(other) == set(mine) - {"loo-span"}
    for code, certificate in other.items():
        assert certificate.unclipped == pytest.approx(mine[code].unclipped, rel=1e-2), code


def test_pairs_of_classes_agree_with_mercers_own():
    theirs = mercer.evidence_from(SVC(tol=1e-6, gamma=0.3).fit(X, MANY), X, MANY)
    ours = mercer.SVC(tol=1e-6, gamma=0.3).fit(X, MANY).evidence_
    assert theirs.n_classes == 3
    assert theirs.compression == ours.compression
    assert len(theirs.machines) == len(ours.machines) == 3
    for code in ("gaussian-margin", "compression", "scenario"):
        value = get(code)().evaluate(theirs).unclipped
        assert value == pytest.approx(get(code)().evaluate(ours).unclipped, rel=1e-2)


def test_other_rows_are_noticed():
    model = SVC(gamma=0.3).fit(X, Y)
    flipped = Y.copy()
    place = int(np.setdiff1d(np.arange(160), model.support_)[0])
    flipped[place] = "no" if flipped[place] == "yes" else "yes"
    more = np.vstack([X, 0.01 * X[:1]])
    for rows, labels in (
        (X[::-1], Y[::-1]),
        (X + 1e-9, Y),
        (X, flipped),
        (more, np.append(Y, "no" if model.predict(more[-1:])[0] == "yes" else "yes")),
        (X[:, :2], Y),
        (X, np.where(Y == "yes", "perhaps", Y)),
    ):
        with pytest.raises(ValueError, match="not trained on exactly these rows"):
            mercer.evidence_from(model, rows, labels)
    weighted = SVC(gamma=0.3).fit(X, Y, sample_weight=RNG.uniform(0.1, 3, 160))
    with pytest.raises(ValueError, match="sample weights"):
        mercer.evidence_from(weighted, X, Y)


def test_linear_rules_of_every_origin():
    for model in (
        LinearSVC(C=0.5),
        LogisticRegression(C=2.0),
        LogisticRegression(fit_intercept=False),
        LinearDiscriminantAnalysis(),
        Perceptron(),
        SGDClassifier(random_state=0),
    ):
        model.fit(X, Y)
        evidence = mercer.evidence_from(model, X, Y)
        scores = np.where(Y == "yes", 1, -1) * model.decision_function(X)
        np.testing.assert_allclose(evidence.margins, scores, rtol=1e-9, atol=1e-12)
        assert evidence.norm == pytest.approx(np.linalg.norm(model.coef_))
        assert evidence.dimension == 3
        found, _ = assess(evidence)
        assert {"gaussian-margin", "vc-relative", "rademacher"} <= set(found)
    assert mercer.evidence_from(LinearSVC(C=0.5).fit(X, Y), X, Y).C == 0.5
    assert mercer.evidence_from(LogisticRegression().fit(X, MANY), X, MANY).n_classes == 3
    stable = LogisticRegression(C=1e-3, fit_intercept=False, tol=1e-8).fit(X, Y)
    with_radius = mercer.evidence_from(stable, X, Y, radius=6.0)
    assert get("stability")().evaluate(with_radius).details["lam"] == pytest.approx(1 / 0.32)


def test_a_learner_of_other_rows_is_noticed_by_its_gradient():
    model = LogisticRegression().fit(X[:80], Y[:80])
    with pytest.raises(ValueError, match="relative gradient"):
        mercer.evidence_from(model, X, Y)


def test_ridge_agrees_with_mercers_own():
    theirs = mercer.evidence_from(
        KernelRidge(alpha=5.0, kernel="rbf", gamma=0.2).fit(X, T), X, T, loss_range=(0.0, 4.0)
    )
    ours = mercer.KernelRidge(alpha=5.0, kernel="rbf", gamma=0.2).fit(X, T).evidence_
    assert theirs.C == ours.C
    assert theirs.radius == 1.0
    assert theirs.norm == pytest.approx(ours.norm, rel=1e-9)
    assert theirs.risks["squared"] == pytest.approx(ours.risks["squared"], rel=1e-9)
    assert theirs.loo["exact"] == pytest.approx(ours.loo["exact"], rel=1e-8)
    assert {"stability-ridge", "stability-ridge-loo"} <= set(assess(theirs)[0])
    with pytest.raises(ValueError, match="not trained on exactly these rows"):
        mercer.evidence_from(KernelRidge().fit(X, T), X, T[::-1])


def test_support_vector_regression_agrees_with_mercers_own():
    how = {"C": 2.0, "epsilon": 0.1, "gamma": 0.2, "tol": 1e-6}
    theirs = mercer.evidence_from(SVR(**how).fit(X, T), X, T)
    ours = mercer.SVR(**how).fit(X, T).evidence_
    assert theirs.compression.size == ours.compression.size
    assert theirs.norm == pytest.approx(ours.norm, rel=1e-4)
    value = get("scenario")().evaluate(theirs).value
    assert value == pytest.approx(get("scenario")().evaluate(ours).value, rel=0.05)
    with pytest.raises(ValueError, match="not trained"):
        mercer.evidence_from(SVR(**how).fit(X, T), X, T + 1.0)


def test_gaussian_processes():
    kernel = gp.kernels.RBF(1.5)
    model = gp.GaussianProcessClassifier(4.0 * kernel, optimizer=None).fit(X, Y)
    evidence = mercer.evidence_from(model, X, Y)
    # the slow way: KL of two Gaussians with the posterior covariance written out
    K = 4.0 * kernel(X)
    base = model.base_estimator_
    f, W = K @ (base.y_train_ - base.pi_), base.pi_ * (1 - base.pi_)
    jitter = K + 1e-10 * np.eye(160)
    S = np.linalg.inv(np.linalg.inv(jitter) + np.diag(W))
    logdet = np.linalg.slogdet(jitter)[1] - np.linalg.slogdet(S)[1]
    inverse = np.linalg.inv(jitter)
    kl = 0.5 * (logdet + np.trace(inverse @ S) + f @ inverse @ f - 160)
    assert evidence.posterior.kl == pytest.approx(kl, rel=1e-3)
    assert evidence.posterior.vote_is_model
    assert not evidence.choices
    assert {"pac-bayes-prior-vote", "gaussian-margin"} <= set(assess(evidence)[0])
    tuned = mercer.evidence_from(gp.GaussianProcessClassifier(kernel).fit(X, Y), X, Y)
    assert "hyper-parameters" in best_of(tuned, 0.05, ["gaussian-margin"]).first_line()
    line = gp.GaussianProcessRegressor(kernel, alpha=0.05, optimizer=None).fit(X, T)
    left_out = mercer.evidence_from(line, X, T).loo["exact"]
    again = KernelRidge(alpha=0.05, kernel="rbf", gamma=1 / 4.5).fit(X, T)
    assert left_out == pytest.approx(mercer.evidence_from(again, X, T).loo["exact"], rel=1e-6)
    for fitted, target in ((model, Y[::-1]), (line, T[::-1])):
        with pytest.raises(ValueError, match="remembers other"):
            mercer.evidence_from(fitted, X, target)


def test_neighbours_left_out_one_by_one():
    model = KNeighborsClassifier(5).fit(X, Y)
    evidence = mercer.evidence_from(model, X, Y)
    slow = np.mean(
        [
            KNeighborsClassifier(5)
            .fit(np.delete(X, i, 0), np.delete(Y, i))
            .predict(X[i : i + 1])[0]
            != Y[i]
            for i in range(160)
        ]
    )
    assert evidence.loo["exact"] == slow
    assert "neighbour-stability" in assess(evidence)[0]
    with pytest.raises(ValueError, match="not trained"):
        mercer.evidence_from(model, X + 0.1, Y)


def test_sparse_rows():
    dense = mercer.evidence_from(SVC(kernel="linear").fit(X, Y), X, Y)
    thin = sparse.csr_matrix(X)
    for model in (SVC(kernel="linear"), LogisticRegression(), LogisticRegression(C=np.inf)):
        found = mercer.evidence_from(model.fit(thin, Y), thin, Y)
        np.testing.assert_allclose(found.point_norms, dense.point_norms)
    assert found.C is None  # without a penalty there is no C


def test_what_was_chosen_around_the_model_is_recorded():
    line = make_pipeline(StandardScaler(), SVC())
    search = GridSearchCV(line, {"svc__C": [0.1, 1.0, 10.0]}, cv=3).fit(X, Y)
    evidence = mercer.evidence_from(search, X, Y)
    assert [c.what for c in evidence.choices] == ["gamma", "hyper-parameters", "preprocessing"]
    first = best_of(evidence, 0.05, ["scenario"]).first_line()
    assert first.startswith("DOES NOT COVER the choice of gamma, hyper-parameters, preprocessing")
    told = mercer.evidence_from(search, X, Y, choices=[Choice("the columns", "by eye")])
    assert told.choices[-1].what == "the columns"


def test_any_other_classifier_has_its_errors():
    model = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    evidence = mercer.evidence_from(model, X, Y)
    assert evidence.errors == int(np.sum(model.predict(X) != Y))
    assert not assess(evidence)[0]
    nu = mercer.evidence_from(NuSVC(gamma=0.3).fit(X, Y), X, Y)
    assert nu.compression is None
    assert "gaussian-margin" in assess(nu)[0]


def test_precomputed_kernels_and_functions():
    K = X @ X.T
    by_matrix = mercer.evidence_from(SVC(kernel="precomputed", tol=1e-6).fit(K, Y), K, Y)
    plain = mercer.evidence_from(SVC(kernel="linear", tol=1e-6).fit(X, Y), X, Y)
    assert by_matrix.norm == pytest.approx(plain.norm, rel=1e-4)
    assert by_matrix.radius is None
    function = SVC(kernel=lambda a, b: a @ b.T, tol=1e-6).fit(X, Y)
    assert mercer.evidence_from(function, X, Y).norm == pytest.approx(plain.norm, rel=1e-4)
    odd = SVC(kernel="sigmoid", gamma=1.0, coef0=-2.0).fit(X, Y)
    assert mercer.evidence_from(odd, X, Y).norm is None
    crooked = SVC(kernel=lambda a, b: np.tanh(a @ b.T - 2.0)).fit(X, Y)
    assert mercer.evidence_from(crooked, X, Y).norm is None


def test_facts_alone():
    facts = {"n": 5000, "margins": [0.4, 1.0], "norm": 2.0, "radius": 1.0, "errors": 0}
    evidence = mercer.evidence_from(facts)
    assert "margin-cover" in assess(evidence)[0]
    assert mercer.evidence_from({"n": 100, "margin": 0.3, "norm": 1.0}).margins == 0.3
    nested = mercer.evidence_from({"n": 300, "holdout": {"rows": 100, "errors": 3}})
    assert "holdout" in assess(nested)[0]


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"errors": 3}, "need n"),
        ({"n": 10, "errors": 11}, "more than the 10 rows"),
        ({"n": 2, "errors": 0, "margins": [-1.0, 1.0]}, "negative margins"),
        ({"n": 2, "radius": 1.0, "point_norms": [0.5, 1.5]}, "beyond the radius"),
        ({"n": 2, "norm": 1.0, "margins": [3.0, 1.0], "point_norms": [1.0, 1.0]}, "exceeds"),
        ({"n": 2, "trace": 5.0, "point_norms": [1.0, 1.0]}, "squared norms"),
        ({"n": 5, "norm": math.nan}, "norm"),
        ({"n": 5, "colour": "red"}, "unknown"),
    ],
)
def test_facts_that_contradict_each_other(facts, reason):
    with pytest.raises(ValueError, match=reason):
        mercer.evidence_from(facts)


def test_refusals():
    with pytest.raises(TypeError, match="class"):
        mercer.evidence_from(SVC, X, Y)
    with pytest.raises(ValueError, match="trained on"):
        mercer.evidence_from(SVC().fit(X, Y))
    with pytest.raises(ValueError, match="160 rows"):
        mercer.evidence_from(SVC().fit(X, Y), X, Y[:-1])
    with pytest.raises(ValueError, match="speak for themselves"):
        mercer.evidence_from({"n": 3}, X, Y)
    with pytest.raises(ValueError, match="fresh rows"):
        mercer.evidence_from(Ridge().fit(X, T), X, T)
    with pytest.raises(ValueError, match="trained on 160"):
        mercer.evidence_from(mercer.SVC().fit(X, Y), X[:9], Y[:9])
    assert mercer.evidence_from(mercer.SVC().fit(X, Y), X, Y).n == 160
