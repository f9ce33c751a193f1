"""What the fitted machines publish about themselves, checked against retraining and definitions."""

import json
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone

import mercer
from mercer.bounds import Evidence
from mercer.datasets import load_digits, load_iris, make_moons, make_ringnorm
from mercer.kernels import Gaussian, Linear, Normalized, Polynomial, Power, Shifted, White

X, Y, LAW = make_ringnorm(160, d=4, random_state=3)
PLANE, SIDE, _ = make_moons(120, noise=0.2, random_state=0)
TARGET = np.sin(2 * PLANE[:, 0]) + 0.1 * PLANE[:, 1]
TIGHT = {"tol": 1e-8}


def kept_rows(model):
    """Rows on or inside the margin, by definition and not by Evidence's own code."""
    machine = model.fitted_.machines[0]
    if model._kind == "classifier":
        return machine.rows[machine.target * machine.output <= 1 + 1e-5]
    if model._kind == "regressor":
        return machine.rows[np.abs(machine.target - machine.output) >= machine.tube - 1e-5]
    return machine.rows[machine.output <= 1e-5]


@pytest.mark.parametrize(
    "model",
    [
        mercer.SVC(gamma=0.3, **TIGHT),
        mercer.SVC(gamma=0.3, fit_intercept=False, **TIGHT),
        mercer.SVC(gamma=0.3, loss="squared_hinge", **TIGHT),
        mercer.SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0, **TIGHT),
        mercer.SVC(gamma=0.3, class_weight={-1: 1.0, 1: 3.0}, **TIGHT),
        mercer.SVC(gamma=2.0, C=float("inf"), **TIGHT),
        mercer.SVR(gamma=0.5, epsilon=0.05, **TIGHT),
        mercer.SVR(gamma=0.5, epsilon=0.05, loss="squared_epsilon_insensitive", **TIGHT),
    ],
    ids=str,
)
def test_the_compression_set_alone_rebuilds_the_machine(model):
    points, labels = (PLANE, TARGET) if model._kind == "regressor" else (X, Y)
    model = clone(model).fit(points, labels)
    kept = kept_rows(model)
    again = clone(model).fit(points[kept], np.asarray(labels)[kept])
    assert model.evidence_.compression.size == len(kept) < len(points)
    score = "predict" if model._kind == "regressor" else "decision_function"
    assert_allclose(getattr(again, score)(points), getattr(model, score)(points), atol=1e-4)


@pytest.mark.parametrize("kind", ["NuSVC", "NuSVR", "OneClassSVM"])
def test_the_nu_machines_rebuild_from_the_constant_nu_n(kind):
    """At n rows they solve a problem with the constant ν·n, which k rows have at ν' = ν·n/k."""
    nu, points, labels = 0.2, X, Y
    if kind == "NuSVR":
        points, labels = PLANE, TARGET
    model = getattr(mercer, kind)(nu=nu, gamma=0.3, tol=1e-9).fit(points, labels)
    kept = kept_rows(model)
    again = clone(model).set_params(nu=nu * len(points) / len(kept))
    again.fit(points[kept], np.asarray(labels)[kept])
    assert model.evidence_.compression.size == len(kept) < len(points)
    score = "predict" if kind == "NuSVR" else "decision_function"
    assert_allclose(getattr(again, score)(points), getattr(model, score)(points), atol=1e-4)


@pytest.mark.parametrize("scheme", ["ovo", "ovr", "dag"])
def test_several_classes_rebuild_from_the_union_and_err_only_inside(scheme):
    table = load_iris()
    model = mercer.SVC(gamma=0.2, multi_class=scheme, tol=1e-8).fit(table.X, table.y)
    kept = np.zeros(len(table.y), dtype=bool)
    for machine in model.fitted_.machines:
        kept[machine.rows[machine.target * machine.output <= 1 + 1e-5]] = True
    again = clone(model).fit(table.X[kept], table.y[kept])
    evidence = model.evidence_
    assert evidence.compression.size == kept.sum()
    assert_allclose(again.decision_function(table.X), model.decision_function(table.X), atol=1e-3)
    assert not np.any(model.predict(table.X[~kept]) != table.y[~kept])
    assert evidence.n_classes == 3
    assert len(evidence.machines) == 3
    assert all(binary.n == len(table.y) for binary in evidence.machines)
    if scheme == "ovr":
        assert evidence.errors == np.sum(model.predict(table.X) != table.y)
    else:
        assert evidence.errors is None
        assert np.isinf(evidence.machines[0].margins).sum() == 50


