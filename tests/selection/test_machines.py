"""Criteria and codes of any fitted machine: the same numbers as from its parts by hand."""

import math
import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn import linear_model, svm
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, KernelRidge, KernelSearch, NuSVC
from mercer.kernels import Gaussian, Spectrum
from mercer.learners import available
from mercer.learners.discriminant import KernelLogistic, LogisticClassifier
from mercer.learners.margin import KernelPerceptron
from mercer.learners.regression import LassoRegression, LeastSquares, RidgeRegression
from mercer.selection import cases_of, coding, criteria

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 2))
Y = (X[:, 0] * X[:, 1] + 0.4 * X[:, 0] + 0.2 * RNG.normal(size=50) > 0).astype(int)
T = np.sin(2 * X[:, 0]) + 0.3 * X[:, 1] + 0.1 * RNG.normal(size=50)


@pytest.mark.parametrize("code", coding.CODES)
def test_a_model_just_fitted_needs_nothing_else(code):
    model = SVC(C=3.0, tol=1e-9).fit(X, Y)
    message = coding.encode_labels(model, code)
    labels = coding.decode_labels(message, model.kernel_(X), train=model)
    assert np.array_equal(labels > 0, Y == 1)
    assert criteria.get(code).score(model) == criteria.get(code).score(model, X, Y)


def test_quantities_by_hand():
    model = SVC(C=3.0, tol=1e-9).fit(X, Y)
    K = model.kernel_(X)
    H = np.eye(50) - 1.0 / 50
    centred = H @ K @ H
    coef = np.zeros(50)
    coef[model.support_] = model.dual_coef_[0]
    found = coding.quantities(model)
    norm = math.sqrt(coef @ centred @ coef)
    assert found.rho == pytest.approx(1 / norm)
    assert found.radius == pytest.approx(math.sqrt(centred.diagonal().max()))
    f = centred @ coef
    wedge = np.abs(f) / norm < np.sqrt(centred.diagonal()) / norm / found.radius
    assert np.array_equal(found.inside, wedge)
    assert found.l == np.count_nonzero(((f > 0) != (Y == 1)) & ~wedge)
    slab, shifted = coding.quantities(model, region="slab"), coding.quantities(model, offset=True)
    assert np.array_equal(slab.inside, np.abs(f) < 1.0)
    assert np.array_equal(shifted.output, model.fitted_.machines[0].output)


def test_every_kernel_machine_is_read_or_refused_with_a_reason():
    read = set()
    for name, cls in available().items():
        try:
            model = cls()
        except TypeError:
            continue
        if not (is_classifier(model) or is_regressor(model)):
            continue
        target = Y if is_classifier(model) else T
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, target)
        reason = ""
        try:
            (case,) = cases_of(model)
        except (criteria.NotForThis, ValueError) as no:
            reason = str(no)
        if reason:
            assert "sums of kernel values" in reason or "made of models" in reason, name
            continue
        read.add(name)
        answer = model.decision_function if is_classifier(model) else model.predict
        assert case.output == pytest.approx(np.ravel(answer(X)), rel=1e-4, abs=1e-6), name
        rebuilt = case.gram.array @ case.coef + case.intercept
        assert rebuilt == pytest.approx(case.output, rel=1e-3, abs=2e-3), name
        if is_classifier(model):
            message = coding.encode_labels(model)
            decoded = coding.decode_labels(message, case.gram.array)
            assert np.array_equal(decoded > 0, Y == 1), name
    assert read >= {
        "svc", "nu_svc", "svr", "nu_svr", "kernel_ridge", "kernel_logistic", "kernel_fisher",
        "kernel_perceptron", "perceptron", "adaptive_margin_machine", "leave_one_out_machine",
        "logistic_classifier", "fisher_discriminant", "linear_erm", "ridge_regression",
        "lasso_regression", "least_squares", "bayes_point_machine", "relevance_vector_regressor",
    }  # fmt: skip


