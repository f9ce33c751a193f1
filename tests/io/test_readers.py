"""Files as people have them: every reader returns columns, and every row is accounted for."""

import bz2
import gzip
import io
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mercer.errors import DataError, UserError
from mercer.io.readers import Options, available, read
from mercer.io.source import Source
from mercer.tables.dataset import DATE, NUMBER, TEXT


def reading(content, **options):
    content = content.encode() if isinstance(content, str) else content
    return read(Source(None, content), Options(**options))


def values(data, name):
    return data.column(name).values.tolist()


def test_semicolons_decimal_commas_windows_lines_and_an_old_encoding():
    data = reading("name;größe;tag\r\nA;1,5;01.02.2020\r\nÄ;2,5;13.02.2020\r\n".encode("cp1252"))
    assert data.names == ["name", "größe", "tag"]
    assert [c.kind for c in data.columns] == [TEXT, NUMBER, DATE]
    assert values(data, "größe") == [1.5, 2.5]
    assert values(data, "name") == ["A", "Ä"]
    assert data.dialect == {"encoding": "cp1252", "separator": ";", "decimal": ",", "header": True}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_are_found(encoding):
    data = reading("a,b\n1,é\n2,ü\n".encode(encoding))
    assert values(data, "b") == ["é", "ü"]
    assert data.names == ["a", "b"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", " "])
def test_separators_are_found(separator):
    lines = [separator.join(row) for row in (["x", "y", "z"], ["1", "2", "a"], ["3", "4", "b"])]
    data = reading("\n".join(lines) + "\n")
    assert data.names == ["x", "y", "z"]
    assert values(data, "y") == [2.0, 4.0]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed(pack):
    assert values(reading(pack(b"a,b\n1,2\n3,4\n")), "b") == [2.0, 4.0]


def test_zstandard():
    packed = pa.compress(b"a,b\n1,2\n3,4\n", codec="zstd", asbytes=True)
    assert values(reading(packed), "b") == [2.0, 4.0]


def test_damaged_compression_is_named():
    with pytest.raises(DataError, match="damaged or cut off"):
        reading(gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:40])


def test_no_header_is_seen_and_can_be_forced():
    assert reading("1,2\n3,4\n").names == ["column 1", "column 2"]
    assert reading("a,b\nc,d\n", header=False).rows_read == 2
    assert reading("1,2\n3,4\n", header=True).names == ["1", "2"]


def test_gaps_in_many_spellings():
    data = reading("x,y\n1,a\nNA,?\n,b\nnan,-\n2,c\n")
    assert np.isnan(data.column("x").values).sum() == 3
    assert values(data, "y") == ["a", None, "b", None, "c"]


def test_ragged_rows_are_listed_not_repaired():
    data = reading("a,b\n" + "1,2\n" * 50 + "7\n" + "3,4,5\n" + "1,2\n" * 50)
    assert data.dropped == [(51, "1 fields instead of 2"), (52, "3 fields instead of 2")]
    assert data.rows_read == 102 == data.n + len(data.dropped)
    assert data.rows[50] == 53  # the row after the two that were dropped


def test_many_ragged_rows_mean_the_wrong_separator():
    with pytest.raises(DataError, match=r"separator was taken to be ','") as caught:
        reading("a,b\n1,2\n3,4,5\n1\n2,3,4\n")
    assert "row 2 has 3 instead of 2" in str(caught.value)


def test_quotes_hold_separators_and_line_breaks():
    data = reading('a,b\n"x, y",1\n"line\nbreak",2\n')
    assert values(data, "a") == ["x, y", "line\nbreak"]


def test_numbers_with_thousands_signs_and_per_cents():
    data = reading("price;share\n1,234.5;10%\n2,000;25%\n")
    assert values(data, "price") == [1234.5, 2000.0]
    assert values(data, "share") == [0.1, 0.25]
    assert any("1,234.5" in note for note in data.notes)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("2020-01-02", 1577923200), ("02.01.2020", 1577923200), ("01/02/2020 06:00", 1577944800)],
)
def test_dates(written, seconds):
    data = reading(f"d,x\n{written},1\n{written},2\n")
    assert data.column("d").kind == DATE
    assert values(data, "d") == [seconds, seconds]


def test_repeated_and_empty_names():
    data = reading("a,a,\n1,2,3\n")
    assert data.names == ["a", "a (2)", "column 3"]


def test_unknown_column_suggests_the_closest():
    with pytest.raises(DataError, match="Did you mean 'Species'"):
        reading("Species,x\na,1\nb,2\n").column("spezies")


def test_columns_by_number():
    data = reading("a,b,c\n1,2,3\n4,5,6\n")
    assert data.column("2").name == "b"
    assert data.column("-1").name == "c"


def test_json_lines_and_lists():
    text = '{"a": 1, "b": "x"}\n\n{"a": 2.5, "c": true}\n'
    data = reading(text)
    assert values(data, "b") == ["x", None]
    assert values(data, "a") == [1.0, 2.5]
    assert reading('[{"a": 1}, {"a": 2}]').n == 2
    with pytest.raises(DataError, match="line 2 of standard input is not JSON"):
        reading('{"a": 1}\n{"a": }\n')
    with pytest.raises(DataError, match="holds lists"):
        reading('{"a": [1]}\n')