def test_numbers_of_a_classifier_agree_with_predict_and_diagnostics():
    model = mercer.SVC(gamma=0.3).fit(X, Y)
    evidence, seen = model.evidence_, model.diagnostics_
    assert evidence.errors == np.sum(model.predict(X) != Y)
    assert_allclose(evidence.margins, Y * model.decision_function(X), atol=1e-10)
    assert_allclose(evidence.slacks, np.maximum(0, 1 - evidence.margins))
    assert_allclose(evidence.norm, seen.norm)
    assert evidence.offset == model.intercept_[0]
    assert evidence.radius == 1.0
    assert evidence.kernel_range == 1.0
    assert evidence.trace == len(X)
    assert evidence.dimension == np.inf
    assert evidence.rank is None
    assert evidence.C == 1.0
    assert (evidence.formulation, evidence.loss) == ("c-svc", "hinge")
    assert evidence.choices == ()
    assert set(evidence.loo) == {"span"}
    assert mercer.SVC(gamma=0.3, fit_intercept=False).fit(X, Y).evidence_.offset is None


def test_numbers_of_a_regression_and_of_a_one_class_machine():
    tube = mercer.SVR(gamma=0.5, epsilon=0.1).fit(PLANE, TARGET)
    away = np.abs(tube.predict(PLANE) - TARGET)
    assert tube.evidence_.task == "regression"
    assert tube.evidence_.errors == np.sum(away > 0.1 + 1e-3)
    assert tube.evidence_.tube == 0.1
    region = mercer.OneClassSVM(gamma=0.5, nu=0.2).fit(PLANE)
    assert region.evidence_.task == "novelty"
    assert region.evidence_.errors == np.sum(region.predict(PLANE) == -1)
    assert region.certificate_.quantity == "rate of new points rejected"
    found = mercer.NuSVR(gamma=0.5, nu=0.3).fit(PLANE, TARGET)
    assert found.evidence_.tube == found.diagnostics_.tube > 0


@pytest.mark.parametrize(
    ("kernel", "dimension"),
    [
        ("linear", 4),
        (Polynomial(2, coef0=1.0), 15),
        (Polynomial(2, coef0=0.0), 10),
        (Polynomial(3, coef0=1.0), 35),
        (Gaussian(1.0), np.inf),
    ],
)
def test_dimension_of_the_feature_space(kernel, dimension):
    evidence = mercer.SVC(kernel=kernel).fit(X, Y).evidence_
    assert evidence.dimension == dimension
    assert evidence.rank == (None if np.isinf(dimension) else dimension)
    explicit = not np.isinf(dimension)
    assert (evidence.radius is None) == explicit  # known before the data only if bounded


@pytest.mark.parametrize(
    ("kernel", "size"),
    [
        (3.0 * Polynomial(2, coef0=1.0), 6),
        (Normalized(Linear()), 2),
        (Normalized(Polynomial(3, coef0=1.0)), 10),
        (Linear() + Polynomial(2, coef0=0.0), 5),
        (Shifted(Linear(), 2.0), 3),
        (Power(Linear(), 3, shift=0.5), 10),
        (Linear() * Linear(), 4),  # more than the 3 it has: x₁x₂ and x₂x₁ are counted twice
        (Linear() * Gaussian(1.0), np.inf),
        (Normalized(Gaussian(1.0)), np.inf),
    ],
    ids=str,
)
def test_dimensions_of_combined_kernels_are_never_below_the_rank(kernel, size):
    evidence = mercer.SVC(kernel=kernel).fit(PLANE, SIDE).evidence_
    assert evidence.dimension == size
    if np.isfinite(size):
        rank = np.linalg.matrix_rank(np.asarray(kernel(PLANE)), tol=1e-9)
        assert rank == (3 if size == 4 else size)


def test_dimension_counts_monomials():
    from itertools import combinations_with_replacement

    monomials = sum(len(list(combinations_with_replacement(range(4), d))) for d in range(3))
    model = mercer.SVC(kernel="poly", degree=2, coef0=1.0, gamma=1.0).fit(X, Y)
    assert model.evidence_.dimension == monomials


