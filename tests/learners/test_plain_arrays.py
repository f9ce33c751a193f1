"""Plain arrays take a short way through the door: the same answers and the same refusals."""

import numpy as np
import pytest
from sklearn.utils.validation import validate_data

from mercer import SVC, SVR
from mercer.learners import _door
from mercer.learners._plain import columns_fit, plain_rows, plain_targets

X = np.random.default_rng(0).normal(size=(30, 3))
y = (X[:, 0] > 0).astype(int)
FLOATS = (np.float64, np.float32)


class Own(np.ndarray):
    """Arrays with other ideas of their own."""


def with_one(value, dtype=np.float64):
    rows = X.astype(dtype)
    rows[3, 1] = value
    return rows


@pytest.mark.parametrize(
    ("rows", "plain"),
    [
        (X, True),
        (X.astype(np.float32), True),
        (with_one(np.nan), False),
        (with_one(np.inf), False),
        (np.full((30, 3), 1e308), False),  # finite, but not their sum: scikit-learn decides
        (np.asfortranarray(X), False),
        (X[::2], False),
        (X.astype(int), False),
        (X.astype(">f8"), False),
        (X.tolist(), False),
        (X.view(Own), False),
        (X[:, :0], False),
        (X[:0], False),
        (X[:1], False),
        (X[0], False),
        (X.astype(object), False),
    ],
)
def test_which_rows_are_plain(rows, plain):
    assert plain_rows(rows, FLOATS, 2) is plain


@pytest.mark.parametrize(
    ("targets", "plain"),
    [
        (y, True),
        (y > 0, True),
        (y.astype(float), True),
        (np.where(y, np.nan, 1.0), False),
        (y[:, None], False),
        (y[1:], False),
        (y.astype(str), False),
        (y.astype(object), False),
        (list(y), False),
    ],
)
def test_which_targets_are_plain(targets, plain):
    assert plain_targets(targets, 30) is plain


def test_columns_are_remembered_and_compared():
    model = SVC()
    model.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    assert not columns_fit(model, X, reset=False)
    assert columns_fit(model, X, reset=True)
    assert model.n_features_in_ == 3
    assert not hasattr(model, "feature_names_in_")
    assert columns_fit(model, X, reset=False)
    assert not columns_fit(model, X[:, :2], reset=False)


def test_the_short_way_and_the_long_way_give_the_same(monkeypatch):
    asked = []

    def told(*args, **options):
        asked.append(args)
        return validate_data(*args, **options)

    monkeypatch.setattr(_door, "validate_data", told)
    short = SVC().fit(X, y)
    answers = short.decision_function(X)
    assert asked == []
    monkeypatch.setattr(_door, "plain_rows", lambda *_: False)
    long = SVC().fit(X, y)
    assert np.array_equal(long.decision_function(X), answers)
    assert len(asked) == 2
    assert (short.n_features_in_, long.n_features_in_) == (3, 3)


def test_refusals_keep_their_words():
    with pytest.raises(ValueError, match="Input X contains NaN"):
        SVC().fit(with_one(np.nan), y)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        SVR().fit(X, np.where(y, np.nan, 1.0))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        SVC().fit(X, y[1:])
    with pytest.raises(ValueError, match="X has 2 features, but SVC is expecting 3"):
        SVC().fit(X, y).predict(X[:, :2].copy())


def test_names_are_missed():
    pandas = pytest.importorskip("pandas")
    model = SVC().fit(pandas.DataFrame(X, columns=list("abc")), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)
    assert not hasattr(model.fit(X, y), "feature_names_in_")
