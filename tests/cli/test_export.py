"""``mercer export``: from a saved model to another tool's file."""

import numpy as np
import pytest

from helpers_cli import mercer
from mercer import SVC, KernelPCA, save

X = np.random.default_rng(0).normal(size=(50, 2))
MODEL = SVC(gamma=0.7).fit(X, np.where(X[:, 0] > 0, "yes", "no"))


@pytest.fixture
def saved(tmp_path):
    return save(MODEL, tmp_path / "model.mercer")


def test_onnx_by_option_and_by_name(saved, tmp_path):
    runtime = pytest.importorskip("onnxruntime", reason="needs the extra mercer[onnx]")
    for line in (("--to", "onnx", tmp_path / "a.bin"), (tmp_path / "a.onnx",),
                 (tmp_path / "b.onnx", "--single")):  # fmt: skip
        ran = mercer("export", saved, *line)
        assert ran.code == 0, ran.err
        path = next(part for part in line if str(part).startswith(str(tmp_path)))
        assert str(path) in ran.out
        session = runtime.InferenceSession(path.read_bytes(), providers=["CPUExecutionProvider"])
        kind = np.float32 if "--single" in line else np.float64
        label, decision = session.run(None, {"X": X.astype(kind)})
        np.testing.assert_allclose(decision, MODEL.decision_function(X), atol=1e-4)
        np.testing.assert_array_equal(label, MODEL.predict(X))


def test_skops(saved, tmp_path):
    pytest.importorskip("skops", reason="needs the extra mercer[skops]")
    from mercer.io.export import from_skops

    assert mercer("export", saved, tmp_path / "a.skops").code == 0
    again = from_skops(tmp_path / "a.skops")
    np.testing.assert_array_equal(again.decision_function(X), MODEL.decision_function(X))


def test_wrong_usage_and_models_that_cannot_go(saved, tmp_path):
    assert mercer("export", saved, tmp_path / "a.bin").code == 2
    assert mercer("export", saved, tmp_path / "a.skops", "--single").code == 2
    assert mercer("export", tmp_path / "none.mercer", tmp_path / "a.onnx").code == 3
    pytest.importorskip("onnx", reason="needs the extra mercer[onnx]")
    other = save(KernelPCA().fit(X), tmp_path / "pca.mercer")
    ran = mercer("export", other, tmp_path / "a.onnx")
    assert ran.code == 6
    assert "KernelPCA" in ran.err
    assert not (tmp_path / "a.onnx").exists()


def test_a_missing_package_names_the_extra(saved, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    for target in ("onnx", "skops"):
        ran = mercer("export", saved, "--to", target, tmp_path / "out")
        assert ran.code == 2
        assert f"mercer[{target}]" in ran.err
