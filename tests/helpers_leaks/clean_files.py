"""Rows that are what they should be, in every shape they come in: nothing may be said about them.

Many repeat values by nature (few levels, short texts, rounded numbers), some even agree wherever
they repeat, because the label is a function of them: none of that is a copy.
"""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import mercer
from helpers_leaks import tidy
from mercer import datasets, kernels
from mercer.learners.metric import KNNClassifier

WORDS = np.array([f"word{i}" for i in range(200)])
SVC = mercer.SVC(gamma=0.1)


def certified(estimator, X, y=None, **options):
    return mercer.certified_fit(estimator, X, y, **{"random_state": 0, **options}).certificate_


def clouds(rng, n, columns=3, apart=2.0):
    """Two overlapping clouds of independent rows."""
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, columns)) + apart * y[:, None] / np.sqrt(columns), y


def flipped(rng, y, share=0.1):
    return np.where(rng.random(len(y)) < share, 1 - y, y)


@tidy
def two_clouds(rng):
    return certified(SVC, *clouds(rng, 200))


@tidy
def sixty_rows(rng):
    return certified(KNeighborsClassifier(3), *clouds(rng, 60))


@tidy
def wide_table_of_few_rows(rng):
    return certified(mercer.SVC(kernel="linear"), *clouds(rng, 60, 1000, 20.0))


@tidy
def single_precision(rng):
    X, y = clouds(rng, 150)
    return certified(SVC, X.astype(np.float32), y)


@tidy
def heavy_tails(rng):
    X, y = clouds(rng, 200)
    return certified(KNNClassifier(5), X * rng.standard_t(2, size=(200, 1)), y)


@tidy
def one_in_five(rng):
    X, y = clouds(rng, 600)
    keep = (y == 0) | (rng.random(600) < 0.25)
    return certified(LogisticRegression(), X[keep], y[keep])


@tidy
def three_classes(rng):
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 2)) + 3.0 * np.column_stack([y == 1, y == 2])
    return certified(SVC, X, y)


@tidy
def labels_are_coin_flips(rng):
    return certified(KNeighborsClassifier(1), rng.normal(size=(200, 4)), rng.integers(0, 2, 200))


@tidy
def labels_are_words(rng):
    X, y = clouds(rng, 150)
    return certified(RandomForestClassifier(10, random_state=0), X, np.array(["no", "yes"])[y])


@tidy
def two_tight_far_clouds(rng):
    """Neighbours always agree, because the classes are plain, not because rows hang together."""
    y = rng.integers(0, 2, 200)
    return certified(KNeighborsClassifier(1), 0.1 * rng.normal(size=(200, 2)) + y[:, None], y)


@tidy
def seven_tight_clusters(rng):
    """Clusters that new rows fall into as well."""
    where = rng.integers(0, 7, 300)
    X = 0.1 * rng.normal(size=(300, 2)) + np.random.default_rng(0).normal(size=(7, 2))[where]
    return certified(KNeighborsClassifier(1), X, flipped(rng, where % 2, 0.05))


@tidy
def sorted_by_class(rng):
    """As many files are; an order that the shuffle undoes."""
    X, y = clouds(rng, 200)
    order = np.argsort(y, kind="stable")
    return certified(SVC, X[order], y[order])


@tidy
def sorted_by_a_column(rng):
    X, y = clouds(rng, 200)
    order = np.argsort(X[:, 0])
    return certified(SVC, X[order], y[order])


@tidy
def labels_taking_turns(rng):
    """Collected in pairs, one of each class."""
    y = np.arange(200) % 2
    return certified(SVC, rng.normal(size=(200, 3)) + 1.2 * y[:, None], y)


@tidy
def row_numbers_as_a_column(rng):
    X, y = clouds(rng, 200)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return certified(tree, np.column_stack([np.arange(200), X]), y)


@tidy
def dates_as_a_column(rng):
    """Rows in the order of their dates, on which nothing depends."""
    X, y = clouds(rng, 200)
    dates = np.sort(rng.uniform(0, 1000, 200))
    return certified(
        DecisionTreeClassifier(max_depth=3, random_state=0), np.column_stack([dates, X]), y
    )