def test_machines_of_scikit_learn_are_the_same_machines():
    ours = SVC(C=2.0, gamma=0.7, tol=1e-9).fit(X, Y)
    theirs = svm.SVC(C=2.0, gamma=0.7, tol=1e-9).fit(X, Y)
    for code in ("C1", "C2", "C3", "C5", "rm", "trace", "cs"):
        score = criteria.get(code).score(theirs, X, Y).value
        assert score == pytest.approx(criteria.get(code).score(ours).value, rel=1e-5), code
    with pytest.raises(ValueError, match="pass X and y"):
        criteria.get("C3").score(theirs)


def test_rows_that_are_gone_or_changed_are_noticed():
    rows = X.copy()
    model = SVC().fit(rows, Y)
    rows[:5] += 3.0
    with pytest.raises(ValueError, match="not the rows"):
        coding.quantities(model)
    del rows
    with pytest.raises(ValueError, match="pass X and y"):
        coding.quantities(model)
    with pytest.raises(ValueError, match="not the rows"):
        coding.quantities(model, X[::-1], Y)
    assert coding.quantities(model, X, Y).n == 50


def test_several_classes_pipelines_searches_and_kinds_of_rows():
    iris, kinds = load_iris(return_X_y=True)
    model = SVC().fit(iris, kinds)
    parts = [criteria.get("C3").score(case) for case in cases_of(model)]
    sizes = [case.n for case in cases_of(model)]
    assert sizes == [100, 100, 100]
    mean = np.average([part.value for part in parts], weights=sizes)
    assert criteria.get("C3").score(model).value == pytest.approx(mean)
    assert coding.encode_labels(model, machine=2).length > 0
    with pytest.raises(ValueError, match="3 binary machines"):
        coding.encode_labels(model, machine=3)
    piped = make_pipeline(StandardScaler(), SVC()).fit(X, Y)
    alone = SVC().fit(StandardScaler().fit_transform(X), Y)
    expected = criteria.get("C2").score(piped[-1], StandardScaler().fit_transform(X), Y)
    assert criteria.get("C2").score(piped, X, Y) == expected
    assert alone.n_support_.sum() == len(cases_of(piped, X, Y)[0].support)
    search = KernelSearch(SVC(), param_grid={"C": [1.0], "gamma": [0.5]}, criterion="C3").fit(X, Y)
    score = criteria.get("C3").score(search, X, Y).value
    assert score == pytest.approx(search.cv_results_["mean_test_score"][0] * -1, rel=1e-3)
    K = Gaussian(0.8)(X)
    given = criteria.get("C3").score(SVC(kernel="precomputed", tol=1e-8).fit(K, Y), K, Y).value
    direct = SVC(kernel=Gaussian(0.8), tol=1e-8).fit(sparse.csr_array(X), Y)
    assert given == pytest.approx(criteria.get("C3").score(direct, sparse.csr_array(X), Y).value)
    weighted = SVC(tol=1e-8).fit(X, Y, sample_weight=np.r_[np.zeros(5), np.ones(45)])
    assert coding.quantities(weighted, X, Y).n == 45
    words = ["abab", "abba", "aabb", "xyxy", "xyyx", "yyxx"]
    strings = SVC(kernel=Spectrum(2)).fit(words, [0, 0, 0, 1, 1, 1])
    assert coding.quantities(strings, words, [0, 0, 0, 1, 1, 1]).n == 6


def test_criteria_that_need_another_machine_say_so():
    logistic = KernelLogistic().fit(X, Y)
    with pytest.raises(criteria.NotForThis, match="c-svc"):
        criteria.get("span").score(logistic)
    with pytest.raises(criteria.NotForThis, match="classification"):
        criteria.get("C3").score(SVR().fit(X, T))
    with pytest.raises(criteria.NotForThis, match="trains on parts"):
        criteria.get("cv").score(SVC().fit(X, Y))
    assert criteria.get("rm").score(KernelPerceptron(combine="average").fit(X, Y)).value > 0
    assert criteria.get("C5").score(NuSVC(nu=0.3).fit(X, Y)).value > 0


def test_trace_scaled_and_as_printed():
    model = SVC().fit(X, Y)
    printed, scaled = criteria.get("trace").score(model), criteria.get("trace-scaled").score(model)
    operator = np.linalg.eigvalsh(cases_of(model)[0].gram.centred.array) / 50
    assert scaled.components["capacity"] == pytest.approx(math.sqrt(operator.sum() / 50))
    assert printed.components["capacity"] == pytest.approx(math.sqrt(operator.sum()))


