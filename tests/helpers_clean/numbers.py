"""Tables of numbers: few columns, few values, heavy tails, rounded, clustered, on curves."""

import numpy as np

from helpers_clean import chance, flipped, law


@law
def one_column(rng, n=300):
    X = rng.normal(size=(n, 1))
    return X, chance(rng, X[:, 0])


@law
def one_column_of_coin_flips(rng, n=500):
    return rng.uniform(size=(n, 1)), rng.integers(0, 2, n)


@law
def one_column_that_decides(rng, n=1000):
    X = rng.normal(size=(n, 1))
    return X, (X[:, 0] > 0) * 1


@law
def one_column_of_whole_numbers(rng, n=300):
    """Ages: every value many times."""
    X = rng.integers(18, 90, (n, 1))
    return X, chance(rng, (X[:, 0] - 50) / 15)


@law
def one_column_of_ages_that_decide(rng, n=200):
    X = rng.integers(18, 90, (n, 1))
    return X, (X[:, 0] > 40) * 1


@law
def one_rounded_column(rng, n=300):
    X = rng.normal(size=(n, 1)).round(3)
    return X, chance(rng, 2 * X[:, 0])


@law
def one_column_of_two_decimals(rng, n=1000):
    X = rng.normal(size=(n, 1)).round(2)
    return X, rng.integers(0, 2, n)


@law
def one_column_of_prices(rng, n=400):
    """People like round numbers."""
    price = np.exp(rng.normal(6, 1, n))
    X = np.where(rng.random(n) < 0.6, price.round(-1), price.round(2))[:, None]
    return X, chance(rng, X[:, 0] / 400 - 1)


@law
def a_measurement_and_a_small_number(rng, n=300):
    """Seven rows were once taken for copies here."""
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 5, n)])
    return X, (X[:, 1] > 2) * 1


@law
def a_measurement_and_a_flag(rng, n=1000):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 2, n)])
    return X, chance(rng, X[:, 0] * (2 * X[:, 1] - 1))


@law
def a_rounded_measurement_and_a_flag(rng, n=300):
    X = np.column_stack([rng.normal(size=n).round(3), rng.integers(0, 2, n)])
    return X, chance(rng, X[:, 0])


@law
def a_measurement_and_two_small_numbers(rng, n=200):
    X = np.column_stack([rng.exponential(size=n), rng.integers(0, 3, n), rng.poisson(2, n)])
    return X, chance(rng, X[:, 0] - X[:, 1])


@law
def two_measurements_and_three_flags(rng, n=600):
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 2, (n, 3))])
    return X, chance(rng, X[:, 0] + X[:, 2])


@law
def a_measurement_and_a_code_of_many_levels(rng, n=400):
    code = rng.integers(0, 120, n)
    X = np.column_stack([rng.normal(size=n), code])
    return X, chance(rng, np.random.default_rng(3).normal(size=120)[code] + X[:, 0])


@law
def two_columns_of_one_decimal(rng, n=500):
    X = rng.normal(size=(n, 2)).round(1)
    return X, chance(rng, X.sum(axis=1))


@law
def two_columns_of_two_decimals(rng, n=1500):
    X = rng.normal(size=(n, 2)).round(2)
    return X, chance(rng, X[:, 0])


@law
def two_columns_on_a_line(rng, n=400):
    """The second is the first in other units, but for an error of measurement."""
    a = rng.normal(size=n)
    return np.column_stack([a, 2.54 * a + 1e-3 * rng.normal(size=n)]), chance(rng, a)


@law
def two_columns_on_a_line_exactly(rng, n=300):
    a = rng.normal(size=n)
    return np.column_stack([a, 2.54 * a, -a]), rng.integers(0, 2, n)


@law
def a_line_and_a_small_number(rng, n=300):
    a = rng.normal(size=n)
    return np.column_stack([a, a**3, rng.integers(0, 4, n)]), chance(rng, a)


@law
def points_on_a_curve(rng, n=500):
    t = rng.uniform(0, 6, n)
    return np.column_stack([np.cos(t), np.sin(t), t]), (np.sin(3 * t) > 0) * 1


@law
def nine_tight_clusters(rng, n=400):
    center = np.random.default_rng(1).normal(size=(9, 3))
    which = rng.integers(0, 9, n)
    return center[which] + 0.01 * rng.normal(size=(n, 3)), flipped(rng, which % 2, 0.2)


@law
def whole_numbers_measured_with_a_small_error(rng, n=300):
    X = rng.integers(0, 5, (n, 2)) + 1e-3 * rng.normal(size=(n, 2))
    return X, flipped(rng, X[:, 0] > 2, 0.2)


@law
def clusters_of_very_different_widths(rng, n=500):
    width = 10.0 ** rng.integers(-3, 1, n)
    return width[:, None] * rng.normal(size=(n, 2)), rng.integers(0, 2, n)


@law
def powers_of_normal_numbers(rng, n=400):
    return rng.normal(size=(n, 2)) ** 5, rng.integers(0, 2, n)


@law
def lognormal_incomes(rng, n=800):
    X = np.exp(2.0 * rng.normal(size=(n, 2)))
    return X, chance(rng, np.log(X[:, 0]))


@law
def cauchy_columns(rng, n=300):
    X = rng.standard_cauchy((n, 3))
    return X, chance(rng, np.clip(X[:, 0], -3, 3))


