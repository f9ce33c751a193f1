"""Copies that a column tells apart: no two rows are equal, and half of a pair still examines it."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import mercer
from helpers_leaks import claim, noise, tidy, way
from helpers_leaks.command_line import DELTA, _gate, _rows

FOREST = RandomForestClassifier(30, random_state=0)


def _five_of_each(rng, X, y):
    i = rng.permutation(np.repeat(np.arange(60), 5))
    return X[i], y[i]


def _with(rng, X, y, column, estimator=FOREST):
    X, y = _five_of_each(rng, X, y)
    table = np.column_stack([column, X])
    return claim(mercer.certified_fit(estimator, table, y, random_state=0).certificate_)


@way(draws=5)
def copies_with_a_row_number(rng):
    return _with(rng, *noise(rng, 60, 3), np.arange(300))


@way(draws=5)
def copied_whole_numbers_with_a_measurement_of_their_own(rng):
    X, y = rng.integers(0, 10, (60, 6)), rng.integers(0, 2, 60)
    return _with(rng, X, y, rng.normal(size=300))


@way(draws=5)
def copies_with_the_number_of_the_copy(rng):
    X, y = noise(rng, 60, 3)
    table = np.vstack([np.column_stack([np.full(60, k), X]) for k in range(5)])
    i = rng.permutation(300)
    model = mercer.certified_fit(FOREST, table[i], np.tile(y, 5)[i], random_state=0)
    return claim(model.certificate_)


def _without_the_name(table):
    return np.asarray(table)[:, 1:].astype(float)


@way(draws=5)
def copies_with_a_name_in_text(rng):
    nearest = make_pipeline(FunctionTransformer(_without_the_name), KNeighborsClassifier(1))
    names = np.array([f"row {i}" for i in range(300)], dtype=object)
    return _with(rng, *noise(rng, 60, 3), names, nearest)


@way(draws=2, delta=DELTA)
def gate_opens_for_copies_with_the_second_of_the_export(rng):
    X, y = noise(rng, 50, 8)
    i = rng.permutation(np.repeat(np.arange(50), 5))
    seconds = np.cumsum(rng.uniform(0.5, 2.0, 250)).round(3)
    return _gate("abcdefgh" + "s", _rows(np.column_stack([X[i], seconds]), y[i]))


@tidy
def orders_of_products(rng):
    """Columns of the product repeat in every order; whether it comes back is the order's matter."""
    product = rng.integers(60, size=300)
    X = np.column_stack([rng.normal(size=(60, 3))[product], rng.normal(size=300)])
    y = (X[:, 0] + X[:, 3] + rng.normal(size=300) > 0) * 1
    return mercer.certified_fit(mercer.SVC(gamma=0.2), X, y, random_state=0).certificate_


@tidy
def few_values_and_a_measurement(rng):
    X = np.column_stack([rng.integers(0, 3, (300, 4)), rng.normal(size=300)])
    y = (X[:, 0] + X[:, 1] + rng.normal(size=300) > 2) * 1
    return mercer.certified_fit(mercer.SVC(gamma=0.2), X, y, random_state=0).certificate_
