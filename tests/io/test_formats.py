"""Formats that people have: workbooks, statistics packages, databases, zips, blanks and tabs."""

import sqlite3
import zipfile

import numpy as np
import pytest

import mercer
from helpers_workbook import workbook
from mercer.errors import DataError
from mercer.io.readers import read

ROWS = [[1.5, "a", True, "2020-01-31"], [2.0, "b", False, "2020-02-01"], [None, "a", True, "-"]]
NAMES = ["x", "word", "flag", "day"]


def kinds(data):
    return [(c.name, c.kind) for c in data.columns]


EXPECTED = [("x", "number"), ("word", "text"), ("flag", "bool"), ("day", "date")]


def test_workbooks_with_sheets(tmp_path):
    pytest.importorskip("python_calamine")
    path = tmp_path / "book.xlsx"
    workbook(
        path, {"first": [["A title"], NAMES, *ROWS], "other": [NAMES, *ROWS], "x": [["q"], ["1"]]}
    )
    data = read(path)
    assert kinds(data) == EXPECTED
    assert data.n == 3
    assert np.isnan(data.column("x").values[2])
    assert "the sheet 'first' was read; there are also 'other', 'x'" in data.notes[0]
    assert read(path, sheet="2").n == read(path, sheet="other").n == 3
    with pytest.raises(DataError, match="there is no sheet 'third'"):
        read(path, sheet="third")
    with pytest.raises(DataError, match="have other columns"):
        read(path, sheet="all")
    workbook(path, {"a": [NAMES, *ROWS], "b": [NAMES, *ROWS]})
    assert read(path, sheet="all").n == 6


def test_stata_and_spss(tmp_path):
    package = pytest.importorskip("pyreadstat")
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(
        {"x": [1.5, 2.0, np.nan], "word": ["a", "b", "a"], "code": [1.0, 2.0, 1.0]}
    )
    package.write_dta(
        frame, str(tmp_path / "t.dta"), variable_value_labels={"code": {1: "low", 2: "high"}}
    )
    package.write_sav(frame, str(tmp_path / "t.sav"))
    data = read(tmp_path / "t.dta")
    assert kinds(data) == [("x", "number"), ("word", "text"), ("code", "text")]
    assert data.column("code").values.tolist() == ["low", "high", "low"]
    assert kinds(read(tmp_path / "t.sav"))[2] == ("code", "number")


def test_sas_transport_files(tmp_path):
    package = pytest.importorskip("pyreadstat")
    pd = pytest.importorskip("pandas")
    days = pd.to_datetime(["2020-01-31", "2020-02-01", "2020-02-02"]).date
    frame = pd.DataFrame({"X": [1.5, 2.0, np.nan], "WORD": ["a", "b", "a"], "DAY": days})
    for version in (5, 8):
        path = tmp_path / f"t{version}.xpt"
        package.write_xport(frame, str(path), file_format_version=version)
        data = read(path)
        assert kinds(data) == [("X", "number"), ("WORD", "text"), ("DAY", "date")]
        assert data.column("X").values[:2].tolist() == [1.5, 2.0]
        assert np.isnan(data.column("X").values[2])
        assert data.column("DAY").values[0] == 1580428800.0
    path.rename(tmp_path / "unnamed")
    assert read(tmp_path / "unnamed").n == 3  # by its first bytes


def test_databases_and_query_results(tmp_path):
    path = tmp_path / "t.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE t (x REAL, word TEXT, day TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", [(r[0], r[1], r[3]) for r in ROWS])
    connection.commit()
    assert kinds(read(path)) == [("x", "number"), ("word", "text"), ("day", "date")]
    assert read(path, query="SELECT x FROM t WHERE x > 1.6").n == 1
    with pytest.raises(DataError, match="the query failed"):
        read(path, query="DROP TABLE t")
    rows = [(float(i % 7), "ab"[i % 2]) for i in range(60)]
    connection.execute("CREATE TABLE more (x REAL, y TEXT)")
    connection.executemany("INSERT INTO more VALUES (?, ?)", rows)
    connection.commit()
    with pytest.raises(DataError, match=r"has 2 tables: more, t\."):
        read(path)
    model = mercer.fit(connection.execute("SELECT * FROM more"), target="y", kernel="gaussian")
    assert model.predict(connection.execute("SELECT x FROM more LIMIT 5")).shape == (5,)
    connection.close()