@tidy
def one_constant_column(rng):
    X, y = clouds(rng, 150)
    return certified(KNeighborsClassifier(5), np.column_stack([np.ones(150), X]), y)


@tidy
def one_pair_of_equal_rows(rng):
    X, y = clouds(rng, 400)
    X[1], y[1] = X[0], y[0]
    return certified(KNeighborsClassifier(5), X, y)


# --- few values


@tidy
def rounded_to_one_decimal(rng):
    X, y = clouds(rng, 200, 2)
    return certified(KNeighborsClassifier(5), X.round(1), y)


@tidy
def whole_numbers(rng):
    X = rng.integers(0, 10, (200, 6))
    return certified(LogisticRegression(max_iter=1000), X, flipped(rng, (X[:, 0] > 4) * 1))


@tidy
def three_levels_and_coin_flips(rng):
    return certified(KNeighborsClassifier(5), rng.integers(0, 3, (300, 3)), rng.integers(0, 2, 300))


@tidy
def three_levels_and_a_label_that_follows(rng):
    """Equal rows always agree: the label is a function of the row."""
    X = rng.integers(0, 3, (300, 4))
    return certified(DecisionTreeClassifier(random_state=0), X, (X.sum(axis=1) > 4) * 1)


@tidy
def parity_of_bits(rng):
    """Equal rows agree, neighbours never do: and still no copy."""
    X = rng.integers(0, 2, (300, 5))
    return certified(KNeighborsClassifier(1), X, X.sum(axis=1) % 2)


@tidy
def one_binary_column(rng):
    X = rng.integers(0, 2, (120, 1))
    return certified(DecisionTreeClassifier(), X, flipped(rng, X[:, 0], 0.2))


@tidy
def code_of_the_town(rng):
    """A column that matters, and whose values new rows have as well."""
    town = rng.integers(0, 12, 300)
    X = np.column_stack([town, rng.normal(size=300)])
    return certified(DecisionTreeClassifier(max_depth=4), X, flipped(rng, town * 5 % 12 % 2, 0.15))


@tidy
def survey_of_few_answers(rng):
    """Skewed answers: half of the people tick the first box everywhere."""
    X = rng.choice(5, (300, 4), p=[0.7, 0.1, 0.1, 0.05, 0.05])
    return certified(mercer.SVC(gamma=0.3), X, flipped(rng, (X.max(axis=1) > 1) * 1))


@tidy
def dose_experiment(rng):
    """Five doses, many animals each: inputs repeat by design, answers are independent."""
    dose = rng.choice([0.0, 0.5, 1.0, 2.0, 4.0], 200)
    y = (rng.random(200) < 1 / (1 + np.exp(2 - 2 * dose))).astype(int)
    return certified(LogisticRegression(), dose[:, None], y)


@tidy
def table_of_names(rng):
    table = np.column_stack([rng.choice(["red", "green", "blue"], 200), rng.choice(WORDS[:9], 200)])
    y = flipped(rng, (table[:, 0] == "red") * 1)
    return certified(make_pipeline(OneHotEncoder(), LogisticRegression()), table.astype(object), y)


@tidy
def table_of_names_and_numbers(rng):
    X, y = clouds(rng, 200, 1)
    table = np.column_stack([X.round(1).astype(object), rng.choice(WORDS[:5], 200)])
    return certified(
        make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression()), table, y
    )


# --- real files: one draw, since the rows are what they are


@tidy(draws=1)
def iris(rng):
    table = datasets.load_iris()
    return certified(mercer.SVC(gamma=0.5), table.X, table.y)


@tidy(draws=1)
def wine(rng):
    table = datasets.load_wine()
    return certified(make_pipeline(StandardScaler(), SVC), table.X, table.y)


@tidy(draws=1)
def breast_cancer(rng):
    table = datasets.load_breast_cancer()
    return certified(make_pipeline(StandardScaler(), SVC), table.X, table.y)


@tidy(draws=1)
def promoters(rng):
    table = datasets.load_promoters()
    return certified(mercer.SVC(kernel=kernels.Spectrum(4)), list(table.X), table.y)
