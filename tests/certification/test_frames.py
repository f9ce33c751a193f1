"""Models certified on data frames: kept in files, and known again there."""

import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import mercer
from mercer import SVC, certified_fit
from mercer.certification.core.probe_rows import CannotBeKept, FrameRows, given, kept

N = 120


def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": rng.normal(size=N),
            "share": rng.uniform(size=N),
            "kind": rng.choice(["x", "y"], N),
            "level": pd.Categorical(rng.choice(["low", "high"], N)),
            "name": pd.array(rng.choice(["p", "q"], N), dtype="string"),
            "day": pd.date_range("2020-01-01", periods=N),
        }
    )


FRAMES = {"pandas": table, "polars": lambda: pl.from_pandas(table())}


def certified(frame):
    encode = make_column_transformer(
        (StandardScaler(), ["size", "share"]),
        (OneHotEncoder(handle_unknown="ignore"), ["kind", "level", "name"]),
    )
    answer = np.where(np.asarray(frame["size"]) > 0, "big", "small")
    return certified_fit(make_pipeline(encode, SVC(gamma=0.1)), frame, answer, random_state=0)


@pytest.mark.parametrize("library", FRAMES)
def test_a_model_of_a_frame_is_kept_and_known_again(library, tmp_path):
    frame = FRAMES[library]()
    model = certified(frame)
    mercer.save(model, tmp_path / "model.mercer")
    again = mercer.load(tmp_path / "model.mercer")
    assert str(again.certificate_) == str(model.certificate_)
    assert again.what_changed() == ""
    assert np.array_equal(again.predict(frame), model.predict(frame))
    again.model_[0].transformers_[0][1].mean_ += 9.0
    assert again.what_changed() == "its answers"


@pytest.mark.parametrize("library", FRAMES)
def test_probe_rows_come_back_as_the_frame_they_were(library):
    frame = FRAMES[library]()[:7]
    held = kept(frame)
    assert isinstance(held, FrameRows)
    assert given(held).equals(frame)


def test_gaps_stay_gaps():
    frame = table()[:4]
    frame.loc[1, ["size", "kind", "name", "day"]] = None
    assert given(kept(frame)).isna().equals(frame.isna())


def test_what_no_file_can_hold_is_left_out():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [object(), object()]})
    with pytest.raises(CannotBeKept, match="neither numbers nor texts"):
        kept(frame)
    with pytest.raises(CannotBeKept, match="names of their own"):
        kept(pd.DataFrame([[1.0, 2.0]], columns=["a", "a"]))
    assert kept([1, 2]) == [1, 2]


def test_a_model_is_read_where_the_library_is_not(monkeypatch):
    model = certified(table())
    model.model_[0].transformers_[0][1].mean_ += 9.0
    assert model.what_changed() == "its answers"
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert model.what_changed() == ""
