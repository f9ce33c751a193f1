"""The loops that a reader of the texts would write first."""

from __future__ import annotations

import time

import numpy as np


def gaussian_row(X: np.ndarray, j: int, gamma: float) -> np.ndarray:
    return np.exp(-gamma * np.sum((X - X[j]) ** 2, axis=1))


def perceptron_row_by_row(
    X: np.ndarray, y: np.ndarray, gamma: float, visits: int
) -> tuple[float, int]:
    """Algorithm 2: one kernel row against the whole sample per visit; seconds and mistakes."""
    alpha, mistakes, n = np.zeros(len(y)), 0, len(y)
    began = time.perf_counter()
    for step in range(visits):
        j = step % n
        if y[j] * (alpha @ gaussian_row(X, j, gamma)) <= 0:
            alpha[j] += y[j]
            mistakes += 1
    return time.perf_counter() - began, mistakes


def perceptron_cached(
    X: np.ndarray, y: np.ndarray, gamma: float, updates: int
) -> tuple[float, int]:
    """Algorithm 3: a kernel row only after a mistake; seconds and visits until ``updates``."""
    alpha, outputs, n = np.zeros(len(y)), np.zeros(len(y)), len(y)
    made = visits = 0
    began = time.perf_counter()
    while made < updates:
        j = visits % n
        visits += 1
        if y[j] * outputs[j] <= 0:
            alpha[j] += y[j]
            outputs += y[j] * gaussian_row(X, j, gamma)
            made += 1
    return time.perf_counter() - began, visits
