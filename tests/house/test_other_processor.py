"""Compiling for another processor: which sources need Python, and what its failure is."""

import shutil

import pytest
from tools import other_processor as other

CORE = other.CORE


def test_who_needs_python():
    found = {path.name: other.needs_python(path) for path in CORE.glob("*.cpp")}
    assert not any(found[name] for name in ("solver.cpp", "hot.cpp", "row_cache.cpp", "levels.cpp"))
    assert found["bind.cpp"]
    assert found["paths.cpp"]
    assert other.needs_python(CORE / "graph" / "walk.cpp")  # by graph.h
    assert not other.needs_python(CORE / "sequences" / "lanes.cpp")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_a_source_that_does_not_compile_is_seen(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(other, "CORE", tmp_path)
    monkeypatch.setattr(other, "ROOT", tmp_path)
    good, bad = tmp_path / "good.cpp", tmp_path / "bad.cpp"
    good.write_text("int one() { return 1; }\n")
    bad.write_text("int one() { return _mm_add_epi32; }\n")
    assert other.compiled("g++", good, tmp_path, [])
    assert not other.compiled("g++", bad, tmp_path, [])
    assert "_mm_add_epi32" in capsys.readouterr().err
