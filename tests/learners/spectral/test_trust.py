"""The trust report: believes separated moons, not noise, not the counterexample."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_moons

from mercer.learners.spectral import SpectralClustering
from mercer.learners.spectral._trust_checks import curve_jump
from mercer.learners.spectral.laplacians import eigenpairs
from mercer.learners.spectral.quadrature import counterexample_sample

SEEDS = 3


def verdicts(make, seeds, **params):
    found = []
    for seed in seeds:
        params = {"affinity": "kernel"} | params
        model = SpectralClustering(2, n_init=3, random_state=seed, **params).fit(make(seed))
        found.append(model.trust(subsamples=12, noise=6, random_state=seed))
    return found


def moons(seed):
    return make_moons(200, noise=0.05, random_state=seed)[0]


def cloud(seed):
    return np.random.default_rng(seed).normal(size=(200, 2))


def square(seed):
    return np.random.default_rng(seed).random((200, 2))


def product_similarity(seed):
    x = counterexample_sample(150, 0.5, seed)
    return np.outer(x, x)


@pytest.fixture(
    params=[
        pytest.param(range(SEEDS), id="sample"),
        pytest.param(range(100), id="all", marks=pytest.mark.slow),
    ]
)
def seeds(request):
    return request.param


def test_separated_moons_are_trusted(seeds):
    assert {r.verdict for r in verdicts(moons, seeds)} == {"trust"}


@pytest.mark.parametrize("noise", [cloud, square])
@pytest.mark.parametrize("affinity", ["kernel", "knn"])
def test_noise_is_not_trusted(noise, affinity, seeds):
    found = verdicts(noise, seeds, affinity=affinity)
    assert {r.verdict for r in found} == {"do not trust"}


def test_the_counterexample_is_not_trusted(seeds):
    """k(x, y) = xy: the second eigenvector is a spike on the lowest degree (thesis, II.5.2)."""
    params = {"affinity": "precomputed", "laplacian": "unnormalized", "assign_labels": "sign"}
    for seed, report in zip(seeds, verdicts(product_similarity, seeds, **params), strict=True):
        assert report.verdict == "do not trust"
        outcome = {c.name: c.outcome for c in report.checks}
        assert outcome["eigenvalues against degrees"] == "bad"
        assert outcome["localisation"] == "bad"
        K = product_similarity(seed)
        model = SpectralClustering(2, **params).fit(K)
        low = np.sort(K.sum(axis=1))
        assert low[0] < model.eigenvalues_[1] < low[1]
        assert np.bincount(model.labels_).min() == 1


def ring(seed):
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0, 2 * np.pi, 200)
    return np.column_stack([np.cos(angle), np.sin(angle)]) + 0.05 * rng.normal(size=(200, 2))


def test_a_ring_is_hardly_ever_two_clusters(seeds):
    """It is cut where its rows happen to be thin, and subsamples share such places."""
    found = [r.verdict for r in verdicts(ring, seeds)]
    assert found.count("trust") <= 0.05 * len(found)  # a chance gap may look like a real one


@pytest.mark.parametrize("closed", [False, True])
def test_eigenvalues_along_curves(closed):
    """The jump that the report asks for is above that of evenly spaced points on any curve."""
    n = 400
    K = np.eye(n) + np.eye(n, k=1) + np.eye(n, k=-1)
    K[0, -1] = K[-1, 0] = float(closed)
    values = eigenpairs(K, 8, "symmetric")[0]
    jumps = values[2:] / values[1:-1]
    most = np.array([curve_jump(k) for k in range(2, 8)])
    assert np.all(jumps <= 1.01 * most)
    assert jumps[0] == pytest.approx(1.0 if closed else 4.0, rel=0.01)
    assert jumps[1] == pytest.approx(4.0 if closed else 2.25, rel=0.01)


def test_report_is_readable():
    report = verdicts(moons, [0])[0]
    text = str(report)
    assert text.startswith("Verdict: trust.")
    assert "stability" in text
    assert report._repr_html_().count("<tr>") == len(report.checks)
    assert json.loads(json.dumps(report.to_dict()))["verdict"] == "trust"
    assert report.perturbation.norm >= 0
    assert "prefer a normalised" in report.advice or "nearly coincide" in report.advice


def test_the_number_of_clusters_comes_with_its_uncertainty():
    X = np.vstack(
        [np.random.default_rng(0).normal(size=(60, 2)) * 0.4 + c for c in ([0, 0], [5, 0], [0, 5])]
    )
    model = SpectralClustering("auto", affinity="knn", max_clusters=6).fit(X)
    report = model.trust(subsamples=10, noise=4)
    check = next(c for c in report.checks if c.name == "number of clusters")
    assert (check.value, check.outcome) == (1.0, "good")
    assert set(report.numbers) == {3}
    unsure = (
        SpectralClustering("auto", affinity="knn")
        .fit(np.random.default_rng(1).normal(size=(120, 5)))
        .trust(subsamples=10, noise=4)
    )
    assert len(set(unsure.numbers)) > 1
    assert "number of clusters" not in {c.name for c in verdicts(moons, [0])[0].checks}


def test_chance_gaps_on_a_line_are_not_clusters():
    """Sixty uniform points on a line have gaps that a ratio alone would believe."""
    for seed in range(4):
        x = np.random.default_rng(seed).random((60, 1))
        report = (
            SpectralClustering(2, affinity="kernel", n_init=3).fit(x).trust(subsamples=6, noise=6)
        )
        assert report.verdict == "do not trust"


def test_many_rows_are_examined_in_parts():
    X = make_moons(3000, noise=0.05, random_state=0)[0]
    model = SpectralClustering(2, affinity="knn").fit(X)
    report = model.trust(subsamples=6, noise=4, most_rows=500)
    assert report.verdict == "trust"
    assert "500 rows" in str(report)
    noise = np.random.default_rng(0).random((3000, 2))
    model = SpectralClustering(2, affinity="knn").fit(noise)
    assert model.trust(subsamples=6, noise=4, most_rows=500).verdict == "do not trust"


def test_the_report_is_about_the_clustering_as_it_was_fitted():
    model = SpectralClustering(2, n_init=3, random_state=0).fit(moons(0))
    then = model.trust(subsamples=4, noise=3).to_dict()
    model.set_params(n_clusters=5, laplacian="unnormalized", n_neighbors=3, affinity="knn")
    assert model.trust(subsamples=4, noise=3).to_dict() == then
    assert model.n_clusters == 5


def test_two_sets_of_noise_are_too_few_to_compare_with():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])
    report = SpectralClustering(2, affinity="knn").fit(X).trust(subsamples=3, noise=2)
    check = next(c for c in report.checks if c.name == "cut against noise")
    assert check.outcome == "caution"
    assert "too few to say what chance does" in check.message
    assert "standard deviations" not in check.message
