"""The forecast for kernels of objects: a clock of our own that knows what each call costs."""

import numpy as np
import pytest

from mercer.app.kernel_cost import gram_seconds, search_seconds
from mercer.kernels import Spectrum


class Timed:
    """A kernel whose calls cost a + b rows + c rows² seconds."""

    def __init__(self, start=0.0, linear=0.0, square=0.0):
        self.costs = start, linear, square
        self.now = 0.0
        self.largest = 0

    def resolve(self, sample):
        return self

    def __call__(self, sample):
        n = len(sample)
        self.largest = max(self.largest, n)
        self.now += self.costs[0] + self.costs[1] * n + self.costs[2] * n**2

    def clock(self):
        return self.now


def forecast(kernel, n=3000, rows=2000):
    return gram_seconds(kernel, np.arange(n), rows, kernel.clock)


@pytest.mark.parametrize(
    "costs", [(0.0, 1e-4, 0.0), (0.0, 0.0, 1e-6), (0.0, 2e-4, 3e-6), (0.0, 1e-9, 0.0)]
)
def test_rows_and_pairs_are_told_apart(costs):
    assert forecast(Timed(*costs)) == pytest.approx(costs[1] * 2000 + costs[2] * 2000**2)


def test_what_every_call_costs_does_not_grow_with_the_pairs():
    assert forecast(Timed(start=0.03)) < 0.03 * 2000 / 200


def test_slow_kernels_are_timed_on_few_rows():
    slow = Timed(square=0.1)  # 6.4 s for eight rows
    assert forecast(slow) == pytest.approx(0.1 * 2000**2)
    assert slow.largest == 8
    quick = Timed(linear=1e-7)
    forecast(quick)
    assert quick.largest >= 2000


def test_few_objects_are_enough():
    assert forecast(Timed(square=1e-6), n=5, rows=5) == pytest.approx(25e-6)


def test_real_kernels_and_more_rows_take_longer():
    rng = np.random.default_rng(0)
    texts = np.array(["".join(rng.choice(list("ACGT"), 200)) for _ in range(300)], dtype=object)
    kernels = [Spectrum(3), Spectrum(6)]
    short, long = (search_seconds(kernels, texts, n, n) for n in (300, 30_000))
    assert 0 < short < long