# -- AIC, BIC, GCV and the structural risk beside each other ---------------------------------------


def divergence(make, rows=X, target=T, step=1e-4):
    """Σ ∂f(x_i)/∂y_i by differences: Stein's degrees of freedom."""
    total = 0.0
    for i in range(len(target)):
        up, down = target.copy(), target.copy()
        up[i] += step
        down[i] -= step
        total += (
            make().fit(rows, up).predict(rows)[i] - make().fit(rows, down).predict(rows)[i]
        ) / (2 * step)
    return total


@pytest.mark.parametrize(
    "make",
    [
        lambda: KernelRidge(alpha=0.5, kernel="rbf", gamma=0.5, certify=None),
        lambda: RidgeRegression(alpha=3.0, certify=None),
        lambda: LeastSquares(certify=None),
        lambda: LassoRegression(alpha=0.05, certify=None),
        lambda: SVR(C=0.5, epsilon=0.2, gamma=0.5, tol=1e-10, certify=None),
        lambda: linear_model.Ridge(alpha=3.0),
        lambda: linear_model.Lasso(alpha=0.05, tol=1e-10),
    ],
)  # fmt: skip
def test_degrees_of_freedom_are_the_divergence(make):
    model = make().fit(X, T)
    score = criteria.get("aic").score(model, X, T)
    freedom = score.components["freedom"]
    assert freedom == pytest.approx(divergence(make), rel=1e-3, abs=1e-3)
    mean = float(np.mean((T - model.predict(X)) ** 2))
    assert score.value == pytest.approx(math.log(mean) + 2 * freedom / 50, rel=1e-5)
    assert criteria.get("bic").score(model, X, T).value == pytest.approx(
        math.log(mean) + math.log(50) * freedom / 50, rel=1e-5
    )
    left = 1 - freedom / 50
    assert criteria.get("gcv").score(model, X, T).value == pytest.approx(mean / left**2, rel=1e-5)
    p = freedom / 50
    penalty = 1 - math.sqrt(p - p * math.log(p) + math.log(50) / 100)
    expected = mean / penalty if penalty > 0 else math.inf
    assert criteria.get("srm").score(model, X, T).value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("C", [0.3, 5.0, math.inf])
def test_akaike_of_logistic_classifiers_is_the_likelihoods(C):
    weight = np.where(np.arange(50) % 3 == 0, 2.0, 1.0)
    model = LogisticClassifier(C=C, tol=1e-9).fit(X, Y, sample_weight=weight)
    score = criteria.get("aic").score(model, sample_weight=weight)
    Z = np.column_stack([X, np.ones(50)])
    f = model.decision_function(X)
    bend = weight * expit(f) * expit(-f)
    fisher = Z.T @ (bend[:, None] * Z)
    penalty = np.diag([1.0, 1.0, 0.0]) / C
    freedom = np.trace(np.linalg.solve(fisher + penalty, fisher))
    assert score.components["freedom"] == pytest.approx(freedom, rel=1e-6)
    loss = np.average(np.log1p(np.exp(-np.where(Y == 1, f, -f))), weights=weight)
    assert score.value == pytest.approx(2 * loss + 2 * freedom / 50, rel=1e-6)
    if math.inf == C:
        assert freedom == pytest.approx(3.0)
    theirs = linear_model.LogisticRegression(C=C, tol=1e-9).fit(X, Y, sample_weight=weight)
    again = criteria.get("aic").score(theirs, X, Y, sample_weight=weight).value
    assert again == pytest.approx(score.value, rel=1e-4)


def test_one_table_for_one_kind_of_machine():
    for model in (SVC(C=1.0).fit(X, Y), KernelLogistic(C=1.0).fit(X, Y)):
        values = {
            code: criteria.get(code).score(model).value for code in ("aic", "bic", "gcv", "srm")
        }
        assert all(math.isfinite(value) for value in values.values())
        assert values["aic"] < values["bic"]
