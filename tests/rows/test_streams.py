"""Files in batches: every row once, whatever the format, and files that are not what they were."""

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from mercer.errors import DataError
from mercer.io.streams import batches, files_meant, parquet, partitions_of
from mercer.io.streams._made import made_partitions

N = 50_000


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    words = np.array(["red", "green", None], dtype=object)
    x = rng.normal(size=n)
    x[3] = np.nan
    return pa.table({"x": x, "k": rng.integers(0, 9, n), "word": words[rng.integers(0, 3, n)]})


def write_csv(data, path):
    data.to_pandas().to_csv(path, index=False)


WRITERS = {
    "a.parquet": lambda data, path: pq.write_table(data, path, row_group_size=20_000),
    "a.feather": lambda data, path: pyarrow.feather.write_feather(data, str(path)),
    "a.csv": write_csv,
    "a.csv.gz": write_csv,  # pandas compresses by the ending
}


def all_rows(parts, **options):
    found = [batch for part in parts for batch in batches(part, **options)]
    assert max(batch.n for batch in found) <= 16_384
    names = found[0].names
    return {name: np.concatenate([batch.column(name).values for batch in found]) for name in names}


@pytest.mark.parametrize("name", WRITERS)
def test_every_row_comes_once_and_in_order(name, tmp_path):
    data = table()
    WRITERS[name](data, tmp_path / name)
    parts, bad = partitions_of([tmp_path / name])
    assert not bad
    seen = all_rows(parts)
    assert_array_equal(seen["x"], data["x"].to_numpy())
    assert_array_equal(seen["k"], data["k"].to_numpy())
    assert seen["word"].tolist() == data["word"].to_pylist()
    numbers = np.concatenate([b.rows for part in parts for b in batches(part)])
    assert_array_equal(numbers, np.arange(1, N + 1))


def test_groups_of_a_large_file_are_partitions_of_their_own(tmp_path, monkeypatch):
    data = table()
    pq.write_table(data, tmp_path / "a.parquet", row_group_size=20_000)
    monkeypatch.setattr(parquet, "FEW", 1000)
    parts, _ = partitions_of([tmp_path])
    assert [(part.first, part.rows) for part in parts] == [
        (0, 20_000),
        (20_000, 20_000),
        (40_000, 10_000),
    ]
    assert_array_equal(all_rows(parts)["x"], data["x"].to_numpy())


def test_only_the_columns_asked_for_are_read(tmp_path):
    pq.write_table(table(), tmp_path / "a.parquet")
    parts, _ = partitions_of([tmp_path])
    assert list(all_rows(parts, columns=["word"])) == ["word"]


def test_folders_patterns_and_names(tmp_path):
    (tmp_path / "deep").mkdir()
    for name in ("b.parquet", "deep/a.parquet", "notes.md", ".hidden.parquet"):
        pq.write_table(table(n=10), tmp_path / name)
    assert [p.name for p in files_meant([tmp_path])] == ["b.parquet", "a.parquet"]
    assert [p.name for p in files_meant([str(tmp_path / "*.parquet")])] == ["b.parquet"]
    with pytest.raises(DataError, match="there are no files"):
        files_meant([tmp_path / "*.csv"])
    parts, _ = partitions_of([tmp_path])
    assert [part.name for part in parts] == ["b.parquet", "deep/a.parquet"]


def test_text_stays_text_in_a_stream(tmp_path):
    pq.write_table(
        pa.table({"when": ["01.02.2020"] * 30, "n": ["1,234"] * 30}), tmp_path / "a.parquet"
    )
    parts, _ = partitions_of([tmp_path])
    seen = all_rows(parts)
    assert set(seen["when"]) == {"01.02.2020"}
    assert set(seen["n"]) == {"1,234"}


def test_a_file_with_other_columns_a_cut_one_and_an_empty_one_are_named(tmp_path):
    pq.write_table(table(n=100), tmp_path / "a.parquet")
    pq.write_table(table(n=100).drop(["word"]), tmp_path / "b.parquet")
    whole = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "c.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "d.parquet").write_bytes(b"")
    parts, bad = partitions_of([tmp_path])
    assert [part.name for part in parts] == ["a.parquet"]
    told = {path.rsplit("/", 1)[1]: words for path, words in bad}
    assert "it lacks word" in told["b.parquet"]
    assert "cannot be read" in told["c.parquet"]
    assert "is empty" in told["d.parquet"]


def test_a_file_that_changed_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(table(n=100), path)
    (part,), _ = partitions_of([path])
    pq.write_table(table(1, n=101), path)
    with pytest.raises(DataError, match="was changed"):
        list(batches(part))
    path.unlink()
    with pytest.raises(DataError, match="cannot be read any more"):
        list(batches(part))


def test_a_damaged_block_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(table(), path)
    content = bytearray(path.read_bytes())
    content[4:300] = b"\xff" * 296
    path.write_bytes(content)
    parts, _ = partitions_of([path])
    with pytest.raises(DataError, match=r"a\.parquet"):
        all_rows(parts)


def test_a_value_that_does_not_fit_its_column_stops_with_its_place(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,y\n" + "1,2\n" * 1_200_000 + "oops,2\n")
    (part,), _ = partitions_of([path])
    with pytest.raises(DataError, match="oops"):
        list(batches(part))


def test_whole_numbers_first_and_fractions_later(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x\n" + "1\n" * 2_500_000 + "2.5\n")
    (part,), _ = partitions_of([path])
    assert all_rows([part])["x"][-1] == 2.5


def test_frames_made_by_functions_and_by_dask():
    pd = pytest.importorskip("pandas")
    dask = pytest.importorskip("dask")
    array = pytest.importorskip("dask.array")
    frames = [pd.DataFrame({"x": [1.0, 2.0]}), pd.DataFrame({"x": [3.0]})]
    parts = made_partitions([lambda: iter(frames), lambda: [frames[1]]])
    assert [part.name for part in parts] == ["part 0", "part 1"]
    assert_array_equal(all_rows(parts)["x"], [1, 2, 3, 3])
    numbers = np.arange(12.0).reshape(6, 2)
    with dask.config.set(scheduler="synchronous"):
        seen = all_rows(made_partitions(array.from_array(numbers, chunks=(4, 2))))
    assert_array_equal(np.column_stack(list(seen.values())), numbers)
    with pytest.raises(DataError, match="rechunk"):
        made_partitions(array.from_array(numbers, chunks=(4, 1)))
