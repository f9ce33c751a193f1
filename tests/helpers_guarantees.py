"""Finite laws of answers and truths, and exact sums over all samples from them."""

from itertools import product
from math import lgamma, log

import numpy as np

from mercer.certification import Refused
from mercer.certification.guarantees.metrics import Unseen


class Said:
    """A model that is known by its answers and, if it has any, its probabilities."""

    classes_ = np.array([0, 1])

    def __init__(self, probability=None):
        if probability is not None:
            self.probability = np.asarray(probability)
            self.predict_proba = lambda X: np.column_stack([1 - self.probability, self.probability])


def tables(n, cells):
    """Every way to put n rows into so many cells."""
    if cells == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in tables(n - first, cells - 1):
            yield (first, *rest)


def log_chance(counts, law):
    """Ln of the multinomial probability of the counts."""
    total = lgamma(sum(counts) + 1)
    for k, p in zip(counts, law, strict=True):
        if k and p == 0:
            return -np.inf
        total += (k * log(p) if k else 0.0) - lgamma(k + 1)
    return total


def from_table(tp, fn, fp, tn):
    """Rows with these counts."""
    truth = np.repeat([1, 1, 0, 0], [tp, fn, fp, tn])
    called = np.repeat([1, 0, 1, 0], [tp, fn, fp, tn])
    return Unseen(Said(), np.zeros((len(truth), 1)), truth, called, (0, 1))


def chance_of_violation(state, true_value, law, n, delta, side="lower"):
    """Exact probability that the limit lies on the wrong side of the truth."""
    total = 0.0
    for counts in tables(n, len(law)):
        try:
            value = state(counts, delta)
        except Refused:
            continue
        wrong = value > true_value + 1e-12 if side == "lower" else value < true_value - 1e-12
        if wrong:
            total += np.exp(log_chance(counts, law))
    return total


def laws():
    """Chances of hits, misses, false alarms and rightly left alone."""
    for base, found, alarms in product((0.2, 0.5), (0.6, 0.9), (0.1, 0.3)):
        yield (base * found, base * (1 - found), (1 - base) * alarms, (1 - base) * (1 - alarms))
