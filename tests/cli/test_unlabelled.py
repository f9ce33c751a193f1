"""``mercer embed`` and ``mercer cluster``: files, pages, words, bad input."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_moons

from helpers_cli import mercer


@pytest.fixture(scope="module")
def moons(tmp_path_factory):
    X, y = make_moons(200, noise=0.05, random_state=0)
    path = tmp_path_factory.mktemp("moons") / "moons.csv"
    lines = [
        f"{a:.5f},{b:.5f},<b>{'up' if c else 'down'}</b>" for (a, b), c in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(["a,b,half", *lines]) + "\n")
    return path


def test_cluster_finds_the_moons_and_says_so(moons, tmp_path):
    ran = mercer("cluster", moons, "--colour", "half", "-o", tmp_path)
    assert ran.code == 0, ran.err
    assert "200 rows in 2 clusters of 100, 100" in ran.out
    assert "Verdict: trust." in ran.out
    assert "single linkage 1.00" in ran.out
    labels = (tmp_path / "moons-clusters.csv").read_text().splitlines()
    assert labels[0] == "row,cluster"
    assert len(labels) == 201
    page = (tmp_path / "moons-clusters.html").read_text()
    assert page.count("<circle") == 200
    assert "<b>up" not in page  # what the data say is text, not markup
    assert "http:" not in page
    assert "https:" not in page


def test_cluster_in_numbers_for_programs(moons, tmp_path):
    ran = mercer(
        "cluster", moons, "-k", "3", "--ignore", "half", "--no-trust", "--json", "-o", tmp_path
    )
    document = json.loads(ran.out)
    assert sum(document["clusters"]) == 200
    assert len(document["clusters"]) == 3
    assert document["trust"] is None


@pytest.mark.parametrize("method", ["pca", "kernel-pca", "isomap", "diffusion", "mds"])
def test_embed(moons, method, tmp_path):
    ran = mercer("embed", moons, "--method", method, "--colour", "half", "-o", tmp_path)
    assert ran.code == 0, ran.err
    rows = (tmp_path / "moons-embedding.csv").read_text().splitlines()
    assert rows[0] == "row,x1,x2"
    assert len(rows) == 201
    html = (tmp_path / "moons-embedding.html").read_text()
    assert html.count("<title>row") == 200
    assert 'svg class="rows chart"' in html  # what the script that shows rows looks for
    assert 'querySelectorAll("svg.rows")' in html


@pytest.mark.parametrize(
    ("method", "name"), [("lle", "locally linear"), ("laplacian", "Laplacian eigenmaps")]
)
def test_embeddings_of_neighbourhoods(moons, method, name, tmp_path):
    ran = mercer("embed", moons, "--method", method, "--ignore", "half", "-o", tmp_path)
    assert ran.code == 0, ran.err
    assert name in ran.out
    rows = np.loadtxt(tmp_path / "moons-embedding.csv", delimiter=",", skiprows=1)
    assert rows.shape == (200, 3)
    assert np.isfinite(rows).all()
    assert len(np.unique(rows[:, 1:].round(6), axis=0)) > 100  # no piece is one point


def test_a_diffusion_map_in_pieces_says_so(moons, tmp_path):
    ran = mercer("embed", moons, "--method", "diffusion", "--ignore", "half", "-o", tmp_path)
    assert ran.code == 0, ran.err
    assert "components of" in ran.out
    assert "connected by" in ran.out
    rows = np.loadtxt(tmp_path / "moons-embedding.csv", delimiter=",", skiprows=1)
    assert len(np.unique(rows[:, 1:].round(6), axis=0)) > 100


def test_one_column_of_text_and_lines(tmp_path):
    words = ["".join(w) for w in np.random.default_rng(0).choice(list("ACGT"), (20, 30))]
    path = tmp_path / "words.txt"
    path.write_text("\n".join(words) + "\n")
    ran = mercer("embed", path, "-o", tmp_path)
    assert "19 rows" in ran.out
    assert "--format lines" in ran.out  # the first row became the column's name
    assert "20 rows" in mercer("embed", path, "--format", "lines", "-o", tmp_path).out


def test_distances_alone(tmp_path):
    points = np.random.default_rng(0).normal(size=(30, 2))
    points[15:] += 8
    D = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.save(tmp_path / "D.npy", D)
    ran = mercer("embed", tmp_path / "D.npy", "--precomputed", "distance", "-o", tmp_path)
    assert "are Euclidean" in ran.out
    np.save(tmp_path / "D.npy", np.round(D, 6))
    ran = mercer(
        *("embed", tmp_path / "D.npy", "--precomputed", "distance", "--method", "isomap"),
        *("-o", tmp_path),
    )
    assert "Euclidean up to rounding" in ran.out
    assert "embedded by mds" in ran.out
    ran = mercer(
        "cluster", tmp_path / "D.npy", "--precomputed", "distance", "-k", "2", "-o", tmp_path
    )
    assert "2 clusters of 15, 15" in ran.out


def test_bad_input(moons, tmp_path):
    assert mercer("cluster", moons, "-k", "many").code == 2
    ran = mercer("cluster", moons, "-k", "500", "-o", tmp_path)
    assert ran.code != 0
    assert "200 rows cannot form 500 clusters" in ran.err
    ran = mercer("embed", moons, "--colour", "hal", "-o", tmp_path)
    assert "half" in ran.err  # the closest name is suggested
    (tmp_path / "two.csv").write_text("a\n1\n2\n")
    assert "cannot be clustered" in mercer("cluster", tmp_path / "two.csv", "-o", tmp_path).err


def test_sequences(tmp_path):
    """Two alphabets of letters: what sequences share tells them apart."""
    rng = np.random.default_rng(0)
    lines = [
        f">s{i}\n{''.join(rng.choice(list('ACGT'[2 * (i % 2) :][:2]), 80))}" for i in range(40)
    ]
    path = tmp_path / "some.fasta"
    path.write_text("\n".join(lines) + "\n")
    ran = mercer("cluster", path, "-k", "2", "-o", tmp_path)
    assert ran.code == 0, ran.err
    assert "2 clusters of 20, 20" in ran.out
    assert "3-letter pieces" in ran.out
    ran = mercer("embed", path, "--method", "mds", "-o", tmp_path)
    assert ran.code == 0, ran.err
    assert len((tmp_path / "some-embedding.csv").read_text().splitlines()) == 41
