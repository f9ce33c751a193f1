"""Threads, memory limits and plug-in discovery."""

import sys
import threading

import numpy as np
import pytest

from mercer import _config, _discover
from mercer import kernels as mk


@pytest.fixture(autouse=True)
def _restore(monkeypatch):
    monkeypatch.delenv("MERCER_NUM_THREADS", raising=False)
    monkeypatch.delenv("MERCER_MEMORY_LIMIT", raising=False)
    yield
    _config.set_config(n_threads=None, memory_limit=None, compiled=True)


@pytest.mark.parametrize(
    ("text", "size"),
    [(1000, 1000), ("1000", 1000), ("2KB", 2000), ("1.5 MB", 1_500_000), ("1gib", 2**30)],
)
def test_sizes(text, size):
    assert _config.parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1MB", 0, -5, "1XB", float("nan"), "two GB"])
def test_impossible_sizes(text):
    with pytest.raises(ValueError, match="not a positive size"):
        _config.parse_bytes(text)


def test_order_of_precedence(monkeypatch):
    everything = _config.n_threads()
    assert everything >= 1
    monkeypatch.setenv("MERCER_NUM_THREADS", "7")
    monkeypatch.setenv("MERCER_MEMORY_LIMIT", "7MB")
    assert (_config.n_threads(), _config.memory_limit()) == (7, 7_000_000)
    _config.set_config(n_threads=5, memory_limit="5MB")
    assert (_config.n_threads(), _config.memory_limit()) == (5, 5_000_000)
    with _config.config(n_threads=3, memory_limit=3000):
        assert (_config.n_threads(), _config.memory_limit()) == (3, 3000)
        with _config.config(n_threads=4):
            assert (_config.n_threads(), _config.memory_limit()) == (4, 3000)
        assert (_config.n_threads(2), _config.memory_limit("2KB")) == (2, 2000)
    assert (_config.n_threads(), _config.memory_limit()) == (5, 5_000_000)
    assert _config.n_threads(-1) == everything


def test_a_block_does_not_leak_into_other_threads():
    seen = []
    with _config.config(n_threads=3):
        thread = threading.Thread(target=lambda: seen.append(_config._get("n_threads")))
        thread.start()
        thread.join()
    assert seen == [None]


def test_default_memory_is_below_the_machine():
    assert 10**8 < _config.memory_limit() <= _config._machine_memory() // 2


@pytest.mark.parametrize("bad", [0, -2, 1.5, True])
def test_impossible_threads(bad):
    with pytest.raises(ValueError, match="n_threads"):
        _config.set_config(n_threads=bad)
    with pytest.raises(ValueError, match="n_threads"):
        _config.n_threads(bad)


def test_unknown_options():
    with pytest.raises(TypeError, match="unknown option 'threads'"):
        _config.set_config(threads=2)


def test_reserve_says_what_and_what_to_do():
    _config.reserve(10, "It", "Do that.", limit=10)
    with pytest.raises(MemoryError, match=r"It needs 2 MB.*limit is 1 MB\. Do that\."):
        _config.reserve(2_000_000, "It", "Do that.", limit="1MB")


def test_block_rows_respect_the_limit():
    assert _config.block_rows(1000, limit=8000) == 2
    assert _config.block_rows(10**12, limit=8000) == 1


def test_discovery_needs_no_table(tmp_path, monkeypatch):
    package = tmp_path / "plugins"
    package.mkdir()
    (package / "__init__.py").write_text("")
    code = "from mercer.kernels import Kernel, Linear\nclass {}(Kernel):\n    pass\n"
    (package / "new.py").write_text(code.format("BrandNew") + "class _Hidden(Kernel):\n    pass\n")
    (package / "_private.py").write_text("raise AssertionError")
    monkeypatch.syspath_prepend(tmp_path)
    import plugins

    try:
        assert list(_discover.discover(plugins, mk.Kernel)) == ["BrandNew"]
        (package / "other.py").write_text(code.format("BrandNew"))
        with pytest.raises(ImportError, match="BrandNew is defined in both"):
            _discover.discover(plugins, mk.Kernel)
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] == "plugins"]:
            del sys.modules[name]


def test_names():
    assert _discover.snake_case("RationalQuadratic") == "rational_quadratic"
    assert mk.available()["chi_squared"] is mk.ChiSquared
    assert len(mk.available()) == len(set(mk.available().values())) > 25
    with pytest.raises(AttributeError, match="no kernel 'Gauss'"):
        _ = mk.Gauss


def test_the_compiled_core_can_be_switched_off(monkeypatch):
    calls = []
    slow = mk.Gaussian._profile
    monkeypatch.setattr(mk.Gaussian, "_profile", lambda self, r2: calls.append(1) or slow(self, r2))
    with _config.config(compiled=False):
        mk.Gaussian()(np.eye(3))
    assert calls == [1]
    from mercer.kernels.fused import native

    if native() is not None:
        mk.Gaussian()(np.eye(3))
        assert calls == [1]
