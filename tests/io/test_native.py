"""Arrow's threads never hold a Python stream: one that is let go of at the end aborts a process."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from mercer.io.native import streamed
from mercer.io.readers import _large, read
from mercer.io.source import Source

TEXT = "größe,b\n" + "".join(f"{i},{'äx'[i % 2]}\n" for i in range(60))


def zipped(content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as box:
        box.writestr("one.csv", content)
    return out.getvalue()


PACKED = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: pa.compress(content, "zstd", asbytes=True),
    ".zip": zipped,
}


@pytest.fixture
def handed(monkeypatch):
    """What Arrow's readers were given."""
    seen = []

    def watched(function):
        def inner(place, *args, **kwargs):
            seen.append(place)
            return function(place, *args, **kwargs)

        return inner

    for module, name in (
        (pyarrow.csv, "read_csv"),
        (pyarrow.csv, "open_csv"),
        (pyarrow.parquet, "read_table"),
        (pyarrow.parquet, "read_metadata"),
        (pyarrow.feather, "read_table"),
    ):
        monkeypatch.setattr(module, name, watched(getattr(module, name)))
    yield seen
    assert seen
    for place in seen:
        assert isinstance(place, (str, pa.NativeFile))
        assert not isinstance(place, pa.PythonFile)


@pytest.mark.usefixtures("handed")
@pytest.mark.parametrize("ending", sorted(PACKED))
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_packed_text_in_any_encoding_is_the_same_table(tmp_path, ending, encoding):
    place = tmp_path / f"t.csv{ending}"
    place.write_bytes(PACKED[ending](TEXT.encode(encoding)))
    data = read(Source(place))
    assert [c.name for c in data.columns] == ["größe", "b"]
    assert data.columns[0].values.tolist() == list(range(60))
    assert data.columns[1].values.tolist() == ["ä", "x"] * 30
    if ending != ".zip":
        again = read(Source(None, place.read_bytes()))
        assert again.columns[1].values.tolist() == ["ä", "x"] * 30


@pytest.mark.parametrize("ending", sorted(PACKED))
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_streams_hand_arrow_the_text_in_utf8(tmp_path, ending, encoding):
    place = tmp_path / f"t.csv{ending}"
    place.write_bytes(PACKED[ending](TEXT.encode(encoding)))
    with streamed(Source(place), encoding) as stream:
        assert not isinstance(stream, pa.PythonFile)
        assert stream.read() == TEXT.encode()


@pytest.mark.usefixtures("handed")
@pytest.mark.parametrize("packed", [bytes, gzip.compress, lzma.compress])
def test_large_tables_and_misshapen_rows(tmp_path, packed, monkeypatch):
    monkeypatch.setattr(_large, "LARGE", 10)
    place = tmp_path / "t.csv"
    rows = "".join(f"{i},{i / 2}\n" for i in range(60))
    place.write_bytes(packed(("a,b\n" + rows).encode()))
    np.testing.assert_array_equal(read(Source(place)).columns[1].values, np.arange(60) / 2)
    place.write_bytes(packed(("a,b\n" + rows + "1,2,3\n").encode()))
    data = read(Source(place))
    assert data.n == 60
    assert data.dropped == [(61, "3 fields instead of 2")]


@pytest.mark.usefixtures("handed")
@pytest.mark.parametrize("write", [pyarrow.feather.write_feather, pyarrow.parquet.write_table])
def test_column_files_from_memory(write):
    out = io.BytesIO()
    write(pa.table({"a": np.arange(5.0)}), out)
    assert read(Source(None, gzip.compress(out.getvalue()))).columns[0].values.tolist() == [
        0.0, 1.0, 2.0, 3.0, 4.0,
    ]  # fmt: skip
