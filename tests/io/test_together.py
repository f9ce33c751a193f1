"""Files that are there together or not at all, and what is said about them after an interrupt."""

import os

import numpy as np
import pytest

import mercer
from mercer.cli import main
from mercer.io import atomic
from mercer.io.atomic import together


def names(folder):
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else None


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError, MemoryError])
@pytest.mark.parametrize("before", [False, True])
def test_nothing_comes_of_an_interrupted_half(tmp_path, problem, before):
    folder = tmp_path / "out"
    if before:
        folder.mkdir()
        (folder / "0").write_text("old")

    def broken():
        with together(folder) as aside:
            (aside / "0").write_text("new")
            raise problem

    with pytest.raises(problem):
        broken()
    assert names(folder) == (["0"] if before else None)
    assert not before or (folder / "0").read_text() == "old"


def test_an_interrupt_between_two_files_comes_too_late(tmp_path, monkeypatch):
    real, moved = os.replace, []

    def replace(old, new):
        real(old, new)
        moved.append(new)
        if len(moved) == 1:
            raise KeyboardInterrupt

    with together(tmp_path / "out") as aside:
        for name in "abc":
            (aside / name).write_text(name)
        monkeypatch.setattr(os, "replace", replace)
    assert names(tmp_path / "out") == ["a", "b", "c"]


@pytest.mark.parametrize("late", [False, True])
def test_what_an_interrupt_says_is_true(tmp_path, monkeypatch, capsys, late):
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = mercer.save(mercer.SVC().fit(X, X[:, 0] > 0), tmp_path / "m.mercer")
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="a,b", comments="")
    real = atomic.write_bytes

    def write(path, content):
        if late:
            real(path, content)
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic, "write_bytes", write)
    out = tmp_path / "answers.csv"
    code = main(["predict", str(model), str(tmp_path / "x.csv"), "-o", str(out)])
    told = capsys.readouterr().err
    assert code == 130, told
    assert out.exists() == late
    assert ("answers.csv was written before" in told) == late
    assert ("nothing was saved" in told) != late
