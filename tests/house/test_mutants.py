"""The tool that changes code in small ways: what it changes, where it puts it, what it reports."""

import importlib.util
from pathlib import Path

from tools.mutation.changes import changes
from tools.mutation.page import filled, table
from tools.mutation.trial import exchange, in_child

SOURCE = '''
LIMIT = 3


def low(x, most=7):
    """Words: 1 < 2."""
    if x < 0:
        raise ValueError("below 1")
    return min(x + 2, most)


class Box:
    def full(self):
        return not self.n or True
'''


def found(source=SOURCE):
    return {(one.function, one.before, one.after) for one in changes("p.py", "p.py", source)}


def test_every_small_change_once_and_no_words_or_defaults():
    assert found() == {
        ("low", "x < 0", "x <= 0"),
        ("low", "0", "1"),
        ("low", "min", "max"),
        ("low", "x + 2", "x - 2"),
        ("low", "2", "3"),
        ("Box.full", "not self.n or True", "not self.n and True"),
        ("Box.full", "not self.n", "self.n"),
        ("Box.full", "True", "False"),
    }


def test_a_change_reaches_everybody_who_holds_the_function(tmp_path):
    path = tmp_path / "changed_here.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("changed_here", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    held = module.low
    (change,) = (one for one in changes("p.py", str(path), SOURCE) if one.after == "x - 2")

    def work():
        assert exchange(change)
        return held(1)

    assert in_child(work) == (-1, True)
    assert held(1) == 3


def test_a_child_without_end_is_ended():
    def work():
        while True:
            pass

    assert in_child(work, limit=1.0) == (None, False)


def test_the_table_tells_what_is_explained_from_what_is_not():
    about = {"path": "src/mercer/bounds/numerics/root.py", "line": 1, "after": "", "by": ""}
    rows = [
        {**about, "function": "increasing_root", "before": "500", "came": "survived"},
        {**about, "function": "increasing_root", "before": "0", "came": "survived"},
        {**about, "function": "increasing_root", "before": "0", "came": "killed"},
        {**about, "function": "increasing_root", "before": "1", "came": "not entered"},
    ]
    assert list(table(rows))[-1] == "| **all** | 4 | 1 | 1 | 2 |"
    page = "a <!-- mutants:begin -->\nold\n<!-- mutants:end --> b"
    assert filled(page, Path("/nowhere")).endswith("<!-- mutants:end --> b")
