"""What the certificate of a search says it paid, and that it is about the model that is kept."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, KernelSearch, certified_fit
from mercer.bounds.numerics import clopper_upper
from mercer.certification import CertificateWarning, Refused
from mercer.datasets import make_twonorm
from mercer.kernels import Gaussian
from mercer.selection._certify import occam_weights

SHORTLIST = {"mode": "shortlist", "random_state": 0}
PARAMS = {"C": [0.1, 1.0], "gamma": [0.01, 0.03]}


@pytest.fixture(scope="module")
def rows():
    X, y, law = make_twonorm(240, random_state=1)
    return X, y, law


@pytest.mark.parametrize("mode", ["holdout", "auto", "progressive"])
def test_inside_the_training_part_the_choice_is_free(rows, mode):
    X, y, law = rows
    tuned = KernelSearch(SVC(), param_grid=PARAMS, cv=3)
    search = certified_fit(tuned, X, y, mode=mode, random_state=0)
    certificate = search.certificate_
    assert certificate.delta == 0.05
    assert certificate.ledger.total == pytest.approx(0.05)
    assert certificate.uncovered == ()
    assert law.risk(search.predict, n=20_000) <= certificate.value < 0.3
    assert search.certification_.mode == mode


def test_union_and_occam_pay_for_every_candidate(rows):
    X, y, _ = rows
    union = KernelSearch(SVC(), param_grid=PARAMS, certify="union", cv=3).fit(X, y)
    assert union.certificate_.ledger.total == pytest.approx(0.05)
    assert union.certificate_.ledger["the other 3 candidates"] == pytest.approx(0.05 * 3 / 4)
    assert union.certificate_.uncovered == ()
    occam = KernelSearch(SVC(), param_grid=PARAMS, certify="occam", cv=3).fit(X, y)
    weights = occam_weights(4)
    own = 0.05 * weights[occam.best_index_]
    assert occam.certificate_.details["own_delta"] == pytest.approx(own)
    assert occam.certificate_.ledger.total == pytest.approx(0.05)
    # without paying, the model's own certificate says what it does not cover
    plain = KernelSearch(SVC(), param_grid=PARAMS, cv=3).fit(X, y)
    left = plain.best_estimator_.certificate_.uncovered
    assert [(c.what, c.candidates) for c in left] == [("hyper-parameters", 4)]
    assert plain.best_estimator_.certificate_.value <= union.certificate_.value


def test_scales_read_off_the_rows_were_not_declared_before_them(rows):
    X, y, _ = rows
    costs = {"C": [0.1, 1.0]}
    for kernels in (["gaussian"], ["ard"], ["linear", "laplacian"], [Gaussian("median")]):
        with pytest.raises(ValueError, match="read off the rows"):
            KernelSearch(SVC(), kernels=kernels, param_grid=costs, certify="union", cv=3).fit(X, y)
    fixed = [Gaussian(2.0), "linear"]
    paid = KernelSearch(SVC(), kernels=fixed, param_grid=costs, certify="union", cv=3).fit(X, y)
    assert paid.n_candidates_ == 4
    assert paid.certificate_.uncovered == ()
    scales = costs | {"length_scale": [2.0]}
    paid = KernelSearch(SVC(), kernels=["gaussian"], param_grid=scales, certify="union", cv=3)
    assert paid.fit(X, y).certificate_.uncovered == ()


def test_preprocessing_before_an_in_sample_bound_is_named(rows):
    X, y, _ = rows
    scaled = make_pipeline(StandardScaler(), SVC())
    search = KernelSearch(scaled, param_grid=PARAMS, certify="union", cv=3).fit(X, y)
    assert [c.what for c in search.certificate_.uncovered] == ["preprocessing"]


def test_occam_weights_are_a_prior():
    for count in (1, 2, 1000):
        weights = occam_weights(count)
        assert weights.sum() == pytest.approx(1.0)
        assert np.all(np.diff(weights) < 0)


def test_shortlist_divides_delta_over_the_few(rows):
    X, y, law = rows
    search = certified_fit(KernelSearch(SVC(), param_grid=PARAMS, cv=3), X, y, **SHORTLIST)
    certificate = search.certificate_
    assert certificate.ledger.total == pytest.approx(0.05)
    record = search.evidence_.holdout
    candidates = certificate.details["candidates"]
    assert certificate.value == pytest.approx(
        clopper_upper(record.errors, record.rows, 0.05 / candidates)
    )
    assert law.risk(search.predict, n=20_000) <= certificate.value
    assert search.best_params_ == search.results_["params"][search.best_index_]
    best = search.best_estimator_  # the winner on the held-out rows, trained on the others
    test = search.certification_.counted_rows
    assert int(np.sum(best.predict(X[test]) != y[test])) == record.errors
    weight = np.ones(240)
    weighted = certified_fit(
        KernelSearch(SVC(), param_grid=PARAMS, cv=3), X, y, sample_weight=weight, **SHORTLIST
    )
    assert weighted.certificate_.value == pytest.approx(certificate.value)
    with pytest.raises(Refused, match="not independent"):
        certified_fit(
            KernelSearch(SVC(), param_grid=PARAMS), X, y, groups=np.arange(240), **SHORTLIST
        )
    with pytest.raises(Refused, match="classifiers"):
        certified_fit(KernelSearch(SVR()), X, X[:, 0], tolerance=1.0, **SHORTLIST)
    with pytest.raises(Refused, match="results_"):
        certified_fit(SVC(), X, y, **SHORTLIST)


@pytest.mark.parametrize("mode", ["holdout", "shortlist", "sometimes"])
def test_a_search_names_what_spends_rows_in_its_place(rows, mode):
    X, y, _ = rows
    with pytest.raises(ValueError, match=rf"certified_fit\(KernelSearch.*mode='{mode}'"):
        KernelSearch(SVC(), certify=mode).fit(X, y)


def test_a_new_search_leaves_nothing_of_the_old_certificate(rows):
    X, y, _ = rows
    search = KernelSearch(SVC(), param_grid=PARAMS, certify="union", cv=3).fit(X, y)
    search.set_params(certify=None).fit(X, y)
    assert not hasattr(search, "certificate_")


def test_a_search_cut_short_is_not_certified_by_union(rows):
    X, y, _ = rows
    search = KernelSearch(SVC(), param_grid=PARAMS, certify="union", progress=lambda s: True)
    with pytest.raises(ValueError, match="whole grid"):
        search.fit(X, y)


def test_the_gate_is_asked_and_what_stands_around_the_search_is_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    search = KernelSearch(SVC(), param_grid={"C": [1.0], "gamma": [0.1, 1.0]}, certify="union")
    assert clone(search).fit(X, y).certificate_.caveats == ()
    with pytest.warns(CertificateWarning, match="240 of 300 rows are copies"):
        copied = clone(search).fit(np.repeat(X, 5, axis=0), np.repeat(y, 5))
    assert copied.certificate_.first_line().startswith("240 of 300 rows are copies")
    inner = make_pipeline(SelectKBest(k=2), search).fit(X, y)[-1]
    assert inner.certificate_.first_line().startswith("DOES NOT COVER what was fitted around it")
