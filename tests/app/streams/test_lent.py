"""Models that tasks ask for travel as the name of a file, and are read once."""

import pickle

import numpy as np
import pytest

import mercer
from mercer.app.streams import lent
from mercer.app.streams.lent import lend, opened

X = np.random.default_rng(0).normal(size=(40, 2))
MODELS = [mercer.SVC().fit(X, X[:, 0] > 0), mercer.SVC().fit(X, X[:, 1] > 0)]


@pytest.fixture
def read(monkeypatch):
    """How often a file was read."""
    count, real = [], lent.open_model

    def counted(path):
        count.append(path)
        return real(path)

    monkeypatch.setattr(lent, "open_model", counted)
    return count


def test_in_this_process_nothing_is_written(tmp_path, read):
    with lend(MODELS, str(tmp_path)) as models:
        assert models.get() is MODELS
        assert list(tmp_path.iterdir()) == []
    assert not read


def test_elsewhere_a_file_is_read_once_and_goes_at_the_end(tmp_path, read):
    with lend(MODELS, str(tmp_path)) as models:
        sent = [pickle.dumps(models) for _ in range(3)]
        assert max(map(len, sent)) < 500
        assert len(list(tmp_path.iterdir())) == 1
        for one in sent:
            found = pickle.loads(one).get()
            for mine, theirs in zip(MODELS, found, strict=True):
                np.testing.assert_array_equal(
                    mine.decision_function(X), theirs.decision_function(X)
                )
        assert len(read) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_written_anew_is_read_anew(tmp_path, read):
    path = str(mercer.save(MODELS[0], tmp_path / "m.mercer"))
    assert opened(path) is opened(path)
    mercer.save(MODELS[1], path)
    np.testing.assert_array_equal(opened(path).model.predict(X), MODELS[1].predict(X))
    assert len(read) == 2