def test_choices_read_off_the_rows_are_recorded_and_said_first():
    names = {
        "gamma": mercer.SVC(),
        "the kernel's parameters": mercer.SVC(kernel=Gaussian("median")),
    }
    for name, model in names.items():
        certificate = model.fit(X, Y).certificate_
        assert [c.what for c in certificate.uncovered] == [name]
        assert certificate.first_line().startswith(f"DOES NOT COVER the choice of {name}")
    for model in (mercer.SVC(gamma="auto"), mercer.SVC(gamma=0.1), mercer.SVC(kernel="linear")):
        assert model.fit(X, Y).certificate_.uncovered == ()


def test_weights_from_the_sample_are_no_compression_scheme():
    balanced = mercer.SVC(gamma=0.3, class_weight="balanced").fit(X, Y)
    assert balanced.evidence_.compression is None
    assert [c.what for c in balanced.evidence_.choices] == ["class_weight"]
    halves = np.arange(len(X)) % 2  # the weights are all equal, but only for these labels
    even = mercer.SVC(gamma=0.3, class_weight="balanced", fit_intercept=False).fit(X, halves)
    assert len(X) % 2 == 0
    assert even.evidence_.C is None
    assert "stability" not in even.certificates_
    assert "compression set" in balanced.not_applicable_["scenario"]
    assert balanced.certificate_.code == "gaussian-margin"
    weights = np.linspace(0.5, 2, len(Y))
    assert mercer.SVC(gamma=0.3).fit(X, Y, weights).evidence_.compression is None
    assert mercer.SVC(gamma=0.3).fit(X, Y, np.full(len(Y), 2.0)).evidence_.C == 2.0
    some = mercer.SVC(gamma=0.3).fit(X, Y, np.arange(len(Y)) % 4 > 0)
    assert some.evidence_.n == len(Y) * 3 // 4
    assert "rows of weight zero" in some.certificate_.first_line()


def test_unfinished_solutions_are_no_compression_scheme():
    with pytest.warns(UserWarning, match="terminated early"):
        model = mercer.SVC(gamma=0.3, max_iter=3).fit(X, Y)
    assert model.evidence_.compression is None


def test_the_declared_certificate_pays_for_what_it_compares():
    model = mercer.SVC(gamma=0.3, delta=0.1).fit(X, Y)
    certificate = model.certificate_
    assert certificate.delta == 0.1
    assert certificate.ledger.total == pytest.approx(0.1)
    assert len(certificate.ledger) == 2  # a kernel of infinite dimension leaves VC no share
    alone = model.certificates_[certificate.code]
    assert alone.ledger.total == pytest.approx(0.1)
    assert alone.value < certificate.value
    assert "side by side" in alone.ledger.entries[0].why
    assert not set(model.certificates_) & set(model.not_applicable_)
    assert set(model.certificates_) | set(model.not_applicable_) == set(mercer.bounds.available())


def test_certify_none_and_unfitted():
    with pytest.raises(AttributeError, match="not fitted"):
        _ = mercer.SVC().certificate_
    quiet = mercer.SVC(certify=None).fit(X, Y)
    assert not hasattr(quiet, "certificate_")
    with pytest.raises(AttributeError, match="certify=None"):
        _ = quiet.certificates_
    assert quiet.evidence_.n == len(X)


def test_the_default_trains_on_every_row_exactly_as_without():
    loud, quiet = mercer.SVC().fit(X, Y), mercer.SVC(certify=None).fit(X, Y)
    assert np.array_equal(loud.dual_coef_, quiet.dual_coef_)
    assert np.array_equal(loud.support_, quiet.support_)


@pytest.mark.parametrize("value", [3, [], True])
def test_bad_modes_are_refused(value):
    with pytest.raises(ValueError, match="'certify' parameter"):
        mercer.SVC(certify=value).fit(X, Y)


@pytest.mark.parametrize("value", ["sometimes", ["auto", "none"], "auto"])
def test_modes_that_spend_rows_are_not_a_learners(value):
    with pytest.raises(ValueError, match="all the rows it is given"):
        mercer.SVC(certify=value).fit(X, Y)


