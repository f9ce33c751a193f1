"""Linkages against their definitions."""

import numpy as np
import pytest
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from mercer.learners.spectral import baselines, linkage_labels

X = np.random.default_rng(0).normal(size=(60, 2))
D = cdist(X, X)


@pytest.mark.parametrize("k", [1, 2, 5, 20, 60])
def test_single_linkage_is_the_threshold_graph(k):
    """k clusters: the components of the graph of pairs closer than some radius."""
    found = linkage_labels(X, k, method="single")
    assert len(np.unique(found)) == k
    between = D[found[:, None] != found[None, :]].min(initial=np.inf)
    assert connected_components(between > D)[0] == k
    assert adjusted_rand_score(connected_components(between > D)[1], found) == 1.0


@pytest.mark.parametrize("method", ["single", "average", "complete", "ward"])
def test_others_agree_with_scikit_learn(method):
    theirs = AgglomerativeClustering(4, linkage=method).fit(X).labels_
    assert adjusted_rand_score(theirs, linkage_labels(X, 4, method=method)) == 1.0
    if method != "ward":
        given = linkage_labels(D, 4, method=method, metric="precomputed")
        assert adjusted_rand_score(theirs, given) == 1.0


def test_moons_tell_them_apart():
    rows, truth = make_moons(200, noise=0.05, random_state=0)
    found = baselines(rows, truth)
    assert found["single linkage"] == 1.0
    assert max(found[name] for name in ("k-means", "average linkage", "ward linkage")) < 0.9


def test_bad_requests():
    assert linkage_labels([[1.0, 2.0]], 1).tolist() == [0]
    with pytest.raises(ValueError, match="method"):
        linkage_labels(X, 2, method="median")
    with pytest.raises(ValueError, match="n_clusters"):
        linkage_labels(X, 61)
    with pytest.raises(ValueError, match="Ward"):
        linkage_labels(D, 2, method="ward", metric="precomputed")


def test_anything_one_can_compare():
    words = ["cat", "bat", "rat", "house", "mouse", "louse"]
    assert len(set(linkage_labels(words, 2, metric="edit")[:3])) == 1
    assert len(set(linkage_labels(words, 2, metric="edit"))) == 2