@law
def one_cauchy_column_and_a_flag(rng, n=400):
    return np.column_stack([rng.standard_cauchy(n), rng.integers(0, 2, n)]), rng.integers(0, 2, n)


@law
def mostly_zero(rng, n=400):
    """Rain: zero on most days, any number else."""
    X = np.where(rng.random((n, 2)) < 0.6, 0.0, rng.exponential(size=(n, 2)))
    return X, chance(rng, X[:, 0] - X[:, 1])


@law
def one_column_mostly_zero(rng, n=400):
    X = np.where(rng.random(n) < 0.5, 0.0, rng.exponential(size=n))[:, None]
    return X, chance(rng, X[:, 0])


@law
def clipped_at_a_limit(rng, n=400):
    X = np.clip(rng.normal(size=(n, 3)), -1, 1)
    return X, chance(rng, X.sum(axis=1))


@law
def thirty_rows(rng, n=30):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n)])
    return X, chance(rng, X[:, 0])


@law
def fifty_rows_of_flags(rng, n=50):
    return rng.integers(0, 2, (n, 8)), rng.integers(0, 2, n)


@law
def ninety_rows(rng, n=90):
    X = rng.normal(size=(n, 2))
    return X, chance(rng, X[:, 0])


@law
def three_thousand_rows(rng, n=3000):
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 10, n)])
    return X, chance(rng, X[:, 0] + X[:, 2] - 5)


@law
def three_thousand_whole_numbers(rng, n=3000):
    X = rng.integers(0, 8, (n, 4))
    return X, chance(rng, X[:, 0] - X[:, 1])


@law
def one_in_thirty(rng, n=900):
    y = (rng.random(n) < 1 / 30) * 1
    return rng.normal(size=(n, 3)) + y[:, None], y


@law
def one_in_thirty_and_few_values(rng, n=900):
    y = (rng.random(n) < 1 / 30) * 1
    return rng.poisson(1 + y[:, None], (n, 4)), y


@law
def six_classes(rng, n=600):
    y = rng.integers(0, 6, n)
    return np.column_stack([y + rng.normal(size=n), rng.integers(0, 4, n)]), y


@law
def skewed_counts(rng, n=500):
    X = rng.negative_binomial(0.5, 0.1, (n, 3))
    return X, chance(rng, np.log1p(X[:, 0]) - 1)


@law
def answers_of_a_questionnaire(rng, n=600):
    """Five boxes each, all answers follow one mood."""
    mood = rng.normal(size=n)
    X = np.clip(np.round(3 + mood[:, None] + 0.7 * rng.normal(size=(n, 6))), 1, 5)
    return X, chance(rng, 2 * mood)


@law
def answers_that_are_nearly_one(rng, n=800):
    """Most people are of one of three types, and tick the same boxes."""
    kind = rng.choice(3, n, p=[0.5, 0.3, 0.2])
    usual = np.random.default_rng(2).integers(0, 4, (3, 8))[kind]
    X = np.where(rng.random((n, 8)) < 0.1, rng.integers(0, 4, (n, 8)), usual)
    return X, flipped(rng, kind == 0, 0.2)


@law
def gaps(rng, n=300):
    X = np.column_stack([rng.normal(size=(n, 2)), rng.integers(0, 4, n).astype(float)])
    X[rng.random(X.shape) < 0.15] = np.nan
    return X, rng.integers(0, 2, n)


@law
def gaps_in_one_column(rng, n=300):
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n).astype(float)])
    X[rng.random(n) < 0.3, 0] = np.nan
    return X, chance(rng, X[:, 1] - 1.5)


@law
def single_precision_pixels(rng, n=200):
    X = (rng.binomial(16, rng.beta(0.4, 0.4, (n, 30))) / 16).astype(np.float32)
    return X, (X[:, :15].mean(axis=1) > 0.5) * 1


@law
def shares_that_add_up(rng, n=300):
    return rng.dirichlet([1, 2, 3], n), rng.integers(0, 2, n)


@law
def sorted_by_the_first_column(rng, n=300):
    X = rng.normal(size=(n, 2))
    X = X[np.argsort(X[:, 0])]
    return X, chance(rng, X[:, 0])


@law
def sorted_by_a_code(rng, n=400):
    code = np.sort(rng.integers(0, 30, n))
    X = np.column_stack([code, rng.normal(size=(n, 2))])
    return X, chance(rng, X[:, 1])


@law
def row_numbers_without_meaning(rng, n=300):
    X = np.column_stack([np.arange(n), rng.normal(size=n), rng.integers(0, 3, n)])
    return X, chance(rng, X[:, 1])


@law
def regression_of_one_column(rng, n=400):
    X = rng.uniform(0, 10, (n, 1))
    return X, np.sin(X[:, 0]) + 0.2 * rng.normal(size=n)


@law
def regression_of_rounded_numbers(rng, n=400):
    X = np.column_stack([rng.normal(size=n).round(2), rng.integers(0, 3, n)])
    return X, (X[:, 0] + rng.normal(size=n)).round(2)


@law
def regression_without_noise(rng, n=300):
    X = rng.integers(0, 20, (n, 2)).astype(float)
    return X, X[:, 0] * np.pi + X[:, 1]


@law
def regression_of_counts(rng, n=500):
    X = rng.normal(size=(n, 2)).round(1)
    return X, rng.poisson(np.exp(0.5 * X[:, 0])).astype(float)
