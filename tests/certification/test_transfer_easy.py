"""Mode "transfer" with easy hold-outs: what is counted, on which rows, and when it steps aside."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier

import mercer
from mercer.bounds import Certificate
from mercer.bounds.numerics.easy import log_ratio
from mercer.bounds.numerics.easy_pool import easy_pool_upper
from mercer.certification import certified_fit

X, Y, LAW = mercer.datasets.make_twonorm(150, random_state=0)
POOL = LAW.sample(400, 1)[0]
SVC = mercer.SVC(gamma=0.02)


class Kept(KNeighborsClassifier):
    """Keeps the rows of every fit."""

    fits: list = []  # noqa: RUF012

    def fit(self, rows, labels):
        Kept.fits.append((self, np.asarray(rows)))
        return super().fit(rows, labels)


def places(rows):
    """Which rows of X these are."""
    known = {row.tobytes(): i for i, row in enumerate(X)}
    return sorted(known[row.tobytes()] for row in rows)


def test_the_limit_is_that_of_the_counts_by_hand():
    Kept.fits.clear()
    model = certified_fit(Kept(7), X, Y, mode="transfer", pool=POOL, random_state=0)
    run = model.evidence_.easy_pool
    anchors, (full, everything) = Kept.fits[12:24], Kept.fits[24]
    assert places(everything) == list(range(150))
    sums, moved = [], []
    for anchor, rows in anchors:
        held = np.setdiff1d(np.arange(150), places(rows))
        assert len(held) == run.rows
        sums.append(int(np.sum(anchor.predict(X[held]) != Y[held])))
        moved.append(np.sum(anchor.predict(POOL) != full.predict(POOL)))
    assert run.sums == tuple(sums)
    weight = np.exp(-5.0 * np.array(sums))
    assert run.moved == pytest.approx(weight @ moved / weight.sum())
    ratios = [log_ratio(150, run.easy, run.rows)] * 12
    expected = easy_pool_upper(ratios, sums, run.rows, run.moved, 400, 0.05, c=5.0)
    assert model.certificate_.value == pytest.approx(expected, rel=1e-12)


def test_the_model_of_all_rows_is_returned_and_only_its_limit_is_told():
    model = certified_fit(SVC, X, Y, mode="transfer", pool=POOL, random_state=0)
    assert_array_equal(model.decision_function(POOL), clone(SVC).fit(X, Y).decision_function(POOL))
    limit = model.certificate_
    assert limit.code == "transfer-easy"
    assert limit.classifier == "deterministic"
    assert {"easy-mixture", "holdout"}.isdisjoint(model.certificates_)
    assert limit.details["certified"] < limit.value < 0.3
    fresh, truth = LAW.sample(20_000, 3)
    assert np.mean(model.predict(fresh) != truth) < limit.value
    again = Certificate.from_dict(limit.to_dict())
    assert again.recompute().unclipped == limit.unclipped
    assert_array_equal(model.certification_.train_rows, np.arange(150))
    assert any("weighted mean" in note for note in model.certification_.notes)


def test_rows_and_a_kernel_matrix_give_the_same_number():
    kernel = mercer.kernels.Gaussian(5.0)
    by_rows = certified_fit(
        mercer.SVC(kernel=kernel), X, Y, mode="transfer", pool=POOL, random_state=0
    )
    by_gram = certified_fit(
        mercer.SVC(kernel="precomputed"), kernel(X), Y, mode="transfer", pool=kernel(POOL, X),
        random_state=0,
    )  # fmt: skip
    assert by_gram.certificate_.value == pytest.approx(by_rows.certificate_.value, rel=1e-9)


@pytest.mark.filterwarnings("ignore:With 28 rows")
@pytest.mark.parametrize(
    ("rows", "options"),
    [(150, {"hold_out": "plain"}), (150, {"error": "balanced"}), (28, {})],
    ids=["asked for", "by class", "few rows"],
)
def test_a_plain_hold_out_where_the_easy_ones_do_not_apply(rows, options):
    model = certified_fit(
        SVC, X[:rows], Y[:rows], mode="transfer", pool=POOL, random_state=0, **options
    )
    assert model.evidence_.easy_pool is None
    assert model.evidence_.pool is not None


def test_other_words_are_refused():
    with pytest.raises(ValueError, match=r"hold_out must be one of \['easy', 'plain'\]"):
        certified_fit(SVC, X, Y, mode="transfer", pool=POOL, hold_out="hard")
