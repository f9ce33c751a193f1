"""``mercer inspect`` as a page."""

import json

import numpy as np
import pytest

from helpers_cli import mercer as command
from mercer.app.profile import association
from mercer.tables.frames import dataset_of

RNG = np.random.default_rng(0)
N = 120
X = RNG.normal(size=N)


def columns(**values):
    return dataset_of(values).columns


def test_associations_are_one_for_functions_and_small_for_noise():
    noise = RNG.normal(size=N)
    names = np.where(X > 0, "up", "down")
    other = np.where(X > 0, "north", "south")
    assert association(*columns(a=X, b=np.exp(X))) == pytest.approx(1.0)
    assert association(*columns(a=names, b=other)) == pytest.approx(1.0)
    step = np.where(X > 0, 3.0, 5.0)
    assert association(*columns(a=names, b=step)) == pytest.approx(1.0)
    for pair in (columns(a=X, b=noise), columns(a=names, b=noise)):
        assert association(*pair) < 0.3
    turned = RNG.permutation(names)
    assert association(*columns(a=names, b=turned)) < 0.3


@pytest.fixture
def path(tmp_path):
    rows = [f"{i},{x:.3f},{'' if i % 5 else 'a&<b>'},{int(x > 0)},{'yes' if x > 0 else 'no'}"
            for i, x in enumerate(X)]  # fmt: skip
    place = tmp_path / "t.csv"
    place.write_text("\n".join(["id,x,word,alive,y", *rows]) + "\n")
    return place


def test_the_page_shows_columns_suspects_and_what_a_fit_would_do(path, tmp_path):
    page = tmp_path / "page.html"
    ran = command("inspect", path, "--target", "y", "--output", page)
    assert ran.code == 0
    assert ran.out.endswith(f"wrote {page}\n")
    text = page.read_text()
    for words in ("What to beware of", "a fit would use it as", "What each column alone tells",
                  "Columns that go together", "How the values are spread",
                  "tells &#x27;y&#x27; almost exactly", "not used: identifier"):  # fmt: skip
        assert words in text
    assert "a&<b>" not in text
    assert "a&amp;&lt;b&gt;" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_without_a_target_there_is_a_page_too_and_a_matrix_has_none(path, tmp_path):
    assert command("inspect", path, "-o", tmp_path / "a.html").code == 0
    np.save(tmp_path / "D.npy", np.abs(X[:, None] - X[None, :]))
    ran = command("inspect", tmp_path / "D.npy", "-o", tmp_path / "b.html")
    assert ran.code == 2
    assert "a page is made of tables only" in ran.err


def test_the_document_says_what_a_fit_would_do(path):
    document = json.loads(command("inspect", path, "-t", "y", "--json").out)
    treated = {c["name"]: c["treatment"] for c in document["columns"]}
    assert treated["id"] == "not used: identifier"
    assert treated["x"] == "number, scaled"