def test_duckdb(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i::DOUBLE AS x, DATE '2020-01-01' AS d FROM range(4) r(i)"
        )
    assert kinds(read(tmp_path / "t.duckdb")) == [("x", "number"), ("d", "date")]
    answer = duckdb.sql(
        "SELECT i::DOUBLE AS x, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS y FROM range(40) r(i)"
    )
    assert mercer.fit(answer, target="y", keep=["x"], kernel="gaussian").n_features_in_ == 1


def test_blanks_and_tabs_mixed(tmp_path):
    lines = [f'{18 + i}.0   8   307.{i}      130.0\t"chevrolet malibu {i}"' for i in range(12)]
    (tmp_path / "auto.data").write_text("\n".join(["mpg  cyl  disp horse\tname", *lines]) + "\n")
    data = read(tmp_path / "auto.data")
    assert data.names == ["mpg", "cyl", "disp", "horse", "name"]
    assert data.column("name").values[3] == "chevrolet malibu 3"


def test_a_zip_of_one_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "w") as box:
        box.writestr("t.csv", "x,y\n1,a\n2,b\n")
    assert read(tmp_path / "t.csv.zip").n == 2
    with zipfile.ZipFile(tmp_path / "t.csv.zip", "a") as box:
        box.writestr("u.csv", "x,y\n1,a\n2,b\n")
    with pytest.raises(DataError, match="holds 2 files"):
        read(tmp_path / "t.csv.zip")


@pytest.mark.parametrize(
    "texts",
    [
        ["Jan 1 2000", "Feb 13 2001"],
        ["1 January 2000", "13 February 2001"],
        ["January 1, 2000", "February 13, 2001"],
        ["Sat, 01 Jan 2000", "Tue, 13 Feb 2001"],
        ["2000-01-01T00:00:00.000Z", "2001-02-13T00:00:00.000Z"],
        ["1-Jan-00", "13-Feb-01"],
    ],
)
def test_dates_in_words(tmp_path, texts):
    (tmp_path / "d.csv").write_text('d,x\n"' + '",1\n"'.join(texts) + '",2\n')
    column = read(tmp_path / "d.csv").column("d")
    assert column.kind == "date"
    assert column.values.tolist() == [946684800.0, 982022400.0]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("t.pkl", b"\x80\x04\x95\x00", "a Python pickle, which may run any code"),
        ("t.rds", b"\x1f", "a file of R"),
        ("t.pdf", b"%PDF-1.4", "a PDF"),
        ("t.h5", b"\x89HDF\r\n", "an HDF5 file"),
        ("t.bin", b"\x00\x01\x02" * 100, "in none of the formats that are known"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=words) as found:
        read(tmp_path / name)
    assert found.value.advice


def test_whole_numbers_are_classes_or_amounts_by_one_rule_which_is_said(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    for top, task in ((5, "classification"), (40, "regression")):
        y = rng.integers(0, top, 80)
        lines = ["x,y", *(f"{a},{b}" for a, b in zip(x, y, strict=True))]
        (tmp_path / "t.csv").write_text("\n".join(lines))
        runs = [mercer.fit(data, target="y", kernel="gaussian").run_
                for data in (tmp_path / "t.csv", {"x": x, "y": y})]  # fmt: skip
        assert [run.target["task"] for run in runs] == [task, task]
        said = [
            [c["message"] for c in run.checks if "whole numbers" in c["message"]] for run in runs
        ]
        assert said[0] == said[1]
        assert "say --task" in said[0][0]