@pytest.mark.parametrize("value", [0, 1, -0.1, 2.0, float("nan"), "small", True])
def test_bad_deltas_are_refused(value):
    with pytest.raises(ValueError, match="'delta' parameter"):
        mercer.SVC(delta=value).fit(X, Y)


def test_certificates_survive_pickle_and_json_and_die_with_a_new_fit():
    model = mercer.SVC(gamma=0.3).fit(X, Y)
    value, evidence = model.certificate_.value, model.evidence_
    copy = pickle.loads(pickle.dumps(model))
    assert copy.certificate_ == model.certificate_
    assert Evidence.from_dict(json.loads(json.dumps(evidence.to_dict()))) == evidence
    assert not hasattr(clone(model), "certificate_")
    model.fit(X[:80], Y[:80])
    assert model.evidence_.n == 80
    assert model.certificate_.value > value


def test_indefinite_kernels_have_no_geometry():
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        model = mercer.SVC(kernel="sigmoid", gamma=1.0, coef0=-1.0, C=10).fit(X, Y)
    assert model.evidence_.norm is None
    assert model.evidence_.compression is None
    assert model.certificate_ is None


def test_added_rows_start_from_the_last_solution():
    model = mercer.SVC(gamma=0.3, warm_start=True, tol=1e-6).fit(X[:150], Y[:150])
    model.fit(X, Y)
    cold = mercer.SVC(gamma=0.3, tol=1e-6).fit(X, Y)
    assert model.n_iter_[0] < cold.n_iter_[0]
    assert_allclose(model.decision_function(X), cold.decision_function(X), atol=1e-4)


def test_a_matrix_seen_to_be_indefinite_has_no_geometry():
    rng = np.random.default_rng(0)
    matrix = rng.standard_normal((60, 60))
    labels = np.where(rng.random(60) < 0.5, 1, -1)
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        model = mercer.SVC(kernel="precomputed").fit(matrix + matrix.T, labels)
    assert model.evidence_.norm is None
    assert model.certificate_ is None


def test_rows_of_weight_zero_anywhere_in_several_classes():
    table = load_iris()
    weight = np.ones(150)
    weight[[0, 149]] = 0.0
    evidence = mercer.SVC(kernel="linear").fit(table.X, table.y, weight).evidence_
    assert evidence.n == 148
    assert all(len(binary.margins) == 148 for binary in evidence.machines)
    assert evidence.choices[0].what == "the rows of weight zero"


def test_many_classes_stop_adding_once_the_sum_says_nothing():
    table = load_digits()
    rows = np.random.default_rng(0).permutation(len(table.y))[:300]
    model = mercer.SVC(gamma=0.001).fit(table.X[rows], table.y[rows])
    certificate = model.certificates_["gaussian-margin"]
    assert certificate.vacuous
    assert certificate.unclipped == np.inf
    assert "given up after" in certificate.counted
    assert certificate.ledger.total == pytest.approx(0.05)
    assert json.loads(json.dumps(certificate.to_dict(inputs=False)))["unclipped"] == "inf"


@pytest.mark.slow
def test_all_certificates_cost_less_than_a_third_of_the_fit_at_twenty_thousand_rows():
    import time

    rng = np.random.default_rng(0)
    centres = rng.normal(size=(24, 20)) * 1.6
    which = rng.integers(0, 24, 20_000)
    points = centres[which] + rng.normal(size=(20_000, 20))
    labels = np.where(which % 2 == 0, 1, -1) * np.where(rng.random(20_000) < 0.08, -1, 1)
    shares = []
    for _ in range(3):
        start = time.perf_counter()
        model = mercer.SVC(gamma=0.05).fit(points / points.std(axis=0), labels)
        fitted = time.perf_counter()
        assert model.certificate_ is not None
        assert model.certificates_
        shares.append((time.perf_counter() - fitted) / (fitted - start))
    assert min(shares) < 0.3


def test_the_span_sees_noise_on_the_diagonal_of_the_kernel():
    rare = np.arange(len(X)) < 40
    model = mercer.SVC(kernel=White(), **TIGHT).fit(X, rare)
    assert model.evidence_.loo["span"] == pytest.approx(rare.mean())  # a row left out is a stranger
    assert model.certificate_ is not None
