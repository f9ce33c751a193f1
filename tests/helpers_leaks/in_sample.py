"""Plain fits on rows that were copied: bounds for independent rows count every copy anew."""

import numpy as np
from sklearn.svm import SVC as SklearnSVC

import mercer
from helpers_leaks import claim, noise, tidy, way
from mercer.bounds import best_of
from mercer.learners.metric import CondensedNearestNeighbor


def _copied(rng):
    X, y = noise(rng, 40, 3)
    i = rng.permutation(np.repeat(np.arange(40), 40))
    return X[i], y[i]


@way()
def svc_fitted_on_copied_rows(rng):
    return claim(mercer.SVC(gamma=50.0, C=100.0).fit(*_copied(rng)).certificate_)


@way()
def condensed_neighbours_fitted_on_copied_rows(rng):
    return claim(CondensedNearestNeighbor().fit(*_copied(rng)).certificate_)


@way()
def in_sample_certificate_of_copied_rows(rng):
    model = mercer.SVC(gamma=50.0, C=100.0).fit(*_copied(rng))
    return claim(mercer.certification.in_sample_certificate(model))


@way()
def union_of_a_search_on_copied_rows(rng):
    grid = {"C": [10.0, 100.0], "gamma": [10.0, 50.0]}
    search = mercer.KernelSearch(mercer.SVC(), param_grid=grid, certify="union")
    return claim(search.fit(*_copied(rng)).certificate_)


@way()
def evidence_of_a_model_of_others_on_copied_rows(rng):
    X, y = _copied(rng)
    evidence = mercer.evidence_from(SklearnSVC(gamma=50.0, C=100.0).fit(X, y), X, y)
    return claim(best_of(evidence, 0.05, ("scenario", "gaussian-margin", "vc-relative")))


@tidy
def plain_fit_on_rows_of_few_digits(rng):
    """Measurements in steps of a tenth repeat by nature."""
    X = rng.normal(size=(300, 2)).round(1)
    y = (X[:, 0] + 0.3 * rng.normal(size=300) > 0) * 1
    return mercer.SVC(gamma=0.5).fit(X, y).certificate_