def test_svmlight():
    data = reading("+1 1:2 3:4 # comment\n-1 2:1\n")
    assert data.kind == "sparse"
    assert data.matrix.toarray().tolist() == [[2, 0, 4], [0, 1, 0]]
    assert data.labels.tolist() == [1, -1]
    with pytest.raises(DataError, match="implausibly large"):
        reading("1 2000000000:1\n", format="svmlight")
    with pytest.raises(DataError, match=r"line 2 .*indices must increase"):
        reading("1 1:1\n1 3:1 2:1\n", format="svmlight")


ARFF = "@relation r\n@attribute 'a b' numeric\n@attribute c {x, 'y z'}\n@data\n% no\n1,x\n?,'y z'\n"


def test_arff_dense_and_sparse():
    data = reading(ARFF)
    assert data.names == ["a b", "c"]
    assert values(data, "c") == ["x", "y z"]
    sparse = reading("@relation r\n@attribute a real\n@attribute b real\n@data\n{1 5}\n{}\n")
    assert values(sparse, "b") == [5.0, 0.0]
    with pytest.raises(DataError, match="no @data"):
        reading("@relation r\n@attribute a real\n")


@pytest.mark.parametrize("write", [pa.parquet.write_table, pa.feather.write_feather])
def test_columnar_files(write, tmp_path):
    table = pa.table({"x": [1, None, 3], "s": ["a", "b", None], "t": [True, False, None]})
    table = table.append_column("d", pa.array([0, 86400, None], pa.timestamp("s")))
    write(table, tmp_path / "file")
    data = read(tmp_path / "file")
    assert [c.kind for c in data.columns] == [NUMBER, TEXT, "bool", DATE]
    assert values(data, "s") == ["a", "b", None]
    assert values(data, "d")[:2] == [0.0, 86400.0]


def test_numpy_files_never_unpickle():
    out = io.BytesIO()
    np.save(out, np.arange(6.0).reshape(3, 2))
    assert values(reading(out.getvalue()), "column 2") == [1.0, 3.0, 5.0]
    out = io.BytesIO()
    np.savez(out, X=np.eye(3), y=np.array(["a", "b", "a"]))
    assert values(reading(out.getvalue(), format="numpy"), "y") == ["a", "b", "a"]
    out = io.BytesIO()
    np.save(out, np.array([object()]), allow_pickle=True)
    with pytest.raises(DataError, match="could run code"):
        reading(out.getvalue())


def test_a_lying_header_takes_no_memory():
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)}
    )
    with pytest.raises(DataError, match="declares 8000000000000 bytes"):
        reading(out.getvalue())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02\x00" * 90, "not text"),
        (b"a,b\n", "no rows"),
        (b"\n\n", "no rows"),
    ],
)
def test_useless_files(content, words):
    with pytest.raises(DataError, match=words):
        reading(content)


def test_missing_files_and_folders(tmp_path):
    (tmp_path / "clinic.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match=r"Did you mean .*clinic\.csv"):
        Source.of(tmp_path / "clinik.csv")
    with pytest.raises(DataError, match="is a folder"):
        Source.of(tmp_path)


def test_a_new_reader_is_a_new_file():
    assert {"arff", "delimited", "json", "numpy", "parquet", "svmlight"} <= set(available())
    assert list(available())[-1] == "delimited"


@settings(max_examples=60)
@given(st.data())
def test_mutated_files_give_data_or_our_own_error(data):
    """The oracle of a parser: a data set whose rows add up, or an error for people."""
    base = data.draw(st.sampled_from([b"a,b\n1,x\n2,y\n3,z\n", ARFF.encode(), b"1 1:2\n-1 2:3\n",
                                      b'{"a": 1}\n{"a": 2}\n']))  # fmt: skip
    raw = bytearray(base)
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(raw) - 1))
        raw[place] = data.draw(st.integers(0, 255))
    try:
        found = reading(bytes(raw))
    except (UserError, MemoryError):
        return
    assert found.rows_read == found.n + len(found.dropped)
    assert len(found.rows) == found.n


def test_single_quotes_around_every_name_are_not_part_of_the_names(tmp_path):
    (tmp_path / "q.txt").write_text("'a' 'vote'\n1 2\n3 4\n")
    assert read(Source.of(str(tmp_path / "q.txt"))).names == ["a", "vote"]
    (tmp_path / "p.csv").write_text("'a',b\n1,2\n3,4\n")
    assert read(Source.of(str(tmp_path / "p.csv"))).names == ["'a'", "b"]


@pytest.mark.parametrize("comments", [0, 1, 3])
def test_a_misshapen_row_keeps_its_number_below_comments(comments):
    text = "# made by a machine\n" * comments + "a,b\n1,2\n3,4,5\n6,7\n8,9\n"
    found = reading(text.encode())
    assert found.dropped == [(2, "3 fields instead of 2")]
    assert found.rows.tolist() == [1, 3, 4]


def test_a_misshapen_row_below_a_comment_without_header():
    found = reading(b"#,b\n1,x\n2,y\x013,z\n")
    assert len(found.rows) == found.n == 1
    assert found.dropped[0][0] == 2
