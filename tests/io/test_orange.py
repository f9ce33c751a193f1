"""Tables of Orange: types and roles stand in the file."""

import numpy as np
import pytest

import mercer
from mercer.errors import DataError
from mercer.io.readers import read

HEAD = "age\tsex\tvisit\tname\tkind\tsick\nc\t0 1\tt\ts\td\tlow\\ risk high\n\t\t\tm\ti\tclass\n"


def written(path, rows, head=HEAD):
    path.write_text(head + "\n".join("\t".join(row) for row in rows) + "\n")
    return path


def test_types_and_roles_are_taken_from_the_file(tmp_path):
    rows = [["63", "0", "2020-01-31", "Ann B", "x", "low risk"],
            ["?", "1", "2020-02-01", "Bob", "y", "high"], ["5", "1"]]  # fmt: skip
    data = read(written(tmp_path / "t.tab", rows))
    assert data.format == "orange"
    assert [(c.name, c.kind) for c in data.columns] == [
        ("age", "number"), ("sex", "text"), ("visit", "date"), ("name", "text"), ("sick", "text"),
    ]  # fmt: skip
    assert np.isnan(data.column("age").values[1])
    assert data.column("sex").values.tolist() == ["0", "1"]  # levels, whatever they look like
    assert data.target == "sick"
    assert data.dropped == [(3, "2 fields instead of 6")]
    assert any("'kind' is to be ignored" in note for note in data.notes)
    assert any("would not learn from 'name'" in note for note in data.notes)


def test_the_class_of_the_file_is_the_target_unless_another_is_named(tmp_path):
    rng = np.random.default_rng(0)
    rows = [[f"{x:.3f}", "ab"[int(x > 0)]] for x in rng.normal(size=80)]
    path = written(tmp_path / "t.tab", rows, "x\ty\nc\td\n\tclass\n")
    model = mercer.fit(path, kernel="gaussian")
    assert model.run_.target["name"] == "y"
    assert sorted(model.classes_) == ["a", "b"]


@pytest.mark.parametrize("flags", ["\t\n", "\n"])
def test_a_line_of_roles_may_be_empty_or_short(tmp_path, flags):
    data = read(written(tmp_path / "t.tab", [["1", "a"], ["2", "b"]], "x\ty\nc\td\n" + flags))
    assert (data.format, data.n, data.target) == ("orange", 2, None)


def test_other_tables_with_tabs_are_read_as_before(tmp_path):
    data = read(written(tmp_path / "t.tab", [["1", "a"], ["2", "b"], ["3", "c"]], "x\ty\n"))
    assert (data.format, data.n, data.names) == ("text table", 3, ["x", "y"])


def test_a_word_among_numbers_is_named(tmp_path):
    with pytest.raises(DataError, match="column 'x' is said to be continuous"):
        read(written(tmp_path / "t.tab", [["1", "a"], ["two", "b"]], "x\ty\nc\td\n\tclass\n"))
