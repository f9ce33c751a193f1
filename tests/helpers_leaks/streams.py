"""Streams whose rows were seen by the rules that they test."""

import numpy as np

from helpers_leaks import claim, noise, tidy, way
from helpers_leaks.assumptions import smallest
from helpers_leaks.clean_files import clouds
from mercer.learners import KernelPerceptron, Perceptron


def _progressive(model):
    found = (claim(c) for code, c in model.certificates_.items() if "progressive" in code)
    return smallest(found)


def _rounds(machine):
    """Every row comes many times, in another order each time."""

    def run(rng):
        X, y = noise(rng, 80, 76)
        model = type(machine)(**machine.get_params())
        for _ in range(15):
            i = rng.permutation(80)
            model.partial_fit(X[i], y[i], classes=[0, 1])
        return _progressive(model)

    return run


way(name="rounds_of_partial_fit")(_rounds(Perceptron()))
way(name="rounds_of_partial_fit_with_a_kernel")(_rounds(KernelPerceptron(kernel="linear")))


@way()
def partial_fit_after_one_sweep(rng):
    X, y = noise(rng, 80, 76)
    model = Perceptron(max_iter=1, order="random", random_state=0).fit(X, y)
    for _ in range(15):
        i = rng.permutation(80)
        model.partial_fit(X[i], y[i])
    return _progressive(model)


@way()
def stream_that_starts_from_the_solution(rng):
    X, y = noise(rng, 80, 76)
    known = Perceptron(max_iter=500, fit_intercept=False).fit(X, y).coef_[0]
    model = Perceptron(coef_init=known, fit_intercept=False)
    model.partial_fit(X, y, classes=[0, 1])
    return _progressive(model.set_params(coef_init=None).partial_fit(X[:1], y[:1]))


def _one_stream(rng, X, y, size):
    model = Perceptron()
    for part in np.array_split(np.arange(len(y)), len(y) // size):
        model.partial_fit(X[part], y[part], classes=[0, 1])
    return model.certificates_["progressive"]


@tidy
def stream_of_new_rows(rng):
    return _one_stream(rng, *clouds(rng, 120), 1)


@tidy
def stream_of_values_that_repeat(rng):
    X, y = clouds(rng, 300, 2)
    return _one_stream(rng, X.round(), y, 10)
