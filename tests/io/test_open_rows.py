"""Files as functions that make batches, and learners over them."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose

import mercer
from helpers_streams import sample
from mercer.errors import DataError
from mercer.kernels import Spectrum
from mercer.learners import KMeans, NystroemClassifier, NystroemRidge


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("rows")
    for seed in range(3):
        pq.write_table(sample(seed, 700), place / f"part-{seed}.parquet")
    return place


def test_files_teach_what_their_rows_teach(folder):
    rows = mercer.open_rows(folder / "*.parquet", target="t", columns=["a", "b"], dtype="float64")
    assert len(rows) == 3
    model = NystroemRidge(0.1, gamma=0.5, n_landmarks=50, random_state=0).fit_rows(rows)
    whole = pa.concat_tables([sample(seed, 700) for seed in range(3)])
    X = np.column_stack([whole["a"], whole["b"]])
    expected = NystroemRidge(0.1, gamma=0.5, n_landmarks=50, random_state=0).fit(X, whole["t"])
    assert_allclose(model.predict(X), expected.predict(X), atol=1e-7)


def test_columns_of_numbers_are_taken_and_labels_are_texts(folder):
    rows = mercer.open_rows(folder, target="y")
    assert rows[0].columns == ("a", "b", "t", "g")
    X, y = next(rows[0]())
    assert X.shape == (700, 4)
    assert X.dtype == np.float32
    assert set(y) == {"far", "near"}
    model = NystroemClassifier(n_landmarks=50, random_state=0)
    model.fit_rows(mercer.open_rows(folder, target="y", columns=["a", "b"]), engine=2)
    assert model.score(X[:, :2], y) > 0.75


@pytest.mark.filterwarnings("ignore")  # of pandas, in Dask
def test_text_tables_and_dask_frames_are_the_same_rows(folder, tmp_path):
    import dask.dataframe

    frame = dask.dataframe.read_parquet(sorted(map(str, folder.glob("*"))))
    for seed in range(3):
        pyarrow.csv.write_csv(sample(seed, 700), tmp_path / f"part-{seed}.csv")
    columns = ["a", "b", "t"]
    centres = [
        KMeans(3, random_state=0).fit_rows(mercer.open_rows(data, columns=columns)).cluster_centers_
        for data in (folder, tmp_path, frame)
    ]
    assert_allclose(centres[1], centres[0], rtol=1e-6)
    assert_allclose(centres[2], centres[0], rtol=1e-6)


def test_one_column_of_text_is_for_kernels_of_strings(tmp_path):
    rng = np.random.default_rng(0)
    text = ["".join(rng.choice(list("ab" if i % 2 else "aab"), 30)) for i in range(300)]
    table = pa.table({"text": text, "y": ["odd" if i % 2 else "even" for i in range(300)]})
    pq.write_table(table, tmp_path / "texts.parquet")
    rows = mercer.open_rows(tmp_path, target="y", columns=["text"])
    model = NystroemClassifier(10.0, kernel=Spectrum(3), n_landmarks=60, random_state=0)
    assert model.fit_rows(rows).score(np.array(text, dtype=object), table["y"].to_pylist()) > 0.75


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ["a", "word"]}, "'word' holds text"),
        ({"columns": ["nowhere"]}, "nowhere"),
        ({"target": "nowhere"}, "nowhere"),
    ],
)
def test_columns_that_cannot_be_used_are_named(folder, options, words):
    with pytest.raises(DataError, match=words):
        mercer.open_rows(folder, **options)


def test_gaps_are_named_with_their_row(tmp_path):
    pq.write_table(pa.table({"a": [1.0, None, 2.0], "b": [1.0, 2.0, 3.0]}), tmp_path / "g.parquet")
    with pytest.raises(DataError, match="row 2 has no value in column 'a'"):
        KMeans(2).fit_rows(mercer.open_rows(tmp_path))


def test_files_that_cannot_be_read_are_named(tmp_path):
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(DataError, match=r"cut\.parquet"):
        mercer.open_rows(tmp_path)


def test_a_file_that_changed_in_between_is_named(folder, tmp_path):
    pq.write_table(sample(0, 100), tmp_path / "p.parquet")
    rows = mercer.open_rows(tmp_path, columns=["a"])
    pq.write_table(sample(1, 200), tmp_path / "p.parquet")
    with pytest.raises(DataError, match="was changed"):
        KMeans(2).fit_rows(rows)
