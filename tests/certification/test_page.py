"""The page docs/certificates.md: its examples run, in order."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.bounds import NotApplicable
from mercer.certification import in_sample_certificate, modes
from mercer.datasets import make_twonorm

PAGE = Path(__file__).resolve().parents[2] / "docs" / "certificates.md"


def test_the_examples_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 7
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    shown = capsys.readouterr().out
    assert "DOES NOT COVER the choice of preprocessing" in shown
    assert "the returned one, trained on all 1000, contradicts them on" in shown


def test_every_mode_has_a_row():
    text = PAGE.read_text()
    for mode in modes.available():
        assert f'| `"{mode}"` |' in text


def test_in_sample_certificates_from_outside_see_the_search_and_the_scaler():
    X, y, _ = make_twonorm(200, random_state=0)
    plain = mercer.SVC(gamma=0.02).fit(X, y)
    assert in_sample_certificate(plain).value == plain.certificate_.value
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma=0.05))
    search = GridSearchCV(pipeline, {"svc__C": [1, 2, 3]}, cv=3).fit(X, y)
    certificate = in_sample_certificate(search, delta=0.1)
    assert [c.what for c in certificate.uncovered] == ["hyper-parameters", "preprocessing"]
    assert certificate.delta == 0.1
    with pytest.raises(NotApplicable, match="no evidence"):
        in_sample_certificate(GaussianNB().fit(X, y))
    with pytest.raises(ValueError, match="delta"):
        in_sample_certificate(plain, delta=np.nan)
