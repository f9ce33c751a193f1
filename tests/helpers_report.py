"""Models and records that several report tests share."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from mercer import SVC, SVR, certified_fit, datasets

HOSTILE = "</script><img src=x onerror=alert(1)>\"'&|`[x](javascript:y)\u202e\x00"


@cache
def moons():
    X, y, _ = datasets.make_moons(160, scale=0.3, random_state=0)
    search = GridSearchCV(SVC(), {"C": [0.1, 1, 10], "gamma": [0.3, 1.0, 3.0]}, cv=3)
    return certified_fit(search, X, y, random_state=0), X, y


@cache
def wide():
    """Six columns, probabilities, checks of the assumptions."""
    X, y, _ = datasets.make_twonorm(150, random_state=0)
    pipeline = make_pipeline(StandardScaler(), SVC(probability=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = certified_fit(pipeline, X, y, random_state=0, checks=True)
    return model, X, y


@cache
def several():
    table = datasets.load_iris()
    model = certified_fit(make_pipeline(StandardScaler(), SVC()), table.X, table.y, random_state=0)
    return model, table.X, table.y


@cache
def curve():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 3, (120, 1))
    y = np.sin(2 * X[:, 0]) + 0.2 * rng.standard_normal(120)
    return certified_fit(SVR(epsilon=0.4), X, y, random_state=0), X, y
